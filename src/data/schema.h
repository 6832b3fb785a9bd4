/* schema - how a table becomes numbers for a method, and how its answers get back to the user's units.
 *
 * It is made once, from the training table and the roles, travels in the model file, and is the same for training,
 * updating and predicting.  A feature is a column as the user knows it; an encoded column is what the method sees:
 *   number                      1 column: (x - shift) / span
 *   text, at most 32 levels     1 indicator column per level (0 or 1); an unseen level ("other") is all zeros
 *   text, more levels           1 column: the level's rank by frequency (0 = most frequent), "other" = number of
 * levels, divided by that number if the method wants [0,1] Missing numbers become the training median, missing text the
 * most frequent level.  The number of encoded columns never changes after it is made; only the list of classes may
 * grow.
 *
 * Invariants, checked by cp_schema_check:
 *   S1  dims = sum of the features' widths; shift and span are finite, span > 0.
 *   S2  every text feature has at least one level; classes are distinct. */
#ifndef CP_SCHEMA_H
#define CP_SCHEMA_H

#include "base/bytes.h"
#include "data/table.h"

enum { CP_MAX_INDICATORS = 32 };

typedef struct cp_feature {
    char *name;
    copse_kind kind;
    cp_dict levels;      /* text: in order of frequency, most frequent first, ties by byte order */
    double fill;         /* for missing: the median, or the index of the most frequent level (0) */
    size_t first, width; /* encoded columns */
} cp_feature;

typedef struct cp_schema {
    copse_task task;
    char *target;
    cp_dict
        classes; /* classification: label texts; numeric labels in numeric order, else byte order; new ones appended */
    int classes_numeric; /* the target column was numbers: labels are matched by value ("1" = "1.0") */
    size_t features, dims;
    cp_feature *feature;
    double *shift, *span; /* per encoded column */
} cp_schema;

/* want_unit: the method wants columns in [0,1] (ranges of the training rows, or roles->scale).
 * Says on `run` what it decided: task and how to override it, encodings, imputation, dropped columns. */
copse_status cp_schema_new(const copse_table *train, const copse_roles *roles, int want_unit, const copse_run *run,
                           cp_schema **out, copse_error *err);
void cp_schema_free(cp_schema *s);
int cp_schema_check(const cp_schema *s);

/* Rows first ... first+n-1 as floats, row-major, dims to a row.  Columns are found by name; a missing one, or one of
 * the wrong kind, is an error that names it.  A non-finite number (inf) is an error with its place. */
copse_status cp_schema_encode(const cp_schema *s, const copse_table *t, size_t first, size_t n, float *out,
                              copse_error *err);
/* Targets.  A missing target is an error with its place unless opt_missing is given: then it is marked there (1) and
 * the value is 0 / CP_NONE.  Labels: with `grow` an unseen class is appended to s->classes, else it is CP_NONE. */
copse_status cp_schema_numbers(const cp_schema *s, const copse_table *t, size_t first, size_t n, double *out,
                               unsigned char *opt_missing, copse_error *err);
copse_status cp_schema_labels(cp_schema *s, const copse_table *t, size_t first, size_t n, int grow, int32_t *out,
                              unsigned char *opt_missing, copse_error *err);
/* The same without growing, for a const schema. */
copse_status cp_schema_find_labels(const cp_schema *s, const copse_table *t, size_t first, size_t n, int32_t *out,
                                   unsigned char *opt_missing, copse_error *err);

/* The name of an encoded column: "age", "colour=red". */
void cp_schema_dim_name(const cp_schema *s, size_t dim, char *buf, size_t n);

copse_status cp_schema_write(const cp_schema *s, cp_writer *w, copse_error *err);
copse_status cp_schema_read(cp_reader *r, cp_schema **out, copse_error *err);

#endif
