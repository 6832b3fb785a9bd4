/* mondrian_honest - calibrated predictions: what held-out rows have shown (mondrian_calibrate.h), applied to the answer
 * of the whole forest.
 *
 * Classes.  Trees shrink class shares towards those of the nodes above (mondrian_counts.h).  Of the forest's mean p and
 * the shares q of all rows, the answer is  (1 - e) q (p/q)^sharpness / Z + e q,  e = 1 / (rows + 2): where the forest
 * knows nothing, p = q and stays; sharpness 0 is to guess; and nobody says 0 or 1.
 *
 * Numbers.  The forest's answer is a mixture of each tree's components N(m_i, v_i), the mean and variance of the rows
 * under the node where the point leaves the tree.  Among the data the components are scaled about the mixture's mean m:
 *     m + between (m_i - m),   within^2 v_i.
 * How far the point is from the data is the mean over trees and branch points of log2 of the node's rows, `size` below:
 * it is small where the point reaches the leaves, and log2(rows) where it leaves every tree at the root.  From
 * `near` to `far`, above which lies 1 held-out row in 10 and in 100, both scales go to 1: away from the data nothing
 * was held out, and intervals are no narrower than the rows' own spread.  From `far` to log2(rows) variances below
 * that of all targets grow to it. */
#ifndef CP_MONDRIAN_HONEST_H
#define CP_MONDRIAN_HONEST_H

#include <string.h>

#include "method/answer.h"

typedef struct cp_mondrian_honest {
    int on;
    size_t rows; /* the first rows of the forest, from which the numbers below were learnt */
    double strength, sharpness;
    double within, between, near, far;
} cp_mondrian_honest;

/* What nothing is known of. */
static inline cp_mondrian_honest cp_mondrian_honest_plain(void) {
    return (cp_mondrian_honest){
        .on = 1, .strength = 1, .sharpness = 1, .within = 1, .between = 1, .near = 64, .far = 65};
}

/* log2(n) for n >= 1, with straight lines between powers of 2: an error below .09 and no call. */
static inline double cp_mondrian_honest_log2(double n) {
    uint64_t bits;
    memcpy(&bits, &n, sizeof bits);
    return (double)(int64_t)(bits - (UINT64_C(1023) << 52)) * 0x1p-52;
}

/* The probabilities of one row from the forest's mean, in place; `base`: the shares of all rows. */
void cp_mondrian_honest_classes(const cp_mondrian_honest *h, double rows, const double *base, size_t classes,
                                double *probs);

/* A row whose components are to be scaled. */
typedef struct cp_mondrian_spread {
    double size;      /* see above */
    double rows, var; /* all rows learnt, and the variance of their targets */
} cp_mondrian_spread;
void cp_mondrian_honest_numbers(const cp_mondrian_honest *h, cp_mondrian_spread x, cp_component *c, size_t n);

#endif
