/* table - typed columns with names, as read: nothing scaled, nothing encoded, missing values kept.
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
    int shared;     /* number or code lies in the table's cells, else it is the column's own */
    double *number; /* COPSE_NUMBER: NaN is missing */
    int32_t *code;  /* COPSE_TEXT: index into levels, CP_NONE is missing */
    cp_dict levels;
    int asked; /* text because the caller said so, whatever it holds */
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
    int partial;     /* rows of a stream: others may follow */
    long *line;      /* 1-based line of each row in the source, or NULL if there are no lines */
    double *cells;   /* columns made together, see cp_table_share */
};

/* Rows first ... first + n - 1 of a table. */
typedef struct cp_table_rows {
    const copse_table *t;
    size_t first, n;
} cp_table_rows;

copse_status cp_table_new(size_t rows, copse_table **out, copse_error *err);
/* A fresh column of missing values.  *out lives until the next column is added. */
copse_status cp_table_add(copse_table *t, const char *name, copse_kind kind, cp_column **out, copse_error *err);
/* Gives all columns, which must be numbers and without rows so far, room for `cap` rows in one block, not filled in. */
copse_status cp_table_share(copse_table *t, size_t cap, copse_error *err);
/* Number to text: room for `cap` codes in place of the numbers, not filled in. */
copse_status cp_table_recode(cp_column *c, size_t cap, copse_error *err);
size_t cp_table_find(const copse_table *t, const char *name); /* (size_t)-1 if there is none */
copse_status cp_table_select(const copse_table *t, const size_t *rows, size_t n, copse_table **out, copse_error *err);
/* Numbers become text, each as the shortest decimal that reads back; does nothing to a text column. */
copse_status cp_table_to_text(copse_table *t, size_t col, copse_error *err);
int cp_table_check(const copse_table *t);
void cp_table_free(copse_table *t);
/* "train.csv:12" or "row 12" for messages about a row; buf holds it. */
const char *cp_table_where(const copse_table *t, size_t row, char *buf, size_t n);
/* Of a column of text that should be numbers: the first row that made it text; if it was asked to be, the first that is
 * not missing, or the last. */
size_t cp_table_word(cp_table_rows rows, const cp_column *c);

/* In table_join.c: the rows of tables of one source, one after another, with the columns of all of them.  A column is
 * missing in the rows of a piece without it; it is an error if it has numbers in one piece and text in another. */
copse_status cp_table_join(const copse_table *const *piece, size_t n, copse_table **out, copse_error *err);

/* In table_match.c. */
/* Marks in out_hit[cols] the columns that a list (names, A..B, wildcards) names.  A word that hits nothing is an error
 * that says so and suggests the nearest name. */
copse_status cp_table_match(const copse_table *t, const char *list, unsigned char *out_hit, copse_error *err);
/* Finds a column that must be there; if it is not, raises `code` with a message that suggests the nearest name. */
copse_status cp_table_match_name(const copse_table *t, const char *name, copse_status code, size_t *out,
                                 copse_error *err);

/* The failure alone.  Columns that `is_known` are there under their own name, and not suggested. */
typedef struct cp_table_match_known {
    int (*is_known)(const void *arg, const char *name);
    const void *arg;
} cp_table_match_known;
copse_status cp_table_match_fail(const copse_table *t, const char *name, const cp_table_match_known *opt_known,
                                 copse_status code, copse_error *err);

/* In table_report.c: says on `run` what is worth knowing of a table. */
void cp_table_report(const copse_table *t, const copse_run *run);

#endif
