#include "effect_chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "svg.h"

/* The palette of Okabe and Ito without yellow, which is too light for lines on white. */
static const char *const colour[EFFECT_CURVES] = {SVG_BLUE,  SVG_VERMILION, "#009e73", "#cc79a7",
                                                  "#e69f00", "#56b4e9",     SVG_INK};

typedef struct chart {
    FILE *f;
    const effect_view *v;
    svg_axis x, y;
    svg_point *mean, *low, *high; /* one curve */
} chart;

size_t effect_values(const copse_effect *e) {
    size_t n = copse_effect_points(e);
    return n - (n > 0 && copse_effect_is_missing(e, n - 1));
}

/* Are the points levels? */
static int has_levels(const effect_view *v) {
    return copse_effect_text(v->effect, 0) != NULL;
}

/* Leaves room for "missing" beside the numbers. */
static double at_x(const effect_view *v, size_t point) {
    size_t n = effect_values(v->effect);
    if (has_levels(v)) return (double)point;
    if (point < n) return copse_effect_number(v->effect, point);
    double first = copse_effect_number(v->effect, 0), last = copse_effect_number(v->effect, n - 1);
    return last + (last > first ? .08 * (last - first) : fmax(1e-6, .1 * fabs(last)));
}

static void widen(svg_axis *a, double value) {
    if (isnan(value)) return;
    a->min = fmin(a->min, value);
    a->max = fmax(a->max, value);
}

/* A range of positive length, even around a single value. */
static void make_room(svg_axis *a, double margin) {
    double room = a->max > a->min ? margin * (a->max - a->min) : fmax(1e-6, .1 * fabs(a->min));
    a->min -= room;
    a->max += room;
}

static void make_axes(chart *c) {
    const effect_view *v = c->v;
    size_t n = copse_effect_points(v->effect);
    int levels = has_levels(v);
    for (size_t i = 0; i < n; i++) {
        widen(&c->x, at_x(v, i));
        for (size_t k = v->first; k < v->first + v->outputs; k++) {
            widen(&c->y, copse_effect_mean(v->effect, i, k));
            widen(&c->y, copse_effect_lo(v->effect, i, k));
            widen(&c->y, copse_effect_hi(v->effect, i, k));
        }
    }
    if (levels) {
        c->x.min -= .5;
        c->x.max += .5;
    } else {
        make_room(&c->x, 0);
    }
    make_room(&c->y, .05);
}

static void curve(chart *c, size_t k, const char *paint) {
    const effect_view *v = c->v;
    size_t n = effect_values(v->effect);
    char style[160];
    for (size_t i = 0; i < n; i++) {
        c->mean[i] = (svg_point){at_x(v, i), copse_effect_mean(v->effect, i, k)};
        c->low[i] = (svg_point){at_x(v, i), copse_effect_lo(v->effect, i, k)};
        c->high[i] = (svg_point){at_x(v, i), copse_effect_hi(v->effect, i, k)};
    }
    snprintf(style, sizeof style, "fill=\"%s\" fill-opacity=\"0.16\"", paint);
    if (v->level > 0) svg_band(c->f, &c->x, &c->y, (const svg_point *[]){c->high, c->low}, n, style);
    snprintf(style, sizeof style, "stroke=\"%s\" stroke-width=\"2\" stroke-linejoin=\"round\"", paint);
    svg_line(c->f, &c->x, &c->y, c->mean, n, style);
    snprintf(style, sizeof style, "fill=\"%s\"", paint);
    for (size_t i = 0; i < n; i++)
        svg_dot(c->f, (svg_point){svg_at(&c->x, c->mean[i].x), svg_at(&c->y, c->mean[i].y)}, 2.6, style);
}

/* Levels have no order, so no line connects them, nor the missing value.  Classes are drawn side by side. */
static void dots(chart *c, size_t first, size_t k, double aside, const char *paint) {
    const effect_view *v = c->v;
    char style[160], whisker[160];
    snprintf(style, sizeof style, "fill=\"%s\"", paint);
    snprintf(whisker, sizeof whisker, "stroke=\"%s\" stroke-width=\"2\" stroke-opacity=\"0.5\"", paint);
    for (size_t i = first; i < copse_effect_points(v->effect); i++) {
        double x = at_x(v, i) + aside;
        svg_point ends[2] = {{x, copse_effect_lo(v->effect, i, k)}, {x, copse_effect_hi(v->effect, i, k)}};
        if (v->level > 0) svg_line(c->f, &c->x, &c->y, ends, 2, whisker);
        svg_dot(c->f, (svg_point){svg_at(&c->x, x), svg_at(&c->y, copse_effect_mean(v->effect, i, k))}, 4, style);
    }
}

