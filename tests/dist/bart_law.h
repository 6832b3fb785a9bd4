/* bart_law - the joint test of BART: trees, leaves, noise (or latent z) and shares from the prior, targets from them,
 * some sweeps of a chain given these targets.  Whatever the number of sweeps, what the chain holds is then still a draw
 * from the prior, and it and the targets together one from their joint law: every feature of them follows the law it
 * has in draws that no chain has touched.  All scales are fixed: a prior that looked at the targets would not be
 * one. */
#ifndef BART_LAW_H
#define BART_LAW_H

#include "bart/draws/bart_chain_state.h"
#include "bart/mh/bart_mh.h"
#include "bart/pg/bart_pg.h"
#include "ks.h"

/* What is drawn from, or what a chain believes. */
typedef struct bart_belief {
    cp_tree_prior split;
    double leaf_var, nu, lambda;
    int classes, weighted, sparse;
    int sample_k; /* leaf_var is the scale of its prior */
    int uneven;   /* the noise */
    cp_bart_cuts cuts;
} bart_belief;

typedef struct bart_law {
    const cp_bart_sampler *sampler;
    cp_bart_sampler_options sampler_opt;
    size_t runs, sweeps;
} bart_law;

/* The largest distance, over features, between chains that believe `told` and untouched draws, as a share of the bound:
 * a right chain exceeds 1 with probability at most ALPHA for each of the features. */
double bart_law_distance(const bart_law *law, const bart_belief *is, const bart_belief *told, const char *name);

#endif
