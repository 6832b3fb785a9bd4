/* quadrature - adaptive integration of a function of one variable. */
#ifndef CP_QUADRATURE_H
#define CP_QUADRATURE_H

#include <stddef.h>

/* Fills out[i] = f(x[i]); x ascends.  A call has many points, so that f can share work among them. */
typedef void (*cp_quadrature_fn)(const void *arg, const double *x, size_t n, double *out);

/* Integrates from breaks[0] to breaks[n_breaks - 1], all finite and ascending (equal neighbours are skipped), to an
 * error of rel * (|integral| + rest), where `rest` >= 0 is what the caller adds to it.  f must be continuous between
 * breaks.  Where it changes fast it costs evaluations, not accuracy: every panel evaluates its end points, so no step
 * of a monotone f is missed. */
typedef struct cp_quadrature_result {
    double value;
    double error;  /* an estimate, usually too large */
    int converged; /* error <= rel * (|value| + rest) */
} cp_quadrature_result;
cp_quadrature_result cp_quadrature(cp_quadrature_fn f, const void *arg, const double *breaks, size_t n_breaks,
                                   double rel, double rest);

#endif
