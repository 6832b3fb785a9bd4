/* space - where an objective can be evaluated: a box of numbers and categories, or a list of points.
 *
 * A point has one value per dimension: the number, or the index of the level.  It is encoded in the unit cube:
 *
 *   real       1 column: (x - low) / (high - low), of the logarithms on a log scale
 *   integer    1 column: as a real on [low - 1/2, high + 1/2], in which [x - 1/2, x + 1/2] is the interval of x
 *   category   1 column per level: 1 / levels in the column of its level, else 0.  Mondrian trees cut in proportion to
 *              the side lengths of a cell, so all columns of a category together are cut as often as one of a number
 *
 * Invariants, checked when a space is made and read:
 *   P1  names are distinct and not empty; low <= high, finite; low > 0 on a log scale; integers are whole and exact in
 *       doubles.
 *   P2  a category has at least one level, levels are distinct and not empty.
 *   P3  of a list, every value is finite, within its dimension's range, and one of its levels. */
#ifndef CP_SPACE_H
#define CP_SPACE_H

#include "base/codec.h"
#include "data/table.h"

enum { CP_SPACE_DIMS = 1000, CP_SPACE_COLS = 10000 }; /* at most */

typedef struct cp_space_dim {
    copse_dim info;      /* its strings belong to the space */
    double from, to;     /* the ends of the scale, which become 0 and 1 */
    size_t first, width; /* columns */
} cp_space_dim;

typedef struct cp_space {
    size_t dims, cols;
    cp_space_dim *dim;
    size_t points; /* of a list; 0: a box */
    double *point; /* points x dims */
} cp_space;

copse_status cp_space_new(const copse_dim *dim, size_t n, cp_space **out, copse_error *err);
/* A list: the rows of a table.  opt_drop: columns that are no dimensions; opt_log: columns on a log scale.  Both are
 * lists of names, ranges and wildcards. */
copse_status cp_space_of_table(const copse_table *t, const char *opt_drop, const char *opt_log, cp_space **out,
                               copse_error *err);
void cp_space_free(cp_space *s);

/* The value at u in [0,1) of a dimension: uniform u gives the uniform law on its scale. */
double cp_space_value(const cp_space_dim *d, double u);
/* Encodes a value of one dimension. */
void cp_space_encode_dim(const cp_space_dim *d, double value, float *out);
void cp_space_encode(const cp_space *s, const double *x, float *out);
/* The largest distance of two points in any dimension, as a share of the length of its scale; different levels are 1
 * apart. */
double cp_space_distance(const cp_space *s, const double *a, const double *b);
/* NULL if the point is in the box, else the first dimension whose value is not. */
const cp_space_dim *cp_space_outside(const cp_space *s, const double *x);

copse_status cp_space_write(const cp_space *s, cp_writer *w, copse_error *err);
copse_status cp_space_read(cp_reader *r, cp_space **out, copse_error *err);

#endif
