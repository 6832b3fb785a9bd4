#include "cli_method.h"

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

void cli_method_print_options(const copse_method_info *m) {
    copse_option_info o;
    int name = 6, initial = 7, range = 5;
    for (size_t i = 0; copse_method_option(m->name, i, &o); i++) {
        name = wider(name, o.name);
        initial = wider(initial, o.initial);
        range = wider(range, o.range);
    }
    printf("  %-*s  %-*s  %-*s  %s\n", name + 2, "option", initial, "default", range, "range", "meaning");
    for (size_t i = 0; copse_method_option(m->name, i, &o); i++)
        printf("  --%-*s  %-*s  %-*s  %s\n", name, o.name, initial, o.initial, range, o.range, o.help);
}
