/* stat - the median by selection. */
#include "num/stat.h"

#include <math.h>
#include <stdint.h>

static void swap(double *a, double *b) {
    double t = *a;
    *a = *b;
    *b = t;
}

/* Hoare's selection: afterwards v[k] is the value it would be if v were sorted, no value before it is larger and none
 * after it is smaller.  A small generator picks the pivots, so that no regular order of the data is slow. */
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
        /* values between j and i equal the pivot */
        if (k > j) low = i;
        if (k < i) high = j;
    }
}

enum {
    MANY = 1 << 14,
    SAMPLE = 1024,
    MARGIN = 64 /* in ranks of the sample.  The standard deviation of the rank of its median is 16 of 1024 */
};

/* Selection mispredicts a branch at every other value.  But the median of many values is almost surely close to the
 * median of a sample.  Two passes without branches keep the eighth of the values around it, at the front of v; their
 * ranks begin with *out_below.  Returns their number; 0, with v unchanged, if ranks k and k + 1 are not among them. */
static size_t keep_middle(double *v, size_t n, size_t k, size_t *out_below) {
    double sample[SAMPLE];
    size_t below = 0, within = 0, kept = 0;
    for (size_t i = 0; i < SAMPLE; i++) sample[i] = v[i * (n / SAMPLE)];
    select_kth(sample, SAMPLE, SAMPLE / 2 - MARGIN);
    double low = sample[SAMPLE / 2 - MARGIN];
    select_kth(sample, SAMPLE, SAMPLE / 2 + MARGIN);
    double high = sample[SAMPLE / 2 + MARGIN];
    for (size_t i = 0; i < n; i++) {
        below += v[i] < low;
        within += v[i] <= high;
    }
    if (k < below || k + 2 > within) return 0;
    for (size_t i = 0; i < n; i++) {
        double x = v[i];
        v[kept] = x;
        kept += (size_t)(x >= low) & (size_t)(x <= high);
    }
    *out_below = below;
    return kept;
}

double cp_stat_median(double *v, size_t n) {
    if (n == 0) return NAN;
    size_t k = (n - 1) / 2, below = 0, kept = n < MANY ? 0 : keep_middle(v, n, k, &below), left = kept ? kept : n;
    k -= below;
    select_kth(v, (ptrdiff_t)left, (ptrdiff_t)k);
    if (n % 2) return v[k];
    double next = v[k + 1];
    for (size_t i = k + 2; i < left; i++) next = v[i] < next ? v[i] : next;
    return 0.5 * v[k] + 0.5 * next; /* the sum of the two might overflow */
}
