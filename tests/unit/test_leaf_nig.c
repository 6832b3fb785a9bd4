#include "check.h"
#include "ks.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_sf_gamma.h>

#include "base/mem.h"
#include "leaf/leaf_nig.h"
#include "num/dens.h"
#include "num/draw.h"

enum { ROWS = 500 };

typedef struct leaf_case {
    cp_leaf m;
    double y[ROWS];
    uint32_t row[ROWS]; /* in some order */
} leaf_case;

static void make_case(leaf_case *c, double kappa, double nu, double lambda) {
    copse_error err;
    cp_rng rng;
    cp_rng_init(&rng, seed_of("leaf_nig"), CP_FOR_TEST, 0, 0);
    for (size_t i = 0; i < ROWS; i++) {
        c->y[i] = 0.3 + cp_draw_normal(&rng);
        c->row[i] = (uint32_t)(i * 7 % ROWS);
    }
    must(cp_leaf_nig_init(&c->m, c->y, ROWS, (cp_leaf_nig_prior){kappa, nu, lambda}, &err), err);
}

static const struct {
    double kappa, nu, lambda;
} shapes[] = {{0.1, 3, 0.2}, {1, 1, 1}, {20, 0.5, 3}, {0.01, 40, 1e-3}, {1, 1e8, 1}};

static double closed_form(const cp_leaf *m, const double *stat) {
    double n = stat[0], kappa_n = m->kappa + n, nu_n = m->nu + n;
    double b = m->nu * m->lambda + stat[2] - stat[1] * stat[1] / kappa_n;
    return -0.5 * n * log(M_PI) + 0.5 * log(m->kappa / kappa_n) + gsl_sf_lngamma(0.5 * nu_n) -
           gsl_sf_lngamma(0.5 * m->nu) + 0.5 * m->nu * log(m->nu * m->lambda) - 0.5 * nu_n * log(b);
}

static double log_density(cp_component c, double y) {
    return cp_dens_student_log((y - c.loc) / c.scale, c.df) - log(c.scale);
}

static void marginal_is_the_product_of_predictives(void **state) {
    (void)state;
    leaf_case c;
    for (size_t s = 0; s < COUNT(shapes); s++) {
        make_case(&c, shapes[s].kappa, shapes[s].nu, shapes[s].lambda);
        double stat[3] = {0}, sum = 0, tol = shapes[s].nu > 1e6 ? 1e-7 : 1e-11;
        for (size_t i = 0; i < ROWS; i++) {
            sum += log_density(cp_leaf_nig_predict(&c.m, stat, 1), c.y[c.row[i]]);
            cp_leaf_add(&c.m, stat, c.row[i]);
            assert_near(cp_leaf_log_marginal(&c.m, stat), sum, tol);
        }
        if (shapes[s].nu < 1e6) assert_near(sum, closed_form(&c.m, stat), 1e-11);
        cp_leaf_clear(&c.m);
    }
}

/* ------------------------------------------------------------------------------ the integral over mean and variance */

typedef struct integrand {
    const cp_leaf *m;
    size_t n;
    double s2;
    gsl_integration_workspace *inner;
} integrand;

static double log_normal(double x, double mean, double var) {
    return -0.5 * (log(2 * M_PI * var) + (x - mean) * (x - mean) / var);
}

static double over_mean(double mu, void *arg) {
    const integrand *in = arg;
    double sum = log_normal(mu, 0, in->s2 / in->m->kappa);
    for (size_t i = 0; i < in->n; i++) sum += log_normal(in->m->y[i], mu, in->s2);
    return exp(sum);
}

