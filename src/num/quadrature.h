/* quadrature - adaptive integration of a function of one variable. */
#ifndef CP_QUADRATURE_H
#define CP_QUADRATURE_H

#include <stddef.h>

/* Fills out[i] = f(x[i]); x ascends.  Many points to a call, so that f can share work among them. */
typedef void (*cp_quadrature_fn)(const void *arg, const double *x, size_t n, double *out);

/* The integral from breaks[0] to breaks[n_breaks - 1], all finite and ascending (equal neighbours are skipped), to an
 * error of rel * (|integral| + rest), where `rest` >= 0 is what the caller is going to add to it.  f must be continuous
 * between breaks; a place where it changes fast costs evaluations, not accuracy, as long as its ends show it: every
 * panel looks at its end points, so no step of a monotone f is missed. */
typedef struct cp_quadrature_result {
    double value;
    double error;  /* a guess, as a rule too large */
    int converged; /* error <= rel * (|value| + rest) */
} cp_quadrature_result;
cp_quadrature_result cp_quadrature(cp_quadrature_fn f, const void *arg, const double *breaks, size_t n_breaks,
                                   double rel, double rest);

#endif
