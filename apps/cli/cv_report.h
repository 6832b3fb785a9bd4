/* cv_report - the comparison of methods that were cross-validated on the same folds, as text and as JSON. */
#ifndef CV_REPORT_H
#define CV_REPORT_H

#include "cli.h"
#include "cli_json.h"

enum { CV_MAX_METHODS = 32 };

/* A method and its scores. */
typedef struct cv_entry {
    copse_params *params;
    copse_scores *fold; /* folds x repeats */
    copse_scores mean;
    double peak_rss_mb; /* of the process while the method was at work */
} cv_entry;

typedef struct cv_result {
    const char *target;
    uint64_t folds, repeats, seed;
    size_t n, entries, rows; /* n = folds x repeats */
    cv_entry entry[CV_MAX_METHODS];
    double read_seconds;
} cv_result;

/* The entry whose main metric is best: CRPS of numbers, log loss of classes. */
size_t cv_report_best(const cv_result *v);
void cv_report_text(const cv_result *v);
void cv_report_json(const cv_result *v);

#endif
