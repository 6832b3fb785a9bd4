/* cli_method - methods by name, and their options as a table. */
#ifndef CLI_METHOD_H
#define CLI_METHOD_H

#include "copse.h"

/* The method of that name, NULL if there is none. */
const copse_method_info *cli_method_find(const char *name);
/* Prints the options of a method as a table: name, default, range, meaning. */
/* What an option takes, in words: "1 to 100000", "exact fast". */
typedef struct cli_range {
    char text[256];
} cli_range;
cli_range cli_method_range(const copse_option_info *o);

void cli_method_print_options(const copse_method_info *m);

#endif
