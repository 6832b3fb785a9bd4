/* mondrian_hyper - fits the hyperparameters of regression: those that maximise the mean over trees of log p(Y | tree).
 * The thesis left this for later (sec. 6.3.2). */
#ifndef CP_MONDRIAN_HYPER_H
#define CP_MONDRIAN_HYPER_H

#include "mondrian/mondrian.h"

/* Sets f->hyper. */
copse_status cp_mondrian_hyper_fit(cp_mondrian *f, const copse_run *run, copse_error *err);

#endif
