/* boost_shape - the shape of the noise: a mixture of a few Gaussians, fitted to scaled residuals of rows held out. */
#ifndef CP_BOOST_SHAPE_H
#define CP_BOOST_SHAPE_H

#include "base/fail.h"

enum { CP_BOOST_SHAPE_MOST = 6 };

/* Component k has weight[k] and the Gaussian loc[k], sd[k].  Weights sum to 1. */
typedef struct cp_boost_shape {
    size_t n;
    double weight[CP_BOOST_SHAPE_MOST], loc[CP_BOOST_SHAPE_MOST], sd[CP_BOOST_SHAPE_MOST];
} cp_boost_shape;

/* Fits it to n >= 1 residuals of weight w, not all 0. */
copse_status cp_boost_shape_fit(const double *z, const double *w, size_t n, cp_boost_shape *out, copse_error *err);

#endif
