/* optimize_report - points and studies for people, as CSV and as JSON. */
#ifndef OPTIMIZE_REPORT_H
#define OPTIMIZE_REPORT_H

#include "cli.h"
#include "cli_json.h"

/* Each name and each value with a comma before it, to the end of a line of CSV. */
void optimize_print_names(FILE *f, const copse_study *s);
void optimize_print_values(FILE *f, const copse_study *s, const copse_trial *t);
/* "x": {name: value, ...} */
void optimize_json_point(cli_json *out, const copse_study *s, const copse_trial *t);

/* Whether --trace and --svg can be written and are not the study or its grid: asked before hours of evaluations. */
copse_status optimize_report_check(const cli *c, const char *path, copse_error *err);
/* The best so far; and, where asked for, the trace and the picture.  `path` is the study's. */
copse_status optimize_report(cli *c, const copse_study *s, const char *path, copse_error *err);

#endif
