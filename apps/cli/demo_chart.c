#include "demo_chart.h"

#include <math.h>

/* ------------------------------------------------------------------------------------------------------- curve */

#define SEEN   "fill=\"" SVG_INK "\" fill-opacity=\"0.75\""
#define HIDDEN "fill=\"#ffffff\" stroke=\"" SVG_VERMILION "\" stroke-width=\"1.6\""

static void no_data(FILE *f, const svg_axis *x, const svg_axis *y, double from, double to) {
    svg_point corner = {svg_at(x, from), y->to}, size = {svg_at(x, to) - svg_at(x, from), y->from - y->to};
    svg_box(f, corner, size, "fill=\"#f4f1ea\"");
    svg_text(f, (svg_point){corner.x + size.x / 2, y->to + 18}, "middle",
             "fill=\"" SVG_FAINT "\" font-size=\"13\" font-style=\"italic\"", "no data");
}

static void curve_points(FILE *f, const svg_axis *x, const svg_axis *y, const demo_curve *c) {
    for (size_t i = 0; i < c->points; i++) {
        const svg_point *p = &c->point[i];
        int hidden = p->x > c->gap_from && p->x < c->gap_to;
        svg_dot(f, (svg_point){svg_at(x, p->x), svg_at(y, p->y)}, 3, hidden ? HIDDEN : SEEN);
    }
}

/* The legend is one row above the plot, so that it hides no data. */
static void curve_legend(FILE *f, double left, double y) {
    static const struct {
        const char *text;
        double width;
    } item[] = {
        {"90% interval", 130}, {"50% interval", 130}, {"mean", 85}, {"learnt from", 105}, {"kept from the model", 0}};
    for (int i = 0; i < 5; left += item[i++].width) {
        svg_point corner = {left, y - 7}, size = {26, 13}, dot = {left + 20, y};
        if (i == 0) svg_box(f, corner, size, "fill=\"" SVG_BLUE "\" fill-opacity=\"0.16\"");
        if (i == 1) svg_box(f, corner, size, "fill=\"" SVG_BLUE "\" fill-opacity=\"0.40\"");
        if (i == 2) svg_box(f, (svg_point){left, y - 1}, (svg_point){26, 2.5}, "fill=\"" SVG_BLUE "\"");
        if (i == 3) svg_dot(f, dot, 3, SEEN);
        if (i == 4) svg_dot(f, dot, 3, HIDDEN);
        svg_text(f, (svg_point){left + 32, y + 4.5}, "start", "fill=\"" SVG_INK "\" font-size=\"13\"", item[i].text);
    }
}

static void widen(svg_axis *a, const svg_point *p, size_t n) {
    for (size_t i = 0; i < n; i++) {
        a->min = fmin(a->min, p[i].y);
        a->max = fmax(a->max, p[i].y);
    }
}

void demo_chart_curve(FILE *f, const demo_curve *c) {
    svg_axis x = {c->mean[0].x, c->mean[c->n - 1].x, 80, 930, "milliseconds after the impact"};
    svg_axis y = {INFINITY, -INFINITY, 490, 120, "acceleration of the helmet, g"};
    widen(&y, c->low90, c->n);
    widen(&y, c->high90, c->n);
    widen(&y, c->point, c->points);
    double step = svg_step(y.min, y.max, 6);
    y.min = step * floor(y.min / step);
    y.max = step * ceil(y.max / step);
    svg_begin(f, 960, 560);
    no_data(f, &x, &y, x.min, c->data_from);
    no_data(f, &x, &y, c->gap_from, c->gap_to);
    no_data(f, &x, &y, c->data_to, x.max);
    svg_frame(f, &x, &y, "A forest that knows where it has not been",
              "Motorcycle crash tests, Mondrian forest: where there are no data the intervals widen");
    svg_band(f, &x, &y, (const svg_point *[]){c->high90, c->low90}, c->n,
             "fill=\"" SVG_BLUE "\" fill-opacity=\"0.16\"");
    svg_band(f, &x, &y, (const svg_point *[]){c->high50, c->low50}, c->n,
             "fill=\"" SVG_BLUE "\" fill-opacity=\"0.28\"");
    svg_line(f, &x, &y, c->mean, c->n, "stroke=\"" SVG_BLUE "\" stroke-width=\"2\" stroke-linejoin=\"round\"");
    curve_points(f, &x, &y, c);
    curve_legend(f, x.from, y.to - 22);
    svg_end(f);
}

