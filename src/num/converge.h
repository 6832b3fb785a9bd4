/* converge - convergence diagnostics of chains: R-hat and effective sample sizes.
 *
 * As in Vehtari, Gelman, Simpson, Carpenter and Buerkner (2021).  Every chain is cut in halves, and draws become normal
 * scores of their ranks among all draws.  R-hat compares the variance between halves with that within them; it is the
 * larger of two, one for the draws and one for their distances from the median.  The bulk effective sample size is that
 * of the scores.  The tail effective sample size is the smaller of two: those of the indicators of a draw being below
 * the 5 % and the 95 % quantile. */
#ifndef CP_CONVERGE_H
#define CP_CONVERGE_H

#include "base/fail.h"

typedef struct cp_converge {
    double rhat;       /* 1 if the chains agree; INFINITY if they are constant and differ */
    double bulk, tail; /* effective sample sizes */
} cp_converge;

enum { CP_CONVERGE_DRAWS = 8 }; /* with fewer in a chain all three are NaN */

/* x: chains x draws, finite.  If all draws are equal, rhat is 1 and the effective sample sizes are their number. */
copse_status cp_converge_find(const double *x, size_t chains, size_t draws, cp_converge *out, copse_error *err);

#endif
