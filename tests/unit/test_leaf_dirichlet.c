#include "check.h"
#include "ks.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_gamma.h>

#include "base/mem.h"
#include "leaf/leaf_dirichlet.h"

enum { ROWS = 600, MOST_CLASSES = 90 };

typedef struct leaf_case {
    cp_leaf m;
    int32_t label[ROWS];
    uint32_t row[ROWS]; /* in some order */
} leaf_case;

/* Classes of different sizes, the last one empty where there are more than two. */
static void make_case(leaf_case *c, size_t classes, double alpha) {
    copse_error err;
    cp_rng rng;
    cp_rng_init(&rng, seed_of("leaf_dirichlet"), CP_FOR_TEST, (uint32_t)classes, 0);
    for (size_t i = 0; i < ROWS; i++) {
        double u = cp_rng_unit(&rng);
        c->label[i] = (int32_t)(u * u * (double)(classes > 2 ? classes - 1 : classes));
        c->row[i] = (uint32_t)(i * 7 % ROWS);
    }
    must(cp_leaf_dirichlet_init(&c->m, c->label, ROWS, classes, alpha, &err), err);
}

static const struct {
    size_t classes;
    double alpha;
} shapes[] = {{1, 5}, {2, 1}, {3, 1e-3}, {10, 5}, {MOST_CLASSES, 5}, {4, 1e9}, {4, 300}};

/* [2013, eq. 3] by GSL's log gamma. */
static double closed_form(const cp_leaf *m, const double *stat) {
    double n = 0, a = m->alpha / (double)m->classes, sum = 0;
    for (size_t k = 0; k < m->classes; k++) {
        n += stat[k];
        sum += gsl_sf_lngamma(a + stat[k]) - gsl_sf_lngamma(a);
    }
    return gsl_sf_lngamma(m->alpha) - gsl_sf_lngamma(m->alpha + n) + sum;
}

static void marginal_is_the_product_of_predictives(void **state) {
    (void)state;
    leaf_case c;
    for (size_t s = 0; s < COUNT(shapes); s++) {
        make_case(&c, shapes[s].classes, shapes[s].alpha);
        double stat[MOST_CLASSES] = {0}, sum = 0;
        for (size_t i = 0; i < ROWS; i++) {
            double p[MOST_CLASSES] = {0};
            cp_leaf_dirichlet_predict(&c.m, stat, 1, p);
            sum += log(p[c.label[c.row[i]]]);
            cp_leaf_add(&c.m, stat, c.row[i]);
            assert_near(cp_leaf_log_marginal(&c.m, stat), sum, 1e-12);
        }
        if (shapes[s].alpha < 1e6) assert_near(sum, closed_form(&c.m, stat), 1e-11);
        cp_leaf_clear(&c.m);
    }
}

static void no_rows_and_one_class_say_nothing(void **state) {
    (void)state;
    leaf_case c;
    double stat[10] = {0};
    make_case(&c, 10, 5);
    assert_true(cp_leaf_log_marginal(&c.m, stat) == 0);
    cp_leaf_clear(&c.m);
    make_case(&c, 1, 5);
    cp_leaf_gather(&c.m, c.row, ROWS, stat);
    assert_true(cp_leaf_log_marginal(&c.m, stat) == 0);
    cp_leaf_clear(&c.m);
}

static void one_row_of_a_class(void **state) {
    (void)state;
    leaf_case c;
    double stat[4] = {0};
    make_case(&c, 4, 5);
    cp_leaf_add(&c.m, stat, 3);
    assert_near(cp_leaf_log_marginal(&c.m, stat), log(0.25), 1e-15);
    cp_leaf_clear(&c.m);
}

static void gather_adds_up(void **state) {
    (void)state;
    leaf_case c;
    for (size_t s = 0; s < COUNT(shapes); s++) {
        make_case(&c, shapes[s].classes, shapes[s].alpha);
        for (size_t n = 0; n <= 33; n++) {
            double one[MOST_CLASSES] = {0}, all[MOST_CLASSES];
            for (size_t i = 0; i < n; i++) cp_leaf_add(&c.m, one, c.row[i]);
            cp_leaf_gather(&c.m, c.row, n, all);
            assert_memory_equal(one, all, c.m.width * sizeof *one);
        }
        cp_leaf_clear(&c.m);
    }
}

/* Cuts every `step` rows: few rows between cuts and many go different ways. */
static void check_scan(const leaf_case *c, size_t step) {
    uint32_t end[ROWS];
    double whole[MOST_CLASSES], out[ROWS], side[2][MOST_CLASSES], *tmp = malloc(2 * c->m.width * sizeof *tmp);
    size_t gaps = 0;
    for (size_t i = step; i < ROWS; i += step) end[gaps++] = (uint32_t)i;
    cp_leaf_gather(&c->m, c->row, ROWS, whole);
    cp_leaf_scan(&c->m, &(cp_leaf_cuts){c->row, end, gaps}, whole, tmp, out);
    for (size_t g = 0; g < gaps; g++) {
        cp_leaf_gather(&c->m, c->row, end[g], side[0]);
        cp_leaf_gather(&c->m, c->row + end[g], ROWS - end[g], side[1]);
        assert_near(out[g], cp_leaf_log_marginal(&c->m, side[0]) + cp_leaf_log_marginal(&c->m, side[1]), 1e-13);
    }
    free(tmp);
}

