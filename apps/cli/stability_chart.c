#include "stability_chart.h"

#include <math.h>
#include <string.h>

#include "cli.h"
#include "svg.h"

enum {
    MAX_NODES = 31,  /* nodes drawn: of larger trunks the first splits */
    MAX_COLOURS = 5, /* splits with a colour, hence with a histogram */
    MAX_PANELS = 3,
    BINS = 49, /* odd, so that a cut that all draws share is in the middle of its bar */
    WIDTH = 1180,
    TOP = 130
};

static const char *const palette[MAX_COLOURS + 1] = {SVG_BLUE,  SVG_VERMILION, "#009e73",
                                                     "#cc79a7", "#e69f00",     SVG_FAINT};

static const char *colour_of(size_t split) {
    return palette[split < MAX_COLOURS ? split : MAX_COLOURS];
}

/* Draws the number of a split on a disc of its colour. */
static void badge(FILE *f, svg_point at, size_t split) {
    char text[24], style[64];
    snprintf(style, sizeof style, "fill=\"%s\"", colour_of(split));
    svg_dot(f, at, 10, style);
    snprintf(text, sizeof text, "%zu", split + 1);
    svg_text(f, (svg_point){at.x, at.y + 4.5}, "middle", "fill=\"#ffffff\" font-size=\"12\" font-weight=\"600\"", text);
}

/* -------------------------------------------------------------------------------------------------------- tree */

typedef struct drawing {
    FILE *f;
    const copse_trunks *t;
    const copse_trunk *trunk;
    size_t nodes;              /* drawn */
    double x[MAX_NODES], next; /* next: position of the next leaf */
    int depth[MAX_NODES];
    double spacing, level;
} drawing;

static int is_leaf(const drawing *d, int node) {
    return d->trunk->node[node].left < 0 || (size_t)d->trunk->node[node].right >= d->nodes;
}

/* Places leaves side by side, and a split above the middle of its children. */
static double place(drawing *d, int node, int depth) {
    d->depth[node] = depth;
    if (is_leaf(d, node)) {
        d->x[node] = d->next;
        d->next += d->spacing;
    } else {
        double left = place(d, d->trunk->node[node].left, depth + 1);
        d->x[node] = .5 * (left + place(d, d->trunk->node[node].right, depth + 1));
    }
    return d->x[node];
}

static svg_point at(const drawing *d, int node) {
    return (svg_point){d->x[node], TOP + 20 + d->level * d->depth[node]};
}

static void branch(const drawing *d, int from, int to, const char *word) {
    static const svg_axis pixels = {0, 1, 0, 1, ""};
    svg_point a = at(d, from), b = at(d, to), bend[3] = {{a.x, a.y + 44}, {b.x, a.y + 44}, {b.x, b.y - 14}};
    svg_line(d->f, &pixels, &pixels, bend, 3, "stroke=\"#999999\"");
    svg_text(d->f, (svg_point){b.x + (b.x < a.x ? 6 : -6), a.y + 60}, b.x < a.x ? "start" : "end",
             "fill=\"" SVG_FAINT "\" font-size=\"12\"", word);
}

static void split_words(const drawing *d, int node, size_t split) {
    const copse_trunk_node *n = &d->trunk->node[node];
    const copse_trunk_split *s = copse_trunks_split(d->t, split);
    svg_point p = at(d, node);
    char text[300];
    badge(d->f, (svg_point){p.x, p.y - 14}, split);
    if (isnan(n->cut))
        snprintf(text, sizeof text, "%.60s", n->feature);
    else
        snprintf(text, sizeof text, "%.60s <= %.5g", n->feature, n->cut);
    svg_text(d->f, (svg_point){p.x, p.y + 16}, "middle",
             "fill=\"" SVG_INK
             "\" font-size=\"13\" font-weight=\"600\" stroke=\"#ffffff\" stroke-width=\"4\" "
             "paint-order=\"stroke\"",
             text);
    snprintf(text, sizeof text, "%.0f %% of draws", 100. * (double)s->here / (double)copse_trunks_draws(d->t));
    svg_text(d->f, (svg_point){p.x, p.y + 33}, "middle",
             "fill=\"" SVG_FAINT "\" font-size=\"12\" stroke=\"#ffffff\" stroke-width=\"4\" paint-order=\"stroke\"",
             text);
}

