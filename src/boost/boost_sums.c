#include "boost/boost_sums.h"

#include <math.h>
#include <string.h>

#define SLOPE_ROOM 0x1p50 /* sums of slopes stay below: a double holds them exactly */
#define MOST_SHIFT 51u    /* and so do sums of curvatures */

int cp_boost_sums_direct(cp_boost_loss loss) {
    return loss == CP_BOOST_SQUARED || loss == CP_BOOST_LOGISTIC;
}

int cp_boost_sums_narrow(const cp_boost_stage *s) {
    enum { MOST = 1 << 23 }; /* rows, or weight: more would leave too few bits for slopes */
    double total = 0;
    if (s->loss != CP_BOOST_SQUARED && s->loss != CP_BOOST_SPREAD && s->loss != CP_BOOST_QUANTILE) return 0;
    for (size_t i = 0; i < s->data->rows->n; i++) total += cp_boost_stage_weight(s->data, i);
    return s->data->whole && total < MOST;
}

unsigned cp_boost_sums_shift(const cp_boost_stage *s, double total) {
    int bits, narrow = cp_boost_sums_narrow(s);
    frexp((s->data->whole ? total : (double)s->data->rows->n) + 1, &bits);
    unsigned left = (unsigned)((narrow ? 64 : 62) - bits);
    return left < MOST_SHIFT ? left : MOST_SHIFT;
}

/* The largest power of two so that `total` numbers up to `most`, times it, sum to less than `room`. */
static double scale_for(double most, double total, double room) {
    int e = 0;
    double bound = most * (total + 1);
    if (!(bound > 0)) return 1;
    frexp(room / bound, &e);
    return ldexp(1, e - 2 < -900 ? -900 : e - 2 > 900 ? 900 : e - 2);
}

/* The nearest whole number of |x| < 2^51. */
static inline int64_t nearest(double x) {
    const double magic = 0x1.8p52;
    double y = x + magic;
    int64_t bits, zero;
    memcpy(&bits, &y, sizeof bits);
    memcpy(&zero, &magic, sizeof zero);
    return bits - zero;
}

/* ----------------------------------------------------------------------------------------------------------- slopes */

static cp_boost_target target_of(const cp_boost_stage *s, size_t i) {
    const cp_rows *r = s->data->rows;
    return (cp_boost_target){.y = s->y ? s->y[i] : 0, .label = r->label ? r->label[i] : 0};
}

typedef struct finding {
    const cp_boost_stage *s;
    const cp_boost_member *m;
    const cp_boost_slopes *out;
} finding;

static void find_slopes(void *arg, size_t from, size_t to) {
    const finding *x = arg;
    const size_t heads = x->s->heads;
    for (size_t k = from; k < to; k++) {
        size_t i = x->m->fitted.row[k], at = i * heads;
        cp_boost_loss_slopes(x->s->loss, x->m->f + at, heads, target_of(x->s, i), x->out->slope + at,
                             x->out->curve + at);
    }
}

void cp_boost_sums_find(const cp_boost_stage *s, const cp_boost_member *m, cp_boost_slopes *out) {
    finding x = {s, m, out};
    if (!cp_boost_sums_direct(s->loss)) cp_thread_team_pass(out->team, m->fitted.n, find_slopes, &x);
}

/* --------------------------------------------------------------------------------------------------------- rounding */

typedef struct rounding {
    const cp_boost_stage *s;
    const cp_boost_member *m;
    const cp_boost_slopes *from;
    const cp_boost_grow *g;
    size_t head;
} rounding;

/* A number times the row's weight as an integer.  Whole weights multiply after rounding, as equal rows would add. */
static inline int64_t times(const cp_boost_data *d, size_t i, double x, double scale) {
    double w = cp_boost_stage_weight(d, i);
    return d->whole ? (int64_t)w * nearest(x * scale) : nearest(w * x * scale);
}

