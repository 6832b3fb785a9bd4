/* fail - how failures are raised and forwarded.  A fault of the user or of the data is a status with a sentence; a bug
 * of the library is CP_BUG. */
#ifndef CP_FAIL_H
#define CP_FAIL_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "copse.h"

enum { CP_NONE = -1 }; /* no node, no row, no class */

/* Fills err, if it is not NULL, and returns `code`.  All failures pass here: a place for a breakpoint.  The option or
 * column that the message names first becomes err->what and err->name. */
__attribute__((format(printf, 3, 4))) copse_status cp_fail(copse_error *err, copse_status code, const char *fmt, ...);

/* The same with the row and column of the data, counted from 1. */
__attribute__((format(printf, 5, 6))) copse_status cp_fail_at(copse_error *err, copse_status code, long row, long col,
                                                              const char *fmt, ...);

/* Says what an error is about where the message does not name it first; returns `code`. */
copse_status cp_fail_about(copse_error *err, copse_status code, copse_about what, const char *name);

/* COPSE_E_USAGE: the argument of that name is NULL. */
copse_status cp_fail_argument(copse_error *err, const char *name);
copse_status cp_fail_memory(copse_error *err);
/* COPSE_E_SYSTEM: "cannot WHAT PATH: the system's reason", from errno. */
copse_status cp_fail_system(copse_error *err, const char *what, const char *path);
/* COPSE_E_STOPPED if the flag is not NULL and was set, by a signal handler or another thread. */
copse_status cp_fail_if_stopped(const copse_flag *opt_stop, copse_error *err);

/* Forwards a failure to the caller. */
#define CP_TRY(call)                               \
    do {                                           \
        copse_status cp_try_status_ = (call);      \
        if (cp_try_status_) return cp_try_status_; \
    } while (0)

/* Forwards a failure to the label `out`, where the function cleans up; needs a variable `status`. */
#define CP_TRY_OUT(call)      \
    do {                      \
        status = (call);      \
        if (status) goto out; \
    } while (0)

/* The ending of a noun in a message about n things: "1 row", "2 rows". */
static inline const char *cp_plural(size_t n) {
    return n == 1 ? "" : "s";
}

/* A condition that only a bug of the library can make true.  The check is cheap and always on; the public call ends
 * with COPSE_E_INTERNAL and a message that names the line (base/guard.h). */
#define CP_BUG(cond)                                      \
    do {                                                  \
        if (cond) cp_fail_bug(__FILE__, __LINE__, #cond); \
    } while (0)
_Noreturn void cp_fail_bug(const char *file, int line, const char *what);

#endif
