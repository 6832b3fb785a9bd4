/* mondrian_predict - the prediction of a forest: the mean over its trees. */
#ifndef CP_MONDRIAN_PREDICT_H
#define CP_MONDRIAN_PREDICT_H

#include "mondrian/mondrian.h"

copse_status cp_mondrian_predict(const void *state, const cp_rows *rows, const copse_params *p, cp_answer *out,
                                 copse_error *err);

#endif
