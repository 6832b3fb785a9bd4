#include "bo/target_transform.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "num/math.h"

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void cp_target_transform_clear(cp_target_transform *t) {
    cp_mem_free(t->objective);
    *t = (cp_target_transform){0};
}

void cp_target_transform_fit(cp_target_transform *t, double *objective, size_t n) {
    cp_target_transform_clear(t);
    qsort(objective, n, sizeof *objective, by_size);
    *t = (cp_target_transform){.n = n, .objective = objective};
}

/* The number of fitted values less than this one, or (or_equal) not greater than it. */
static size_t count_below(const cp_target_transform *t, double objective, int or_equal) {
    size_t lo = 0, hi = t->n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (t->objective[mid] < objective || (or_equal && t->objective[mid] == objective))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Linear in the value: 0 up to the lower quartile, 1 at the best.  How bad the bad values are says nothing about where
 * the best is, but a forest would take their spread for uncertainty and search there.  Values are halved so that no
 * difference overflows. */
static double by_value(const cp_target_transform *t, double objective) {
    size_t quarter = (t->n + 3) / 4;
    double low = t->objective[quarter < t->n ? quarter : t->n - 1] / 2, span = t->objective[t->n - 1] / 2 - low;
    return span > 0 ? fmax(0, (objective / 2 - low) / span) : 0;
}

/* Linear in minus the logarithm of rank + 1: 1 at the best.  The 1 added to the rank keeps the first ranks close
 * together: which of two good points is ahead is often chance. */
static double by_rank(const cp_target_transform *t, double objective) {
    double n = (double)t->n, below = (double)count_below(t, objective, 0),
           not_above = (double)count_below(t, objective, 1);
    double rank = n - (below + not_above) / 2 + .5; /* ties have their mean rank */
    return cp_math_log((n + 1.5) / (rank + 1)) / cp_math_log((n + 1.5) / 2);
}

double cp_target_transform_apply(const cp_target_transform *t, double objective) {
    return (by_value(t, objective) + by_rank(t, objective)) / 2;
}
