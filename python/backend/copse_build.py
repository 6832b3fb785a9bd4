"""The build backend: meson-python, after the sources of zlib, zstd and xxhash are there.

The system's are used where the compiler finds them, else those that tools/third-party fetches.  COPSE_BUNDLED=1 in the
environment demands the latter, for a wheel that runs elsewhere; COPSE_BUNDLED=0 the former."""
import os
import shlex
import subprocess
import sys
import tempfile

import mesonpy
from mesonpy import build_sdist, get_requires_for_build_sdist  # noqa: F401

PROGRAM = """#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>
int main(void) { return !(zlibVersion() && ZSTD_versionNumber() && XXH64("", 0, 0)); }
"""


def _system_has_them():
    """Does a program that needs them compile and link?"""
    compiler = shlex.split(os.environ.get("CC", "cc"))
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "t.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        command = [*compiler, source, "-o", os.path.join(folder, "t"), "-lz", "-lzstd", "-lxxhash"]
        try:
            return subprocess.run(command, capture_output=True).returncode == 0
        except OSError:
            return False


def _settings(given):
    settings = dict(given or {})
    asked = os.environ.get("COPSE_BUNDLED", "")
    if asked != "0" and (asked == "1" or not _system_has_them()):
        root = os.getcwd()
        subprocess.run([sys.executable, os.path.join(root, "tools", "third-party")], check=True)
        old = settings.get("setup-args", [])
        settings["setup-args"] = [*([old] if isinstance(old, str) else old), "-Dbundled=true"]
    return settings


def get_requires_for_build_wheel(config_settings=None):
    return mesonpy.get_requires_for_build_wheel(config_settings)


def get_requires_for_build_editable(config_settings=None):
    return mesonpy.get_requires_for_build_editable(config_settings)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return mesonpy.build_wheel(wheel_directory, _settings(config_settings), metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return mesonpy.build_editable(wheel_directory, _settings(config_settings), metadata_directory)