static void scan_is_the_marginal_of_both_sides(void **state) {
    (void)state;
    leaf_case c;
    for (size_t s = 0; s < COUNT(shapes); s++) {
        make_case(&c, shapes[s].classes, shapes[s].alpha);
        for (size_t step = 1; step < 60; step = 2 * step + 1) check_scan(&c, step);
        check_scan(&c, ROWS);
        check_scan(&c, ROWS - 1);
        cp_leaf_clear(&c.m);
    }
}

/* ------------------------------------------------------------------------------------------------------------ draws */

typedef struct beta_law {
    double a, b;
} beta_law;

static double beta_cdf(double x, const void *arg) {
    const beta_law *law = arg;
    return gsl_cdf_beta_P(x, law->a, law->b);
}

enum { DRAWS = 20000 };

/* A share of a Dirichlet is a beta. */
static double distance(const leaf_case *c, const double *stat, size_t k, beta_law law) {
    static double share[DRAWS];
    double p[MOST_CLASSES];
    cp_rng rng;
    cp_rng_init(&rng, seed_of("shares"), CP_FOR_TEST, (uint32_t)k, 0);
    for (size_t i = 0; i < DRAWS; i++) {
        double sum = 0;
        cp_leaf_draw(&c->m, stat, &rng, p);
        for (size_t j = 0; j < c->m.classes; j++) sum += p[j];
        assert_near(sum, 1, 1e-14);
        share[i] = p[k];
    }
    return ks_one(share, DRAWS, beta_cdf, &law);
}

static void draws_follow_the_posterior(void **state) {
    (void)state;
    leaf_case c;
    const double stat[] = {7, 0, 1};
    make_case(&c, 3, 2);
    for (size_t k = 0; k < 3; k++) {
        beta_law law = {2.0 / 3 + stat[k], 2 + 8 - 2.0 / 3 - stat[k]}, wrong = {law.a * 1.3, law.b};
        assert_true(distance(&c, stat, k, law) < ks_bound_one(DRAWS));
        assert_true(distance(&c, stat, k, wrong) > ks_bound_one(DRAWS));
    }
    cp_leaf_clear(&c.m);
}

/* Where all gammas underflow one class takes all, each as likely. */
static void draws_of_tiny_alpha(void **state) {
    (void)state;
    leaf_case c;
    const double none[3] = {0};
    double p[3], hits[3] = {0};
    cp_rng rng;
    cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, 0, 0);
    make_case(&c, 3, 1e-12);
    for (size_t i = 0; i < DRAWS; i++) {
        cp_leaf_draw(&c.m, none, &rng, p);
        hits[(size_t)cp_leaf_draw_target(&c.m, p, &rng)]++;
        assert_near(fmax(p[0], fmax(p[1], p[2])), 1, 1e-6);
    }
    for (size_t k = 0; k < 3; k++) assert_true(fabs(hits[k] / DRAWS - 1.0 / 3) < share_bound(DRAWS));
    cp_leaf_clear(&c.m);
}

/* The predictive is the mean over parameters of the target's law: targets of drawn parameters have its shares. */
static void prediction_is_the_mean_over_draws(void **state) {
    (void)state;
    leaf_case c;
    const double stat[] = {3, 0, 1, 6};
    double p[4], predicted[4] = {0}, hits[4] = {0};
    cp_rng rng;
    cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, 0, 0);
    make_case(&c, 4, 2);
    for (size_t i = 0; i < DRAWS; i++) {
        cp_leaf_draw(&c.m, stat, &rng, p);
        hits[(size_t)cp_leaf_draw_target(&c.m, p, &rng)]++;
    }
    cp_leaf_dirichlet_predict(&c.m, stat, 0.25, predicted);
    cp_leaf_dirichlet_predict(&c.m, stat, 0.75, predicted);
    for (size_t k = 0; k < 4; k++) {
        assert_near(predicted[k], (stat[k] + 0.5) / 12, 1e-15);
        assert_true(fabs(hits[k] / DRAWS - predicted[k]) < share_bound(DRAWS));
    }
    assert_true(fabs(hits[3] / DRAWS - 6.0 / 10) > share_bound(DRAWS)); /* without the prior */
    cp_leaf_clear(&c.m);
}

static void no_memory_is_a_status(void **state) {
    (void)state;
    const int32_t label[] = {0, 1};
    copse_error err;
    for (long k = 0; k < 2; k++) {
        cp_leaf m;
        cp_mem_fail_after(k);
        copse_status status = cp_leaf_dirichlet_init(&m, label, 2, 2, 1, &err);
        cp_mem_fail_after(-1);
        assert_int_equal(status, COPSE_E_MEMORY);
        assert_null(m.of_rows);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marginal_is_the_product_of_predictives),
        cmocka_unit_test(no_rows_and_one_class_say_nothing),
        cmocka_unit_test(one_row_of_a_class),
        cmocka_unit_test(gather_adds_up),
        cmocka_unit_test(scan_is_the_marginal_of_both_sides),
        cmocka_unit_test(draws_follow_the_posterior),
        cmocka_unit_test(draws_of_tiny_alpha),
        cmocka_unit_test(prediction_is_the_mean_over_draws),
        cmocka_unit_test(no_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
