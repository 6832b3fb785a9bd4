/* summary - what the training rows hold, column by column: histograms, counts of levels, and counts of missing values.
 *
 * A row counts once, whatever its weight.  The counts are a function of the rows alone: however rows are cut into
 * tables, and in whatever order tables are added or summaries merged, the result is the same, bit for bit.
 *
 * Invariants, checked by cp_summary_check:
 *   U1  a column for each feature of the schema, then one for the target, of their kinds.  A text column has a count
 *       for each level, and that of a target for each class.
 *   U2  missing + unseen + what the histogram or the levels count is the same number in all columns: the rows.
 *   U3  numbers have no unseen values; the target has none, and none that are missing. */
#ifndef CP_SUMMARY_H
#define CP_SUMMARY_H

#include "data/histogram.h"
#include "data/schema.h"

typedef struct cp_summary_column {
    copse_kind kind;
    uint64_t missing, unseen; /* unseen: text that is none of the levels */
    cp_histogram histogram;   /* of numbers */
    uint64_t *count;          /* text: rows of each level */
    size_t counts, cap;
} cp_summary_column;

typedef struct cp_summary {
    size_t columns;
    cp_summary_column *column;
} cp_summary;

/* A summary of no rows. */
copse_status cp_summary_new(const cp_schema *s, cp_summary **out, copse_error *err);
void cp_summary_free(cp_summary *u);
/* Makes room for the classes of the schema, which may have grown.  The functions that add rows then cannot fail. */
copse_status cp_summary_reserve(cp_summary *u, const cp_schema *s, copse_error *err);

/* Adds a feature of rows that the schema has encoded: the table has the column, and no number in it is infinite. */
void cp_summary_add(cp_summary *u, const cp_schema *s, size_t feature, cp_table_rows rows);
/* Adds a single value of a feature: a number, or the index of a level, their number if it is unseen; NaN is missing. */
void cp_summary_add_value(cp_summary *u, size_t feature, double value);
/* Adds targets: numbers, or the indices of classes if opt_y is NULL. */
void cp_summary_add_targets(cp_summary *u, const double *opt_y, const int32_t *opt_label, size_t n);
/* Adds all rows of a summary with the same schema, whose classes may differ in number only. */
copse_status cp_summary_merge(cp_summary *u, const cp_summary *other, copse_error *err);

/* The rows that were added. */
uint64_t cp_summary_rows(const cp_summary *u);
/* 0 if an invariant does not hold. */
int cp_summary_check(const cp_summary *u, const cp_schema *s);

#endif
