/* converge - have chains converged, and how many independent draws are they worth?
 *
 * As in Vehtari, Gelman, Simpson, Carpenter and Buerkner (2021): every chain is cut in halves, draws become normal
 * scores of their ranks among all, and R-hat compares the spread between halves with that within; once for the draws
 * and once for their distances from the median, of which the larger counts.  The effective sample size of the scores
 * tells about the bulk; that of being below the 5 % and the 95 % quantile, of which the smaller counts, about the
 * tails. */
#ifndef CP_CONVERGE_H
#define CP_CONVERGE_H

#include "base/fail.h"

typedef struct cp_converge {
    double rhat; /* 1 where all is well; INFINITY if chains stand still in different places */
    double bulk, tail;
} cp_converge;

enum { CP_CONVERGE_DRAWS = 8 }; /* fewer in a chain say nothing: all three are then NaN */

/* x: chains x draws, finite.  Draws that are all equal have converged: rhat is 1, and each counts. */
copse_status cp_converge_find(const double *x, size_t chains, size_t draws, cp_converge *out, copse_error *err);

#endif
