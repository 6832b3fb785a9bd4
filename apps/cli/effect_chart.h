/* effect_chart - the effect of a feature as an SVG: a line with its interval for numbers, dots with theirs for
 * levels. */
#ifndef EFFECT_CHART_H
#define EFFECT_CHART_H

#include <stdio.h>

#include "copse.h"

enum { EFFECT_CURVES = 7 }; /* number of colours for classes */

typedef struct effect_view {
    const copse_model *model;
    const copse_effect *effect;
    const char *feature;
    size_t first, outputs; /* outputs first ... first+outputs-1: classes; regression: 0 and 1 */
    double level;          /* of the interval; 0: no interval */
} effect_view;

/* The number of points without "missing", which is the last point if there is one. */
size_t effect_values(const copse_effect *e);
copse_status effect_chart_write(FILE *f, const effect_view *v, copse_error *err);

#endif
