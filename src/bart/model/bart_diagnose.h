/* bart_diagnose - convergence of the chains: R-hat and effective sample sizes [Vehtari et al. 2021]. */
#ifndef CP_BART_DIAGNOSE_H
#define CP_BART_DIAGNOSE_H

#include "bart/model/bart_model.h"

/* Fills in b->converge from the series. */
copse_status cp_bart_diagnose_converge(cp_bart_model *b, copse_error *err);
void cp_bart_diagnose(const void *state, const copse_params *p, copse_diagnosis *out);
/* Accepted over proposed moves of a kind, over all chains; NaN if none was proposed. */
double cp_bart_diagnose_acceptance(const cp_bart_model *b, cp_bart_move move);
extern const char *const cp_bart_diagnose_accepted[CP_BART_MOVES]; /* names of these figures */

#endif
