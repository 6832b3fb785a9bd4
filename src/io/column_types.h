/* column_types - what the caller demands of each column's type: the lists of the options and the types of a model. */
#ifndef CP_COLUMN_TYPES_H
#define CP_COLUMN_TYPES_H

#include "data/text.h"
#include "io/read.h"

typedef enum cp_column_type {
    CP_COLUMN_TYPE_ANY = 0, /* as the data are */
    CP_COLUMN_TYPE_NUMBER,
    CP_COLUMN_TYPE_TEXT
} cp_column_type;

/* Fills out_want[cols] for the columns of t, by their names alone. */
copse_status cp_column_types_find(const copse_table *t, const cp_read_options *opt, cp_column_type *out_want,
                                  copse_error *err);

/* The words that mean "missing": those of the options and those of the model. */
copse_status cp_column_types_missing(const cp_read_options *opt, cp_text_missing *out, copse_error *err);

/* For formats of numbers only: turns the columns that are wanted as text into text. */
copse_status cp_column_types_apply(copse_table *t, const cp_read_options *opt, copse_error *err);

/* Does the model have a feature "x<k>"?  For formats that number their columns. */
int cp_column_types_has(const cp_schema *opt_like, size_t k);

typedef struct cp_column_types_place {
    const char *file;
    long line;
    size_t field; /* 1-based; 0: unknown */
    const char *column;
} cp_column_types_place;
/* Raises "x.csv:12:3: column 'age' should be a number, found 'abc'. ..." */
copse_status cp_column_types_refuse(const cp_column_types_place *at, const char *text, size_t n, copse_error *err);

#endif
