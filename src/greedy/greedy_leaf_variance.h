/* greedy_leaf_variance - the variance of a new row about the mean of the leaf it falls in.
 *
 * The variance of a row in a leaf of weight w whose own rows have the variance v (about their mean, divided by w) is
 *     s^2 = c (w v + r v0) / (w + r) + floor,
 * where v0 is the mean of v over all leaves, each weighted by its rows.  So a leaf of few rows, or of equal ones, is
 * shrunk towards v0, as by r rows of that variance.  r is 1 in a forest, where other trees cover the same place, and 10
 * for one tree.
 *
 * A forest's prediction is the mixture of its trees, and trees disagree.  If each tree's leaves held w rows of its own,
 * of variance s^2, their v would be (w-1)/w s^2 on average and their means would differ by s^2/w from tree to tree: the
 * mixture's variance, the mean of v plus the variance of the means, would be s^2 again, with c = 1.  But trees share
 * rows, so their means differ too little; and their splits were chosen to make v small.  Hence c is fitted on rows that
 * trees have not seen: for rf the out-of-bag rows, for ssf the rows of other subsets, for the others rows held out from
 * a few more trees (greedy_holdout.h).
 *
 * Let T trees predict, for such a row, means with the average m and the variance b, and leaf variances with the average
 * q (at c = 1, without the floor).  A forest of M trees would have the mixture's variance c q + floor + b (1 - 1/M),
 * and its mean, with M in place of T trees, an expected square of the error that is smaller by b (1/T - 1/M).  So the
 * error of m squared should be
 *     (y - m)^2  ~  c q + floor + b k,     k = 1 + 1/T - 2/M.
 *   In the mean over rows this holds for        c_mean  = mean((y - m)^2 - floor - b k) / mean(q).
 *   90 % of rows lie in their 90 % interval for c_within = the .9-quantile of ((y - m)^2 / z^2 - floor - b k) / q, z =
 *   1.64.
 * c_within gives intervals their coverage, whatever the tails of y: a few outliers do not widen all intervals.  But it
 * uses b and q of single rows; from a few trees both are far noisier than from M, which makes c_within too large.
 * c_mean averages over rows: where trees disagree much in some places, it makes the intervals elsewhere too narrow.  So
 * with few votes c = min(c_within, max(1, c_mean)), else c = c_within.  c is at least .3, because narrower components
 * leave gaps between the means of a few trees; and for one tree at least c_mean / 3, because no other trees give
 * outliers a density.
 *
 * Where each leaf has one row, or copies of one, all v are 0, and no c makes a density of the means of the trees, which
 * alone may spread as wide as the errors.  So v0 is raised until the mean of q is .3 times that of b k: with c >= .3
 * and 100 trees, about the kernel that Silverman's rule would put on each mean. */
#ifndef CP_GREEDY_LEAF_VARIANCE_H
#define CP_GREEDY_LEAF_VARIANCE_H

#include "greedy/greedy_grow.h"
#include "greedy/greedy_weight.h"

/* In units of the leaves. */
#define CP_GREEDY_LEAF_VARIANCE_MOST_STRETCH 1e30 /* variances are still floats */
typedef struct cp_greedy_leaf_variance {
    double var;     /* v0 > 0 */
    double rows;    /* r > 0 */
    double stretch; /* c > 0 */
    double floor;   /* > 0 */
} cp_greedy_leaf_variance;

/* For classification, which does not use it. */
static const cp_greedy_leaf_variance cp_greedy_leaf_variance_none = {1, 1, 1, 1};

static inline double cp_greedy_leaf_variance_of(const cp_greedy_leaf_variance *s, const cp_tree_value *leaf) {
    double weight = (double)leaf->weight;
    return s->stretch * (weight * (double)leaf->var + s->rows * s->var) / (weight + s->rows) + s->floor;
}

int cp_greedy_leaf_variance_check(const cp_greedy_leaf_variance *s);
/* Sets v0, r and the floor from the leaves of a forest and the targets it was grown on; c = 1. */
void cp_greedy_leaf_variance_init(cp_greedy_leaf_variance *s, const cp_forest *f, const cp_rows *rows,
                                  const cp_greedy_weight *weight);

/* Fills in cp_tree.gauss, the predictive distribution of each leaf, once c is known. */
copse_status cp_greedy_leaf_variance_leaves(const cp_greedy_leaf_variance *s, cp_forest *f, copse_error *err);

/* Sums over the trees that have not seen a row, in units of the leaves. */
typedef struct cp_greedy_unseen_votes {
    double votes;        /* how many trees */
    double mean, square; /* of their means, and of the squares of these */
    double var;          /* of the leaf variances at c = 1, without the floor */
    double shrunk;       /* of r / (w + r), the share of v0 in them */
} cp_greedy_unseen_votes;
static inline void cp_greedy_leaf_variance_add_vote(const cp_greedy_leaf_variance *s, const cp_tree_value *leaf,
                                                    cp_greedy_unseen_votes *h) {
    double mean = (double)leaf->mean;
    h->votes++;
    h->mean += mean;
    h->square += mean * mean;
    h->var += cp_greedy_leaf_variance_of(s, leaf) - s->floor;
    h->shrunk += s->rows / ((double)leaf->weight + s->rows);
}

/* A row that c is fitted on; the letters are those above. */
typedef struct cp_greedy_unseen_row {
    double weight;  /* 0: no tree has predicted it */
    double square;  /* (y - m)^2 */
    double between; /* b k */
    double within;  /* q */
    double shrunk;  /* the share of v0 in q */
} cp_greedy_unseen_row;
/* `trees` is M. */
cp_greedy_unseen_row cp_greedy_leaf_variance_evaluate(const cp_greedy_unseen_votes *h, double y, double weight,
                                                      size_t trees);
/* How many trees predicted each row: the only tree, a few of many trees, or many. */
typedef enum cp_greedy_votes { CP_GREEDY_VOTES_ONE, CP_GREEDY_VOTES_FEW, CP_GREEDY_VOTES_MANY } cp_greedy_votes;
typedef struct cp_greedy_unseen {
    cp_greedy_unseen_row *row; /* `within` may be changed */
    size_t n;
    double copies; /* rows in a group of rows that were held out together, on average */
    cp_greedy_votes votes;
} cp_greedy_unseen;
/* Sets c, and raises v0 if leaves are too narrow. */
copse_status cp_greedy_leaf_variance_fit(cp_greedy_leaf_variance *s, const cp_greedy_unseen *u, copse_error *err);

#endif
