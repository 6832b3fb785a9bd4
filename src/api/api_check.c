#include "api/api_check.h"

#include <string.h>

enum {
    OPTIONS_MAX = 4096, /* bytes: no options struct will ever be larger, so a larger size is garbage */
    THREADS_MAX = 4096
};

static copse_status bad_size(size_t size, copse_error *err) {
    cp_fail(err, COPSE_E_USAGE, "`size` of an options struct is %zu: it is 0, or the struct's sizeof", size);
    return cp_fail_about(err, COPSE_E_USAGE, COPSE_ABOUT_OPTION, "size");
}

static copse_status too_new(copse_error *err) {
    cp_fail(err, COPSE_E_USAGE,
            "an option is set that this version of libcopse, %s, does not have: the program was made for a later one",
            COPSE_VERSION);
    return cp_fail_about(err, COPSE_E_USAGE, COPSE_ABOUT_OPTION, "size");
}

/* All structs are as large as in 1.0 so far: `known` is the size that 0 stands for.  When one grows, 0 will stand for
 * its size in 1.0. */
copse_status cp_api_check_options(const void *opt_given, size_t known, void *out, copse_error *err) {
    size_t size;
    memset(out, 0, known);
    if (!opt_given) return COPSE_OK;
    memcpy(&size, opt_given, sizeof size);
    if (!size) size = known;
    if (size < known || size > OPTIONS_MAX) return bad_size(size, err);
    const unsigned char *bytes = opt_given;
    for (size_t i = known; i < size; i++)
        if (bytes[i]) return too_new(err);
    memcpy(out, opt_given, known);
    memcpy(out, &known, sizeof known);
    return COPSE_OK;
}

copse_status cp_api_check_run(const copse_run *opt_given, copse_run *out, copse_error *err) {
    CP_TRY(CP_API_OPTIONS(opt_given, out));
    if (out->threads >= 0 && out->threads <= THREADS_MAX) return COPSE_OK;
    cp_fail(err, COPSE_E_USAGE, "`threads` is %d: give 0, for one per core, or 1 to %d", out->threads, THREADS_MAX);
    return cp_fail_about(err, COPSE_E_USAGE, COPSE_ABOUT_OPTION, "threads");
}

copse_status cp_api_check_texts(const char *const *list, size_t n, const char *name, copse_error *err) {
    if (n && !list) return cp_fail_argument(err, name);
    for (size_t i = 0; i < n; i++) {
        if (list[i]) continue;
        cp_fail(err, COPSE_E_USAGE, "entry %zu of `%s` is missing (NULL)", i + 1, name);
        return cp_fail_about(err, COPSE_E_USAGE, COPSE_ABOUT_OPTION, name);
    }
    return COPSE_OK;
}

copse_status cp_api_check_roles(const copse_roles *given, copse_roles *out, copse_error *err) {
    CP_TRY(CP_API_OPTIONS(given, out));
    if (!out->target) {
        cp_fail(err, COPSE_E_USAGE, "the target column is not named (`target`)");
        return cp_fail_about(err, COPSE_E_USAGE, COPSE_ABOUT_OPTION, "target");
    }
    if ((unsigned)out->task > COPSE_REGRESS) {
        cp_fail(err, COPSE_E_USAGE, "there is no task %d (`task`)", (int)out->task);
        return cp_fail_about(err, COPSE_E_USAGE, COPSE_ABOUT_OPTION, "task");
    }
    return cp_api_check_texts(out->classes, out->n_classes, "classes", err);
}

copse_status cp_api_check_call(const copse_run *opt_given, cp_supervise_work work, void *arg, copse_error *err) {
    copse_run run;
    CP_TRY(cp_api_check_run(opt_given, &run, err));
    return cp_supervise(&run, work, arg, err);
}
