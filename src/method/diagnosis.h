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

/* What chains are judged by, once all checks are made. */
typedef struct cp_diagnosis_chains {
    size_t chains;
    double rhat, most_rhat;   /* the worst, and what is still good; NaN: too few draws to tell */
    double ess, least_ess;    /* likewise */
    const char *if_they_roam; /* what follows if they have not converged, and what to do */
} cp_diagnosis_chains;
void cp_diagnosis_judge_chains(copse_diagnosis *d, const cp_diagnosis_chains *c);

#endif
