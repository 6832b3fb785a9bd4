#include "num/stat.h"

#include <math.h>
#include <stdint.h>

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

double cp_stat_median(double *v, size_t n) {
    if (n == 0) return NAN;
    size_t k = (n - 1) / 2;
    select_kth(v, (ptrdiff_t)n, (ptrdiff_t)k);
    if (n % 2) return v[k];
    double next = v[k + 1];
    for (size_t i = k + 2; i < n; i++) next = fmin(next, v[i]);
    return 0.5 * v[k] + 0.5 * next; /* the sum of the two might overflow */
}
