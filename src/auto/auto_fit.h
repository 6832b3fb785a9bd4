/* auto_fit - chooses, weighs, calibrates and fits the members: the steps are in auto.h. */
#ifndef CP_AUTO_FIT_H
#define CP_AUTO_FIT_H

#include "auto/auto.h"

copse_status cp_auto_fit(const cp_rows *rows, const copse_params *p, const copse_run *run, void **out_state,
                         copse_error *err);

#endif
