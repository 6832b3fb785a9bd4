/* boost_predict - predictions of a boosted model: the sums of its trees, turned into a distribution. */
#ifndef CP_BOOST_PREDICT_H
#define CP_BOOST_PREDICT_H

#include "boost/boost.h"

copse_status cp_boost_predict(const void *state, const cp_rows *rows, const copse_params *p, cp_answer *out,
                              copse_error *err);

#endif
