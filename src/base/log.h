/* log - messages and progress for the caller's callbacks.  Only this file of the library prints: one line to stderr
 * before an abort. */
#ifndef CP_LOG_H
#define CP_LOG_H

#include "copse.h"

__attribute__((format(printf, 2, 3))) void cp_log_info(const copse_run *run, const char *fmt, ...);
__attribute__((format(printf, 2, 3))) void cp_log_warn(const copse_run *run, const char *fmt, ...);
void cp_log_progress(const copse_run *run, const char *what, double done, double total);

void cp_log_fatal(const char *file, int line, const char *what);

#endif