static inline void put(const rounding *r, size_t i, double slope, double curve) {
    const cp_boost_data *d = r->s->data;
    const cp_boost_grow *g = r->g;
    const int64_t count = d->whole && d->rows->weight ? (int64_t)d->rows->weight[i] : 1;
    const int64_t rounded = times(d, i, slope, g->slope_scale);
    if (g->hist.narrow)
        ((uint64_t *)g->hist.sum)[i] = ((uint64_t)count << g->hist.shift) + (uint64_t)rounded;
    else
        ((cp_sum *)g->hist.sum)[i] = (cp_sum){(count << g->hist.shift) + times(d, i, curve, g->curve_scale), rounded};
}

/* Squared error, no weights, narrow: the loop of most fits. */
static void round_plain(const rounding *r, const cp_boost_list *list) {
    const double *f = r->m->f, *y = r->s->y, scale = r->g->slope_scale;
    const uint64_t one = (uint64_t)1 << r->g->hist.shift;
    uint64_t *sum = r->g->hist.sum;
    for (size_t k = 0; k < list->n; k++) {
        const size_t i = list->row[k];
        sum[i] = one + (uint64_t)nearest((f[i] - y[i]) * scale);
    }
}

static void round_squared(const rounding *r, const cp_boost_list *list) {
    if (r->g->hist.narrow && !r->s->data->rows->weight) {
        round_plain(r, list);
        return;
    }
    for (size_t k = 0; k < list->n; k++) {
        const size_t i = list->row[k];
        put(r, i, r->m->f[i] - r->s->y[i], 1);
    }
}

static void round_some(void *arg, size_t from, size_t to) {
    const rounding *r = arg;
    const cp_boost_list list = {r->g->grown.row + from, to - from};
    const size_t heads = r->s->heads;
    if (r->s->loss == CP_BOOST_SQUARED) {
        round_squared(r, &list);
        return;
    }
    for (size_t k = 0; k < list.n; k++) {
        const size_t i = list.row[k], at = i * heads + r->head;
        double slope, curve;
        if (r->from->slope) {
            slope = r->from->slope[at];
            curve = r->from->curve[at];
        } else {
            cp_boost_loss_slopes(r->s->loss, r->m->f + i, 1, target_of(r->s, i), &slope, &curve);
        }
        put(r, i, slope, curve);
    }
}

/* Bounds of the slopes and curvatures of a head. */
static void find_bounds(const rounding *r, double *slope, double *curve) {
    const cp_boost_list *l = &r->m->fitted;
    *slope = *curve = 1;
    if (r->s->loss == CP_BOOST_LOGISTIC) return;
    if (r->s->loss == CP_BOOST_SQUARED) {
        *slope = r->m->bound;
        return;
    }
    *slope = *curve = 0;
    for (size_t k = 0; k < l->n; k++) {
        size_t at = l->row[k] * r->s->heads + r->head;
        *slope = fmax(*slope, fabs(r->from->slope[at]));
        *curve = fmax(*curve, r->from->curve[at]);
    }
}

void cp_boost_sums_round(const cp_boost_stage *s, cp_boost_member *m, const cp_boost_slopes *from, size_t head,
                         cp_boost_grow *g) {
    rounding r = {.s = s, .m = m, .from = from, .g = g, .head = head};
    double slope, curve;
    find_bounds(&r, &slope, &curve);
    g->slope_scale = scale_for(slope, m->total, g->hist.narrow ? ldexp(1, (int)g->hist.shift - 1) : SLOPE_ROOM);
    g->curve_scale = g->hist.narrow ? 1 : scale_for(curve, m->total, ldexp(1, (int)g->hist.shift));
    cp_thread_team_pass(from->team, g->grown.n, round_some, &r);
}

double cp_boost_sums_bound(const cp_boost_stage *s, const cp_boost_member *m) {
    double most = 0;
    for (size_t k = 0; k < m->fitted.n; k++) {
        const size_t i = m->fitted.row[k];
        most = fmax(most, fabs(m->f[i] - s->y[i]));
    }
    return most;
}
