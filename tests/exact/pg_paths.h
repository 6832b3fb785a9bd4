/* pg_paths - everything that particle Gibbs can do with a tree, with its probability.
 *
 * This file's version of bart_pg_pick.c takes each choice as told, and writes down what it was between and how likely
 * each was.  So the kernel is run once for each way through its choices, and its whole transition matrix is
 * computed. */
#ifndef PG_PATHS_H
#define PG_PATHS_H

#include "bart_tiny.h"

typedef struct pg_kernel {
    size_t states, paths;
    size_t mistold; /* paths of which the tally says that the tree has changed, though it has not, or the other way */
    double *p;      /* states x states */
} pg_kernel;

pg_kernel pg_kernel_of(bart_tiny *w, const cp_bart_sampler_options *opt);
void pg_kernel_clear(pg_kernel *k);
/* The largest |sum over t of P(s,t) - 1|, and of |sum over s of pi(s) P(s,t) - pi(t)|. */
double pg_kernel_loss(const pg_kernel *k);
double pg_kernel_drift(const pg_kernel *k, const double *pi);

#endif
