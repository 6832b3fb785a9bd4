/* Quantiles found together equal those found one by one. */
#include "check.h"

#include <math.h>

#include "base/mem.h"
#include "num/draw.h"
#include "num/mixture_quantiles.h"

enum { MOST = 3000, QUANTILES = 29 };

static const double probs[QUANTILES] = {.5,   .05,  .1,    .15,  .2,    .25,  .3,  .35, .4,    .45,
                                        .55,  .6,   .65,   .7,   .75,   .8,   .85, .9,  .95,   .999,
                                        1e-3, 1e-9, 1e-40, .975, .9999, .025, 0,   1,   1e-200};

static void assert_together_is_alone(cp_mixture m) {
    double out[QUANTILES];
    cp_mixture_quantiles(m, probs, QUANTILES, out);
    for (size_t k = 0; k < QUANTILES; k++) {
        double alone = cp_mixture_quantile(m, probs[k]), scale = fabs(alone);
        if (out[k] == alone) continue;
        if (fabs(out[k] - alone) > 1e-12 * scale) {
            /* Where the cdf is flat, many numbers are quantiles: then both have the mass that was asked for. */
            double q = probs[k] > .5 ? 1 - probs[k] : probs[k];
            double mass = probs[k] > .5 ? cp_mixture_upper(m, out[k]) : cp_mixture_cdf(m, out[k]);
            if (fabs(mass - q) > 2e-13 * q)
                fail_msg("q = %g of %zu: %.17g together, %.17g alone", probs[k], m.n, out[k], alone);
        }
    }
}

static cp_component *some(size_t n, double spread, double narrow, double df, cp_rng *rng) {
    cp_component *c = malloc(n * sizeof *c);
    for (size_t i = 0; i < n; i++)
        c[i] = (cp_component){.weight = cp_rng_unit(rng) * cp_rng_unit(rng) + 1e-6,
                              .loc = spread * cp_draw_normal(rng) + 3,
                              .scale = exp(narrow * cp_draw_normal(rng)),
                              .df = df > 0 && i % 3 == 0 ? df : INFINITY};
    cp_mixture_tidy(c, n);
    return c;
}

static void random_mixtures(void **state) {
    cp_rng rng;
    (void)state;
    cp_rng_init(&rng, seed_of("random_mixtures"), CP_FOR_TEST, 0, 0);
    for (int round = 0; round < 60; round++) {
        size_t n = round % 6 == 0 ? 1 : (size_t)exp(log(MOST) * cp_rng_unit(&rng)) + 1;
        double spread = exp(6 * cp_rng_unit(&rng) - 3), narrow = 2 * cp_rng_unit(&rng);
        cp_component *c = some(n, spread, narrow, round % 5 == 4 ? 1 + 5 * cp_rng_unit(&rng) : 0, &rng);
        assert_together_is_alone((cp_mixture){.c = c, .n = n});
        free(c);
    }
}

/* Students alone, as Bayesian trees predict them: few degrees of freedom, many, and both. */
static void students(void **state) {
    cp_rng rng;
    (void)state;
    cp_rng_init(&rng, seed_of("students"), CP_FOR_TEST, 0, 0);
    for (int round = 0; round < 30; round++) {
        size_t n = 1 + cp_rng_below(&rng, 70);
        cp_component *c = some(n, 2 * cp_rng_unit(&rng), cp_rng_unit(&rng), 0, &rng);
        for (size_t i = 0; i < n; i++) c[i].df = 1.5 + exp((round % 3 ? 9 : 3) * cp_rng_unit(&rng));
        assert_together_is_alone((cp_mixture){.c = c, .n = n});
        free(c);
    }
}

/* Two far modes: the density between them is 0. */
static void far_modes(void **state) {
    cp_component c[] = {{.25, -1e6, 1, INFINITY}, {.25, 0, 1e-3, INFINITY}, {.5, 1e6, 1e2, INFINITY}};
    (void)state;
    assert_together_is_alone((cp_mixture){.c = c, .n = 3});
}

/* A large offset leaves few digits for the spread. */
static void far_from_zero(void **state) {
    cp_rng rng;
    (void)state;
    cp_rng_init(&rng, seed_of("far_from_zero"), CP_FOR_TEST, 0, 0);
    cp_component *c = some(1000, 1, 1, 0, &rng);
    for (size_t i = 0; i < 1000; i++) c[i].loc += 1e9;
    assert_together_is_alone((cp_mixture){.c = c, .n = 1000});
    free(c);
}

static void gaussians_of_a_forest(void **state) {
    cp_gauss g[400];
    cp_rng rng;
    (void)state;
    cp_rng_init(&rng, seed_of("gaussians_of_a_forest"), CP_FOR_TEST, 0, 0);
    for (size_t i = 0; i < 400; i++) g[i] = (cp_gauss){(float)cp_draw_normal(&rng), 0.1f + (float)cp_rng_unit(&rng)};
    assert_together_is_alone((cp_mixture){.n = 100, .g = g, .stride = 4, .centre = 7, .unit = 3});
}

static void what_is_no_probability(void **state) {
    cp_component c = {1, 2, 3, INFINITY};
    const double q[] = {-1, NAN, 2, .5, 0, 1};
    double out[6];
    (void)state;
    cp_mixture_quantiles((cp_mixture){.c = &c, .n = 1}, q, 6, out);
    assert_true(isnan(out[0]) && isnan(out[1]) && isnan(out[2]));
    assert_near(out[3], 2, 1e-12);
    assert_true(out[4] == -INFINITY && out[5] == INFINITY);
    cp_mixture_quantiles((cp_mixture){.c = &c, .n = 1}, q, 0, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_mixtures),
        cmocka_unit_test(students),
        cmocka_unit_test(far_modes),
        cmocka_unit_test(far_from_zero),
        cmocka_unit_test(gaussians_of_a_forest),
        cmocka_unit_test(what_is_no_probability),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