static void leaf_words(const drawing *d, int node) {
    const copse_trunk_node *n = &d->trunk->node[node];
    svg_point p = at(d, node);
    char text[64];
    if (n->left >= 0) {
        svg_text(d->f, p, "middle", "fill=\"" SVG_FAINT "\"", "...");
        return;
    }
    /* Neighbouring leaves are close, so the note is set line by line. */
    for (const char *word = n->note; *word; p.y += 16) {
        size_t length = strcspn(word, ",");
        snprintf(text, sizeof text, "%.*s", (int)length, word);
        svg_text(d->f, p, "middle", "fill=\"" SVG_INK "\" font-size=\"12\"", text);
        word += length + strspn(word + length, ", ");
    }
    snprintf(text, sizeof text, "%zu row%s", n->rows, cli_plural(n->rows));
    svg_text(d->f, p, "middle", "fill=\"" SVG_FAINT "\" font-size=\"12\"", text);
}

static void draw_tree(drawing *d, double left, double right, double bottom) {
    size_t leaves = 0;
    int deepest = 0;
    d->nodes = d->trunk->nodes < MAX_NODES ? d->trunk->nodes : MAX_NODES;
    for (size_t i = 0; i < d->nodes; i++) leaves += (size_t)is_leaf(d, (int)i);
    d->spacing = (right - left) / (double)leaves;
    d->next = left + d->spacing / 2;
    place(d, 0, 0);
    for (size_t i = 0; i < d->nodes; i++) deepest = d->depth[i] > deepest ? d->depth[i] : deepest;
    d->level = fmin(160, (bottom - TOP - 70) / (deepest ? deepest : 1));
    for (size_t i = 0; i < d->nodes; i++) {
        if (is_leaf(d, (int)i)) continue;
        branch(d, (int)i, d->trunk->node[i].left, "yes");
        branch(d, (int)i, d->trunk->node[i].right, "no");
    }
    for (size_t i = 0, split = 0; i < d->nodes; i++) {
        if (is_leaf(d, (int)i))
            leaf_words(d, (int)i);
        else
            split_words(d, (int)i, split);
        split += d->trunk->node[i].left >= 0;
    }
}

/* -------------------------------------------------------------------------------------------------------- cuts */

/* A feature, and the splits on it that have cuts to show. */
typedef struct panel {
    const char *feature;
    size_t split[MAX_COLOURS], splits;
    double min, max;
} panel;

static void widen(panel *p, double value) {
    p->min = fmin(p->min, value);
    p->max = fmax(p->max, value);
}

static size_t find_panels(const copse_trunks *t, panel out[MAX_PANELS]) {
    const copse_trunk_node *node = copse_trunks_kind(t, 0)->node;
    const copse_trunk_split *s;
    size_t n = 0;
    for (size_t k = 0; k < MAX_COLOURS && (s = copse_trunks_split(t, k)) != NULL; k++) {
        size_t i = 0;
        if (!s->cuts || !s->here) continue;
        while (i < n && strcmp(out[i].feature, node[s->node].feature) != 0) i++;
        if (i == MAX_PANELS) continue;
        if (i == n) out[n++] = (panel){.feature = node[s->node].feature, .min = INFINITY, .max = -INFINITY};
        out[i].split[out[i].splits++] = k;
        widen(&out[i], node[s->node].cut);
        widen(&out[i], s->cuts[0]);
        widen(&out[i], s->cuts[s->here - 1]);
    }
    return n;
}

