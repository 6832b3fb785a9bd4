/* boost - gradient boosting on histograms: sums of small trees, each of which lowers a loss.
 *
 * A model has one or more heads, each a sum of trees over encoded rows (thesis, Algorithm 2.4; Friedman 2001):
 *   squared    mean of y; the variance about it is that of held-out rows
 *   gaussian   mean of y, and the logarithm of its standard deviation; steps are natural gradients [Duan et al. 2020]
 *   logistic   two classes: the log odds of the second
 *   softmax    more classes: a score for each
 * Numbers are boosted in units of forest.centre and forest.scale.
 *
 * Invariants, checked by `check`:
 *   B1  the trees are sound (tree.h N1 to N4); tree m belongs to head m % heads, so heads divides their number.
 *   B2  the starts of all heads are finite; noise is finite and > 0. */
#ifndef CP_BOOST_H
#define CP_BOOST_H

#include "boost/boost_loss.h"
#include "method/method.h"
#include "tree/tree.h"

typedef struct cp_boost {
    cp_forest forest; /* its task is COPSE_REGRESS for classes too: value.mean is what a leaf adds to its head */
    copse_task task;
    cp_boost_loss loss;
    size_t heads, rows;
    double *start;     /* per head: the score before the first tree */
    double noise;      /* squared: variance of y, in units of the scale; else 1 */
    double held_score; /* mean loss of held-out rows at the chosen round; NaN: no rows were held out */
} cp_boost;

extern const cp_method cp_method_boost;

void cp_boost_free(void *state);

#endif
