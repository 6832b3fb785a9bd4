/* fail - statuses and how they travel.  A user's fault is a status and a sentence; our fault is CP_BUG. */
#ifndef CP_FAIL_H
#define CP_FAIL_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "copse.h"

enum { CP_NONE = -1 }; /* no node, no row, no class */

/* Fills err (if there is one) and returns `code`.  One place for a breakpoint. */
__attribute__((format(printf, 3, 4))) copse_status cp_fail(copse_error *err, copse_status code, const char *fmt, ...);

/* The same with a place in the data, 1-based. */
__attribute__((format(printf, 5, 6))) copse_status cp_fail_at(copse_error *err, copse_status code, long row, long col,
                                                              const char *fmt, ...);

copse_status cp_fail_memory(copse_error *err);
/* COPSE_E_SYSTEM: "cannot WHAT PATH: the system's reason", from errno. */
copse_status cp_fail_system(copse_error *err, const char *what, const char *path);
/* Fails if the flag is there and raised: by a signal handler, or by another thread. */
copse_status cp_fail_if_stopped(const volatile int *opt_stop, copse_error *err);

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

/* What makes a word plural in a message about n things: "1 row", "2 rows". */
static inline const char *cp_plural(size_t n) {
    return n == 1 ? "" : "s";
}

/* What cannot be unless we are wrong: cheap, always on, ends the process with the place. */
#define CP_BUG(cond)                                      \
    do {                                                  \
        if (cond) cp_fail_bug(__FILE__, __LINE__, #cond); \
    } while (0)
_Noreturn void cp_fail_bug(const char *file, int line, const char *what);

#endif
