/* diagnosis - what a sampler says about itself, put together check by check. */
#ifndef CP_DIAGNOSIS_H
#define CP_DIAGNOSIS_H

#include "copse.h"

/* A value that should be at most, or at least, the bound: NaN is neither.  Or one that is only good to know. */
void cp_diagnosis_at_most(copse_diagnosis *d, const char *name, double value, double bound, const char *help);
void cp_diagnosis_at_least(copse_diagnosis *d, const char *name, double value, double bound, const char *help);
void cp_diagnosis_to_know(copse_diagnosis *d, const char *name, double value, const char *help);

/* What is wrong, in half a line. */
__attribute__((format(printf, 2, 3))) void cp_diagnosis_problem(copse_diagnosis *d, const char *fmt, ...);
/* Another sentence of the verdict. */
__attribute__((format(printf, 2, 3))) void cp_diagnosis_say(copse_diagnosis *d, const char *fmt, ...);

#endif
