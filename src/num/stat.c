#include "num/stat.h"

#include <math.h>
#include <stdint.h>

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

static void swap(double *a, double *b) {
    double t = *a;
    *a = *b;
    *b = t;
}

/* Hoare's selection: afterwards v[k] is what it would be if v were sorted, nothing before it is larger and nothing
 * behind it smaller.  Pivots are picked by a small generator, so no order of the data is slow by nature. */
static void select_kth(double *v, ptrdiff_t n, ptrdiff_t k) {
    ptrdiff_t low = 0, high = n - 1;
    uint32_t state = 2463534242u;
    while (low < high) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        double pivot = v[low + state % (high - low + 1)];
        ptrdiff_t i = low, j = high;
        while (i <= j) {
            while (v[i] < pivot) i++;
            while (v[j] > pivot) j--;
            if (i <= j) swap(&v[i++], &v[j--]);
        }
        /* what lies between j and i equals the pivot */
        if (k > j) low = i;
        if (k < i) high = j;
    }
}

double cp_stat_quantile(double *v, size_t n, double q) {
    if (n == 0) return NAN;
    double place = q * (double)(n - 1);
    size_t k = (size_t)place;
    if (k > n - 1) k = n - 1;
    select_kth(v, (ptrdiff_t)n, (ptrdiff_t)k);
    double share = place - (double)k;
    if (!(share > 0) || k + 1 == n) return v[k];
    double next = v[k + 1];
    for (size_t i = k + 2; i < n; i++) next = fmin(next, v[i]);
    return (1 - share) * v[k] + share * next; /* the difference of the two might overflow */
}

double cp_stat_median(double *v, size_t n) {
    return cp_stat_quantile(v, n, 0.5);
}
