#include "check.h"
#include "ks.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_randist.h>

#include "bart/core/bart_view.h"
#include "leaf/leaf_mean.h"
#include "num/draw.h"

enum { ROWS = 200 };

typedef struct leaf_case {
    cp_leaf m;
    float r[ROWS], weight[ROWS];
    uint32_t row[ROWS]; /* in some order */
} leaf_case;

static const struct {
    double leaf_var, noise_var;
    int weighted;
} shapes[] = {{1, 1, 0}, {0.01, 0.3, 0}, {0.01, 0.3, 1}, {2, 1e-3, 1}, {1e-6, 5, 1}, {30, 1, 0}};

static void make_case(leaf_case *c, size_t shape) {
    cp_rng rng;
    cp_rng_init(&rng, seed_of("leaf_mean"), CP_FOR_TEST, (uint32_t)shape, 0);
    for (size_t i = 0; i < ROWS; i++) {
        c->r[i] = (float)(0.2 + 0.5 * cp_draw_normal(&rng));
        c->weight[i] = (float)(0.1 + 3 * cp_rng_unit(&rng));
        c->row[i] = (uint32_t)(i * 7 % ROWS);
    }
    const cp_leaf_residual of = {c->r, shapes[shape].weighted ? c->weight : NULL, ROWS};
    cp_leaf_mean_init(&c->m, &of, shapes[shape].leaf_var, shapes[shape].noise_var);
}

static double weight_of(const leaf_case *c, size_t row) {
    return c->m.opt_weight ? (double)c->weight[row] : 1;
}

/* --------------------------------------------------------------------------------------------- the integral over mu */

typedef struct integrand {
    const leaf_case *c;
    size_t n;
    double top; /* log density at its peak, so that the integral is of the order of 1 */
} integrand;

/* log of p(mu) p(r | mu) / p(r | 0), row by row. */
static double log_joint(const integrand *in, double mu) {
    const leaf_case *c = in->c;
    double sum = log(gsl_ran_gaussian_pdf(mu, sqrt(c->m.leaf_var)));
    for (size_t i = 0; i < in->n; i++) {
        double r = (double)c->r[c->row[i]], w = weight_of(c, c->row[i]);
        sum += w * (r * r - (r - mu) * (r - mu)) / (2 * c->m.noise_var);
    }
    return sum;
}

static double over_mu(double mu, void *arg) {
    const integrand *in = arg;
    return exp(log_joint(in, mu) - in->top);
}

static double integrate(integrand *in, const double *stat) {
    gsl_integration_workspace *space = gsl_integration_workspace_alloc(1000);
    double all = in->c->m.noise_var + in->c->m.leaf_var * stat[0], peak = in->c->m.leaf_var * stat[1] / all;
    double reach = 12 * sqrt(in->c->m.noise_var * in->c->m.leaf_var / all), result, error;
    gsl_function f = {over_mu, in};
    in->top = log_joint(in, peak);
    gsl_integration_qag(&f, peak - reach, peak + reach, 0, 1e-12, 1000, GSL_INTEG_GAUSS61, space, &result, &error);
    gsl_integration_workspace_free(space);
    return in->top + log(result);
}

static void marginal_is_the_integral_over_mu(void **state) {
    (void)state;
    for (size_t s = 0; s < COUNT(shapes); s++) {
        leaf_case c;
        make_case(&c, s);
        for (size_t n = 0; n <= ROWS; n = 2 * n + 1) {
            double stat[2];
            integrand in = {.c = &c, .n = n};
            cp_leaf_gather(&c.m, c.row, n, stat);
            assert_near(cp_leaf_log_marginal(&c.m, stat), integrate(&in, stat), 1e-9);
        }
        cp_leaf_clear(&c.m);
    }
}

