/* bart_view - Bayesian additive regression trees [Chipman, George, McCulloch 2010; thesis, chapter 4].
 *
 *     y = g(x; T_1, mu_1) + ... + g(x; T_M, mu_M) + e,    e ~ N(0, sigma^2 / w)
 *
 * Each tree T_m has the prior of bayes/tree_prior.h, each leaf's mu is N(0, leaf_var), sigma^2 is inverse gamma.
 * Targets are brought to [-1/2, 1/2] first.  Two classes: a latent z with z > 0 where the label is 1, sigma = 1
 * (probit); more classes: one such sum of trees for each class against the rest.
 *
 * A sweep is one turn of Gibbs sampling: tree after tree is sampled given the residual of all others, with its mu
 * integrated out; its mu are drawn; then sigma, or the latent z.  How a tree is sampled is a cp_bart_sampler; nothing
 * else knows.
 *
 *     columns of codes -+                  tree m: residual r (float, one per row) made partial: r += mu_m[slot_m[row]]
 *                       +-> cp_bart_view ->        sampler changes tree m
 *     residual ---------+                          mu_m drawn; r -= mu_m[slot_m[row]]
 *
 * All passes run over all rows in order, with the row's leaf as one byte: no row lists, no permutation, nothing to
 * allocate (num/slots.h). */
#ifndef CP_BART_VIEW_H
#define CP_BART_VIEW_H

#include "base/fail.h"
#include "bayes/particle.h"
#include "bayes/tree_prior.h"
#include "data/ranks.h"
#include "kernel/leaf_pass.h"
#include "num/rng.h"

/* A tree has at most so many leaves, because rows know theirs as a byte; trees beyond have prior probability 0. */
enum { CP_BART_MAX_LEAVES = 256, CP_BART_MAX_DEPTHS = 64 };

/* -------------------------------------------------------------------------------------------------------- columns */

typedef enum cp_bart_cuts { CP_BART_CUTS_UNIFORM, CP_BART_CUTS_GRID, CP_BART_CUTS_QUANTILE } cp_bart_cuts;

/* The features, as what a cut can tell apart.  A rule is a column and a cell of it (bayes/tree_prior.h); under grid and
 * quantile cuts the `values` that ranks count are numbers of bins, so that the width of a cell is the number of cuts in
 * it and "uniform by width" is uniform over cuts.  code repeats the ranks in 16 bits, for passes over all rows.
 *
 * Columns with more than 65536 different values cannot have uniform cuts: neighbouring values share a bin, which stands
 * in `values` as the greatest of them, and cuts are the ends of bins. */
typedef struct cp_bart_columns {
    cp_ranks ranks;
    uint16_t *code; /* dims x rows, column after column */
    cp_bart_cuts cuts;
    float *edge;               /* the cuts of binned columns, rising, column 0's first; cut j parts bins j and j+1 */
    size_t *start;             /* dims + 1: into edge; columns that are not binned have none */
    const cp_leaf_pass *slots; /* how rows are passed over */
} cp_bart_columns;

/* In bart_columns.c.  x: rows x dims, row-major, finite; cuts_per_column: of grid and quantile, 1 ... 65535. */
typedef struct cp_bart_matrix {
    const float *x;
    size_t rows, dims;
} cp_bart_matrix;
copse_status cp_bart_columns_init(cp_bart_columns *c, const cp_bart_matrix *m, cp_bart_cuts cuts,
                                  size_t cuts_per_column, const copse_run *run, copse_error *err);
void cp_bart_columns_clear(cp_bart_columns *c);
/* A place for the cut of a rule, drawn from the prior given its cell: x <= cut goes left, and just the rows of ranks up
 * to the cell have such x. */
float cp_bart_columns_cut(const cp_bart_columns *c, cp_rule rule, cp_rng *rng);
/* Could it have been drawn? */
int cp_bart_columns_has(const cp_bart_columns *c, cp_rule rule, float cut);

static inline const uint16_t *cp_bart_columns_code(const cp_bart_columns *c, size_t dim) {
    return c->code + dim * c->ranks.rows;
}

/* -------------------------------------------------------------------------------------- what samplers of a tree see */

/* In bart_split_probs.c: with what probability a rule asks a column, among those that vary in the node.  Uniform, or
 * sparse [Linero 2018]: probabilities s ~ Dirichlet(theta/D, ...), sampled like all else. */
typedef struct cp_bart_split_probs {
    size_t dims;
    double *opt_s;   /* of each column, summing to 1; NULL: all alike */
    double *opt_sum; /* running sums of it */
} cp_bart_split_probs;

/* All alike; `sparse` makes room for others. */
copse_status cp_bart_split_probs_init(cp_bart_split_probs *s, size_t dims, int sparse, copse_error *err);
void cp_bart_split_probs_clear(cp_bart_split_probs *s);
/* Probabilities as given, but none so small that it is 0: a column that was asked once could else be asked never
 * again. */
void cp_bart_split_probs_set(cp_bart_split_probs *s, const double *probability);
/* A column, whether or not it varies. */
uint32_t cp_bart_split_probs_draw(const cp_bart_split_probs *s, cp_rng *rng);

static inline double cp_bart_split_probs_of(const cp_bart_split_probs *s, size_t dim) {
    return s->opt_s ? s->opt_s[dim] : 1 / (double)s->dims;
}

typedef struct cp_bart_parallel cp_bart_parallel; /* bart_parallel.h: who passes over rows */

/* Everything about one tree's conditional posterior but the tree. */
typedef struct cp_bart_view {
    const cp_bart_columns *columns;
    const cp_bart_split_probs *share;
    const double *log_split, *log_stop; /* by depth, CP_BART_MAX_DEPTHS of them; the last split is impossible */
    const float *r;                     /* partial residual of each row; NULL: no likelihood, the prior alone */
    const float *opt_weight;            /* of each row; NULL: all 1 */
    double leaf_var, noise_var;         /* of mu; of a row of weight 1 */
    const cp_bart_parallel *opt_hands;  /* NULL: the calling thread's alone */
} cp_bart_view;

/* In bart_view.c: log of the density of rows in one leaf, mu integrated out, up to what does not depend on the tree:
 * sum_w = sum of weights, sum_wr = sum of weight times partial residual. */
double cp_bart_view_log_leaf(const cp_bart_view *v, double sum_w, double sum_wr);

/* Rows that are looked at together: those with this byte. */
typedef struct cp_bart_group {
    const uint8_t *slot;
    uint8_t id;
} cp_bart_group;

/* In bart_split_probs.c: a rule from the prior; 0 if no column varies. */
int cp_bart_split_probs_draw_rule(const cp_bart_view *v, cp_bart_group rows, cp_rng *rng, cp_rule *out);
/* Of all columns that vary, together. */
double cp_bart_split_probs_mass(const cp_bart_view *v, cp_bart_group rows);
/* log of the probability of a rule; -INFINITY if it leaves a side empty. */
double cp_bart_split_probs_log_rule(const cp_bart_view *v, cp_rule rule, cp_bart_group rows);

#endif
