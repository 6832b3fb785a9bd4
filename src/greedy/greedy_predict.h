/* greedy_predict - the predictions of a forest.
 *
 * Classes: the mean over trees of (w_k + alpha / K) / (w + alpha), where w_k is the weight of class k, and w that of
 * all K classes, in the leaf a row falls in.  Numbers: an equal mixture of one Gaussian per tree, at the mean of that
 * leaf, with the variance of greedy_leaf_variance.h. */
#ifndef CP_GREEDY_PREDICT_H
#define CP_GREEDY_PREDICT_H

#include "greedy/greedy.h"

copse_status cp_greedy_predict(const void *state, const cp_rows *rows, const copse_params *p, cp_answer *out,
                               copse_error *err);

#endif
