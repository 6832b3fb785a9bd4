/* greedy_spread - how rows scatter about the mean of the leaf they fall in.
 *
 * The variance of a row in a leaf of weight w whose own rows have the variance v (about their mean, divided by w) is
 *     s^2 = c (w v + r v0) / (w + r) + floor,
 * v0 the mean of v over all leaves, each counted with its rows: a leaf of a few rows, or of equal ones, borrows from the
 * others as much as r rows would say.  r is 1 in a forest, where other trees know of the same place, and 10 for one tree.
 *
 * Why v is divided by w and not by w - 1.  A forest's prediction is the mixture of its trees, and trees disagree.  If leaves
 * hold w rows of variance s^2, their v is (w-1)/w s^2 on average and their means differ by s^2/w from tree to tree: the
 * mixture's variance, the mean of v plus that of the means, is s^2 again.  The uncertainty of a leaf's mean is not added, for
 * the same reason.
 *
 * c is 1 unless there are rows to judge by: an rf has its out-of-bag rows, and a cart, which is one tree and has no others
 * to disagree with, is tried on rows held out.  In both cases c makes the mean of the variances predicted for rows not seen
 * equal to their mean squared error.  It is not taken below .3: narrower components than that would leave gaps between
 * the means of a few trees. */
#ifndef CP_GREEDY_SPREAD_H
#define CP_GREEDY_SPREAD_H

#include "greedy/greedy_grow.h"
#include "greedy/greedy_weight.h"

/* In the leaves' units. */
typedef struct cp_greedy_spread {
    double var;     /* v0 > 0 */
    double rows;    /* r > 0 */
    double stretch; /* c > 0 */
    double floor;   /* > 0 */
} cp_greedy_spread;

/* Of classes, which have none. */
static const cp_greedy_spread cp_greedy_spread_none = {1, 1, 1, 1};

static inline double cp_greedy_spread_var(const cp_greedy_spread *s, const cp_tree_value *leaf) {
    double weight = (double)leaf->weight;
    return s->stretch * (weight * (double)leaf->var + s->rows * s->var) / (weight + s->rows) + s->floor;
}

int cp_greedy_spread_check(const cp_greedy_spread *s);
/* From the leaves of a forest and the targets it was made from; c = 1. */
void cp_greedy_spread_init(cp_greedy_spread *s, const cp_forest *f, const cp_rows *rows,
                           const cp_greedy_weight *weight);
/* Sums, or means, over rows not seen: squared errors, the variance of the trees' means, and what c = 1 says. */
void cp_greedy_spread_stretch(cp_greedy_spread *s, double squares, double between, double within);
/* For a single tree: holds out a tenth of the rows, as often as it takes for some 2000 of them, and grows on the others. */
typedef struct cp_greedy_trial {
    const cp_forest *forest;
    const cp_greedy_data *data;
    const cp_greedy_rule *rule;
    const cp_greedy_weight *weight;
} cp_greedy_trial;
copse_status cp_greedy_spread_hold_out(cp_greedy_spread *s, const cp_greedy_trial *t, const copse_run *run,
                                       copse_error *err);

#endif