/* Over log s2, in which the inverse gamma has no sharp ends. */
static double over_log_variance(double log_s2, void *arg) {
    integrand *in = arg;
    double a = 0.5 * in->m->nu, b = a * in->m->lambda, result, error;
    in->s2 = exp(log_s2);
    gsl_function f = {over_mean, in};
    double reach = 12 * sqrt(in->s2 / in->m->kappa) + 4;
    gsl_integration_qag(&f, -reach, reach, 0, 1e-10, 1000, GSL_INTEG_GAUSS61, in->inner, &result, &error);
    return result * exp(a * log(b) - gsl_sf_lngamma(a) - a * log_s2 - b / in->s2);
}

static void marginal_is_the_integral_over_mean_and_variance(void **state) {
    (void)state;
    leaf_case c;
    make_case(&c, 0.8, 3, 0.5);
    gsl_integration_workspace *outer = gsl_integration_workspace_alloc(1000);
    integrand in = {.m = &c.m, .inner = gsl_integration_workspace_alloc(1000)};
    for (in.n = 1; in.n <= 4; in.n++) {
        double result, error, stat[3];
        const uint32_t rows[] = {0, 1, 2, 3};
        gsl_function f = {over_log_variance, &in};
        gsl_integration_qag(&f, -12, 14, 0, 1e-9, 1000, GSL_INTEG_GAUSS61, outer, &result, &error);
        cp_leaf_gather(&c.m, rows, in.n, stat);
        assert_near(cp_leaf_log_marginal(&c.m, stat), log(result), 1e-7);
    }
    gsl_integration_workspace_free(outer);
    gsl_integration_workspace_free(in.inner);
    cp_leaf_clear(&c.m);
}

/* ------------------------------------------------------------------------------------------------------- statistics */

static void no_rows_say_nothing(void **state) {
    (void)state;
    leaf_case c;
    double stat[3] = {0};
    make_case(&c, 0.1, 3, 0.2);
    assert_true(cp_leaf_log_marginal(&c.m, stat) == 0);
    cp_leaf_clear(&c.m);
}

static void gather_adds_up(void **state) {
    (void)state;
    leaf_case c;
    make_case(&c, 0.1, 3, 0.2);
    for (size_t i = 0; i < ROWS; i++) c.y[i] = round(c.y[i] * 1024) / 1024; /* sums of these are exact */
    double one[3] = {0}, all[3];
    for (size_t n = 0; n < 40; n++) {
        cp_leaf_gather(&c.m, c.row, n, all);
        assert_memory_equal(one, all, sizeof one);
        cp_leaf_add(&c.m, one, c.row[n]);
    }
    cp_leaf_clear(&c.m);
}

static void scan_is_the_marginal_of_both_sides(void **state) {
    (void)state;
    leaf_case c;
    make_case(&c, 0.1, 3, 0.2);
    for (size_t step = 1; step < 100; step = 3 * step + 1) {
        uint32_t end[ROWS];
        double whole[3], tmp[6], out[ROWS], side[2][3];
        size_t gaps = 0;
        for (size_t i = step; i < ROWS; i += step) end[gaps++] = (uint32_t)i;
        cp_leaf_gather(&c.m, c.row, ROWS, whole);
        cp_leaf_scan(&c.m, &(cp_leaf_cuts){c.row, end, gaps}, whole, tmp, out);
        for (size_t g = 0; g < gaps; g++) {
            cp_leaf_gather(&c.m, c.row, end[g], side[0]);
            cp_leaf_gather(&c.m, c.row + end[g], ROWS - end[g], side[1]);
            assert_near(out[g], cp_leaf_log_marginal(&c.m, side[0]) + cp_leaf_log_marginal(&c.m, side[1]), 1e-12);
        }
    }
    cp_leaf_clear(&c.m);
}

