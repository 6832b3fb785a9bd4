#include "data/histogram.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"

enum {
    LEAST_EXPONENT = -1000, /* 2^1000, the factor that numbers are multiplied by, is still a double */
    DIGITS = 40             /* indices stay below 2^41: far from the ends of int64_t and exact as doubles */
};

/* Numbers are multiplied by 1 / width, which is a power of two: the product is exact, or so small that it only matters
 * on which side of 0 it lies.  A negative number may become -0 there, whose floor is not the -1 that we need. */
static int64_t index_of(double x, double per_width) {
    double at = floor(x * per_width);
    return x < 0 && at == 0 ? -1 : (int64_t)at;
}

static double per_width(int exponent) {
    return ldexp(1, -exponent);
}

/* The smallest exponent for numbers from min to max. */
static int find_exponent(double min, double max) {
    int exponent, least = LEAST_EXPONENT;
    double most = fmax(fabs(min), fabs(max));
    frexp(most, &exponent); /* most = m * 2^exponent, 1/2 <= m < 1 */
    if (most > 0 && exponent - 1 - DIGITS > least) least = exponent - 1 - DIGITS;
    while (index_of(max, per_width(least)) - index_of(min, per_width(least)) >= CP_HISTOGRAM_BINS) least++;
    return least;
}

void cp_histogram_set_range(cp_histogram *h, double min, double max) {
    CP_BUG(!(min <= max) || isinf(min) || isinf(max));
    h->min = min + 0.; /* -0 becomes 0 */
    h->max = max + 0.;
    h->exponent = find_exponent(h->min, h->max);
    h->first = index_of(h->min, per_width(h->exponent));
}

/* Adds counts of bins that are as wide as those of h or narrower, and lie within its range. */
static void add_counts(cp_histogram *h, const cp_histogram *from) {
    int wider = h->exponent - from->exponent;
    if (wider > 63) wider = 63; /* all indices are 0 or -1 by then */
    for (size_t i = 0; i < CP_HISTOGRAM_BINS; i++)
        if (from->count[i]) h->count[((from->first + (int64_t)i) >> wider) - h->first] += from->count[i];
    h->n += from->n;
}

/* Widens the range so that it holds min to max. */
static void widen(cp_histogram *h, double min, double max) {
    const cp_histogram was = *h;
    if (was.n && was.min <= min && max <= was.max) return;
    *h = (cp_histogram){0};
    cp_histogram_set_range(h, was.n ? fmin(was.min, min) : min, was.n ? fmax(was.max, max) : max);
    if (was.n) add_counts(h, &was);
}

void cp_histogram_add(cp_histogram *h, const double *x, size_t n) {
    double min = INFINITY, max = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        min = x[i] < min ? x[i] : min; /* false for NaN */
        max = x[i] > max ? x[i] : max;
    }
    if (min > max) return; /* all are NaN */
    widen(h, min, max);
    double scale = per_width(h->exponent);
    for (size_t i = 0; i < n; i++) {
        if (isnan(x[i])) continue;
        h->count[index_of(x[i], scale) - h->first]++;
        h->n++;
    }
}

void cp_histogram_merge(cp_histogram *h, const cp_histogram *other) {
    if (!other->n) return;
    widen(h, other->min, other->max);
    add_counts(h, other);
}

size_t cp_histogram_bins(const cp_histogram *h) {
    return h->n ? (size_t)(index_of(h->max, per_width(h->exponent)) - h->first) + 1 : 0;
}

/* The bins of min and max hold these two, which are two numbers unless they are equal. */
int cp_histogram_check(const cp_histogram *h) {
    size_t bins = cp_histogram_bins(h);
    uint64_t sum = 0;
    for (size_t i = 0; i < CP_HISTOGRAM_BINS; i++) {
        if (h->count[i] > h->n - sum || (i >= bins && h->count[i])) return 0;
        sum += h->count[i];
    }
    if (sum != h->n) return 0;
    return !bins || (h->count[0] && h->count[bins - 1] && (h->min == h->max || h->n > 1));
}

double cp_histogram_edge(const cp_histogram *h, size_t i) {
    double edge = ldexp((double)(h->first + (int64_t)i), h->exponent);
    return fmax(fmin(edge, DBL_MAX), -DBL_MAX);
}
