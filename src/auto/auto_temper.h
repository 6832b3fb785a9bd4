/* auto_temper - sharpens or flattens probabilities. */
#ifndef CP_AUTO_TEMPER_H
#define CP_AUTO_TEMPER_H

#include <stddef.h>

/* p^(1/t), scaled to sum to 1; 0 stays 0.  t 1 changes nothing, t below 1 sharpens. */
void cp_auto_temper(double *p, size_t n, double t);

#endif
