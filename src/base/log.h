/* log - messages and progress for the caller's callbacks.  The library itself prints nothing. */
#ifndef CP_LOG_H
#define CP_LOG_H

#include "copse.h"

__attribute__((format(printf, 2, 3))) void cp_log_info(const copse_run *run, const char *fmt, ...);
__attribute__((format(printf, 2, 3))) void cp_log_warn(const copse_run *run, const char *fmt, ...);
void cp_log_progress(const copse_run *run, const char *what, double done, double total);

#endif
