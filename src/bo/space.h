/* space - where an objective can be evaluated: a box of numbers and categories, or a list of points.
 *
 * A point has one value per dimension: the number, or the index of the level.  The forest sees it in the unit cube:
 *
 *   real       1 column: (x - low) / (high - low), of logarithms where the scale is one
 *   integer    1 column: the middle of its share of [0,1]; the integers, or their logarithms, have equal shares
 *   category   1 column per level: 1 / levels in its own, else 0: cuts come as often as the sides of a cell are long,
 *              and so all columns of a category together are cut as often as a number's one
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
    double from, to;     /* of the scale: what becomes 0 and 1 */
    size_t first, width; /* columns */
} cp_space_dim;

typedef struct cp_space {
    size_t dims, cols;
    cp_space_dim *dim;
    size_t points; /* of a list, else 0 */
    double *point; /* points x dims */
} cp_space;

copse_status cp_space_new(const copse_dim *dim, size_t n, cp_space **out, copse_error *err);
/* The rows of a table.  opt_drop: columns that are no dimensions; opt_log: columns whose logarithm counts: lists of
 * names, ranges and wildcards. */
copse_status cp_space_of_table(const copse_table *t, const char *opt_drop, const char *opt_log, cp_space **out,
                               copse_error *err);
void cp_space_free(cp_space *s);

/* The value at u in [0,1) of a dimension: uniform u gives the uniform law on its scale. */
double cp_space_value(const cp_space_dim *d, double u);
/* Its columns. */
void cp_space_encode_dim(const cp_space_dim *d, double value, float *out);
void cp_space_encode(const cp_space *s, const double *x, float *out);
/* How far two points are apart in the dimension where that is most, of the length of its scale; levels: 1. */
double cp_space_distance(const cp_space *s, const double *a, const double *b);
/* NULL if the point is in the box, else the dimension that is not. */
const cp_space_dim *cp_space_outside(const cp_space *s, const double *x);

copse_status cp_space_write(const cp_space *s, cp_writer *w, copse_error *err);
copse_status cp_space_read(cp_reader *r, cp_space **out, copse_error *err);

#endif