/* Per cent of all draws. */
static double count_bins(const copse_trunks *t, const panel *p, size_t split, double share[BINS]) {
    const copse_trunk_split *s = copse_trunks_split(t, split);
    double most = 0;
    for (int b = 0; b < BINS; b++) share[b] = 0;
    for (size_t i = 0; i < s->here; i++) {
        int b = (int)(BINS * (s->cuts[i] - p->min) / (p->max - p->min));
        share[b < 0 ? 0 : b >= BINS ? BINS - 1 : b] += 100. / (double)copse_trunks_draws(t);
    }
    for (int b = 0; b < BINS; b++) most = fmax(most, share[b]);
    return most;
}

static void draw_bars(FILE *f, const svg_axis *x, const svg_axis *y, const double share[BINS], size_t split) {
    char style[80];
    double width = (x->max - x->min) / BINS;
    snprintf(style, sizeof style, "fill=\"%s\" fill-opacity=\"0.55\"", colour_of(split));
    for (int b = 0; b < BINS; b++) {
        double left = svg_at(x, x->min + b * width), top = svg_at(y, share[b]);
        if (share[b] > 0)
            svg_box(f, (svg_point){left, top}, (svg_point){svg_at(x, x->min + (b + 1) * width) - left, y->from - top},
                    style);
    }
}

static void draw_panel(FILE *f, const copse_trunks *t, panel *p, const svg_axis *frame, double top, double bottom) {
    const copse_trunk_node *node = copse_trunks_kind(t, 0)->node;
    double share[MAX_COLOURS][BINS], most = 0, pad = .08 * (p->max - p->min);
    if (!(pad > 0)) pad = fmax(1e-9, .01 * fabs(p->max));
    p->min -= pad;
    p->max += pad;
    for (size_t i = 0; i < p->splits; i++) most = fmax(most, count_bins(t, p, p->split[i], share[i]));
    svg_axis x = {p->min, p->max, frame->from, frame->to, p->feature}, y = {0, 1.15 * most, bottom, top, "% of draws"};
    svg_axes(f, &x, &y, 5, 4);
    for (size_t i = 0; i < p->splits; i++) draw_bars(f, &x, &y, share[i], p->split[i]);
    for (size_t i = 0; i < p->splits; i++) {
        double cut = node[copse_trunks_split(t, p->split[i])->node].cut;
        char style[96];
        snprintf(style, sizeof style, "stroke=\"%s\" stroke-width=\"1.6\" stroke-dasharray=\"5 4\"",
                 colour_of(p->split[i]));
        svg_line(f, &x, &y, (svg_point[]){{cut, 0}, {cut, y.max}}, 2, style);
        badge(f, (svg_point){svg_at(&x, cut), top - 8}, p->split[i]);
    }
}

void stability_chart(FILE *f, const copse_trunks *t, const char *target) {
    panel panels[MAX_PANELS];
    size_t n = find_panels(t, panels);
    const copse_trunk *sample = copse_trunks_kind(t, 0);
    double height = n > 1 ? 195. * (double)n : 390,
           share = 100. * (double)sample->draws / (double)copse_trunks_draws(t);
    char title[400], subtitle[200];
    int bottom = TOP + (int)height;
    snprintf(title, sizeof title, "How stable is the top of the tree of %.200s?", target);
    snprintf(subtitle, sizeof subtitle,
             "%.0f %% of %zu Bayesian forest draws split on the same features at the same places; "
             "right: where they cut, dashed: where the sample does",
             share, copse_trunks_draws(t));
    svg_begin(f, WIDTH, bottom + 10);
    svg_title(f, 40, title, subtitle);
    drawing d = {.f = f, .t = t, .trunk = sample};
    draw_tree(&d, 30, n ? 620 : WIDTH - 30, bottom);
    svg_axis frame = {.from = 720, .to = WIDTH - 40};
    for (size_t i = 0; i < n; i++) {
        double step = height / (double)n, top = TOP + step * (double)i;
        draw_panel(f, t, &panels[i], &frame, top, top + step - 75);
    }
    svg_end(f);
}
