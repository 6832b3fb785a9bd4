/* bart_pg_resample - conditional resampling: the parents of the particles, given that particle 0 is its own parent.
 *
 * Every scheme of bayes/particle.h lays the weights end to end on a line of length n and puts n points on it.  A
 * particle is copied once for each point in its interval, and the copies are put in random order.  "Place 0 gets a copy
 * of particle 0" then means: the point of place 0, each of the n points with equal probability, lies in the interval of
 * particle 0.  Conditional SMC needs the distribution of the other points given this:
 *   multinomial  the other points are independent of it;
 *   systematic   all points have the same fractional part, and the first point is uniform on its interval;
 *   stratified   the first point is uniform on its interval, the other points are uniform on the other strata;
 *   residual     the first point is one of the certain copies of particle 0, with probability (certain copies / length
 *                of its interval), else one of the drawn copies.
 * The order of the other copies does not matter, because places 1 ... n-1 are exchangeable.  They are exchangeable only
 * if the particles lie on the line in random order; otherwise the copies would depend on the neighbours of particle
 * 0. */
#ifndef CP_BART_PG_RESAMPLE_H
#define CP_BART_PG_RESAMPLE_H

#include "bayes/particle.h"

typedef struct cp_bart_pg_resample_scratch {
    double *tmp;      /* 4 n + 2 */
    uint32_t *order;  /* n: scratch */
    uint32_t *parent; /* n: the result; the first is 0 */
} cp_bart_pg_resample_scratch;

/* w: n weights >= 0 with this sum, which is > 0.  w[0] may be so small that it vanishes beside the others, or 0: the
 * result then follows the limit of the distribution for w[0] -> 0. */
void cp_bart_pg_resample(cp_resampling scheme, const double *w, size_t n, double sum,
                         cp_bart_pg_resample_scratch scratch, cp_rng *rng);

#endif
