/* ranks - each column as the ranks of its values, for methods to which only the order of values matters.
 *
 * Column d has cp_ranks_count(d) distinct values, in rising order; the rank of a row is the index of its value.  Cell c
 * of the column is the interval [value c, value c+1): all cuts within a cell divide the rows alike, ranks <= c to the
 * left. */
#ifndef CP_RANKS_H
#define CP_RANKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/fail.h"

typedef struct cp_ranks {
    size_t rows, dims;
    uint32_t *rank; /* dims x rows, column after column */
    float *value;   /* the distinct values of column 0, then of column 1 ... */
    size_t *start;  /* dims + 1: column d's values are value[start[d]] ... value[start[d+1]-1] */
} cp_ranks;

/* x: rows x dims, row-major, finite. */
copse_status cp_ranks_init(cp_ranks *r, const float *x, size_t rows, size_t dims, const copse_run *run,
                           copse_error *err);
void cp_ranks_clear(cp_ranks *r);

static inline const uint32_t *cp_ranks_column(const cp_ranks *r, size_t dim) {
    return r->rank + dim * r->rows;
}

static inline const float *cp_ranks_values(const cp_ranks *r, size_t dim) {
    return r->value + r->start[dim];
}

static inline size_t cp_ranks_count(const cp_ranks *r, size_t dim) {
    return r->start[dim + 1] - r->start[dim];
}

/* The distance from the value of rank `low` to that of rank `high`. */
static inline double cp_ranks_width(const cp_ranks *r, size_t dim, uint32_t low, uint32_t high) {
    const float *v = cp_ranks_values(r, dim);
    return (double)v[high] - (double)v[low];
}

#endif
