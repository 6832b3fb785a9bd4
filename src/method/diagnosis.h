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
    size_t draws, most_draws;     /* of each chain; the most that can be asked for.  0: do not say how many it takes */
    double rhat, most_rhat;       /* the worst R-hat (NaN: too few draws), and the largest that is good */
    double ess, least_ess;        /* the worst effective sample size, and the smallest that is good */
    const char *if_not_converged; /* what follows then, and what to do: the end of a sentence */
} cp_diagnosis_chains;
/* The draws of each chain after which R-hat and effective sample size would be good if the chains mixed on as they
 * did; rounded up to two digits.  Chains that have not converged mix worse than they seem to: it is a lower bound.
 * 0: it cannot be told, or is more than most_draws. */
size_t cp_diagnosis_draws_needed(const cp_diagnosis_chains *c);
/* Writes problem and verdict, once all checks are added. */
void cp_diagnosis_judge_chains(copse_diagnosis *d, const cp_diagnosis_chains *c);

#endif