static void a_sum_of_trees_judges_leaves_alike(void **state) {
    (void)state;
    leaf_case c;
    double stat[2];
    make_case(&c, 2);
    cp_leaf_gather(&c.m, c.row, ROWS, stat);
    cp_bart_view v = {.r = c.r, .leaf_var = c.m.leaf_var, .noise_var = c.m.noise_var};
    assert_true(cp_bart_view_log_leaf(&v, stat[0], stat[1]) == cp_leaf_log_marginal(&c.m, stat));
    assert_true(cp_bart_view_log_leaf(&v, 0, 0) == 0);
    v.r = NULL;
    assert_true(cp_bart_view_log_leaf(&v, stat[0], stat[1]) == 0);
}

/* ------------------------------------------------------------------------------------------------------- statistics */

static void gather_adds_up(void **state) {
    (void)state;
    leaf_case c;
    make_case(&c, 2);
    for (size_t i = 0; i < ROWS; i++) { /* sums of these are exact */
        c.r[i] = roundf(c.r[i] * 1024) / 1024;
        c.weight[i] = roundf(c.weight[i] * 64) / 64;
    }
    double one[2] = {0}, all[2];
    for (size_t n = 0; n < 40; n++) {
        cp_leaf_gather(&c.m, c.row, n, all);
        assert_memory_equal(one, all, sizeof one);
        cp_leaf_add(&c.m, one, c.row[n]);
    }
}

static void scan_is_the_marginal_of_both_sides(void **state) {
    (void)state;
    for (size_t s = 0; s < COUNT(shapes); s++) {
        leaf_case c;
        uint32_t end[ROWS];
        double whole[2], tmp[4], out[ROWS], side[2][2];
        size_t gaps = 0;
        make_case(&c, s);
        for (uint32_t at = 1; at < ROWS; at += 1 + at / 5) end[gaps++] = at;
        cp_leaf_gather(&c.m, c.row, ROWS, whole);
        cp_leaf_scan(&c.m, &(cp_leaf_cuts){c.row, end, gaps}, whole, tmp, out);
        for (size_t g = 0; g < gaps; g++) {
            cp_leaf_gather(&c.m, c.row, end[g], side[0]);
            cp_leaf_gather(&c.m, c.row + end[g], ROWS - end[g], side[1]);
            assert_near(out[g], cp_leaf_log_marginal(&c.m, side[0]) + cp_leaf_log_marginal(&c.m, side[1]), 1e-10);
        }
    }
}

/* ------------------------------------------------------------------------------------------------------------ draws */

typedef struct law {
    double mean, sd;
} law;

static double normal_cdf(double x, const void *arg) {
    const law *l = arg;
    return gsl_cdf_gaussian_P(x - l->mean, l->sd);
}

static void draws_follow_the_posterior_and_the_model(void **state) {
    (void)state;
    enum { DRAWS = 20000, SHAPE = 2 };
    static double mu[DRAWS], target[DRAWS];
    leaf_case c;
    cp_rng rng;
    double stat[2];
    make_case(&c, SHAPE);
    cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, 0, 0);
    cp_leaf_gather(&c.m, c.row, 50, stat);
    for (size_t i = 0; i < DRAWS; i++) {
        const double at = 0.7;
        cp_leaf_draw(&c.m, stat, &rng, &mu[i]);
        target[i] = cp_leaf_draw_target(&c.m, &at, &rng);
    }
    /* Precisions add up: of the prior, and of the rows. */
    double precision = 1 / c.m.leaf_var + stat[0] / c.m.noise_var;
    law posterior = {stat[1] / c.m.noise_var / precision, 1 / sqrt(precision)}, wrong = posterior;
    law model = {0.7, sqrt(c.m.noise_var)};
    wrong.sd *= 1.1;
    assert_true(ks_one(mu, DRAWS, normal_cdf, &posterior) < ks_bound_one(DRAWS));
    assert_true(ks_one(mu, DRAWS, normal_cdf, &wrong) > ks_bound_one(DRAWS));
    assert_true(ks_one(target, DRAWS, normal_cdf, &model) < ks_bound_one(DRAWS));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marginal_is_the_integral_over_mu),
        cmocka_unit_test(a_sum_of_trees_judges_leaves_alike),
        cmocka_unit_test(gather_adds_up),
        cmocka_unit_test(scan_is_the_marginal_of_both_sides),
        cmocka_unit_test(draws_follow_the_posterior_and_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
