/* fail - fills errors, and raises faults of the library. */
#include "base/fail.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/guard.h"

static copse_status fail(copse_error *err, copse_status code, long row, long col, const char *fmt, va_list args) {
    if (err) {
        err->code = code;
        err->what = COPSE_ABOUT_NOTHING;
        err->name[0] = '\0';
        err->row = row;
        err->col = col;
        vsnprintf(err->msg, sizeof err->msg, fmt, args);
    }
    return code;
}

copse_status cp_fail(copse_error *err, copse_status code, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    fail(err, code, 0, 0, fmt, args);
    va_end(args);
    return code;
}

copse_status cp_fail_at(copse_error *err, copse_status code, long row, long col, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    fail(err, code, row, col, fmt, args);
    va_end(args);
    return code;
}

copse_status cp_fail_about(copse_error *err, copse_status code, copse_about what, const char *name) {
    if (err) {
        err->what = what;
        snprintf(err->name, sizeof err->name, "%s", name);
    }
    return code;
}

copse_status cp_fail_argument(copse_error *err, const char *name) {
    cp_fail(err, COPSE_E_USAGE, "the argument `%s` is missing (NULL)", name);
    return cp_fail_about(err, COPSE_E_USAGE, COPSE_ABOUT_ARGUMENT, name);
}

copse_status cp_fail_memory(copse_error *err) {
    return cp_fail(err, COPSE_E_MEMORY, "out of memory");
}

copse_status cp_fail_system(copse_error *err, const char *what, const char *path) {
    char why[200];
    int number = errno;
    if (strerror_r(number, why, sizeof why) != 0) snprintf(why, sizeof why, "error %d", number);
    return cp_fail(err, COPSE_E_SYSTEM, "cannot %s %.700s: %s", what, path, why);
}

copse_status cp_fail_if_stopped(const copse_flag *opt_stop, copse_error *err) {
    return opt_stop && atomic_load_explicit(opt_stop, memory_order_relaxed)
               ? cp_fail(err, COPSE_E_STOPPED, "interrupted")
               : COPSE_OK;
}

void cp_fail_bug(const char *file, int line, const char *what) {
    char text[256];
    snprintf(text, sizeof text, "internal error at %s:%d: %.120s.  Please report it", file, line, what);
    cp_guard_raise(text);
}
