/* bart_predict - the posterior predictive distribution of rows. */
#ifndef CP_BART_PREDICT_H
#define CP_BART_PREDICT_H

#include "method/method.h"

copse_status cp_bart_predict(const void *state, const cp_rows *rows, const copse_params *p, cp_answer *out,
                             copse_error *err);

#endif
