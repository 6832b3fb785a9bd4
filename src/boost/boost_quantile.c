#include "boost/boost_quantile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = CP_BOOST_QUANTILES };
#define LEAST_SD 1e-6 /* in units of the forest's scale */

static int compare(const void *a, const void *b) {
    double x = ((const cp_boost_weighted *)a)->x, y = ((const cp_boost_weighted *)b)->x;
    return (x > y) - (x < y);
}

double cp_boost_quantile_of(cp_boost_weighted *list, size_t n, double level) {
    double total = 0, sum = 0;
    qsort(list, n, sizeof *list, compare);
    for (size_t i = 0; i < n; i++) total += list[i].weight;
    for (size_t i = 0; i < n; i++) {
        sum += list[i].weight;
        if (sum >= level * total) return list[i].x;
    }
    return list[n - 1].x;
}

/* Scores of neighbouring levels may cross: they are sorted. */
static void sort_scores(const double *f, double *out) {
    memcpy(out, f, N * sizeof *out);
    for (size_t i = 1; i < N; i++)
        for (size_t j = i; j > 0 && out[j - 1] > out[j]; j--) {
            double x = out[j];
            out[j] = out[j - 1];
            out[j - 1] = x;
        }
}

static double median_of(const double *sorted) {
    return (sorted[N / 2 - 1] + sorted[N / 2]) / 2;
}

double cp_boost_quantile_distance(const double *f, double y) {
    double q[N], at = .95 * N - .5; /* the .95 quantile lies between two heads */
    sort_scores(f, q);
    size_t k = (size_t)at;
    double part = at - (double)k, high = q[k] + part * (q[k + 1] - q[k]);
    double low = q[N - 1 - k] + part * (q[N - 2 - k] - q[N - 1 - k]), middle = median_of(q);
    double reach = y > middle ? high - middle : middle - low;
    return fabs(y - middle) / fmax(reach, LEAST_SD);
}

void cp_boost_quantile_answer(const double *f, const cp_boost_quantile_unit *u, cp_answer *out) {
    double q[N];
    sort_scores(f, q);
    const double middle = median_of(q), least = (q[N - 1] - q[0]) / (2 * N); /* where quantiles crossed */
    for (size_t k = 0; k < N; k++) {
        double gap = k == 0 ? q[1] - q[0] : k == N - 1 ? q[k] - q[k - 1] : (q[k + 1] - q[k - 1]) / 2;
        double sd = fmax(u->width * fmax(gap * (k == 0 || k == N - 1 ? 1 : .7), least), LEAST_SD);
        double loc = middle + u->width * (q[k] - middle);
        cp_answer_push(out, (cp_component){(1 - u->far) / N, u->centre + u->scale * loc, u->scale * sd, INFINITY});
    }
    cp_answer_push(out, (cp_component){u->far, u->centre + u->scale * middle, u->scale, INFINITY});
    cp_answer_end_row(out);
}
