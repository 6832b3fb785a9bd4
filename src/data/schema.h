/* schema - how the columns of a table become numbers for a method, and how answers get back to the user's units.
 *
 * A schema is made once, from the training table and the roles (schema_new).  It is saved in the model file
 * (schema_file), and training, updating and predicting all use the same one.  A feature is a column as the user knows
 * it; an encoded column is what the method sees:
 *
 *   number                     1 column: (x - shift) / span; a missing value becomes the training median
 *   text, at most 32 levels    1 indicator column (0 or 1) per level; a level unseen in training is all zeros
 *   text, more levels          1 column: the level's rank by frequency, 0 the most frequent; the rank of an unseen
 *                              level is the number of levels; divided by that number if the method wants [0,1]
 *
 * Missing text becomes the most frequent level.  Methods that handle categories and missing values themselves get raw
 * columns:
 *
 *   number                     1 column: x - shift, NaN where missing; shift is 0 unless floats are too coarse at the
 *                              distance of the values from 0
 *   text                       1 column: the level's rank by frequency; the rank of an unseen level is the number of
 *                              levels; NaN where missing
 *
 * The number of encoded columns never changes; only the list of classes may grow.
 *
 * Invariants, checked by cp_schema_check:
 *   S1  dims = sum of the features' widths; shift and span are finite, span > 0; indicators have shift 0 and span 1.
 *       Raw: span is 1, text has shift 0, and `levels` has the levels of every feature if one is text.
 *   S2  every text feature has at least one level; fills are finite, and one of the levels for text.
 *   S3  no feature is the target; classification has at least one class, regression none.
 *   S4  a derived feature is a number, and its part belongs to its form.  Features of one column stand together, and
 *       have one form; no two other features have one column.
 * Names are distinct because the table's are (T3), and cp_schema_file_read refuses others. */
#ifndef CP_SCHEMA_H
#define CP_SCHEMA_H

#include "data/derive.h"
#include "data/table.h"

enum {
    CP_SCHEMA_INDICATORS_MAX = 32,
    CP_SCHEMA_SAID = 8 /* log lines of one sort about single columns; the others are summed up */
};
/* Encoded numbers are held within +-CP_SCHEMA_LIMIT: far beyond any box, and the difference of two such floats is still
 * a float. */
#define CP_SCHEMA_LIMIT 1e37
/* Largest target: squares of squares of targets are still doubles. */
#define CP_SCHEMA_TARGET_MAX 1e60
/* Largest weight of a row; the smallest but 0 is 1 / CP_SCHEMA_WEIGHT_MAX.  Sums of weights are still floats. */
#define CP_SCHEMA_WEIGHT_MAX 1e30

/* What a method wants its columns to be. */
typedef enum cp_encoding {
    CP_ENCODE_UNIT,  /* numbers scaled to [0,1] */
    CP_ENCODE_PLAIN, /* numbers minus their median, not scaled */
    CP_ENCODE_RAW    /* categories and missing values as they are */
} cp_encoding;

typedef struct cp_feature {
    char *name;
    copse_kind kind;
    cp_dict levels; /* text: most frequent first, ties in byte order */
    double fill;    /* replaces missing values: the median, or the index of the most frequent level (0) */
    /* A number derived from a text column: the column's name, and what is read from its text (data/derive.h).  Else
     * NULL and 0: the feature is the column of its name. */
    char *column;
    cp_derive_part part;
    cp_derive_form form;
    size_t first, width; /* encoded columns first ... first + width - 1 */
    size_t absent;       /* raw: number of training rows in which it is missing */
} cp_feature;

typedef struct cp_schema {
    copse_task task;
    char *target;
    cp_derive_form target_form; /* the target's numbers are amounts written in this form; NO_FORM: plain numbers */
    cp_dict classes;     /* labels: numbers in numeric order, text in byte order; classes met later are appended */
    int classes_numeric; /* the target column was numbers: labels are matched by value ("1" = "1.0") */
    int announced;       /* some classes were announced: no class has probability 0 */
    size_t features, dims;
    cp_feature *feature;
    int raw;              /* CP_ENCODE_RAW */
    double *shift, *span; /* per encoded column */
    uint32_t *levels;     /* raw: per encoded column, 0 for numbers; NULL: all are numbers */
    cp_dict missing;      /* words that meant "missing" in the training rows, beyond the usual ones */
} cp_schema;

void cp_schema_free(cp_schema *s);
int cp_schema_check(const cp_schema *s); /* S1 to S3, and S4 but for its last sentence */
/* *out_sound: the last sentence of S4 holds. */
copse_status cp_schema_check_columns(const cp_schema *s, int *out_sound, copse_error *err);

/* The name of the table's column that a feature comes from. */
static inline const char *cp_schema_column(const cp_feature *f) {
    return f->column ? f->column : f->name;
}

/* The number of encoded columns of a feature, from its kind and levels. */
size_t cp_schema_width(const cp_schema *s, const cp_feature *f);
/* Is the feature encoded as one indicator column per level? */
int cp_schema_has_indicators(const cp_schema *s, const cp_feature *f);
/* Sets `levels`, once features and their columns are known. */
copse_status cp_schema_count_levels(cp_schema *s, copse_error *err);
/* Makes shift and span for `dims` columns: numbers are left as they are. */
copse_status cp_schema_add_scale(cp_schema *s, copse_error *err);
/* Numbers from min to max become 0 to 1; if the two are equal, that value becomes 0. */
void cp_schema_set_range(cp_schema *s, const cp_feature *f, double min, double max);
/* Drops all classes but the first n, for a caller whose next step failed after classes were appended. */
void cp_schema_forget_classes(cp_schema *s, size_t n);

/* The feature that an encoded column belongs to. */
const cp_feature *cp_schema_feature_of(const cp_schema *s, size_t dim);
/* The name of an encoded column: "age", "colour=red". */
void cp_schema_dim_name(const cp_schema *s, size_t dim, char *buf, size_t n);

/* COPSE_E_DATA, with the place, if the column has values and is not of the kind that the model was trained on. */
copse_status cp_schema_check_kind(cp_table_rows rows, const cp_column *c, copse_kind trained, copse_error *err);
/* Raises COPSE_E_DATA for an infinite number in a row of a table. */
copse_status cp_schema_infinite(const copse_table *t, const cp_column *c, size_t row, copse_error *err);

#endif
