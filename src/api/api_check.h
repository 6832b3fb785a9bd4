/* api_check - what every public function does before it goes inward: misuse is refused, never followed. */
#ifndef CP_API_CHECK_H
#define CP_API_CHECK_H

#include "base/guard.h"
#include "base/supervise.h"

/* COPSE_E_USAGE if the argument is NULL. */
#define CP_API_NEED(arg)                                \
    do {                                                \
        if (!(arg)) return cp_fail_argument(err, #arg); \
    } while (0)

/* The place of a new object: must not be NULL, and is NULL until the call succeeds. */
#define CP_API_OUT(out)   \
    do {                  \
        CP_API_NEED(out); \
        *(out) = NULL;    \
    } while (0)

/* Copies an options struct of the caller, which begins with its size, into one of this version: see "Within 1.x" in
 * copse.h.  NULL is all zeros.  COPSE_E_USAGE if the size cannot be, or a member is set that this version lacks. */
#define CP_API_OPTIONS(given, out) cp_api_check_options((given), sizeof *(given), (out), err)
copse_status cp_api_check_options(const void *opt_given, size_t known, void *out, copse_error *err);

/* The same, and the members make sense. */
copse_status cp_api_check_run(const copse_run *opt_given, copse_run *out, copse_error *err);
copse_status cp_api_check_roles(const copse_roles *given, copse_roles *out, copse_error *err);

/* COPSE_E_USAGE if an entry of the list is NULL. */
copse_status cp_api_check_texts(const char *const *list, size_t n, const char *name, copse_error *err);

/* cp_supervise with the run as the caller gave it. */
copse_status cp_api_check_call(const copse_run *opt_given, cp_supervise_work work, void *arg, copse_error *err);

#endif
