/* greedy_leaf_variance - how rows scatter about the mean of the leaf they fall in.
 *
 * The variance of a row in a leaf of weight w whose own rows have the variance v (about their mean, divided by w) is
 *     s^2 = c (w v + r v0) / (w + r) + floor,
 * v0 the mean of v over all leaves, each counted with its rows: a leaf of a few rows, or of equal ones, borrows from
 * the others as much as r rows would say.  r is 1 in a forest, where other trees know of the same place, and 10 for one
 * tree.
 *
 * A forest's prediction is the mixture of its trees, and trees disagree.  If each tree's leaves held w rows of its own,
 * of variance s^2, their v would be (w-1)/w s^2 on average and their means would differ by s^2/w from tree to tree: the
 * mixture's variance, the mean of v plus that of the means, would be s^2 again, with c = 1.  But trees share their
 * rows, so they agree too much; and they chose their splits for making v small.  Hence c is learnt from rows that trees
 * have not seen: an rf's out-of-bag rows, other subsets of an ssf, and for all others rows held out from a few trees
 * more (greedy_holdout.h).
 *
 * Let T trees say of such a row, on average, m and the variance q (at c = 1, without the floor), their means having the
 * variance b.  A forest of M trees would have the mixture's variance c q + floor + b (1 - 1/M), and its mean, with M in
 * place of T trees, an expected square of the error that is smaller by b (1/T - 1/M).  So the error of m squared should
 * be
 *     (y - m)^2  ~  c q + floor + b k,     k = 1 + 1/T - 2/M.
 *   In the mean over rows this holds for        c_mean  = mean((y - m)^2 - floor - b k) / mean(q).
 *   90 % of rows lie in their 90 % interval for c_within = the .9-quantile of ((y - m)^2 / z^2 - floor - b k) / q, z =
 *   1.64.
 * The second is what an interval promises, whatever the tails of y: a few rows far out do not widen all intervals.  But
 * it takes b and q of each row as they are, and of a few trees both are far noisier than of M, which widens.  The first
 * knows nothing of rows that differ, and where trees disagree much in some places it narrows the others.  So with few
 * votes c = min(c_within, max(1, c_mean)), else c = c_within.  It is not taken below .3, since components narrower than
 * that leave gaps between the means of a few trees; nor, for one tree, below c_mean / 3: it has no other trees to give
 * rows far out a density. */
#ifndef CP_GREEDY_LEAF_VARIANCE_H
#define CP_GREEDY_LEAF_VARIANCE_H

#include "greedy/greedy_grow.h"
#include "greedy/greedy_weight.h"

/* In the leaves' units. */
typedef struct cp_greedy_leaf_variance {
    double var;     /* v0 > 0 */
    double rows;    /* r > 0 */
    double stretch; /* c > 0 */
    double floor;   /* > 0 */
} cp_greedy_leaf_variance;

/* Of classes, which have none. */
static const cp_greedy_leaf_variance cp_greedy_leaf_variance_none = {1, 1, 1, 1};

static inline double cp_greedy_leaf_variance_of(const cp_greedy_leaf_variance *s, const cp_tree_value *leaf) {
    double weight = (double)leaf->weight;
    return s->stretch * (weight * (double)leaf->var + s->rows * s->var) / (weight + s->rows) + s->floor;
}

int cp_greedy_leaf_variance_check(const cp_greedy_leaf_variance *s);
/* From the leaves of a forest and the targets it was made from; c = 1. */
void cp_greedy_leaf_variance_init(cp_greedy_leaf_variance *s, const cp_forest *f, const cp_rows *rows,
                                  const cp_greedy_weight *weight);

/* What the leaves of a forest answer, in cp_tree's gauss, once c is known. */
copse_status cp_greedy_leaf_variance_leaves(const cp_greedy_leaf_variance *s, cp_forest *f, copse_error *err);

/* What trees that have not seen a row say of it: sums over the trees, in the leaves' units. */
typedef struct cp_greedy_unseen_votes {
    double votes, mean, square, var; /* var: what c = 1 says, without the floor */
} cp_greedy_unseen_votes;
static inline void cp_greedy_leaf_variance_add_vote(const cp_greedy_leaf_variance *s, const cp_tree_value *leaf,
                                                    cp_greedy_unseen_votes *h) {
    double mean = (double)leaf->mean;
    h->votes++;
    h->mean += mean;
    h->square += mean * mean;
    h->var += cp_greedy_leaf_variance_of(s, leaf) - s->floor;
}

/* A row as c is judged by it. */
typedef struct cp_greedy_unseen_row {
    double weight;  /* 0: nothing is known of it */
    double square;  /* (y - m)^2 */
    double between; /* b k */
    double within;  /* q */
} cp_greedy_unseen_row;
/* `trees` is M. */
cp_greedy_unseen_row cp_greedy_leaf_variance_evaluate(const cp_greedy_unseen_votes *h, double y, double weight,
                                                      size_t trees);
/* What rows were judged by: the vote of the only tree, few votes of many trees, or many. */
typedef enum cp_greedy_votes { CP_GREEDY_VOTES_ONE, CP_GREEDY_VOTES_FEW, CP_GREEDY_VOTES_MANY } cp_greedy_votes;
/* Sets c. */
copse_status cp_greedy_leaf_variance_fit(cp_greedy_leaf_variance *s, const cp_greedy_unseen_row *row, size_t n,
                                         cp_greedy_votes votes, copse_error *err);

#endif
