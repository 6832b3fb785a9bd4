/* draw - random variates.  dens.h has the cdf of each, and tests compare the two. */
#ifndef CP_DRAW_H
#define CP_DRAW_H

#include <stddef.h>

#include "num/rng.h"

double cp_draw_exp(cp_rng *rng);                     /* rate 1: -log(unit) */
double cp_draw_normal(cp_rng *rng);                  /* mean 0, sd 1 */
void cp_draw_normals(cp_rng *rng, double out[2]);    /* two, in little more time than one */
double cp_draw_gamma(cp_rng *rng, double shape);     /* rate 1 */
double cp_draw_log_gamma(cp_rng *rng, double shape); /* its logarithm, finite for any shape > 0 */
/* A normal conditioned to be above `low`; exact however far in the tail. */
double cp_draw_normal_above(cp_rng *rng, double low);
double cp_draw_student(cp_rng *rng, double df); /* location 0, scale 1; df = INFINITY is normal */
void cp_draw_shuffle(cp_rng *rng, size_t *items, size_t n);

#endif
