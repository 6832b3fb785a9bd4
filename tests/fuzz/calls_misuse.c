/* Every function of the shared library with every argument NULL, and every size out of range.
 *
 * usage: calls_misuse LIBCOPSE.SO
 *
 * Functions with a status must answer COPSE_E_USAGE, accessors NaN, NULL, 0 or (size_t)-1. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "calls.h"

static size_t passed;

/* What an accessor answers if there is nothing to answer with. */
static int is_nothing(const calls_world *w) {
    switch (w->result) {
        case CALLS_VOID: return 1;
        case CALLS_STATUS: return w->status == COPSE_E_USAGE;
        case CALLS_POINTER: return !w->pointer;
        case CALLS_NUMBER: return isnan(w->value);
        case CALLS_COUNT: return w->count == 0 || w->count == (size_t)-1;
    }
    return 0;
}

static void prepare(calls_world *w) {
    calls_fill(w);
    w->nulls = 0;
    w->null_at = w->huge_at = -1;
}

static void with_null(calls_world *w, const calls_function *f, int i) {
    char what[64];
    prepare(w);
    w->null_at = i;
    f->call(w);
    passed++;
    /* Accessors need their object; what they fill is up to the caller. */
    if ((w->result == CALLS_STATUS || i == 0) && f->needed[i] && !is_nothing(w)) {
        snprintf(what, sizeof what, "argument %d is NULL, and the answer is not an error", i + 1);
        calls_fail(f->name, what);
    }
    if (w->result != CALLS_STATUS || !f->needed[i] || !w->with_err) return;
    if (w->err.what != COPSE_ABOUT_ARGUMENT || !*w->err.name) calls_fail(f->name, "err does not name the argument");
}

static void with_huge(calls_world *w, const calls_function *f, int i) {
    static const uint64_t huge[] = {SIZE_MAX, SIZE_MAX / 2 + 1, 1000, 12};
    for (size_t k = 0; k < sizeof huge / sizeof *huge; k++) {
        prepare(w);
        w->huge_at = i;
        w->huge = huge[k];
        f->call(w);
        passed++;
        int object_first = f->needed[0]; /* an index of that object */
        if (object_first && w->result != CALLS_STATUS && k < 2 && !is_nothing(w))
            calls_fail(f->name, "an index out of range has an answer");
    }
}

/* The functions that the library exports are those that are called here. */
static void compare_with(const char *library) {
    char command[1024], line[256];
    size_t exported = 0;
    snprintf(command, sizeof command, "nm -D --defined-only '%s'", library);
    FILE *nm = popen(command, "r");
    while (nm && fgets(line, sizeof line, nm)) {
        char *name = strstr(line, " copse_");
        if (!name) continue;
        name++;
        name[strcspn(name, "@\n")] = '\0';
        size_t i = 0;
        while (i < calls_functions && strcmp(calls_list[i].name, name) != 0) i++;
        if (i == calls_functions) calls_fail(name, "is exported, but not called here: copse.h does not declare it");
        exported++;
    }
    if (!nm || pclose(nm)) calls_fail("nm", "does not work");
    if (exported != calls_functions) calls_fail("copse.h", "declares functions that the library does not export");
    if (*calls_unknown) calls_fail(*calls_unknown, "no way to make such an argument: add it to tests/fuzz/make-calls");
}

int main(int argc, char **argv) {
    static calls_world w;
    char dir[] = "/tmp/copse-misuse-XXXXXX", command[64];
    if (argc < 2) calls_fail("usage", "calls_misuse LIBCOPSE.SO");
    compare_with(argv[1]);
    if (!mkdtemp(dir)) calls_fail(dir, "cannot be made");
    calls_init(&w, dir, 1);
    for (size_t k = 0; k < calls_functions; k++) {
        const calls_function *f = &calls_list[k];
        prepare(&w);
        f->call(&w);
        passed++;
        for (int i = 0; i < f->args; i++) {
            with_null(&w, f, i);
            if (f->sizes[i]) with_huge(&w, f, i);
        }
    }
    calls_clear(&w);
    if (cp_mem_live()) calls_fail("memory", "is not freed");
    snprintf(command, sizeof command, "rm -r %s", dir);
    int status = system(command);
    printf("%zu functions\n%zu passed, %d failed\n", calls_functions, passed, status != 0);
    return status != 0;
}
