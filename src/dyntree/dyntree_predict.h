/* dyntree_predict - the posterior predictive: the mean over particles of the predictions of their leaves. */
#ifndef CP_DYNTREE_PREDICT_H
#define CP_DYNTREE_PREDICT_H

#include "dyntree/dyntree.h"

copse_status cp_dyntree_predict(const void *state, const cp_rows *rows, const copse_params *p, cp_answer *out,
                                copse_error *err);
/* Predicts a row that is kept, into row `place` of the answer.  Numbers: rows have to be predicted in order. */
copse_status cp_dyntree_predict_row(const cp_dyntree *f, size_t row, size_t place, cp_answer *out, copse_error *err);

#endif
