/* mixture_quantiles - many quantiles of one mixture, found together: many times faster than one by one. */
#ifndef CP_MIXTURE_QUANTILES_H
#define CP_MIXTURE_QUANTILES_H

#include "num/mixture.h"

/* out[i] is cp_mixture_quantile(m, q[i]), within a relative 1e-12 of it; or, where the cdf is so flat that many numbers
 * have the mass asked for, another one of them. */
void cp_mixture_quantiles(cp_mixture m, const double *q, size_t n, double *out);

#endif
