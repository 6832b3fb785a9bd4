#include "svg.h"

#include <math.h>

double svg_at(const svg_axis *a, double value) {
    return a->from + (value - a->min) / (a->max - a->min) * (a->to - a->from);
}

double svg_step(double min, double max, int n) {
    double raw = (max - min) / n, power = pow(10, floor(log10(raw))), lead = raw / power;
    return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

void svg_begin(FILE *f, int width, int height) {
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
            "font-family=\"system-ui, 'Helvetica Neue', Helvetica, Arial, sans-serif\" font-size=\"14\">\n"
            "<rect x=\"0.5\" y=\"0.5\" width=\"%d\" height=\"%d\" rx=\"8\" fill=\"#ffffff\" stroke=\"#dddddd\"/>\n",
            width, height, width, height, width - 1, height - 1);
}

void svg_end(FILE *f) {
    fputs("</svg>\n", f);
}

void svg_text(FILE *f, svg_point at, const char *anchor, const char *style, const char *text) {
    fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" %s>", at.x, at.y, anchor, style);
    for (; *text; text++) {
        if (*text == '&')
            fputs("&amp;", f);
        else if (*text == '<')
            fputs("&lt;", f);
        else
            fputc(*text, f);
    }
    fputs("</text>\n", f);
}

static void points(FILE *f, const svg_axis *x, const svg_axis *y, const svg_point *p, size_t n) {
    for (size_t i = 0; i < n; i++) fprintf(f, "%s%.1f,%.1f", i ? " " : "", svg_at(x, p[i].x), svg_at(y, p[i].y));
}

void svg_line(FILE *f, const svg_axis *x, const svg_axis *y, const svg_point *p, size_t n, const char *style) {
    fputs("<polyline fill=\"none\" points=\"", f);
    points(f, x, y, p, n);
    fprintf(f, "\" %s/>\n", style);
}

void svg_area(FILE *f, const svg_axis *x, const svg_axis *y, const svg_point *p, size_t n, const char *style) {
    fputs("<polygon points=\"", f);
    points(f, x, y, p, n);
    fprintf(f, "\" %s/>\n", style);
}

void svg_band(FILE *f, const svg_axis *x, const svg_axis *y, const svg_point *const line[2], size_t n,
              const char *style) {
    fputs("<polygon points=\"", f);
    points(f, x, y, line[0], n);
    for (size_t i = n; i > 0; i--) {
        fputc(' ', f);
        points(f, x, y, &line[1][i - 1], 1);
    }
    fprintf(f, "\" %s/>\n", style);
}

void svg_box(FILE *f, svg_point corner, svg_point size, const char *style) {
    fprintf(f, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" %s/>\n", corner.x, corner.y, size.x, size.y,
            style);
}

void svg_dot(FILE *f, svg_point centre, double radius, const char *style) {
    fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" %s/>\n", centre.x, centre.y, radius, style);
}

static void tick(FILE *f, const svg_axis *x, const svg_axis *y, double value, int vertical) {
    char text[32];
    svg_point mark =
        vertical ? (svg_point){x->from - 8, svg_at(y, value) + 4.5} : (svg_point){svg_at(x, value), y->from + 20};
    snprintf(text, sizeof text, "%.6g", value);
    if (vertical)
        fprintf(f, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#e8e8e8\"/>\n", x->from, x->to,
                svg_at(y, value), svg_at(y, value));
    else
        fprintf(f, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#999999\"/>\n", mark.x, mark.x,
                y->from, y->from + 5);
    svg_text(f, mark, vertical ? "end" : "middle", "fill=\"" SVG_FAINT "\" font-size=\"13\"", text);
}

static void ticks(FILE *f, const svg_axis *x, const svg_axis *y, int vertical, int n) {
    const svg_axis *a = vertical ? y : x;
    double step = svg_step(a->min, a->max, n);
    for (double k = ceil(a->min / step - 1e-9); k <= a->max / step + 1e-9; k++) tick(f, x, y, k * step + 0.0, vertical);
}

void svg_title(FILE *f, double left, const char *title, const char *subtitle) {
    svg_text(f, (svg_point){left, 44}, "start", "fill=\"" SVG_INK "\" font-size=\"19\" font-weight=\"600\"", title);
    svg_text(f, (svg_point){left, 68}, "start", "fill=\"" SVG_FAINT "\"", subtitle);
}

void svg_axes(FILE *f, const svg_axis *x, const svg_axis *y, int across, int up) {
    char turn[80];
    ticks(f, x, y, 1, up);
    if (x->label) ticks(f, x, y, 0, across);
    fprintf(f, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#999999\"/>\n", x->from, x->to, y->from,
            y->from);
    if (x->label)
        svg_text(f, (svg_point){(x->from + x->to) / 2, y->from + 44}, "middle", "fill=\"" SVG_INK "\"", x->label);
    svg_point side = {x->from - 52, (y->from + y->to) / 2};
    snprintf(turn, sizeof turn, "fill=\"" SVG_INK "\" transform=\"rotate(-90 %.1f %.1f)\"", side.x, side.y);
    svg_text(f, side, "middle", turn, y->label);
}

void svg_frame(FILE *f, const svg_axis *x, const svg_axis *y, const char *title, const char *subtitle) {
    svg_title(f, x->from, title, subtitle);
    svg_axes(f, x, y, 8, 6);
}
