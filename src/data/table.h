/* table - typed columns with names, as read: nothing is scaled or encoded, and missing values are kept.
 *
 * Invariants, checked by cp_table_check:
 *   T1  every column has `rows` entries of its kind.
 *   T2  a text column's codes are CP_NONE (missing) or an index into its levels; levels are distinct, in order of first
 *       appearance.
 *   T3  column names are distinct and not empty; `names` holds them in column order. */
#ifndef CP_TABLE_H
#define CP_TABLE_H

#include <math.h>

#include "base/fail.h"
#include "data/dict.h"

typedef struct cp_column {
    char *name;
    copse_kind kind;
    int shared;     /* number or code lies in the table's cells; else the column owns it */
    double *number; /* COPSE_NUMBER: NaN is missing */
    int32_t *code;  /* COPSE_TEXT: index into levels, CP_NONE is missing */
    cp_dict levels;
    int asked; /* text because the caller asked for text, whatever the values are */
} cp_column;

static inline int cp_column_missing(const cp_column *c, size_t row) {
    return c->kind == COPSE_TEXT ? c->code[row] == CP_NONE : isnan(c->number[row]);
}

struct copse_table {
    char *source; /* file name for messages, NULL if made in memory */
    size_t rows, cols, cap_cols;
    cp_column *col;
    cp_dict names;
    cp_dict missing; /* words that meant "missing" in the source, beyond the usual ones */
    int partial;     /* these are rows of a stream: more may follow */
    long *line;      /* 1-based line of each row in the source; NULL if the source has no lines */
    double *cells;   /* the memory of all shared columns, see cp_table_share */
};

/* Rows first ... first + n - 1 of a table. */
typedef struct cp_table_rows {
    const copse_table *t;
    size_t first, n;
} cp_table_rows;

/* Does the table have all these rows? */
static inline int cp_table_has_rows(cp_table_rows rows) {
    return rows.first <= rows.t->rows && rows.n <= rows.t->rows - rows.first;
}

copse_status cp_table_new(size_t rows, copse_table **out, copse_error *err);
void cp_table_free(copse_table *t);
int cp_table_check(const copse_table *t);

/* Adds a column of missing values.  *out lives until the next column is added. */
copse_status cp_table_add(copse_table *t, const char *name, copse_kind kind, cp_column **out, copse_error *err);
/* Removes the column that was added last, for a caller that could not fill it. */
void cp_table_remove_last(copse_table *t);
/* Gives all columns room for `cap` rows in one block of memory, not initialised.  All must be numbers and the table
 * must have no rows yet. */
copse_status cp_table_share(copse_table *t, size_t cap, copse_error *err);
/* Turns a number column into text with room for `cap` codes, not initialised; the numbers are lost. */
copse_status cp_table_recode(cp_column *c, size_t cap, copse_error *err);
/* Turns numbers into text, each as the shortest decimal that reads back; does nothing to a text column. */
copse_status cp_table_to_text(copse_table *t, size_t col, copse_error *err);

size_t cp_table_find(const copse_table *t, const char *name); /* (size_t)-1 if there is none */
/* A new table with the given rows, in this order. */
copse_status cp_table_select(const copse_table *t, const size_t *rows, size_t n, copse_table **out, copse_error *err);
/* "train.csv:12" or "row 12", for messages about a row; written to buf. */
const char *cp_table_where(const copse_table *t, size_t row, char *buf, size_t n);
/* For messages about a text column that should be numbers: the first of the rows whose value is not a number.  If all
 * are numbers, because text was asked for, the first row that is not missing, or else the last row. */
size_t cp_table_word(cp_table_rows rows, const cp_column *c);

#endif
