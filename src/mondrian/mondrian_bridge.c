/* The time of branching off is exponential of rate eta, truncated at delta: the mixture over it is a quadrature.  Where
 * eta delta and gamma2 delta are small and the components alike, two to four points give the mean and the variance of
 * the one Gaussian that replaces them, with an error below 1e-12.  Else there are panels of 8 points, whose components
 * are computed side by side, and neighbours that are alike become one. */
#include "mondrian/mondrian_bridge.h"

#include <math.h>

#include "num/math.h"
#include "num/normal.h"

/* Room is reserved. */
static inline void push(const cp_mondrian_gauss_sink *sink, double weight, double mean, double var) {
    double scale = sqrt(var > sink->h->floor ? var : sink->h->floor); /* fmax is a call */
    cp_answer_push(sink->out, (cp_component){sink->weight * weight, mean + sink->center, scale, INFINITY});
}

copse_status cp_mondrian_bridge_add(const cp_mondrian_gauss_sink *sink, double weight, double mean, double var,
                                    copse_error *err) {
    CP_TRY(cp_answer_reserve(sink->out, 1, err));
    push(sink, weight, mean, var);
    return COPSE_OK;
}

/* A bridge and its branch point, with what all its components need. */
typedef struct edge {
    const cp_mondrian_bridge *b;
    const cp_mondrian_branch_point *x;
    double gamma1, gamma2, noise;
    double phi;    /* s(tau_j) - s(tau_p) */
    double a_rate; /* a = a_rate fallen / (1 + now), where fallen = 1 - exp(-gamma2 (t - tau_p)); 0 if phi is */
} edge;

static edge make_edge(const cp_mondrian_hyper *h, const cp_mondrian_bridge *b, const cp_mondrian_branch_point *x) {
    double end = b->start * (1 - b->fall);
    edge e = {.b = b, .x = x, .gamma1 = h->gamma1, .gamma2 = h->gamma2, .noise = h->noise};
    e.phi = h->gamma1 * b->start * b->fall / ((1 + b->start) * (1 + end));
    e.a_rate = e.phi > 0 ? (1 + end) / b->fall : 0;
    return e;
}

/* s(lifetime) - s(t), where now = exp(-gamma2 t). */
static inline double left_after(const edge *e, double now) {
    return e->gamma1 * (now - e->b->stop) / ((1 + now) * (1 + e->b->stop));
}

static inline double least_of(double a, double b) {
    return a < b ? a : b;
}

static inline double most_of(double a, double b) {
    return a > b ? a : b;
}

static inline double share_at(const edge *e, double fallen) {
    return least_of(1, e->a_rate * fallen / (1 + e->b->start * (1 - fallen)));
}

/* The variance of a component without noise: that of the bridge, and that of the new leaf about it. */
static inline double variance_at(const edge *e, double a, double fallen) {
    const cp_mondrian_bridge *b = e->b;
    double r = 1 - a, bent = r * r * b->vp + a * a * b->vj + 2 * a * r * b->c + e->phi * a * r;
    return bent + left_after(e, b->start * (1 - fallen));
}

/* ------------------------------------------------------------------------------------------------------- few points */

/* 1 - exp(-x) for 0 <= x <= FEW_LIMIT: Taylor, whose first term left out is below 1e-16 of the sum. */
#define FEW_LIMIT 0.35
static inline double fall_of(double x) {
    double p = 1.0 / 13;
    for (int k = 12; k >= 2; k--) p = 1.0 / k * (1 - x * p);
    return x * (1 - x * p);
}

enum { FEW = 4 };
typedef struct rule {
    size_t n;
    double limit; /* of (eta + gamma2) delta: below it the error of the rule is below 1e-12 */
    double x[FEW], w[FEW];
} rule;

/* Gauss-Legendre on [0, 1]. */
static const rule rules[] = {
    {2, 0.006, {0.21132486540518713, 0.78867513459481287}, {0.5, 0.5}},
    {3,
     0.1,
     {0.11270166537925831, 0.5, 0.88729833462074170},
     {0.27777777777777778, 0.44444444444444444, 0.27777777777777778}},
    {4,
     FEW_LIMIT,
     {0.069431844202973714, 0.33000947820757187, 0.66999052179242813, 0.93056815579702629},
     {0.17392742256872693, 0.32607257743127307, 0.32607257743127307, 0.17392742256872693}},
};

