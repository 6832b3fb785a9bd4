/* leaf_nig - the normal-inverse-gamma model: y ~ N(mu, s2), mu | s2 ~ N(0, s2/kappa), s2 ~ inverse gamma(nu/2,
 * nu lambda/2).  The statistic is (n, sum y, sum y^2); the caller standardises y. */
#ifndef CP_LEAF_NIG_H
#define CP_LEAF_NIG_H

#include "leaf/leaf.h"

/* All > 0. */
typedef struct cp_leaf_nig_prior {
    double kappa, nu, lambda;
} cp_leaf_nig_prior;
copse_status cp_leaf_nig_init(cp_leaf *m, const double *y, size_t rows, cp_leaf_nig_prior prior, copse_error *err);
/* The lambda for which P(s < sd) = q. */
double cp_leaf_nig_lambda(double nu, double sd, double q);
/* The posterior predictive: a Student component of the given weight. */
cp_component cp_leaf_nig_predict(const cp_leaf *m, const double *stat, double weight);

/* (y - centre) / scale has mean 0 and mean square 1. */
typedef struct cp_leaf_units {
    double centre, scale;
} cp_leaf_units;
/* The units that standardise y.  If all targets are equal, the scale is 1e-6, the least spread of any method; a single
 * row has scale 1, because it says nothing about spread.  Each of the `passes` over y adds the rounding error of the
 * pass before to the centre: with two passes, numbers far from 0 keep the digits of their differences. */
cp_leaf_units cp_leaf_nig_units(const double *y, size_t n, int passes);

#endif