/* Squares of 1e9 + noise hold nothing of the noise; what comes out must be finite all the same. */
static void huge_offsets_and_equal_targets_stay_finite(void **state) {
    (void)state;
    leaf_case c;
    make_case(&c, 0.1, 3, 0.2);
    for (int equal = 0; equal < 2; equal++) {
        for (size_t i = 0; i < ROWS; i++) c.y[i] = 1e9 + (equal ? 0 : c.y[i] / (1 + (double)i));
        double stat[3];
        cp_leaf_gather(&c.m, c.row, ROWS, stat);
        cp_component p = cp_leaf_nig_predict(&c.m, stat, 1);
        assert_true(isfinite(cp_leaf_log_marginal(&c.m, stat)));
        assert_true(isfinite(p.scale) && p.scale > 0);
        assert_near(p.loc, 1e9, 1e-3);
    }
    cp_leaf_clear(&c.m);
}

/* ------------------------------------------------------------------------------------------------------------ units */

static void units_make_mean_0_and_mean_square_1(void **state) {
    (void)state;
    const double offset[] = {0, -3, 1e6, 1e12};
    leaf_case c;
    make_case(&c, 0.1, 3, 0.2);
    cp_leaf_clear(&c.m);
    for (size_t k = 0; k < COUNT(offset); k++) {
        double y[ROWS], sum = 0, squares = 0;
        for (size_t i = 0; i < ROWS; i++) y[i] = offset[k] + 7 * c.y[i];
        cp_leaf_units u = cp_leaf_nig_units(y, ROWS, 2);
        for (size_t i = 0; i < ROWS; i++) {
            double z = (y[i] - u.centre) / u.scale;
            sum += z / ROWS;
            squares += z * z / ROWS;
        }
        assert_near(sum, 0, 1e-12 + fabs(offset[k]) * 1e-16);
        assert_near(squares, 1, 1e-9);
        assert_near(cp_leaf_nig_units(y, ROWS, 1).centre, u.centre, 1e-13);
    }
}

static void equal_targets_have_a_unit_too(void **state) {
    (void)state;
    const double y[] = {0.1, 0.1, 0.1};
    cp_leaf_units three = cp_leaf_nig_units(y, 3, 2), one = cp_leaf_nig_units(y, 1, 1);
    assert_true(three.centre == 0.1 && three.scale == 1e-6);
    assert_true(one.centre == 0.1 && one.scale == 1);
}

/* ------------------------------------------------------------------------------------------------------------ draws */

enum { DRAWS = 20000 };

typedef struct posterior {
    double kappa, mu, nu, b;
} posterior;

static posterior posterior_of(const cp_leaf *m, const double *stat) {
    double kappa = m->kappa + stat[0];
    return (posterior){kappa, stat[1] / kappa, m->nu + stat[0],
                       m->nu * m->lambda + stat[2] - stat[1] * stat[1] / kappa};
}

/* b / s2 is chi-square. */
static double variance_cdf(double s2, const void *arg) {
    const posterior *p = arg;
    return gsl_cdf_chisq_Q(p->b / s2, p->nu);
}

/* The mean alone is a Student. */
static double mean_cdf(double mu, const void *arg) {
    const posterior *p = arg;
    return gsl_cdf_tdist_P((mu - p->mu) / sqrt(p->b / p->nu / p->kappa), p->nu);
}

/* Given the variance, the mean is normal: (mu - mu_n) sqrt(kappa_n / s2) tests the two together. */
static double standard_cdf(double z, const void *arg) {
    (void)arg;
    return gsl_cdf_ugaussian_P(z);
}

static double target_cdf(double y, const void *arg) {
    const cp_component *c = arg;
    return gsl_cdf_tdist_P((y - c->loc) / c->scale, c->df);
}

