/* auto_predict - the pool's prediction: the formula is in auto.h. */
#ifndef CP_AUTO_PREDICT_H
#define CP_AUTO_PREDICT_H

#include "auto/auto.h"

copse_status cp_auto_predict(const void *state, const cp_rows *rows, const copse_params *p, cp_answer *out,
                             copse_error *err);

#endif
