# The front door.  Everything is described to meson; this file only spares you from remembering its commands.
# `make help` lists what there is.

PREFIX  ?= /usr/local
DESTDIR ?=
BUILD   := build
SHELL   := /bin/bash
# Progress where somebody watches, warnings and errors only in a log.
NINJA   := ninja -C $(BUILD) $(shell [ -t 1 ] || echo --quiet)

.PHONY: all demo python wheel test unit check bench papers check-long install format clean help configure
.DEFAULT_GOAL := all

all: configure ## build the program (build/copse) and the library
	@$(NINJA) product

demo: all ## build, then take the tour on embedded data
	@$(BUILD)/copse demo

test: ## every check there is but the long ones; the last line counts them
	@tools/setup build test python
	@tools/run-tests

# One test by name, with all that it prints: make T=csv
ifdef T
.DEFAULT_GOAL := one
.PHONY: one
one:
	@tools/setup build test
	@meson configure $(BUILD) -Dtests=true > /dev/null 2>&1 || meson setup $(BUILD) -Dtests=true > /dev/null
	@meson test -C $(BUILD) -v $(T)
endif

unit: ## the unit tests, in seconds; make T=csv runs one test
	@tools/setup build test
	@tools/run-tests "build gcc" unit

check: ## what a commit needs, in under two minutes: layout, names, sizes, format, gcc, same bits, unit and exact tests
	@tools/setup build test
	@tools/run-tests layers lint format size messages "build gcc" symbols names "same bits" unit exact

check-long: ## hours, not minutes: fuzzing, mutated model files, slow distribution tests
	@tools/setup build test python
	@tools/run-tests --long

bench: all ## speed and memory against peers measured in the same run
	@tools/setup bench
	@bench/run
	@bench/greedy
	@bench/trees

papers: all ## the papers' tables and figures, ours beside theirs (an hour); QUICK=1 for a look (minutes)
	@tools/setup papers
	@bench/papers/all $(if $(QUICK),--quick)

python: all ## regenerate the Python estimators, build the package and run its tests; T=zoo runs one file
	@tools/setup build python
	@python/generate
	@tools/test-python $(T)

wheel: ## a Python wheel for any Linux of glibc 2.28 and CPython 3.11 or later, and the source archive, in dist/
	@tools/setup python
	@tools/make-wheel

install: all ## install under PREFIX (/usr/local), staged in DESTDIR if given
	@meson configure $(BUILD) -Dprefix=$(abspath $(PREFIX)) > /dev/null
	@$(NINJA) product
	@DESTDIR=$(if $(DESTDIR),$(abspath $(DESTDIR))) meson install -C $(BUILD) --no-rebuild

format: ## format every C file with clang-format
	@tools/setup test
	@tools/source-files '*.c' '*.h' | xargs clang-format -i

clean: ## remove everything that was built
	@rm -rf $(BUILD) build-*

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | while IFS=$$'\t' read -r name text; do printf '  make %-12s %s\n' "$$name" "$$text"; done

# Tests are part of the build directory only where their packages are installed: building the program needs fewer.
configure:
	@tools/setup build
	@if [ ! -f $(BUILD)/build.ninja ]; then \
	    tests=false; if tools/setup --check test; then tests=true; fi; \
	    echo "configuring $(BUILD)/"; \
	    meson setup $(BUILD) -Dtests=$$tests > $(BUILD)-setup.log 2>&1 || { cat $(BUILD)-setup.log; exit 1; }; \
	    mv $(BUILD)-setup.log $(BUILD)/meson-logs/; \
	fi