/* --------------------------------------------------------------------------------------------------------- map */

/* The colour map cividis in nine stops: even in lightness, and readable by colour-blind people. */
static void colour(double share, char buf[8]) {
    static const unsigned char stop[9][3] = {{0, 34, 78},     {18, 53, 112},   {59, 73, 108},
                                             {87, 93, 109},   {112, 113, 115}, {138, 134, 120},
                                             {165, 156, 116}, {195, 179, 105}, {254, 232, 56}};
    double at = 8 * fmin(1, fmax(0, share));
    int k = at >= 8 ? 7 : (int)at;
    int rgb[3];
    for (int i = 0; i < 3; i++) rgb[i] = (int)(stop[k][i] + (at - k) * (stop[k + 1][i] - stop[k][i]) + .5);
    snprintf(buf, 8, "#%02x%02x%02x", (unsigned)rgb[0] & 255, (unsigned)rgb[1] & 255, (unsigned)rgb[2] & 255);
}

enum { SHADES = 64 };

static void map_box(FILE *f, svg_point corner, svg_point size, int shade) {
    char fill[8], style[24];
    colour((shade + .5) / SHADES, fill);
    snprintf(style, sizeof style, "fill=\"%s\"", fill);
    svg_box(f, corner, size, style);
}

static int shade_of(double sd, double low, double high) {
    int k = (int)(SHADES * (sd - low) / (high - low));
    return k < 0 ? 0 : k >= SHADES ? SHADES - 1 : k;
}

/* Draws neighbouring cells of the same shade as one box. */
static void map_cells(FILE *f, const svg_axis *x, const svg_axis *y, const demo_map *m, double low, double high) {
    double side = (m->max - m->min) / (double)m->n;
    fputs("<g shape-rendering=\"crispEdges\">\n", f);
    for (size_t row = 0; row < m->n; row++) {
        const double *sd = m->sd + row * m->n;
        double bottom = m->min + side * (double)row, top = svg_at(y, bottom + side);
        for (size_t i = 0, end; i < m->n; i = end) {
            int shade = shade_of(sd[i], low, high);
            for (end = i + 1; end < m->n && shade_of(sd[end], low, high) == shade;) end++;
            double left = svg_at(x, m->min + side * (double)i), right = svg_at(x, m->min + side * (double)end);
            map_box(f, (svg_point){left, top}, (svg_point){right - left, svg_at(y, bottom) - top}, shade);
        }
    }
    fputs("</g>\n", f);
}

static void map_scale(FILE *f, double left, double top, double bottom, double low, double high) {
    char text[32];
    double height = (bottom - top) / SHADES;
    fputs("<g shape-rendering=\"crispEdges\">\n", f);
    for (int i = 0; i < SHADES; i++)
        map_box(f, (svg_point){left, bottom - height * (i + 1)}, (svg_point){18, height + .5}, i);
    fputs("</g>\n", f);
    snprintf(text, sizeof text, "%.2g", high);
    svg_text(f, (svg_point){left + 26, top + 10}, "start", "fill=\"" SVG_FAINT "\" font-size=\"13\"", text);
    snprintf(text, sizeof text, "%.2g", low);
    svg_text(f, (svg_point){left + 26, bottom}, "start", "fill=\"" SVG_FAINT "\" font-size=\"13\"", text);
    svg_text(f, (svg_point){left, top - 10}, "start", "fill=\"" SVG_INK "\" font-size=\"13\"", "predictive sd");
}

void demo_chart_map(FILE *f, const demo_map *m) {
    svg_axis x = {m->min, m->max, 80, 560, "x1"}, y = {m->min, m->max, 570, 90, "x2"};
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < m->n * m->n; i++) {
        low = fmin(low, m->sd[i]);
        high = fmax(high, m->sd[i]);
    }
    if (!(high > low)) high = low + 1;
    svg_begin(f, 690, 640);
    svg_frame(f, &x, &y, "Unsure in the hole, unsure outside",
              "Predictive standard deviation of a Mondrian forest; dots: its training rows");
    map_cells(f, &x, &y, m, low, high);
    for (size_t i = 0; i < m->points; i++)
        svg_dot(f, (svg_point){svg_at(&x, m->point[i].x), svg_at(&y, m->point[i].y)}, 1.6,
                "fill=\"#ffffff\" fill-opacity=\"0.8\"");
    map_scale(f, 590, 110, y.from, low, high);
    svg_end(f);
}
