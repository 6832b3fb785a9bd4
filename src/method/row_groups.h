/* row_groups - which rows must be held out together, because one of them would tell the answer of another.
 *
 * Rows of equal x are a group: a model that has learnt one of them knows the place of the others.  Where x takes few
 * values altogether, as in a table of a few categories, a new row most likely repeats an x that was seen, and holding
 * out every row of that x would ask for more than is ever needed.  There the rows of equal x and equal target are a
 * group; or each row is, where the target takes few values too, because then equal rows are no copies.
 *
 * Rows of the same number (a target of classes says too little) and almost the same x, all of whose values agree in
 * three digits, are copies in which a digit was changed: their groups are joined.
 *
 * The groups stand in the order of a keyed hash of their contents: a random order that depends neither on the order of
 * the rows nor on how often each is repeated. */
#ifndef CP_ROW_GROUPS_H
#define CP_ROW_GROUPS_H

#include "method/rows.h"

typedef struct cp_row_groups {
    uint32_t *row;   /* row numbers, group after group */
    uint32_t *start; /* group g is row[start[g]] ... row[start[g + 1] - 1] */
    size_t rows, groups;
} cp_row_groups;

/* Which rows to divide, and how. */
typedef struct cp_row_groups_ask {
    const uint32_t *row; /* n >= 1 different row numbers */
    size_t n;
    size_t least;  /* groups, at least: finer ones are made if there are fewer */
    size_t wanted; /* so many groups are enough, the first of all; 0: all groups are wanted */
    uint64_t seed;
} cp_row_groups_ask;
copse_status cp_row_groups_init(cp_row_groups *g, const cp_rows *rows, const cp_row_groups_ask *ask, copse_error *err);
void cp_row_groups_clear(cp_row_groups *g);

/* How many groups from the first one have about `rows` rows together: at least one, and not all if there are two. */
size_t cp_row_groups_about(const cp_row_groups *g, size_t rows);

#endif
