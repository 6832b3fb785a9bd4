/* bart_chain_state - the inside of a chain, for the files that sample, save or check it; others use bart_chain.h.
 *
 * A sweep takes the sums one after the other; for each sum, its trees, then its split probabilities, then its noise.
 * `at` is the number of the next tree, counted through all sums.  A failure stops the sweep there; the residual may
 * then be partial, with tree `at` left out.  The next run continues from there.
 *
 * Invariants, checked by cp_bart_chain_state_check:
 *   C1  done <= grow_from_root + burn_in + samples * thin; each sum has kept the draws that are due after `done`
 *       sweeps, or one fewer while the last has still to be kept; so has the trace.
 *   C2  trees (bart_tree.h) and draws (bart_draws.h) are valid; the trace is finite.
 *   C3  r = target - sum of all trees, without tree `at` if partial, up to rounding.
 *   C4  accepted <= proposed for each move.
 *   C5  noise_var > 0 is finite; it is 1 for classes.
 *   C6  uneven noise: the variance trees are valid and their lambdas and weights possible (bart_variance.h). */
#ifndef CP_BART_CHAIN_STATE_H
#define CP_BART_CHAIN_STATE_H

#include "bart/core/bart_parallel.h"
#include "bart/draws/bart_chain.h"
#include "bart/draws/bart_dart.h"
#include "bart/draws/bart_variance.h"

typedef struct cp_bart_grow_from_root cp_bart_grow_from_root; /* bart_grow_from_root.h */

/* One sum of trees and its targets. */
typedef struct cp_bart_sum {
    cp_bart_tree *tree;  /* opt.trees of them */
    uint8_t *slot;       /* trees x rows */
    float *r;            /* residual of each row */
    float *latent;       /* classes: z minus the offset; regression: NULL */
    const float *target; /* latent, or the problem's y */
    double noise_var;
    double leaf_var; /* the problem's, unless k is sampled */
    cp_bart_split_probs split_probs;
    cp_bart_dart dart; /* only if opt.dart */
    cp_bart_draws draws;
} cp_bart_sum;

struct cp_bart_chain {
    const cp_bart_problem *problem; /* borrowed */
    size_t number;                  /* of the chain */
    size_t done;                    /* sweeps */
    size_t at;                      /* trees sampled in the current sweep */
    int partial;                    /* the residual is partial: tree `at` is left out */
    cp_bart_sum *sum;               /* problem->sums of them */
    cp_bart_variance *opt_variance; /* NULL: even noise */
    void *sampler;                  /* object of problem->opt.sampler */
    cp_bart_grow_from_root *opt_grow_from_root;
    cp_bart_trace trace;
    cp_bart_parallel parallel; /* threads, only while the chain runs */
    /* Scratch. */
    float minus_mu[CP_LEAF_PASS_MAX]; /* of the tree before `at`: -mu by slot */
    double sum_by_slot[CP_LEAF_PASS_MAX];
};

/* The weights of rows for the trees of the mean; NULL: all 1. */
const float *cp_bart_chain_state_weight(const cp_bart_chain *c);
cp_bart_view cp_bart_chain_state_view(const cp_bart_chain *c, const cp_bart_sum *s);
/* Computes the residual anew from all trees. */
void cp_bart_chain_state_refresh(const cp_bart_chain *c, cp_bart_sum *s);
/* NULL if the invariants hold, else the first one broken. */
const char *cp_bart_chain_state_check(const cp_bart_chain *c);
/* The same without checking the draws, which their reader has checked; needs no memory. */
const char *cp_bart_chain_state_check_trees(const cp_bart_chain *c);

#endif
