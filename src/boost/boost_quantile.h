/* boost_quantile - boosting of quantiles: their levels, the quantile of a leaf, and the distribution that they make. */
#ifndef CP_BOOST_QUANTILE_H
#define CP_BOOST_QUANTILE_H

#include "method/answer.h"

enum { CP_BOOST_QUANTILES = 16 };

/* The level of head k: (k + 1/2) / CP_BOOST_QUANTILES. */
static inline double cp_boost_quantile_level(size_t k) {
    return ((double)k + .5) / CP_BOOST_QUANTILES;
}

typedef struct cp_boost_weighted {
    double x, weight;
} cp_boost_weighted;

/* The least x at and below which there is a share `level` of the weight.  Sorts the list, n >= 1. */
double cp_boost_quantile_of(cp_boost_weighted *list, size_t n, double level);

/* How far y lies from the median of scores f, as a share of the distance of the .95 quantile on its side. */
double cp_boost_quantile_distance(const double *f, double y);

/* The row's distribution: a Gaussian around each score, in rising order; and one of weight `far` around them all, as
 * wide as all of y.  Distances from the median are multiplied by `width`. */
typedef struct cp_boost_quantile_unit {
    double centre, scale, width, far;
} cp_boost_quantile_unit;
void cp_boost_quantile_answer(const double *f, const cp_boost_quantile_unit *u, cp_answer *out);

#endif
