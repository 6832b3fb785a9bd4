#include "base/guard.h"

#include <stdio.h>

/* Per thread: a guard is on the stack of the thread that set it. */
static _Thread_local cp_guard *innermost;

void cp_guard_enter(cp_guard *g) {
    g->outer = innermost;
    innermost = g;
}

void cp_guard_leave(cp_guard *g) {
    innermost = g->outer;
}

copse_status cp_guard_status(const cp_guard *g, copse_error *err) {
    return cp_fail(err, COPSE_E_INTERNAL, "%s", g->text);
}

void cp_guard_raise(const char *text) {
    cp_guard *g = innermost;
    if (!g) __builtin_trap();
    snprintf(g->text, sizeof g->text, "%s", text);
    longjmp(g->at, 1);
}
