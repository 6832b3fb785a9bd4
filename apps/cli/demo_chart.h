/* demo_chart - the demo's two pictures: a curve with its bands, and a map of uncertainty. */
#ifndef DEMO_CHART_H
#define DEMO_CHART_H

#include <stddef.h>
#include <stdio.h>

#include "svg.h"

typedef struct demo_curve {
    size_t n; /* grid points, left to right */
    svg_point *mean, *low50, *high50, *low90, *high90;
    size_t points;
    const svg_point *point;
    double gap_from, gap_to;   /* the model has not seen points in between */
    double data_from, data_to; /* range of the data */
} demo_curve;
void demo_chart_curve(FILE *f, const demo_curve *c);

typedef struct demo_map {
    size_t n; /* cells to a side of the square [min,max] x [min,max] */
    double min, max;
    const double *sd; /* n x n, rows from the bottom up */
    size_t points;
    const svg_point *point;
} demo_map;
void demo_chart_map(FILE *f, const demo_map *m);

#endif
