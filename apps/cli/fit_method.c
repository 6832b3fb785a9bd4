#include "fit_method.h"

#include <stdio.h>
#include <string.h>

static int has_option(const char *method, const char *name) {
    copse_option_info o;
    for (size_t i = 0; copse_method_option(method, i, &o); i++)
        if (!strcmp(o.name, name)) return 1;
    return 0;
}

/* The first option that `auto` lacks; NULL if it has all. */
static const char *foreign_option(const cli_args *a) {
    for (size_t i = 0; i < a->method_options; i++)
        if (!has_option("auto", a->method_option[i].name)) return a->method_option[i].name;
    return NULL;
}

static int has_all(const char *method, const cli_args *a) {
    for (size_t i = 0; i < a->method_options; i++)
        if (!has_option(method, a->method_option[i].name)) return 0;
    return 1;
}

copse_status fit_method_choose(cli *c, const char **out, copse_error *err) {
    const cli_args *a = &c->args;
    const char *given = cli_args_text(a, "method"), *option = foreign_option(a), *only = NULL;
    const copse_method_info *m;
    char names[200] = "";
    size_t n = 0, used = 0;
    *out = given ? given : "auto";
    if (given || !option) return COPSE_OK;
    for (size_t i = 0; (m = copse_method(i)) != NULL; i++) {
        if (!has_all(m->name, a)) continue;
        only = m->name;
        if (used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", n ? ", " : "", m->name);
        n++;
    }
    if (n == 0) return cli_fail(err, COPSE_E_USAGE, "no method has all of these options: choose one with -m METHOD");
    if (n > 1)
        return cli_fail(err, COPSE_E_USAGE, "--%s is an option of %s: choose one of them with -m METHOD", option,
                        names);
    cli_progress_note(&c->progress, "--%s is an option of %s alone: the method is %s, not auto", option, only, only);
    *out = only;
    return COPSE_OK;
}
