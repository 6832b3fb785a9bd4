/* stability_chart - a picture of `copse stability`: the sample's trunk, and where the draws cut (paper's Figure 4). */
#ifndef STABILITY_CHART_H
#define STABILITY_CHART_H

#include <stdio.h>

#include "copse.h"

void stability_chart(FILE *f, const copse_trunks *t, const char *target);

#endif
