/* want - what the caller demands of each column's type: the lists of the options and the types of a model. */
#ifndef CP_WANT_H
#define CP_WANT_H

#include "data/reader.h"
#include "data/text.h"

typedef enum cp_want {
    CP_WANT_ANY = 0, /* as the data have it */
    CP_WANT_NUMBER,
    CP_WANT_TEXT
} cp_want;

/* Fills out_want[cols] for the named columns of t; kinds and rows do not matter. */
copse_status cp_want_find(const copse_table *t, const cp_read_options *opt, cp_want *out_want, copse_error *err);

/* The words that mean "missing": the options' and the model's. */
copse_status cp_want_missing(const cp_read_options *opt, cp_missing *out, copse_error *err);

/* For formats that have numbers only: turns the columns wanted as text into text. */
copse_status cp_want_apply(copse_table *t, const cp_read_options *opt, copse_error *err);

/* Is there a feature "x<k>" in the model, for formats that number their columns? */
int cp_want_has(const cp_schema *opt_like, size_t k);

/* "x.csv:12:3: column 'age' should be a number, found 'abc'. ..." */
typedef struct cp_place {
    const char *file;
    long line;
    size_t field; /* 1-based; 0: not known */
    const char *column;
} cp_place;
copse_status cp_want_refuse(const cp_place *at, const char *text, size_t n, copse_error *err);

#endif
