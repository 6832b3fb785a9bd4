#include "cli_method.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const copse_method_info *cli_method_find(const char *name) {
    const copse_method_info *m;
    for (size_t i = 0; (m = copse_method(i)) != NULL; i++)
        if (strcmp(m->name, name) == 0) return m;
    return NULL;
}

static int wider(int width, const char *text) {
    int n = (int)strlen(text);
    return n > width ? n : width;
}

/* ------------------------------------------------------------------------------------------- ranges in words */

static void print_bound(const copse_option_info *o, double x, char *buf, size_t n) {
    snprintf(buf, n, o->kind == COPSE_OPTION_INT ? "%.0f" : fabs(x) < 1e9 ? "%.15g" : "%g", x);
}

static void number_range(const copse_option_info *o, const char *words, cli_range *out) {
    char min[32], max[32];
    print_bound(o, o->min, min, sizeof min);
    print_bound(o, o->max, max, sizeof max);
    if (isfinite(o->min) && isfinite(o->max))
        snprintf(out->text, sizeof out->text, "%s%s to %s", words, min, max);
    else if (isfinite(o->min))
        snprintf(out->text, sizeof out->text, "%s%s or more", words, min);
    else if (isfinite(o->max))
        snprintf(out->text, sizeof out->text, "%s%s or less", words, max);
    else
        snprintf(out->text, sizeof out->text, "%s%s", words, *words ? "any number" : "");
}

cli_range cli_method_range(const copse_option_info *o) {
    cli_range out = {""};
    char words[sizeof out.text / 2] = "";
    int number = o->kind == COPSE_OPTION_INT || o->kind == COPSE_OPTION_REAL;
    size_t used = 0;
    for (size_t k = 0; k < o->n_choices && used < sizeof words; k++)
        used += (size_t)snprintf(words + used, sizeof words - used, "%s%s%s%s", k && !number ? " " : "", o->choice[k],
                                 isnan(o->count[k]) ? "" : ":N", number ? ", " : "");
    if (number)
        number_range(o, words, &out);
    else
        snprintf(out.text, sizeof out.text, "%s%s", o->kind == COPSE_OPTION_LIST ? "none, or some of " : "", words);
    return out;
}

void cli_method_print_options(const copse_method_info *m) {
    copse_option_info o;
    int name = 6, initial = 7, range = 5;
    for (size_t i = 0; copse_method_option(m->name, i, &o); i++) {
        name = wider(name, o.name);
        initial = wider(initial, o.initial);
        range = wider(range, cli_method_range(&o).text);
    }
    printf("  %-*s  %-*s  %-*s  %s\n", name + 2, "option", initial, "default", range, "range", "meaning");
    for (size_t i = 0; copse_method_option(m->name, i, &o); i++)
        printf("  --%-*s  %-*s  %-*s  %s\n", name, o.name, initial, o.initial, range, cli_method_range(&o).text,
               o.help);
}
