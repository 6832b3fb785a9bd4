/* boost_fit - fits a boosted model: rounds of trees, rows held out to choose their number. */
#ifndef CP_BOOST_FIT_H
#define CP_BOOST_FIT_H

#include "boost/boost.h"

copse_status cp_boost_fit(const cp_rows *rows, const copse_params *p, const copse_run *run, void **out_state,
                          copse_error *err);
/* The loss under these options. */
cp_boost_loss cp_boost_fit_loss(const copse_params *p, copse_task task, size_t classes);

#endif