static void draws_follow_the_posterior(void **state) {
    (void)state;
    static double mu[DRAWS], s2[DRAWS], z[DRAWS], target[DRAWS];
    leaf_case c;
    double stat[3], bound = ks_bound_one(DRAWS);
    make_case(&c, 0.7, 3, 0.4);
    for (size_t n = 0; n <= 6; n += 6) {
        cp_rng rng;
        cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, (uint32_t)n, 0);
        cp_leaf_gather(&c.m, c.row, n, stat);
        posterior p = posterior_of(&c.m, stat);
        for (size_t i = 0; i < DRAWS; i++) {
            double drawn[2];
            cp_leaf_draw(&c.m, stat, &rng, drawn);
            mu[i] = drawn[0];
            s2[i] = drawn[1];
            z[i] = (mu[i] - p.mu) * sqrt(p.kappa / s2[i]);
            target[i] = cp_leaf_draw_target(&c.m, drawn, &rng);
        }
        cp_component predicted = cp_leaf_nig_predict(&c.m, stat, 1);
        assert_true(ks_one(mu, DRAWS, mean_cdf, &p) < bound);
        assert_true(ks_one(s2, DRAWS, variance_cdf, &p) < bound);
        assert_true(ks_one(z, DRAWS, standard_cdf, NULL) < bound);
        assert_true(ks_one(target, DRAWS, target_cdf, &predicted) < bound);
        /* A prior of one row more, or a scale without the mean's own uncertainty, is noticed. */
        posterior wrong = p;
        wrong.nu++;
        assert_true(ks_one(s2, DRAWS, variance_cdf, &wrong) > bound);
        predicted.scale /= sqrt(1 + 1 / p.kappa);
        if (n == 0) assert_true(ks_one(target, DRAWS, target_cdf, &predicted) > bound);
    }
    cp_leaf_clear(&c.m);
}

static void prediction_has_the_closed_form(void **state) {
    (void)state;
    leaf_case c;
    double stat[3];
    make_case(&c, 0.7, 3, 0.4);
    cp_leaf_gather(&c.m, c.row, 9, stat);
    posterior p = posterior_of(&c.m, stat);
    cp_component got = cp_leaf_nig_predict(&c.m, stat, 0.3);
    assert_true(got.weight == 0.3);
    assert_near(got.loc, p.mu, 1e-15);
    assert_near(got.scale * got.scale, p.b / p.nu * (p.kappa + 1) / p.kappa, 1e-14);
    assert_true(got.df == 12);
    cp_leaf_clear(&c.m);
}

static void lambda_puts_the_share_below_sd(void **state) {
    (void)state;
    const double nus[] = {0.5, 1, 3, 10, 300}, shares[] = {0.01, 0.5, 0.9, 0.99, 0.9999};
    for (size_t i = 0; i < COUNT(nus); i++)
        for (size_t j = 0; j < COUNT(shares); j++)
            for (double sd = 1e-3; sd < 1e4; sd *= 1e3) {
                double lambda = cp_leaf_nig_lambda(nus[i], sd, shares[j]);
                assert_true(lambda > 0);
                assert_near(gsl_cdf_chisq_Q(nus[i] * lambda / (sd * sd), nus[i]), shares[j], 1e-12);
            }
}

static void no_memory_is_a_status(void **state) {
    (void)state;
    const double y[] = {0, 1};
    copse_error err;
    cp_leaf m;
    cp_mem_fail_after(0);
    copse_status status = cp_leaf_nig_init(&m, y, 2, (cp_leaf_nig_prior){1, 1, 1}, &err);
    cp_mem_fail_after(-1);
    assert_int_equal(status, COPSE_E_MEMORY);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marginal_is_the_product_of_predictives),
        cmocka_unit_test(marginal_is_the_integral_over_mean_and_variance),
        cmocka_unit_test(no_rows_say_nothing),
        cmocka_unit_test(gather_adds_up),
        cmocka_unit_test(scan_is_the_marginal_of_both_sides),
        cmocka_unit_test(huge_offsets_and_equal_targets_stay_finite),
        cmocka_unit_test(units_make_mean_0_and_mean_square_1),
        cmocka_unit_test(equal_targets_have_a_unit_too),
        cmocka_unit_test(draws_follow_the_posterior),
        cmocka_unit_test(prediction_has_the_closed_form),
        cmocka_unit_test(lambda_puts_the_share_below_sd),
        cmocka_unit_test(no_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
