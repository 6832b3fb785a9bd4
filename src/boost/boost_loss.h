/* boost_loss - losses of boosting, their gradients, and the curvature that a Newton step divides by. */
#ifndef CP_BOOST_LOSS_H
#define CP_BOOST_LOSS_H

#include <stddef.h>
#include <stdint.h>

#include "copse.h"

typedef enum cp_boost_loss {
    CP_BOOST_SQUARED,
    CP_BOOST_GAUSSIAN,
    CP_BOOST_LOGISTIC,
    CP_BOOST_SOFTMAX,
    CP_BOOST_QUANTILE, /* a head for each level of boost_quantile.h */
    CP_BOOST_SPREAD    /* y: a residual.  The head is the logarithm of its mean size, under a Laplace distribution */
} cp_boost_loss;

/* Scores are clamped to these before they are exponentiated: no probability is 0 or 1, no standard deviation 0. */
#define CP_BOOST_MOST_LOGIT  20.0
#define CP_BOOST_MOST_LOG_SD 7.0

/* The target of a row: y of a number, label of a class. */
typedef struct cp_boost_target {
    double y;
    int32_t label;
} cp_boost_target;

size_t cp_boost_loss_heads(cp_boost_loss loss, size_t classes);
/* The loss of a row whose scores are f, one per head. */
double cp_boost_loss_value(cp_boost_loss loss, const double *f, size_t heads, cp_boost_target t);
/* Its gradient and curvature with respect to each score.  The curvature of `gaussian` is the Fisher information: a
 * leaf's step, gradient sum over curvature sum, is then its natural gradient.  That of `softmax` is p (1 - p) K / (K -
 * 1), after which two classes make the same steps as `logistic`. */
void cp_boost_loss_slopes(cp_boost_loss loss, const double *f, size_t heads, cp_boost_target t, double *out_slope,
                          double *out_curve);
/* softmax, logistic: the class probabilities of scores f. */
void cp_boost_loss_probs(cp_boost_loss loss, const double *f, size_t heads, double *out_probs);
/* gaussian, spread: the standard deviation, or the mean size, of a score. */
double cp_boost_loss_sd(double f);

#endif
