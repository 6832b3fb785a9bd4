#include "method/diagnosis.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"

static void add(copse_diagnosis *d, copse_check c) {
    CP_BUG(d->checks == COPSE_MAX_CHECKS);
    c.ok = isnan(c.bound) || (c.at_least ? c.value >= c.bound : c.value <= c.bound); /* NaN is not ok */
    d->ok &= c.ok;
    d->check[d->checks++] = c;
}

void cp_diagnosis_at_most(copse_diagnosis *d, const char *name, double value, double bound, const char *help) {
    add(d, (copse_check){.name = name, .value = value, .bound = bound, .help = help});
}

void cp_diagnosis_at_least(copse_diagnosis *d, const char *name, double value, double bound, const char *help) {
    add(d, (copse_check){.name = name, .value = value, .bound = bound, .at_least = 1, .help = help});
}

void cp_diagnosis_to_know(copse_diagnosis *d, const char *name, double value, const char *help) {
    add(d, (copse_check){.name = name, .value = value, .bound = NAN, .help = help});
}

void cp_diagnosis_problem(copse_diagnosis *d, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    vsnprintf(d->problem, sizeof d->problem, fmt, args);
    va_end(args);
}

void cp_diagnosis_say(copse_diagnosis *d, const char *fmt, ...) {
    size_t n = strlen(d->verdict);
    va_list args;
    if (n && n + 1 < sizeof d->verdict) memcpy(d->verdict + n++, " ", 2);
    va_start(args, fmt);
    vsnprintf(d->verdict + n, sizeof d->verdict - n, fmt, args);
    va_end(args);
}
