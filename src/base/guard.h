/* guard - brings a fault of the library (CP_BUG) back to the caller as COPSE_E_INTERNAL.
 *
 * A library may not end the process of its host.  Every public function that may meet a fault sets a guard, and so
 * does every job of a thread; CP_BUG jumps to the innermost guard of its thread.  What the skipped functions had
 * allocated is lost, and an object that was being changed may only be freed: a fault is a bug to report, not a way to
 * go on. */
#ifndef CP_GUARD_H
#define CP_GUARD_H

#include <setjmp.h>

#include "base/fail.h"

typedef struct cp_guard {
    jmp_buf at;
    struct cp_guard *outer; /* the guard of the caller, if it has one */
    char text[256];         /* the fault */
} cp_guard;

/* For functions that return a status: CP_GUARD(err); as the first statement that does something. */
#define CP_GUARD(err) CP_GUARD_OR(cp_guard_status(&guard_, err))
/* For others: a fault returns `value`. */
#define CP_GUARD_OR(value)                                    \
    __attribute__((cleanup(cp_guard_leave))) cp_guard guard_; \
    cp_guard_enter(&guard_);                                  \
    if (setjmp(guard_.at)) return value

void cp_guard_enter(cp_guard *g);
void cp_guard_leave(cp_guard *g);
/* COPSE_E_INTERNAL with the text of the fault. */
copse_status cp_guard_status(const cp_guard *g, copse_error *err);

/* Jumps to the innermost guard of this thread.  Without a guard, which only a test of an internal function may lack, it
 * stops the program with a trap. */
_Noreturn void cp_guard_raise(const char *text);

#endif
