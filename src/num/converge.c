/* converge - R-hat and effective sample sizes of chains. */
#include "num/converge.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "num/math.h"
#include "num/special.h"

/* The m halves of chains, of n draws each; a chain of odd length loses the draw in its middle. */
typedef struct halves {
    size_t m, n;
    double *x;    /* m x n */
    double *mean; /* m */
} halves;

static void cut_in_halves(const double *x, size_t draws, halves *out) {
    for (size_t i = 0; i < out->m; i++) {
        const double *from = x + i / 2 * draws + (i % 2 ? draws - out->n : 0);
        for (size_t k = 0; k < out->n; k++) out->x[i * out->n + k] = from[k];
    }
}

/* ----------------------------------------------------------------------------------------------------------- scores */

typedef struct ranked {
    double value;
    size_t index; /* in halves.x */
} ranked;

static int by_value(const void *a, const void *b) {
    const ranked *s = a, *t = b;
    if (s->value != t->value) return s->value < t->value ? -1 : 1;
    return (s->index > t->index) - (s->index < t->index);
}

static void sort_values(const halves *h, ranked *out) {
    size_t all = h->m * h->n;
    for (size_t i = 0; i < all; i++) out[i] = (ranked){h->x[i], i};
    qsort(out, all, sizeof *out, by_value);
}

/* Replaces draws by normal scores of their ranks; equal values get the mean of their ranks. */
static void to_scores(halves *h, ranked *tmp) {
    size_t all = h->m * h->n;
    sort_values(h, tmp);
    for (size_t i = 0, end; i < all; i = end) {
        for (end = i + 1; end < all && tmp[end].value == tmp[i].value; end++) continue;
        double rank = 0.5 * (double)(i + 1 + end);
        double score = cp_special_normal_quantile((rank - 0.375) / ((double)all + 0.25));
        for (size_t k = i; k < end; k++) h->x[tmp[k].index] = score;
    }
}

/* Interpolates between the two values next to rank (all - 1) q. */
static double quantile(const ranked *sorted, size_t all, double q) {
    double at = (double)(all - 1) * q;
    size_t i = (size_t)at;
    double next = sorted[i + 1 < all ? i + 1 : i].value;
    return sorted[i].value + (at - (double)i) * (next - sorted[i].value);
}

/* -------------------------------------------------------------------------------------------------------- variances */

typedef struct variances {
    double within, between, total; /* total: of a draw, estimated from both */
} variances;

/* The mean over the halves of sum_k (x_k - mean) (x_(k+lag) - mean) / n. */
static double autocovariance(const halves *h, size_t lag) {
    double sum = 0;
    for (size_t i = 0; i < h->m; i++) {
        const double *x = h->x + i * h->n;
        double own = 0;
        for (size_t k = 0; k + lag < h->n; k++) own += (x[k] - h->mean[i]) * (x[k + lag] - h->mean[i]);
        sum += own / (double)h->n;
    }
    return sum / (double)h->m;
}

static variances variances_of(halves *h) {
    double n = (double)h->n, m = (double)h->m, grand = 0, between = 0;
    for (size_t i = 0; i < h->m; i++) {
        double sum = 0;
        for (size_t k = 0; k < h->n; k++) sum += h->x[i * h->n + k];
        h->mean[i] = sum / n;
        grand += h->mean[i] / m;
    }
    for (size_t i = 0; i < h->m; i++) between += (h->mean[i] - grand) * (h->mean[i] - grand) / (m - 1);
    double within = autocovariance(h, 0) * n / (n - 1);
    return (variances){within, between, within * (n - 1) / n + between};
}

static double rhat_of(halves *h) {
    variances s = variances_of(h);
    if (s.total == 0) return 1;
    return s.within > 0 ? sqrt(s.total / s.within) : INFINITY;
}

/* The number of draws over tau = 1 + 2 sum of autocorrelations.  They are summed in pairs of lags, as long as the sums
 * of pairs are positive, and no pair counts more than the one before: the initial monotone sequence of Geyer (1992). */
static double ess_of(halves *h) {
    variances s = variances_of(h);
    double all = (double)(h->m * h->n), sum = 0, last = INFINITY, left = 0;
    if (s.total == 0) return all;
    for (size_t lag = 0; lag + 1 < h->n; lag += 2) {
        double even = lag ? 1 - (s.within - autocovariance(h, lag)) / s.total : 1;
        double odd = 1 - (s.within - autocovariance(h, lag + 1)) / s.total;
        left = fmax(0, even);
        if (!(even + odd > 0) || lag + 5 >= h->n) break;
        last = fmin(last, even + odd);
        sum += last;
        left = 0;
    }
    double tau = fmax(2 * sum - 1 + left, 1 / cp_math_log10(all)); /* bounds the size of antithetic chains */
    return all / tau;
}

/* -------------------------------------------------------------------------------------------------------------- all */

typedef struct work {
    const double *x;
    size_t draws;
    halves h;
    ranked *tmp;
} work;

static void refill(work *w) {
    cut_in_halves(w->x, w->draws, &w->h);
}

static double folded_rhat(work *w) {
    size_t all = w->h.m * w->h.n;
    refill(w);
    sort_values(&w->h, w->tmp);
    double median = quantile(w->tmp, all, 0.5);
    for (size_t i = 0; i < all; i++) w->h.x[i] = fabs(w->h.x[i] - median);
    to_scores(&w->h, w->tmp);
    return rhat_of(&w->h);
}

static double tail_ess(work *w, double q) {
    size_t all = w->h.m * w->h.n;
    refill(w);
    sort_values(&w->h, w->tmp);
    double bound = quantile(w->tmp, all, q);
    for (size_t i = 0; i < all; i++) w->h.x[i] = w->h.x[i] <= bound;
    return ess_of(&w->h);
}

copse_status cp_converge_find(const double *x, size_t chains, size_t draws, cp_converge *out, copse_error *err) {
    work w = {.x = x, .draws = draws, .h = {.m = 2 * chains, .n = draws / 2}};
    copse_status status = COPSE_OK;
    *out = (cp_converge){NAN, NAN, NAN};
    if (draws < CP_CONVERGE_DRAWS || !chains) return COPSE_OK;
    CP_TRY_OUT(CP_RAW(w.h.x, w.h.m * w.h.n, err));
    CP_TRY_OUT(CP_RAW(w.h.mean, w.h.m, err));
    CP_TRY_OUT(CP_RAW(w.tmp, w.h.m * w.h.n, err));
    refill(&w);
    to_scores(&w.h, w.tmp);
    out->bulk = ess_of(&w.h);
    out->rhat = rhat_of(&w.h);
    out->rhat = fmax(out->rhat, folded_rhat(&w));
    out->tail = fmin(tail_ess(&w, 0.05), tail_ess(&w, 0.95));
out:
    cp_mem_free(w.h.x);
    cp_mem_free(w.h.mean);
    cp_mem_free(w.tmp);
    return status;
}
