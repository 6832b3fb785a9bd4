/* bart_chain_state - a chain from within; who uses one sees bart_chain.h alone.
 *
 * A sweep takes the sums one after the other, and of each its trees, its shares, its noise.  Where it is, is `at`: the
 * number of the tree that comes next, through all sums.  A failure stops it there, perhaps with that tree lifted out of
 * the residual, and the next run goes on from there.
 *
 * Invariants, checked by cp_bart_chain_check:
 *   C1  done <= warm + burn_in + samples * thin; each sum has kept what is due after so many, or one less while the
 *       last has still to be kept; the trace likewise.
 *   C2  trees are sound (bart_tree.h), and draws (bart_draws.h); what the trace says is finite.
 *   C3  r = target - all trees, but the one that is lifted, to within rounding.
 *   C4  accepted <= proposed for each move.
 *   C5  noise_var > 0 is finite; it is 1 for classes. */
#ifndef CP_BART_CHAIN_STATE_H
#define CP_BART_CHAIN_STATE_H

#include "bart/core/bart_parallel.h"
#include "bart/draws/bart_chain.h"
#include "kernel/leaf_pass.h"

/* In bart_dart.c: probabilities of columns, s ~ Dirichlet(theta/D, ..., theta/D), theta/(theta + D) ~ Beta(1/2, 1)
 * [Linero 2018]. */
enum { CP_BART_DART_THETAS = 256 };
typedef struct cp_bart_dart {
    size_t dims;
    double theta;
    double *log_s; /* of each column; s itself may be too small for a double */
    /* The grid of thetas, and of their log density what does not depend on s. */
    double theta_of[CP_BART_DART_THETAS], log_of[CP_BART_DART_THETAS];
    double *asked, *rate;    /* scratch, one per column */
    uint32_t *row;           /* scratch: a piece of rows */
    uint32_t *still, *moved; /* scratch: columns that do not vary in a node as far as seen; that do */
} cp_bart_dart;

/* All columns alike. */
copse_status cp_bart_dart_init(cp_bart_dart *sp, size_t dims, copse_error *err);
void cp_bart_dart_clear(cp_bart_dart *sp);
/* s and theta, each from its law given the trees and the other. */
void cp_bart_dart_draw(cp_bart_dart *sp, cp_bart_split_probs *share, const cp_bart_view *v, const cp_bart_tree *tree,
                       size_t trees, cp_rng *rng);
/* Makes the share what log_s says. */
void cp_bart_dart_set_probs(cp_bart_dart *sp, cp_bart_split_probs *share);

/* One sum of trees, and what it is to explain. */
typedef struct cp_bart_sum {
    cp_bart_tree *tree;  /* opt.trees of them */
    uint8_t *slot;       /* trees x rows */
    float *r;            /* residual of each row */
    float *latent;       /* classes: z less the offset, else NULL */
    const float *target; /* latent, or the problem's y */
    double noise_var;
    double leaf_var; /* the problem's, unless it is sampled */
    cp_bart_split_probs share;
    cp_bart_dart sparse;
    cp_bart_draws draws;
} cp_bart_sum;

struct cp_bart_chain {
    const cp_bart_problem *problem; /* borrowed */
    size_t number;                  /* of the chain */
    size_t done;                    /* sweeps */
    size_t at;                      /* trees done in the sweep that has begun */
    int lifted;                     /* tree `at` is out of its residual */
    cp_bart_sum *sum;               /* problem->sums of them */
    void *sampler;                  /* made and freed by the problem's kind of sampler */
    struct cp_bart_grow_from_root *opt_warm;
    cp_bart_trace trace;
    cp_bart_parallel hands;        /* while it runs */
    float minus[CP_LEAF_PASS_MAX]; /* scratch */
    double by_slot[CP_LEAF_PASS_MAX];
};

cp_bart_view cp_bart_chain_view(const cp_bart_chain *c, const cp_bart_sum *s);
/* The residual from the trees, all of them. */
void cp_bart_chain_refresh(const cp_bart_chain *c, cp_bart_sum *s);
/* NULL if the invariants hold, else what is broken. */
const char *cp_bart_chain_check(const cp_bart_chain *c);
/* The same, but for the draws, whose reader has checked them; needs no memory. */
const char *cp_bart_chain_suspect(const cp_bart_chain *c);

/* In bart_noise.c: sigma^2, or z, from its law given the trees, in this sweep. */
void cp_bart_noise_draw(const cp_bart_chain *c, cp_bart_sum *s, uint64_t sweep, cp_rng *rng);
/* The variance of leaves given their mu, where it is sampled: 3 times the problem's over chi-square of 3 degrees is its
 * prior. */
void cp_bart_noise_draw_leaf_var(const cp_bart_chain *c, cp_bart_sum *s, cp_rng *rng);
/* log of the likelihood of the targets as they are, given trees and noise. */
double cp_bart_noise_log_likelihood(const cp_bart_chain *c, const cp_bart_sum *s);

/* In bart_trace.c. */
copse_status cp_bart_trace_init(cp_bart_trace *t, const cp_bart_problem *b, copse_error *err);
void cp_bart_trace_clear(cp_bart_trace *t);
/* The chain as it is becomes the next draw; there is room. */
void cp_bart_trace_add(cp_bart_trace *t, const cp_bart_chain *c);
copse_status cp_bart_trace_write(const cp_bart_trace *t, const cp_bart_problem *b, cp_writer *w, copse_error *err);
/* t is initialised, with room perhaps for more. */
copse_status cp_bart_trace_read(cp_bart_trace *t, const cp_bart_problem *b, cp_reader *r, copse_error *err);

/* In bart_grow_from_root.c: trees regrown from the root, each node's cut drawn in proportion to prior times
 * likelihood over histograms. */
typedef struct cp_bart_grow_from_root cp_bart_grow_from_root;
copse_status cp_bart_grow_from_root_new(const cp_bart_problem *b, cp_bart_grow_from_root **out, copse_error *err);
void cp_bart_grow_from_root_free(cp_bart_grow_from_root *w);
/* In place of a sampler's step on tree m of a sum. */
copse_status cp_bart_grow_from_root_step(cp_bart_grow_from_root *w, const cp_bart_view *v, cp_bart_tree *tree, size_t m,
                                         cp_rng *rng, copse_error *err);

#endif
