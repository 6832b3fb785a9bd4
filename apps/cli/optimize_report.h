/* optimize_report - prints points and studies as text, CSV and JSON. */
#ifndef OPTIMIZE_REPORT_H
#define OPTIMIZE_REPORT_H

#include "cli.h"
#include "cli_json.h"

/* Print the names, or the values of a point, each after a comma, and end the line of CSV. */
void optimize_print_names(FILE *f, const copse_study *s);
void optimize_print_values(FILE *f, const copse_study *s, const copse_trial *t);
/* "x": {name: value, ...} */
void optimize_json_point(cli_json *out, const copse_study *s, const copse_trial *t);

/* Checks that --trace and --svg can be written and are not the study or its grid.  Call it before long evaluations. */
copse_status optimize_report_check(const cli *c, const char *path, copse_error *err);
/* Prints the best trial so far; writes the trace and the picture if asked for.  path is that of the study. */
copse_status optimize_report(cli *c, const copse_study *s, const char *path, copse_error *err);

#endif
