/* boost - gradient boosting on histograms: sums of small trees, each of which lowers a loss.
 *
 * A model has one or more heads, each a sum of trees over encoded rows (thesis, Algorithm 2.4; Friedman 2001):
 *   squared    mean of y; and, if it has a spread, the logarithm of the scale of y about the mean
 *   quantile   a head for each of CP_BOOST_QUANTILES quantiles of y; widths are multiplied by the root of noise
 *   gaussian   mean of y, and the logarithm of its standard deviation; steps are natural gradients [Duan et al. 2020]
 *   logistic   two classes: the log odds of the second
 *   softmax    more classes: a score for each
 * Numbers are boosted in units of forest.centre and forest.scale.  y = mean + scale times a number drawn from the
 * shape, a mixture of Gaussians.
 *
 * Invariants, checked by `check`:
 *   B1  the trees are sound (tree.h N1 to N4).  The last `spread` of them belong to the last head, if has_spread;
 *       tree m of the others to head m % (heads - has_spread), which divides their number.
 *   B2  the starts of all heads are finite; noise is finite and > 0; the shape's weights and sds are > 0, and its
 *       weights sum to 1. */
#ifndef CP_BOOST_H
#define CP_BOOST_H

#include "boost/boost_loss.h"
#include "boost/boost_quantile.h"
#include "boost/boost_shape.h"
#include "method/method.h"
#include "tree/tree.h"

typedef struct cp_boost {
    cp_forest forest; /* its task is COPSE_REGRESS for classes too: value.mean is what a leaf adds to its head */
    copse_task task;
    cp_boost_loss loss;
    size_t heads, rows;
    int has_spread;       /* squared: the last head is that of the scale */
    size_t spread;        /* its trees */
    double *start;        /* per head: the score before the first tree */
    double noise;         /* squared without a spread: variance of y, in units of the scale; else 1 */
    cp_boost_shape shape; /* numbers; n = 0: a standard Gaussian */
    double held_score;    /* mean loss of held-out rows at the chosen round; NaN: no rows were held out */
} cp_boost;

extern const cp_method cp_method_boost;

static inline size_t cp_boost_head(const cp_boost *b, size_t tree) {
    return tree + b->spread >= b->forest.trees ? b->heads - 1 : tree % (b->heads - (size_t)b->has_spread);
}

/* Numbers: the scale of y about its mean, of scores f. */
double cp_boost_scale(const cp_boost *b, const double *f);
void cp_boost_free(void *state);

#endif
