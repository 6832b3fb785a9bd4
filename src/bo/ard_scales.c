#include "bo/ard_scales.h"

#include <math.h>

#include "base/mem.h"
#include "num/math.h"

static const double NOISE = .01; /* variance, that of the process being 1 */
static const double FIRST_STEP = 1;
enum { ROUNDS = 2, STEPS_MAX = 3, VALUES_MIN = 4 };

/* --------------------------------------------------------------------------------------------------------- evidence */

void cp_ard_scales_distances(const cp_space *s, const float *u, size_t n, double *out) {
    for (size_t d = 0; d < s->dims; d++)
        for (size_t i = 1; i < n; i++)
            for (size_t j = 0; j < i; j++) {
                double sum = 0;
                for (size_t c = s->dim[d].first; c < s->dim[d].first + s->dim[d].width; c++)
                    sum += fabs((double)u[i * s->cols + c] - (double)u[j * s->cols + c]);
                *out++ = sum;
            }
}

/* The lower triangle of the covariance: n x n, row by row. */
static void fill_covariance(const double *distance, size_t n, const double *log_a, size_t dims, double *out) {
    size_t pairs = n * (n - 1) / 2, at = 0;
    double a[CP_ARD_SCALES_DIMS];
    for (size_t d = 0; d < dims; d++) a[d] = cp_math_exp(log_a[d]);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++, at++) {
            double sum = 0;
            for (size_t d = 0; d < dims; d++) sum += a[d] * distance[d * pairs + at];
            out[i * n + j] = cp_math_exp(-sum);
        }
        out[i * n + i] = 1 + NOISE;
    }
}

/* Replaces the covariance by its Cholesky factor; returns the logarithm of its determinant.  All its eigenvalues are at
 * least NOISE, so v > 0 on the diagonal. */
static double cholesky(double *k, size_t n) {
    double log_det = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double v = k[i * n + j];
            for (size_t m = 0; m < j; m++) v -= k[i * n + m] * k[j * n + m];
            if (i == j) log_det += cp_math_log(v);
            k[i * n + j] = i == j ? sqrt(v) : v / k[j * n + j];
        }
    return log_det;
}

static double forward_solve(const double *l, size_t n, size_t i, double v, const double *done) {
    for (size_t m = 0; m < i; m++) v -= l[i * n + m] * done[m];
    return v / l[i * n + i];
}

double cp_ard_scales_evidence(const double *distance, const double *y, size_t n, const double *log_a, size_t dims,
                              double *work) {
    double *l = work, *one = work + n * n, *z = one + n;
    double of_ones = 0, mixed = 0, of_y = 0;
    fill_covariance(distance, n, log_a, dims, l);
    double log_det = cholesky(l, n);
    for (size_t i = 0; i < n; i++) {
        one[i] = forward_solve(l, n, i, 1, one);
        z[i] = forward_solve(l, n, i, y[i], z);
        of_ones += one[i] * one[i];
        mixed += one[i] * z[i];
        of_y += z[i] * z[i];
    }
    double rest = fmax(of_y - mixed * mixed / of_ones, 0); /* with the best mean */
    return -.5 * (double)n * cp_math_log(rest / (double)n + 1e-12) - .5 * log_det;
}

/* ----------------------------------------------------------------------------------------------------------- search */

typedef struct ard_fit {
    size_t n, dims;
    double *distance, *work;
    const double *y;
    double log_a[CP_ARD_SCALES_DIMS], best;
} ard_fit;

static double log_posterior(const ard_fit *q) {
    double mean = 0, penalty = 0;
    for (size_t d = 0; d < q->dims; d++) mean += q->log_a[d] / (double)q->dims;
    for (size_t d = 0; d < q->dims; d++) penalty += (q->log_a[d] - mean) * (q->log_a[d] - mean);
    return cp_ard_scales_evidence(q->distance, q->y, q->n, q->log_a, q->dims, q->work) - penalty / 2;
}

/* Starts at the best common scale of all dimensions. */
static void start_isotropic(ard_fit *q) {
    double from = 0;
    q->best = -INFINITY;
    for (int t = -1; t <= 3; t++) {
        for (size_t d = 0; d < q->dims; d++) q->log_a[d] = t;
        double now = log_posterior(q);
        if (!(now > q->best)) continue;
        q->best = now;
        from = t;
    }
    for (size_t d = 0; d < q->dims; d++) q->log_a[d] = from;
}

/* At most STEPS_MAX steps in one dimension, as long as each improves. */
static void line_search(ard_fit *q, size_t d, double step) {
    for (int i = 0; i < STEPS_MAX; i++) {
        double keep = q->log_a[d];
        q->log_a[d] += step;
        double now = log_posterior(q);
        if (!(now > q->best)) {
            q->log_a[d] = keep;
            return;
        }
        q->best = now;
    }
}

static void coordinate_ascent(ard_fit *q) {
    double step = FIRST_STEP;
    start_isotropic(q);
    for (int round = 0; round < ROUNDS; round++, step /= 2)
        for (size_t d = 0; d < q->dims; d++) {
            line_search(q, d, -step);
            line_search(q, d, step);
        }
}

static int all_equal(const double *y, size_t n) {
    for (size_t i = 1; i < n; i++)
        if (y[i] != y[0]) return 0;
    return 1;
}

copse_status cp_ard_scales_fit(const cp_space *s, const float *u, const double *y, size_t n, float *out,
                               copse_error *err) {
    ard_fit q = {.n = n, .dims = s->dims, .y = y};
    copse_status status = COPSE_OK;
    double mean = 0;
    for (size_t c = 0; c < s->cols; c++) out[c] = 1;
    if (s->dims < 2 || s->dims > CP_ARD_SCALES_DIMS || n < VALUES_MIN || all_equal(y, n)) return COPSE_OK;
    CP_TRY_OUT(CP_RAW(q.distance, s->dims * (n * (n - 1) / 2), err));
    CP_TRY_OUT(CP_RAW(q.work, n * (n + 2), err));
    cp_ard_scales_distances(s, u, n, q.distance);
    coordinate_ascent(&q);
    for (size_t d = 0; d < s->dims; d++) mean += q.log_a[d] / (double)s->dims;
    for (size_t d = 0; d < s->dims; d++)
        for (size_t c = s->dim[d].first; c < s->dim[d].first + s->dim[d].width; c++)
            out[c] = (float)cp_math_exp(q.log_a[d] - mean);
out:
    cp_mem_free(q.distance);
    cp_mem_free(q.work);
    return status;
}
