/* btree_predict - the posterior predictive distribution: the average over trees by their weights and over cuts by where
 * x lies in their gaps; the parameters of a leaf are integrated out in closed form. */
#ifndef CP_BTREE_PREDICT_H
#define CP_BTREE_PREDICT_H

#include "method/method.h"

copse_status cp_btree_predict(const void *state, const cp_rows *rows, const copse_params *p, cp_answer *out,
                              copse_error *err);

#endif
