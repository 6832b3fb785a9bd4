/* bart_pg_pick - every random choice of particle Gibbs.  Exact tests link their own version of bart_pg_pick.c, which
 * records the alternatives of each choice and their probabilities, and so list everything that the sampler can do. */
#ifndef CP_BART_PG_PICK_H
#define CP_BART_PG_PICK_H

#include "bayes/tree_prior.h"

/* i with probability w[i] / sum; w >= 0 and sum > 0. */
size_t cp_bart_pg_pick(const double *w, size_t n, double sum, cp_rng *rng);
/* Uniform on 0 ... n-1. */
size_t cp_bart_pg_pick_below(size_t n, cp_rng *rng);
/* A cell between ranks e.low and e.high, by its width. */
uint32_t cp_bart_pg_pick_cell(const cp_ranks *r, size_t dim, cp_extent e, cp_rng *rng);

#endif
