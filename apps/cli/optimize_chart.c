#include "optimize_chart.h"

#include <math.h>
#include <stdlib.h>

#include "svg.h"

enum { FEWEST = 8 }; /* the least length of the axis: shorter axes would have fractional ticks */

typedef struct chart {
    FILE *f;
    size_t n;
    svg_point *value, *best; /* by evaluation; the best so far is a step function of 2n points */
    svg_axis x, y;
} chart;

static int rising(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The range goes from the best value to the 90 % quantile: the worst tenth would flatten the rest. */
static copse_status set_range(chart *c, int minimises, copse_error *err) {
    double *sorted = malloc(c->n * sizeof *sorted);
    if (!sorted) return cli_fail_memory(err);
    for (size_t i = 0; i < c->n; i++) sorted[i] = c->value[i].y;
    qsort(sorted, c->n, sizeof *sorted, rising);
    size_t tenth = (c->n - 1) / 10;
    c->y.min = sorted[minimises ? 0 : tenth];
    c->y.max = sorted[minimises ? c->n - 1 - tenth : c->n - 1];
    free(sorted);
    double room = c->y.max > c->y.min ? .05 * (c->y.max - c->y.min) : fmax(1, fabs(c->y.max)) * .1;
    c->y.min -= room;
    c->y.max += room;
    return COPSE_OK;
}

static void fill(chart *c, const copse_study *s) {
    double best = NAN;
    for (size_t i = 0; i < c->n; i++) {
        copse_trial t;
        copse_study_trial(s, copse_study_told(s, i), &t);
        double at = (double)i + 1, before = best;
        if (i == 0 || (copse_study_minimises(s) ? t.value < best : t.value > best)) best = t.value;
        c->value[i] = (svg_point){at, t.value};
        c->best[2 * i] = (svg_point){at, i ? before : best};
        c->best[2 * i + 1] = (svg_point){at, best};
    }
}

static double inside(const svg_axis *a, double value) {
    return fmin(fmax(value, a->min), a->max);
}

static void draw(chart *c, const copse_study *s) {
    char title[100], subtitle[160], number[CLI_NUMBER_SIZE];
    double best = c->best[2 * c->n - 1].y;
    snprintf(title, sizeof title, "%s so far: %.6g", copse_study_minimises(s) ? "Smallest" : "Largest", best);
    snprintf(subtitle, sizeof subtitle, "%s evaluation%s, %s; dots are values, those beyond the frame at its edge",
             cli_count(c->n, number), cli_plural(c->n), copse_study_acquisition(s));
    svg_begin(c->f, 760, 460);
    svg_frame(c->f, &c->x, &c->y, title, subtitle);
    for (size_t i = 0; i < c->n; i++) {
        int beyond = c->value[i].y < c->y.min || c->value[i].y > c->y.max;
        svg_dot(c->f, (svg_point){svg_at(&c->x, c->value[i].x), svg_at(&c->y, inside(&c->y, c->value[i].y))}, 2.5,
                beyond ? "fill=\"" SVG_FAINT "\" fill-opacity=\"0.35\"" : "fill=\"" SVG_BLUE "\" fill-opacity=\"0.5\"");
    }
    for (size_t i = 0; i < 2 * c->n; i++) c->best[i].y = inside(&c->y, c->best[i].y);
    svg_line(c->f, &c->x, &c->y, c->best, 2 * c->n, "stroke=\"" SVG_VERMILION "\" stroke-width=\"2\"");
    svg_end(c->f);
}

copse_status optimize_chart_write(FILE *f, const copse_study *s, copse_error *err) {
    size_t n = 0;
    while (copse_study_told(s, n)) n++;
    if (n == 0) return cli_fail(err, COPSE_E_USAGE, "nothing has been told yet: there is nothing to draw");
    svg_point *room = calloc(3 * n, sizeof *room);
    if (!room) return cli_fail_memory(err);
    chart c = {.f = f,
               .n = n,
               .value = room,
               .best = room + n,
               .x = {.min = 1, .max = n > FEWEST ? (double)n : FEWEST, .from = 90, .to = 730, .label = "evaluation"},
               .y = {.from = 400, .to = 90, .label = "value"}};
    fill(&c, s);
    copse_status status = set_range(&c, copse_study_minimises(s), err);
    if (!status) draw(&c, s);
    free(room);
    return status;
}
