/* schema - how a table becomes numbers for a method, and how its answers get back to the user's units.
 *
 * It is made once, from the training table and the roles, travels in the model file, and is the same for training,
 * updating and predicting.  A feature is a column as the user knows it; an encoded column is what the method sees:
 *
 *   number                     1 column: (x - shift) / span, a missing value being the training median
 *   text, at most 32 levels    1 indicator column (0 or 1) per level; a level unseen in training is all zeros
 *   text, more levels          1 column: the level's rank by frequency, 0 the most frequent, an unseen level being the
 *                              number of levels; divided by that number if the method wants [0,1]
 *
 * Missing text is the most frequent level.  Methods that know categories and missing values themselves get them raw:
 *
 *   number                     1 column: x - shift, NaN where missing; shift is 0 unless floats are too coarse out
 *                              there
 *   text                       1 column: the level's rank by frequency, an unseen level being the number of levels,
 *                              NaN where missing
 *
 * The number of encoded columns never changes after it is made; only the list of classes may grow.
 *
 * Invariants, checked by cp_schema_check:
 *   S1  dims = sum of the features' widths; shift and span are finite, span > 0; indicators have shift 0 and span 1.
 *       Raw: span is 1, text has shift 0, and `levels` has the levels of every feature if one is text.
 *   S2  every text feature has at least one level; fills are finite, and one of the levels for text.
 *   S3  no feature is the target; classification has at least one class, regression none.
 * Names are distinct because the table's are (T3), and cp_schema_file_read refuses others. */
#ifndef CP_SCHEMA_H
#define CP_SCHEMA_H

#include "base/codec.h"
#include "data/table.h"

enum {
    CP_SCHEMA_INDICATORS_MAX = 32,
    CP_SCHEMA_SAID = 8 /* lines about single columns, of each sort */
};
/* Encoded numbers are at most this: far beyond any box, and the difference of two such floats is a float. */
#define CP_SCHEMA_LIMIT 1e37
/* Squares of squares of targets are still numbers. */
#define CP_SCHEMA_TARGET_MAX 1e60
/* The weight of a row; the smallest but 0 is 1 / CP_SCHEMA_WEIGHT_MAX.  Sums of weights are still floats. */
#define CP_SCHEMA_WEIGHT_MAX 1e30

/* What a method wants its columns to be. */
typedef enum cp_encoding {
    CP_ENCODE_UNIT,  /* scaled to [0,1] */
    CP_ENCODE_PLAIN, /* numbers about 0, no scale */
    CP_ENCODE_RAW    /* categories and missing values as they are */
} cp_encoding;

typedef struct cp_feature {
    char *name;
    copse_kind kind;
    cp_dict levels;      /* text: most frequent first, ties in byte order */
    double fill;         /* for missing: the median, or the index of the most frequent level (0) */
    size_t first, width; /* encoded columns */
    size_t absent;       /* raw: training rows in which it was missing */
} cp_feature;

typedef struct cp_schema {
    copse_task task;
    char *target;
    cp_dict classes;     /* label texts: numbers in numeric order, else in byte order; new ones appended */
    int classes_numeric; /* the target column was numbers: labels are matched by value ("1" = "1.0") */
    size_t features, dims;
    cp_feature *feature;
    int raw;              /* CP_ENCODE_RAW */
    double *shift, *span; /* per encoded column */
    uint32_t *levels;     /* raw: per encoded column, 0 for numbers; NULL: all are numbers */
    cp_dict missing;      /* words that meant "missing" in the training rows, beyond the usual ones */
} cp_schema;

/* In schema_new.c.  [0,1] is the range of the training rows, or that of roles->scale.  Says on `run` what it decided:
 * task and how to override it, encodings, imputation, dropped columns. */
copse_status cp_schema_new(const copse_table *train, const copse_roles *roles, cp_encoding encoding,
                           const copse_run *run, cp_schema **out, copse_error *err);

/* In schema_task.c: sets task and classes from the target column and what was asked for, and says so on `run`. */
copse_status cp_schema_task(cp_schema *s, const copse_table *t, size_t target, copse_task asked, const copse_run *run,
                            copse_error *err);

