#include "bo/target_transform.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void cp_target_transform_clear(cp_target_transform *l) {
    cp_mem_free(l->worth);
    *l = (cp_target_transform){0};
}

void cp_target_transform_fit(cp_target_transform *l, double *worth, size_t n) {
    cp_target_transform_clear(l);
    qsort(worth, n, sizeof *worth, by_size);
    *l = (cp_target_transform){.n = n, .worth = worth};
}

/* How many are less than this worth, or (or_equal) not more than it. */
static size_t count_below(const cp_target_transform *l, double worth, int or_equal) {
    size_t lo = 0, hi = l->n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (l->worth[mid] < worth || (or_equal && l->worth[mid] == worth))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* 0 up to the lower quartile, 1 at the best.  How bad the bad ones are says nothing of where the best is, but a forest
 * takes their spread for uncertainty, and would have one look there.  Halves, lest a difference is too large for a
 * double. */
static double by_value(const cp_target_transform *l, double worth) {
    size_t quarter = (l->n + 3) / 4;
    double floor = l->worth[quarter < l->n ? quarter : l->n - 1] / 2, span = l->worth[l->n - 1] / 2 - floor;
    return span > 0 ? fmax(0, (worth / 2 - floor) / span) : 0;
}

/* Minus the logarithm of the rank, 1 at the best.  The one added to the ranks keeps the first of them together: which
 * of two good points is ahead is often a matter of chance. */
static double by_rank(const cp_target_transform *l, double worth) {
    double n = (double)l->n, below = (double)count_below(l, worth, 0), not_above = (double)count_below(l, worth, 1);
    double rank = n - (below + not_above) / 2 + .5; /* ties share theirs */
    return log((n + 1.5) / (rank + 1)) / log((n + 1.5) / 2);
}

double cp_target_transform_apply(const cp_target_transform *l, double worth) {
    return (by_value(l, worth) + by_rank(l, worth)) / 2;
}
