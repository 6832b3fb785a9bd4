#include "num/stat.h"

#include <math.h>

/* West (1979): the mean moves by its share of the new point's distance, so nothing large is ever subtracted. */
void cp_stat_add(cp_stat *s, double x, double weight) {
    if (!(weight > 0)) return;
    double total = s->weight + weight, gap = x - s->mean, move = gap * (weight / total);
    s->mean += move;
    s->squares += s->weight * gap * move;
    s->weight = total;
}

/* Chan, Golub and LeVeque (1979). */
void cp_stat_merge(cp_stat *s, const cp_stat *other) {
    if (!(other->weight > 0)) return;
    double total = s->weight + other->weight, gap = other->mean - s->mean, share = other->weight / total;
    s->mean += gap * share;
    s->squares += other->squares + s->weight * share * gap * gap;
    s->weight = total;
}

double cp_stat_var(const cp_stat *s) {
    return s->weight > 0 ? s->squares / s->weight : NAN;
}

static double middle_of(double a, double b, double c) {
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

static void swap(double *a, double *b) {
    double t = *a;
    *a = *b;
    *b = t;
}

/* Hoare's selection: afterwards v[k] is the k-th smallest, nothing before it is larger and nothing after it smaller. */
static void select_kth(double *v, size_t n, size_t k) {
    size_t from = 0, to = n; /* v[k] belongs within from ... to-1 */
    while (to - from > 1) {
        double pivot = middle_of(v[from], v[from + (to - from) / 2], v[to - 1]);
        size_t i = from, j = to - 1;
        for (;;) {
            while (v[i] < pivot) i++;
            while (v[j] > pivot) j--;
            if (i >= j) break;
            swap(&v[i++], &v[j--]);
        }
        /* All before i are <= pivot, all from i on are >= pivot, and from < i < to: the pivot is a median of three, so
         * something else is not above it and something else not below. */
        if (k < i)
            to = i;
        else
            from = i;
    }
}

double cp_stat_quantile(double *v, size_t n, double q) {
    if (n == 0) return NAN;
    double place = q * (double)(n - 1);
    size_t k = (size_t)place;
    if (k > n - 1) k = n - 1;
    select_kth(v, n, k);
    double share = place - (double)k;
    if (!(share > 0) || k + 1 == n) return v[k];
    double next = v[k + 1];
    for (size_t i = k + 2; i < n; i++) next = fmin(next, v[i]);
    return v[k] + share * (next - v[k]);
}

double cp_stat_median(double *v, size_t n) {
    return cp_stat_quantile(v, n, 0.5);
}