/* In schema_scale.c: takes the ranges of numbers from a file with columns name,min,max, where it has them.  Says on
 * `run` which it has not, and which of its names are no features. */
copse_status cp_schema_scale_read(cp_schema *s, const char *path, const copse_run *run, copse_error *err);

void cp_schema_free(cp_schema *s);
int cp_schema_check(const cp_schema *s);

/* As floats, row-major, dims to a row; all are finite (but for the NaN of raw ones), held within +-CP_SCHEMA_LIMIT.
 * Columns are found by name; a missing one, or one of the wrong kind, is an error that names it.  An infinite number is
 * an error with its place. */
copse_status cp_schema_encode(const cp_schema *s, cp_table_rows rows, float *out, copse_error *err);

/* The same as key blocks (key_block.h), n rounded up to whole key blocks of them: for raw columns,
 * CP_KEY_BLOCK_DIMS at most. *out_whole is 0 if something is missing or infinite, and the rows are to be encoded as
 * floats. */
copse_status cp_schema_encode_keys(const cp_schema *s, cp_table_rows rows, uint32_t *out, int *out_whole,
                                   copse_error *err);

/* One value of a feature as its encoded columns, `width` of them: a number, or the index of a level; NaN is missing. */
void cp_schema_encode_value(const cp_schema *s, const cp_feature *f, double value, float *out);

/* Targets.  A missing one is an error with its place unless opt_missing is given: then it is marked there (1, else 0)
 * and the value is 0 / CP_NONE.  A number beyond CP_SCHEMA_TARGET_MAX is an error. */
copse_status cp_schema_numbers(const cp_schema *s, cp_table_rows rows, double *out, unsigned char *opt_missing,
                               copse_error *err);
/* A class the schema does not know is CP_NONE. */
copse_status cp_schema_find_labels(const cp_schema *s, cp_table_rows rows, int32_t *out, unsigned char *opt_missing,
                                   copse_error *err);
/* The same; with `grow` a class it does not know is appended.  On failure the classes are as before. */
copse_status cp_schema_labels(cp_schema *s, cp_table_rows rows, int grow, int32_t *out, unsigned char *opt_missing,
                              copse_error *err);
/* Drops the classes appended after the first n: for a caller whose next step failed. */
void cp_schema_forget(cp_schema *s, size_t n);

/* The numbers from min to max become 0 to 1; if the two are equal, that value becomes 0. */
void cp_schema_set_range(cp_schema *s, const cp_feature *f, double min, double max);

/* Weights of all rows of a training table.  COPSE_E_DATA, with its place, for one that is missing or not a number from
 * 0 to CP_SCHEMA_WEIGHT_MAX, and if all are 0. */
copse_status cp_schema_weights(const copse_table *t, const char *name, double *out, copse_error *err);

/* In schema_unseen.c: rows of a table with a level of a text feature that is none of those it was made with; *out_row
 * is the first.  What they are encoded as is said above.  0 if the table has no such column. */
size_t cp_schema_unseen(const cp_schema *s, const copse_table *t, size_t feature, size_t *out_row);

/* Encoded columns of a feature, by its kind and levels. */
size_t cp_schema_width(const cp_schema *s, const cp_feature *f);
/* Sets `levels`, once features and their columns are known. */
copse_status cp_schema_count_levels(cp_schema *s, copse_error *err);
/* The feature that an encoded column belongs to. */
const cp_feature *cp_schema_feature_of(const cp_schema *s, size_t dim);

/* Raises COPSE_E_DATA for an infinite number of a table. */
copse_status cp_schema_infinite(const copse_table *t, const cp_column *c, size_t row, copse_error *err);

/* The name of an encoded column: "age", "colour=red". */
void cp_schema_dim_name(const cp_schema *s, size_t dim, char *buf, size_t n);

/* In schema_file.c: the sections "schema.*" of docs/format.md. */
copse_status cp_schema_file_write(const cp_schema *s, cp_writer *w, copse_error *err);
copse_status cp_schema_file_read(cp_reader *r, cp_schema **out, copse_error *err);

#endif
