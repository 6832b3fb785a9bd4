/* diagnosis - the report of a sampler on its convergence, made check by check. */
#ifndef CP_DIAGNOSIS_H
#define CP_DIAGNOSIS_H

#include "copse.h"

/* Adds a check: the value should be at most, or at least, the bound.  NaN fails both.  cp_diagnosis_to_know adds a
 * value without a bound. */
void cp_diagnosis_at_most(copse_diagnosis *d, const char *name, double value, double bound, const char *help);
void cp_diagnosis_at_least(copse_diagnosis *d, const char *name, double value, double bound, const char *help);
void cp_diagnosis_to_know(copse_diagnosis *d, const char *name, double value, const char *help);

/* Sets what is wrong, in half a line. */
__attribute__((format(printf, 2, 3))) void cp_diagnosis_problem(copse_diagnosis *d, const char *fmt, ...);
/* Appends a sentence to the verdict. */
__attribute__((format(printf, 2, 3))) void cp_diagnosis_say(copse_diagnosis *d, const char *fmt, ...);

/* What the verdict on chains depends on. */
typedef struct cp_diagnosis_chains {
    size_t chains;
    double rhat, most_rhat;       /* the worst R-hat (NaN: too few draws), and the largest that is good */
    double ess, least_ess;        /* the worst effective sample size, and the smallest that is good */
    const char *if_not_converged; /* what follows then, and what to do: the end of a sentence */
} cp_diagnosis_chains;
/* Writes problem and verdict, once all checks are added. */
void cp_diagnosis_judge_chains(copse_diagnosis *d, const cp_diagnosis_chains *c);

#endif
