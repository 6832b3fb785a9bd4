/* learn_report - what `learn` prints: metrics while it learns, and the end. */
#ifndef LEARN_REPORT_H
#define LEARN_REPORT_H

#include "learn_job.h"

/* --prequential: a line of metrics for the rows since the last one. */
copse_status learn_report(cli *c, learn_job *l, copse_error *err);
/* A stream may bring new classes; the note also shows a wrong or numeric target column. */
void learn_report_classes(cli *c, const learn_job *l);
void learn_report_bad_rows(cli *c, const learn_job *l);
/* The last line of --json, also after a failure (opt_problem), or the summary. */
void learn_report_end(const cli *c, const learn_job *l, const char *opt_problem);

#endif
