/* optimize_chart - a picture of a study: every value told, and the best so far. */
#ifndef OPTIMIZE_CHART_H
#define OPTIMIZE_CHART_H

#include "cli.h"

copse_status optimize_chart_write(FILE *f, const copse_study *s, copse_error *err);

#endif