static void level_names(const chart *c) {
    size_t n = copse_effect_points(c->v->effect), longest = (size_t)(80 / (n + 1)) + 3;
    for (size_t i = 0; i < n; i++) {
        char name[64];
        const char *text = copse_effect_is_missing(c->v->effect, i) ? "missing" : copse_effect_text(c->v->effect, i);
        snprintf(name, sizeof name, "%.*s%s", (int)longest, text, strlen(text) > longest ? "..." : "");
        svg_text(c->f, (svg_point){svg_at(&c->x, (double)i), c->y.from + 20}, "middle",
                 "fill=\"" SVG_FAINT "\" font-size=\"13\"", name);
    }
    svg_text(c->f, (svg_point){(c->x.from + c->x.to) / 2, c->y.from + 44}, "middle", "fill=\"" SVG_INK "\"",
             c->v->feature);
}

static void legend(const chart *c) {
    double left = c->x.from;
    for (size_t k = 0; c->v->outputs > 1 && k < c->v->outputs; k++) {
        const char *name = copse_model_class(c->v->model, k);
        char style[64], text[32];
        snprintf(style, sizeof style, "fill=\"%s\"", colour[k]);
        snprintf(text, sizeof text, "%.20s", name);
        svg_dot(c->f, (svg_point){left + 5, c->y.to - 18}, 5, style);
        svg_text(c->f, (svg_point){left + 15, c->y.to - 13.5}, "start", "fill=\"" SVG_INK "\" font-size=\"13\"", text);
        left += 40 + 8 * (double)strlen(text);
    }
}

static void titles(const chart *c, char title[160], char subtitle[160]) {
    const effect_view *v = c->v;
    char rows[CLI_NUMBER_SIZE], level[48] = "";
    if (v->level > 0)
        snprintf(level, sizeof level, ", and where %g%% of the %s have it", 100 * v->level, cli_draws_name(v->model));
    snprintf(title, 160, "Effect of %.40s on %.40s", v->feature, copse_model_target(v->model));
    snprintf(subtitle, 160, "Mean prediction over %s row%s with %.30s set%s",
             cli_count(copse_effect_rows(v->effect), rows), cli_plural(copse_effect_rows(v->effect)), v->feature,
             level);
}

static void draw(chart *c) {
    const effect_view *v = c->v;
    char title[160], subtitle[160], label[80];
    int levels = has_levels(v);
    titles(c, title, subtitle);
    if (copse_model_task(v->model) == COPSE_REGRESS)
        snprintf(label, sizeof label, "%.60s", copse_model_target(v->model));
    else
        snprintf(label, sizeof label, "probability%s%.50s", v->outputs > 1 ? "" : " of ",
                 v->outputs > 1 ? "" : copse_model_class(v->model, v->first));
    c->y.label = label;
    if (v->outputs == 1) c->y.to = 95; /* no legend */
    c->x.label = levels ? NULL : v->feature;
    make_axes(c);
    svg_begin(c->f, 760, 500);
    svg_frame(c->f, &c->x, &c->y, title, subtitle);
    if (levels) level_names(c);
    legend(c);
    for (size_t k = 0; k < v->outputs; k++) {
        double aside = .4 * (((double)k + .5) / (double)v->outputs - .5);
        if (!levels) curve(c, v->first + k, colour[k]);
        dots(c, levels ? 0 : effect_values(v->effect), v->first + k, levels ? aside : 0, colour[k]);
    }
    if (!levels && effect_values(v->effect) < copse_effect_points(v->effect))
        svg_text(c->f, (svg_point){svg_at(&c->x, at_x(v, effect_values(v->effect))), c->y.from - 8}, "end",
                 "fill=\"" SVG_FAINT "\" font-size=\"13\"", "missing");
    svg_end(c->f);
}

copse_status effect_chart_write(FILE *f, const effect_view *v, copse_error *err) {
    size_t n = copse_effect_points(v->effect);
    svg_point *room = calloc(3 * n, sizeof *room);
    if (!room) return cli_fail_memory(err);
    chart c = {
        .f = f,
        .v = v,
        .x = {.min = INFINITY, .max = -INFINITY, .from = 90, .to = 730},
        .y = {.min = INFINITY, .max = -INFINITY, .from = 430, .to = 120},
        .mean = room,
        .low = room + n,
        .high = room + 2 * n,
    };
    draw(&c);
    free(room);
    return COPSE_OK;
}
