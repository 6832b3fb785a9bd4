/* bart_pg_pick - the choices particles make, and nothing else: programs that list everything a sampler can do put their
 * own version in the place of bart_pg_pick.c, and so learn of every choice what it is between and with what
 * probabilities. */
#ifndef CP_BART_PG_PICK_H
#define CP_BART_PG_PICK_H

#include "bayes/tree_prior.h"

/* i with probability w[i] / sum; w >= 0, and their sum is above 0. */
size_t cp_bart_pg_pick(const double *w, size_t n, double sum, cp_rng *rng);
/* Each of 0 ... n-1 as likely. */
size_t cp_bart_pg_pick_below(size_t n, cp_rng *rng);
/* A cell between low and high, by its width. */
uint32_t cp_bart_pg_pick_cell(const cp_ranks *r, size_t dim, cp_extent e, cp_rng *rng);

#endif
