/* greedy_fit - from options and rows to a forest. */
#ifndef CP_GREEDY_FIT_H
#define CP_GREEDY_FIT_H

#include "greedy/greedy.h"

/* *out is NULL after a failure. */
copse_status cp_greedy_fit(const cp_greedy_kind *kind, const cp_rows *rows, const copse_params *p, const copse_run *run,
                           cp_greedy **out, copse_error *err);
/* How trees may grow under these options. */
copse_status cp_greedy_fit_rule(cp_greedy_rule *rule, const cp_greedy_kind *kind, const cp_rows *rows,
                                const copse_params *p, copse_error *err);

#endif
