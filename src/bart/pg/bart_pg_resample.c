#include "bart/pg/bart_pg_resample.h"

#include <math.h>
#include <stdlib.h>

#include "bart/pg/bart_pg_pick.h"

/* The line: interval i ends at end[i], the last at n. */
typedef struct line {
    size_t n;
    double *end;
    uint32_t *particle; /* the particle of interval i */
    size_t first;       /* the interval of particle 0 */
    double *tmp;        /* 3 n + 2 */
    uint32_t *parent;
    size_t made; /* parents so far; parent[0] is 0 */
} line;

static double begin_of(const line *l, size_t i) {
    return i ? l->end[i - 1] : 0;
}

static double length_of(const line *l, size_t i) {
    return l->end[i] - begin_of(l, i);
}

static void add_copies(line *l, size_t of, size_t copies) {
    for (; copies && l->made < l->n; copies--) l->parent[l->made++] = (uint32_t)of;
}

static void multinomial(line *l, const double *w, double sum, cp_rng *rng) {
    while (l->made < l->n) add_copies(l, cp_bart_pg_pick(w, l->n, sum, rng), 1);
}

/* ------------------------------------------------------------------------------------------------------- systematic */

static int order(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The number of points j + u below `at`. */
static double points_below(double at, double u) {
    return fmax(0, ceil(at - u));
}

static double points_on(const line *l, size_t i, double u) {
    return points_below(l->end[i], u) - points_below(begin_of(l, i), u);
}

/* The interval of particle 0 is so short that it vanishes by rounding.  In the limit the point of place 0 lies where
 * that interval is, and u is the fractional part of that place.  A point at the end of an interval belongs to the next
 * one if that end is before the interval of particle 0, and to this one if it is behind: a short interval in between
 * would move the ends behind it. */
static void systematic_limit(line *l) {
    double at = begin_of(l, l->first), u = at < (double)l->n ? at - floor(at) : 1, before = 0;
    for (size_t i = 0; i < l->n; i++) {
        double up_to = i < l->first ? points_below(l->end[i], u) : fmin((double)l->n, floor(l->end[i] - u) + 1);
        add_copies(l, l->particle[i], (size_t)(up_to - before) - (i == l->first));
        before = up_to;
    }
}

/* The numbers of copies change only where u passes the fractional part of some end.  So u is drawn as one of the ranges
 * between these.  Given that the point of place 0 is in the interval of particle 0, the density of u is proportional to
 * the number of points in that interval. */
static void systematic(line *l, cp_rng *rng) {
    double *edge = l->tmp, *mass = l->tmp + l->n + 1, sum = 0;
    for (size_t i = 0; i < l->n; i++) edge[i] = l->end[i] - floor(l->end[i]);
    edge[l->n - 1] = 0;
    qsort(edge, l->n, sizeof *edge, order);
    edge[l->n] = 1;
    for (size_t i = 0; i < l->n; i++)
        sum += mass[i] = (edge[i + 1] - edge[i]) * points_on(l, l->first, 0.5 * (edge[i] + edge[i + 1]));
    size_t k = cp_bart_pg_pick(mass, l->n, sum, rng);
    if (!(sum > 0)) {
        systematic_limit(l);
        return;
    }
    double u = 0.5 * (edge[k] + edge[k + 1]);
    for (size_t i = 0; i < l->n; i++) add_copies(l, l->particle[i], (size_t)points_on(l, i, u) - (i == l->first));
}

/* ------------------------------------------------------------------------------------------------------- stratified */

static double overlap(const line *l, size_t i, size_t stratum) {
    double low = fmax(begin_of(l, i), (double)stratum), high = fmin(l->end[i], (double)stratum + 1);
    return fmax(0, high - low);
}

static size_t stratum_of(const line *l, double at) {
    return at < (double)l->n ? (size_t)at : l->n - 1;
}

static void stratified(line *l, cp_rng *rng) {
    double *mass = l->tmp, sum = 0;
    for (size_t s = 0; s < l->n; s++) sum += mass[s] = overlap(l, l->first, s);
    size_t first = cp_bart_pg_pick(mass, l->n, sum, rng);
    if (!(sum > 0)) first = stratum_of(l, begin_of(l, l->first)); /* the interval vanishes by rounding */
    for (size_t s = 0; s < l->n; s++) {
        if (s == first) continue;
        sum = 0;
        for (size_t i = 0; i < l->n; i++) sum += mass[i] = overlap(l, i, s);
        add_copies(l, l->particle[cp_bart_pg_pick(mass, l->n, sum, rng)], 1);
    }
}

/* --------------------------------------------------------------------------------------------------------- residual */

/* The copies that a particle has for certain.  If the interval of particle 0 vanishes by rounding, the other intervals
 * are a little shorter in truth: whole lengths count as just below. */
static double certain_copies(const line *l, size_t i) {
    double length = length_of(l, i);
    if (length_of(l, 0) > 0) return floor(length);
    return fmax(0, ceil(length) - 1);
}

static void residual(line *l, cp_rng *rng) {
    double *rest = l->tmp, sum = 0;
    for (size_t i = 0; i < l->n; i++) sum += rest[i] = length_of(l, i) - certain_copies(l, i);
    const double which[2] = {certain_copies(l, 0), rest[0]};
    int drawn = cp_bart_pg_pick(which, 2, which[0] + which[1], rng) == 1 || !(which[0] > 0);
    for (size_t i = 0; i < l->n; i++) add_copies(l, i, (size_t)certain_copies(l, i) - (i == 0 && !drawn));
    multinomial(l, rest, sum, rng);
}

/* ------------------------------------------------------------------------------------------------------------------ */

static void shuffle(line *l, cp_rng *rng) {
    for (size_t left = l->n; left > 1; left--) {
        size_t i = cp_bart_pg_pick_below(left, rng);
        uint32_t swap = l->particle[i];
        l->particle[i] = l->particle[left - 1];
        l->particle[left - 1] = swap;
    }
    while (l->particle[l->first]) l->first++;
}

static void lay_out(line *l, const double *w, double sum) {
    double at = 0;
    for (size_t i = 0; i < l->n; i++) {
        at += w[l->particle[i]];
        l->end[i] = i + 1 < l->n ? fmin(at / sum, 1) * (double)l->n : (double)l->n;
    }
}

void cp_bart_pg_resample(cp_resampling scheme, const double *w, size_t n, double sum,
                         cp_bart_pg_resample_scratch scratch, cp_rng *rng) {
    line l = {.n = n,
              .end = scratch.tmp,
              .tmp = scratch.tmp + n,
              .particle = scratch.order,
              .parent = scratch.parent,
              .made = 1};
    l.parent[0] = 0;
    if (scheme == CP_RESAMPLE_MULTINOMIAL) {
        multinomial(&l, w, sum, rng);
        return;
    }
    for (uint32_t i = 0; i < n; i++) l.particle[i] = i;
    if (scheme != CP_RESAMPLE_RESIDUAL) shuffle(&l, rng);
    lay_out(&l, w, sum);
    if (scheme == CP_RESAMPLE_RESIDUAL) residual(&l, rng);
    if (scheme == CP_RESAMPLE_SYSTEMATIC) systematic(&l, rng);
    if (scheme == CP_RESAMPLE_STRATIFIED) stratified(&l, rng);
}