/* The Gaussian with the mean and variance of all components together. */
static copse_status emit_whole(const cp_mondrian_gauss_sink *sink, const edge *e, const rule *r, copse_error *err) {
    const cp_mondrian_bridge *b = e->b;
    double sum = 0, a1 = 0, a2 = 0, var = 0;
    for (size_t i = 0; i < r->n; i++) {
        double t = r->x[i] * e->x->delta, fallen = fall_of(e->gamma2 * t), a = share_at(e, fallen);
        double w = r->w[i] * (1 - fall_of(e->x->outside * t));
        sum += w;
        a1 += w * a;
        a2 += w * a * a;
        var += w * variance_at(e, a, fallen);
    }
    a1 /= sum;
    double off = b->mj - b->mp, spread = most_of(0, a2 / sum - a1 * a1);
    return cp_mondrian_bridge_add(sink, e->x->weight, b->mp + a1 * off, var / sum + e->noise + off * off * spread, err);
}

/* ----------------------------------------------------------------------------------------------------------- panels */

/* Gauss-Legendre, 8 points on [-1, 1]. */
enum { POINTS = 8, PANELS = 4, ALL = PANELS * POINTS };
static const double gl_x[POINTS] = {-0.96028985649753623, -0.79666647741362674, -0.52553240991632899,
                                    -0.18343464249564980, 0.18343464249564980,  0.52553240991632899,
                                    0.79666647741362674,  0.96028985649753623};
static const double gl_w[POINTS] = {0.10122853629037626, 0.22238103445337447, 0.31370664587788729, 0.36268378337836198,
                                    0.36268378337836198, 0.31370664587788729, 0.22238103445337447, 0.10122853629037626};

/* Components: weight, mean, variance. */
typedef struct components {
    size_t n;
    double w[ALL + 1], m[ALL + 1], v[ALL + 1];
} components;

static inline void set_component(const edge *e, components *c, size_t i, double fallen, double weight) {
    double a = share_at(e, fallen);
    c->w[i] = weight;
    c->m[i] = (1 - a) * e->b->mp + a * e->b->mj;
    c->v[i] = variance_at(e, a, fallen) + e->noise;
}

/* The points of the panels: eta t and gamma2 t, and the weight but for exp(-eta t). */
typedef struct points {
    size_t n;
    double decay[ALL], fade[ALL], weight[ALL];
} points;

/* Panels are in units of the faster of two decays, the exponential's and the sigmoid's.  After the last panel that
 * decay is over (e^-40), and the rest is one component.  The error of the panels is below 1e-9 for both decays. */
static void place_points(const edge *e, double unit, double end, points *p) {
    static const double side[PANELS + 1] = {0, 1.5, 5, 14, 40};
    double factor = e->x->weight / e->x->p_branch * e->x->outside;
    size_t n = 0;
    for (int k = 0; k < PANELS && (k == 0 || side[k] * unit < end); k++) {
        double from = side[k] * unit, half = 0.5 * (least_of(end, side[k + 1] * unit) - from);
        for (size_t i = 0; i < POINTS; i++, n++) {
            double t = from + half * (1 + gl_x[i]);
            p->decay[n] = e->x->outside * t;
            p->fade[n] = e->gamma2 * t;
            p->weight[n] = factor * gl_w[i] * half;
        }
    }
    p->n = n;
}

static void fill_panels(const edge *e, components *c) {
    const cp_mondrian_branch_point *x = e->x;
    double unit = 1 / most_of(x->outside, e->gamma2), end = least_of(x->delta, 40 * unit);
    double gone[ALL], fallen[ALL];
    points p;
    place_points(e, unit, end, &p);
    size_t n = c->n = p.n, early = 0;
    cp_normal_exp_minus(p.decay, n, gone);
    cp_normal_exp_minus(p.fade, n, fallen);
    while (early < n && p.fade[early] < 0.1) early++; /* where 1 - exp would lose digits */
    for (size_t i = 0; i < early; i++) fallen[i] = fall_of(p.fade[i]);
    for (size_t i = early; i < n; i++) fallen[i] = 1 - fallen[i];
    for (size_t i = 0; i < n; i++) set_component(e, c, i, fallen[i], p.weight[i] * gone[i]);
    double rest = x->weight / x->p_branch * (cp_math_exp(-x->outside * end) - cp_math_exp(-x->outside * x->delta));
    if (!(rest > 0)) return;
    double t = least_of(x->delta, end + 1 / x->outside);
    set_component(e, c, c->n++, -cp_math_expm1(-e->gamma2 * t), rest);
}

