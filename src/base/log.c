/* log - formats messages for the caller's callbacks. */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

static void say(const copse_run *run, copse_log_level level, const char *fmt, va_list args) {
    char line[2048];
    if (!run || !run->log) return;
    vsnprintf(line, sizeof line, fmt, args);
    run->log(run->arg, level, line);
}

void cp_log_info(const copse_run *run, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    say(run, COPSE_LOG_INFO, fmt, args);
    va_end(args);
}

void cp_log_warn(const copse_run *run, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    say(run, COPSE_LOG_WARNING, fmt, args);
    va_end(args);
}

void cp_log_progress(const copse_run *run, const char *what, double done, double total) {
    if (run && run->progress) run->progress(run->arg, what, done, total);
}
