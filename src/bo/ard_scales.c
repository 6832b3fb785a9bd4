#include "bo/ard_scales.h"

#include <math.h>

#include "base/mem.h"

static const double NOISE = .01, FIRST_STEP = 1;
enum { ROUNDS = 2, AGAIN = 3, FEWEST = 4 };

/* --------------------------------------------------------------------------------------------------------- evidence */

void cp_ard_scales_gaps(const cp_space *s, const float *u, size_t n, double *out) {
    for (size_t d = 0; d < s->dims; d++)
        for (size_t i = 1; i < n; i++)
            for (size_t j = 0; j < i; j++) {
                double sum = 0;
                for (size_t c = s->dim[d].first; c < s->dim[d].first + s->dim[d].width; c++)
                    sum += fabs((double)u[i * s->cols + c] - (double)u[j * s->cols + c]);
                *out++ = sum;
            }
}

/* The lower half of the covariance: n x n, row by row. */
static void fill(const double *gap, size_t n, const double *log_a, size_t dims, double *out) {
    size_t pairs = n * (n - 1) / 2, at = 0;
    double a[CP_ARD_SCALES_DIMS];
    for (size_t d = 0; d < dims; d++) a[d] = exp(log_a[d]);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++, at++) {
            double sum = 0;
            for (size_t d = 0; d < dims; d++) sum += a[d] * gap[d * pairs + at];
            out[i * n + j] = exp(-sum);
        }
        out[i * n + i] = 1 + NOISE;
    }
}

/* Its Cholesky factor, in place, and the logarithm of its determinant.  It is at least NOISE times the identity. */
static double factor(double *k, size_t n) {
    double log_det = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double v = k[i * n + j];
            for (size_t m = 0; m < j; m++) v -= k[i * n + m] * k[j * n + m];
            if (i == j) log_det += log(v);
            k[i * n + j] = i == j ? sqrt(v) : v / k[j * n + j];
        }
    return log_det;
}

static double forward(const double *l, size_t n, size_t i, double v, const double *done) {
    for (size_t m = 0; m < i; m++) v -= l[i * n + m] * done[m];
    return v / l[i * n + i];
}

double cp_ard_scales_evidence(const double *gap, const double *y, size_t n, const double *log_a, size_t dims,
                              double *work) {
    double *l = work, *one = work + n * n, *z = one + n;
    double of_ones = 0, mixed = 0, of_y = 0;
    fill(gap, n, log_a, dims, l);
    double log_det = factor(l, n);
    for (size_t i = 0; i < n; i++) {
        one[i] = forward(l, n, i, 1, one);
        z[i] = forward(l, n, i, y[i], z);
        of_ones += one[i] * one[i];
        mixed += one[i] * z[i];
        of_y += z[i] * z[i];
    }
    double rest = fmax(of_y - mixed * mixed / of_ones, 0); /* with the mean at its best */
    return -.5 * (double)n * log(rest / (double)n + 1e-12) - .5 * log_det;
}

/* ----------------------------------------------------------------------------------------------------------- search */

typedef struct quest {
    size_t n, dims;
    double *gap, *work;
    const double *y;
    double log_a[CP_ARD_SCALES_DIMS], best;
} quest;

static double plausibility(const quest *q) {
    double mean = 0, off = 0;
    for (size_t d = 0; d < q->dims; d++) mean += q->log_a[d] / (double)q->dims;
    for (size_t d = 0; d < q->dims; d++) off += (q->log_a[d] - mean) * (q->log_a[d] - mean);
    return cp_ard_scales_evidence(q->gap, q->y, q->n, q->log_a, q->dims, q->work) - off / 2;
}

/* All alike first. */
static void begin(quest *q) {
    double from = 0;
    q->best = -INFINITY;
    for (int t = -1; t <= 3; t++) {
        for (size_t d = 0; d < q->dims; d++) q->log_a[d] = t;
        double now = plausibility(q);
        if (!(now > q->best)) continue;
        q->best = now;
        from = t;
    }
    for (size_t d = 0; d < q->dims; d++) q->log_a[d] = from;
}

static void walk(quest *q, size_t d, double step) {
    for (int i = 0; i < AGAIN; i++) {
        double keep = q->log_a[d];
        q->log_a[d] += step;
        double now = plausibility(q);
        if (!(now > q->best)) {
            q->log_a[d] = keep;
            return;
        }
        q->best = now;
    }
}

static void find(quest *q) {
    double step = FIRST_STEP;
    begin(q);
    for (int round = 0; round < ROUNDS; round++, step /= 2)
        for (size_t d = 0; d < q->dims; d++) {
            walk(q, d, -step);
            walk(q, d, step);
        }
}

static int all_equal(const double *y, size_t n) {
    for (size_t i = 1; i < n; i++)
        if (y[i] != y[0]) return 0;
    return 1;
}

copse_status cp_ard_scales_fit(const cp_space *s, const float *u, const double *y, size_t n, float *out,
                               copse_error *err) {
    quest q = {.n = n, .dims = s->dims, .y = y};
    copse_status status = COPSE_OK;
    double mean = 0;
    for (size_t c = 0; c < s->cols; c++) out[c] = 1;
    if (s->dims < 2 || s->dims > CP_ARD_SCALES_DIMS || n < FEWEST || all_equal(y, n)) return COPSE_OK;
    CP_TRY_OUT(CP_RAW(q.gap, s->dims * (n * (n - 1) / 2), err));
    CP_TRY_OUT(CP_RAW(q.work, n * (n + 2), err));
    cp_ard_scales_gaps(s, u, n, q.gap);
    find(&q);
    for (size_t d = 0; d < s->dims; d++) mean += q.log_a[d] / (double)s->dims;
    for (size_t d = 0; d < s->dims; d++)
        for (size_t c = s->dim[d].first; c < s->dim[d].first + s->dim[d].width; c++)
            out[c] = (float)exp(q.log_a[d] - mean);
out:
    cp_mem_free(q.gap);
    cp_mem_free(q.work);
    return status;
}
