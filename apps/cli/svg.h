/* svg - the SVG elements that the charts need, on a white background, which is readable on light and dark pages. */
#ifndef SVG_H
#define SVG_H

#include <stddef.h>
#include <stdio.h>

/* Colours that colour-blind readers tell apart (Okabe and Ito). */
#define SVG_BLUE      "#0072b2"
#define SVG_VERMILION "#d55e00"
#define SVG_INK       "#333333"
#define SVG_FAINT     "#767676"

/* Maps a range of data to a range of pixels. */
typedef struct svg_axis {
    double min, max, from, to;
    const char *label;
} svg_axis;

typedef struct svg_point {
    double x, y;
} svg_point;

double svg_at(const svg_axis *a, double value);

void svg_begin(FILE *f, int width, int height);
void svg_end(FILE *f);
/* anchor: start, middle or end. */
void svg_text(FILE *f, svg_point at, const char *anchor, const char *style, const char *text);
/* Shapes through points in data units; style holds the attributes of the element. */
void svg_line(FILE *f, const svg_axis *x, const svg_axis *y, const svg_point *p, size_t n, const char *style);
void svg_area(FILE *f, const svg_axis *x, const svg_axis *y, const svg_point *p, size_t n, const char *style);
/* Fills the area between two lines of n points each, the upper and the lower one. */
void svg_band(FILE *f, const svg_axis *x, const svg_axis *y, const svg_point *const line[2], size_t n,
              const char *style);
/* A box in pixels. */
void svg_box(FILE *f, svg_point corner, svg_point size, const char *style);
void svg_dot(FILE *f, svg_point centre, double radius, const char *style);
void svg_title(FILE *f, double left, const char *title, const char *subtitle);
/* Draws grid, labels and about so many ticks; if x->label is NULL, neither ticks nor label of x. */
void svg_axes(FILE *f, const svg_axis *x, const svg_axis *y, int across, int up);
/* Draws the title and the axes. */
void svg_frame(FILE *f, const svg_axis *x, const svg_axis *y, const char *title, const char *subtitle);

/* A round step that divides the range into about n parts. */
double svg_step(double min, double max, int n);

#endif
