/* mixture_crps - the continuous ranked probability score of a mixture. */
#ifndef CP_MIXTURE_CRPS_H
#define CP_MIXTURE_CRPS_H

#include "num/mixture.h"

/* CRPS(F, y) to a relative error below 1e-6; INFINITY if a df <= 1/2. */
double cp_mixture_crps(cp_mixture m, double y);

#endif