/* ------------------------------------------------------------------------------------------------------------ lumps */

/* Components so alike that one Gaussian with their mean and variance replaces them. */
typedef struct lump {
    double w, m, v;      /* weight, mean of the means, mean of the variances */
    double s;            /* spread of the means, times w */
    double v_min, v_max; /* variances met */
} lump;

static const double density_tolerance = 2e-6, moment_tolerance = 1e-10;

/* About how much the density changes at most when components of total weight w become one: means of variance e (in
 * units of the components' variance) change it by e^2, variances from v to v (1+r) by r^2/10. */
static double lump_cost(double w, double e, double r) {
    return w * (e * e + r * r / 10);
}

/* Adds component i unless that costs too much: then the lump is unchanged and the result 0. */
static inline int lump_takes(lump *l, const components *c, size_t i, int alike) {
    double sum = l->w + c->w[i], low = least_of(l->v_min, c->v[i]), high = most_of(l->v_max, c->v[i]), gap = high - low;
    if (!alike && sum * gap * gap > 10 * density_tolerance * low * low) return 0; /* the cost of r alone: no division */
    double fraction = c->w[i] / sum, off = c->m[i] - l->m;
    lump next = {
        sum, l->m + off * fraction, l->v + (c->v[i] - l->v) * fraction, l->s + off * off * l->w * fraction, low, high};
    if (!alike && lump_cost(sum, next.s / (sum * next.v), gap / low) > density_tolerance) return 0;
    *l = next;
    return 1;
}

static inline void lump_end(const cp_mondrian_gauss_sink *sink, const lump *l) {
    push(sink, l->w, l->m, l->s > 0 ? l->v + l->s / l->w : l->v);
}

static copse_status emit_lumps(const cp_mondrian_gauss_sink *sink, const components *c, int alike, copse_error *err) {
    lump l = {0};
    CP_TRY(cp_answer_reserve(sink->out, c->n, err));
    for (size_t i = 0; i < c->n; i++) {
        if (!(c->w[i] > 0)) continue;
        if (l.w > 0 && lump_takes(&l, c, i, alike)) continue;
        if (l.w > 0) lump_end(sink, &l);
        l = (lump){c->w[i], c->m[i], c->v[i], 0, c->v[i], c->v[i]};
    }
    if (l.w > 0) lump_end(sink, &l);
    return COPSE_OK;
}

/* ------------------------------------------------------------------------------------------------------------- emit */

copse_status cp_mondrian_bridge_emit(const cp_mondrian_gauss_sink *sink, const cp_mondrian_bridge *b,
                                     const cp_mondrian_branch_point *x, copse_error *err) {
    const edge e = make_edge(sink->h, b, x);
    double at_parent = variance_at(&e, 0, 0) + e.noise, at_node = variance_at(&e, e.phi > 0, b->fall) + e.noise;
    double v_min = least_of(at_parent, at_node), r = most_of(at_parent, at_node) / v_min - 1;
    double off = e.phi > 0 ? b->mj - b->mp : 0, size = (x->outside + e.gamma2) * x->delta;
    components c;
    if (x->weight * (sqrt(off * off / v_min) + r) < moment_tolerance) {
        double fallen = -cp_math_expm1(-e.gamma2 * least_of(x->delta, 1 / x->outside) / 2);
        set_component(&e, &c, 0, fallen, x->weight);
        return cp_mondrian_bridge_add(sink, c.w[0], c.m[0], c.v[0], err);
    }
    int alike = lump_cost(x->weight, off * off / 4 / v_min, r) <= density_tolerance;
    for (size_t i = 0; alike && i < sizeof rules / sizeof *rules; i++)
        if (size <= rules[i].limit) return emit_whole(sink, &e, &rules[i], err);
    fill_panels(&e, &c);
    return emit_lumps(sink, &c, alike, err);
}
