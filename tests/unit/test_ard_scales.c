#include "check.h"

#include <gsl/gsl_linalg.h>

#include "bo/ard_scales.h"
#include "num/rng.h"

enum { N = 40, COLS = 5 };

static const char *const colours[] = {"red", "green", "blue"};
static const copse_dim mixed[] = {
    {.name = "x", .high = 1},
    {.name = "y", .high = 1},
    {.name = "colour", .kind = COPSE_DIM_CATEGORY, .levels = colours, .n_levels = 3},
};

typedef struct scene {
    cp_space *space;
    double x[N * 3], y[N];
    float u[N * COLS];
} scene;

static void set(scene *s, const char *name, double (*what)(const double *)) {
    copse_error err;
    cp_rng rng;
    cp_rng_init(&rng, seed_of(name), CP_FOR_TEST, 0, 0);
    must(cp_space_new(mixed, 3, &s->space, &err), err);
    assert_int_equal(s->space->cols, COLS);
    for (size_t i = 0; i < N; i++) {
        for (size_t k = 0; k < 3; k++) s->x[3 * i + k] = cp_space_value(&s->space->dim[k], cp_rng_unit(&rng));
        cp_space_encode(s->space, s->x + 3 * i, s->u + COLS * i);
        s->y[i] = what(s->x + 3 * i);
    }
}

static double by_x(const double *x) {
    return sin(6 * x[0]);
}

static double by_colour(const double *x) {
    return x[2] == 1;
}

static double by_all(const double *x) {
    return sin(6 * x[0]) + cos(5 * x[1]) + (x[2] == 1);
}

static double by_none(const double *x) {
    (void)x;
    return 3;
}

/* log p(y | a) with mean and variance at their best, by LU: C from the columns themselves, its inverse and determinant
 * as a dense matrix. */
static double by_hand(const scene *s, const double *log_a) {
    gsl_matrix *c = gsl_matrix_alloc(N, N), *inverse = gsl_matrix_alloc(N, N);
    gsl_permutation *p = gsl_permutation_alloc(N);
    int sign;
    double ones = 0, mixed_sum = 0, rest = 0;
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            double sum = 0;
            for (size_t k = 0; k < COLS; k++)
                sum += exp(log_a[k < 2 ? k : 2]) * fabs((double)s->u[COLS * i + k] - (double)s->u[COLS * j + k]);
            gsl_matrix_set(c, i, j, exp(-sum) + (i == j ? .01 : 0));
        }
    gsl_linalg_LU_decomp(c, p, &sign);
    gsl_linalg_LU_invert(c, p, inverse);
    double log_det = gsl_linalg_LU_lndet(c);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            ones += gsl_matrix_get(inverse, i, j);
            mixed_sum += gsl_matrix_get(inverse, i, j) * s->y[j];
        }
    double mean = mixed_sum / ones;
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) rest += (s->y[i] - mean) * gsl_matrix_get(inverse, i, j) * (s->y[j] - mean);
    gsl_matrix_free(c);
    gsl_matrix_free(inverse);
    gsl_permutation_free(p);
    return -.5 * N * log(rest / N) - .5 * log_det;
}

static void evidence_is_that_of_the_dense_process(void **state) {
    static const double at[][3] = {{0, 0, 0}, {1, -2, .5}, {3, 3, -1}};
    scene s;
    double gap[3 * N * (N - 1) / 2], work[N * (N + 2)];
    (void)state;
    set(&s, "evidence", by_all);
    cp_ard_scales_distances(s.space, s.u, N, gap);
    for (size_t k = 0; k < COUNT(at); k++)
        assert_near(cp_ard_scales_evidence(gap, s.y, N, at[k], 3, work), by_hand(&s, at[k]), 1e-8);
    cp_space_free(s.space);
}

static void found(scene *s, float out[COLS]) {
    copse_error err;
    must(cp_ard_scales_fit(s->space, s->u, s->y, N, out, &err), err);
    assert_near(log((double)out[0]) + log((double)out[1]) + log((double)out[2]), 0, 1e-5); /* one for each dimension */
    assert_true(out[2] == out[3] && out[3] == out[4]);
}

/* What is to be made large, of ratios whose common factor is the best of many. */
static double plausibility(const scene *s, const double *log_ratio) {
    static double gap[3 * N * (N - 1) / 2], work[N * (N + 2)];
    double mean = (log_ratio[0] + log_ratio[1] + log_ratio[2]) / 3, off = 0, best = -INFINITY;
    cp_ard_scales_distances(s->space, s->u, N, gap);
    for (size_t d = 0; d < 3; d++) off += pow(log_ratio[d] - mean, 2) / 2;
    for (double up = -4; up <= 6; up += .25) {
        const double log_a[3] = {log_ratio[0] + up, log_ratio[1] + up, log_ratio[2] + up};
        best = fmax(best, cp_ard_scales_evidence(gap, s->y, N, log_a, 3, work));
    }
    return best - off;
}

/* No ratios that are whole powers of e are more plausible than those found, but for what steps of a half leave. */
static void expect_the_best(const scene *s, const float out[COLS]) {
    const double got[3] = {log((double)out[0]), log((double)out[1]), log((double)out[2])};
    double have = plausibility(s, got);
    for (int i = -4; i <= 4; i++)
        for (int j = -4; j <= 4; j++) {
            double most = plausibility(s, (double[]){i, j, 0});
            if (most > have + .5) fail_msg("%g at ratios of e^%d, e^%d and 1, %g at those found", most, i, j, have);
        }
}

/* What matters is stretched, by far, against what does not. */
static void what_matters_is_long(void **state) {
    scene s;
    float out[COLS];
    (void)state;
    set(&s, "x", by_x);
    found(&s, out);
    assert_true(out[0] > 5 * out[1] && out[0] > 5 * out[2]);
    expect_the_best(&s, out);
    cp_space_free(s.space);
    set(&s, "colour", by_colour);
    found(&s, out);
    assert_true(out[2] > 5 * out[0] && out[2] > 5 * out[1]);
    expect_the_best(&s, out);
    cp_space_free(s.space);
    set(&s, "all", by_all);
    found(&s, out);
    expect_the_best(&s, out);
    cp_space_free(s.space);
}

static void who_knows_nothing_changes_nothing(void **state) {
    scene s;
    copse_error err;
    float out[COLS];
    (void)state;
    set(&s, "nothing", by_none);
    found(&s, out);
    for (size_t c = 0; c < COLS; c++) assert_true(out[c] == 1);
    cp_space_free(s.space);
    set(&s, "few", by_x);
    for (size_t n = 0; n < 4; n++) {
        must(cp_ard_scales_fit(s.space, s.u, s.y, n, out, &err), err);
        for (size_t c = 0; c < COLS; c++) assert_true(out[c] == 1);
    }
    for (size_t i = 0; i < N * COLS; i++) s.u[i] = .25F; /* all at one place */
    found(&s, out);
    for (size_t c = 0; c < COLS; c++) assert_true(out[c] == 1);
    cp_space_free(s.space);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evidence_is_that_of_the_dense_process),
        cmocka_unit_test(what_matters_is_long),
        cmocka_unit_test(who_knows_nothing_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
