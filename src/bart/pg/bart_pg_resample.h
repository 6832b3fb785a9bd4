/* bart_pg_resample - who is copied, given that the first particle stays itself.
 *
 * Every scheme of bayes/particle.h lays the weights end to end on a line of length n and drops n points on it; a
 * particle is copied once for each point on its stretch, and the copies go to places in random order.  That the first
 * place gets a copy of the first particle then means that the point of the first place, one of the n with equal
 * probability, lies on the first stretch.  Conditional SMC needs the other points given that:
 *   multinomial  they do not care;
 *   systematic   all points have the same distance from whole numbers, and the first is uniform on its stretch;
 *   stratified   the first is uniform on its stretch, the others uniform between whole numbers, but not where it is;
 *   residual     the first is one of its particle's certain copies with the share these have in its stretch, else one
 *                of the copies that are drawn.
 * How the other copies are put in order does not matter, because their places are all alike.  But the places are alike
 * only if particles lie on the line in random order: else copies would depend on who lies beside the first. */
#ifndef CP_BART_PG_RESAMPLE_H
#define CP_BART_PG_RESAMPLE_H

#include "bayes/particle.h"

typedef struct cp_bart_pg_resample_scratch {
    double *tmp;      /* 4 n + 2 */
    uint32_t *order;  /* n: scratch */
    uint32_t *parent; /* n: the answer; the first is 0 */
} cp_bart_pg_resample_scratch;

/* w >= 0, n of them, with this sum; the first is above 0. */
void cp_bart_pg_resample(cp_resampling scheme, const double *w, size_t n, double sum, cp_bart_pg_resample_scratch room,
                         cp_rng *rng);

#endif
