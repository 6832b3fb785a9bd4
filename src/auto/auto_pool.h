/* auto_pool - the weights of the pool, and the factors of its members and of itself, learnt from predictions of rows
 * that the members have not seen.
 *
 * Each is the greatest of a mean log score over these rows:
 *   factor s_m     of log(.98 f_m(y; s_m) + .02 b(y)), b being the background: without it a few rows that a member does
 *                  not expect at all would widen its intervals everywhere;
 *   weights        of log(sum_m w_m f_m(y; s_m) + w_0 b(y)): by EM, from equal weights, as if each member had a
 *                  row more that it alone explains;
 *   pool's factor  of the log of the pool's density.
 * A factor's logarithm is shrunk towards 0, as by SHRINK rows that want it to be 1. */
#ifndef CP_AUTO_POOL_H
#define CP_AUTO_POOL_H

#include "auto/auto.h"
#include "auto/auto_folds.h"

/* What the members of a->member predicted for rows that they had not seen. */
typedef struct cp_auto_trials {
    const cp_rows *rows; /* in the order of the folds */
    const cp_auto_folds *folds;
    cp_answer *answer; /* folds x members: member m in fold k is answer[k * members + m] */
} cp_auto_trials;

/* Members whose weight is negligible keep the weight 0.  Numbers: out_mean is the pool's mean for each row; classes:
 * NULL. */
copse_status cp_auto_pool_learn(cp_auto *a, const cp_auto_trials *t, const copse_run *run, double *out_mean,
                                copse_error *err);
/* Without trials: equal weights, and a background of half a row. */
void cp_auto_pool_guess(cp_auto *a);

#endif
