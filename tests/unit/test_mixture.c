#include "check.h"

#include <float.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "num/draw.h"
#include "num/mixture_crps.h"

enum { MOST = 1000 };

/* A random mixture: scales spread over `decades` powers of ten around 1, locations within `width` of `centre`. */
typedef struct recipe {
    size_t n;
    double centre, width, decades;
    int student;
} recipe;

static const recipe recipes[] = {
    {1, 0, 1, 0, 0},    {2, 0, 8, 0, 0},        {10, 0, 3, 0.5, 0}, {40, -3, 2, 1, 0},   {200, 0, 2, 1, 0},
    {300, 0, 50, 2, 0}, {500, 1e3, 1000, 0, 0}, {20, 0, 10, 12, 0}, {150, 0, 10, 12, 0}, {200, 1e9, 5, 1, 0},
    {800, 0, 40, 2, 0}, {100, 0, 1e6, 4, 0},    {3, 0, 2, 0, 1},    {30, 0, 5, 1, 1},
};

static cp_mixture make(recipe r, cp_rng *rng, cp_component *c) {
    static const double dfs[] = {1.5, 2.5, 3, 5, 30, INFINITY};
    for (size_t i = 0; i < r.n; i++)
        c[i] = (cp_component){.weight = cp_draw_exp(rng),
                              .loc = r.centre + r.width * (cp_rng_unit(rng) - 0.5),
                              .scale = pow(10, r.decades * (cp_rng_unit(rng) - 0.5)),
                              .df = r.student ? dfs[cp_rng_below(rng, COUNT(dfs))] : INFINITY};
    return (cp_mixture){.c = c, .n = cp_mixture_tidy(c, r.n)};
}

/* Runs `body` for several mixtures of every recipe. */
typedef void (*mixture_test)(cp_mixture m, recipe r, cp_rng *rng);
static void for_all(const char *name, int repeats, mixture_test body) {
    static cp_component c[MOST];
    cp_rng rng;
    cp_rng_init(&rng, seed_of(name), CP_FOR_TEST, 0, 0);
    for (size_t i = 0; i < COUNT(recipes); i++)
        for (int k = 0; k < repeats; k++) {
            cp_mixture m = make(recipes[i], &rng, c);
            assert_true(cp_mixture_check(m));
            body(m, recipes[i], &rng);
        }
}

static double oracle_cdf(cp_mixture m, double y, int lower) {
    double sum = 0;
    for (size_t i = 0; i < m.n; i++) sum += m.c[i].weight * pt((y - m.c[i].loc) / m.c[i].scale, m.c[i].df, lower, 0);
    return sum;
}

/* ------------------------------------------------------------------------------------------- moments, cdf, density */

static void tidy_drops_dust_and_renormalises(void **state) {
    (void)state;
    cp_component c[] = {{2, 1, 1, INFINITY}, {1e-13, 5, 1, 3}, {0, 6, 1, 3}, {2, 3, 2, 3}};
    assert_int_equal(cp_mixture_tidy(c, 4), 2);
    assert_near(c[0].weight, 0.5, 0);
    assert_near(c[1].weight, 0.5, 0);
    assert_near(c[1].loc, 3, 0);
    assert_int_equal(cp_mixture_tidy(c, 0), 0);
}

static void check_finds_each_fault(void **state) {
    (void)state;
    cp_component good[] = {{0.25, 0, 1, INFINITY}, {0.75, 1, 2, 3}};
    assert_true(cp_mixture_check((cp_mixture){.c = good, .n = 2}));
    assert_false(cp_mixture_check((cp_mixture){.c = good, .n = 0}));
    assert_false(cp_mixture_check((cp_mixture){.c = good, .n = 1}));
    cp_component bad[] = {{0, 0, 1, 3}, {1, NAN, 1, 3},      {1, INFINITY, 1, 3},
                          {1, 0, 0, 3}, {1, 0, INFINITY, 3}, {1, 0, 1, 0}};
    for (size_t i = 0; i < COUNT(bad); i++) assert_false(cp_mixture_check((cp_mixture){.c = &bad[i], .n = 1}));
}

static void moments_have_their_closed_forms(void **state) {
    (void)state;
    cp_component c[] = {{0.25, 1e9, 2, INFINITY}, {0.75, 1e9 + 4, 1, 4}};
    cp_mixture m = {.c = c, .n = 2};
    assert_true(cp_mixture_mean(m) == 1e9 + 3);
    assert_near(cp_mixture_var(m), 0.25 * (4 + 9) + 0.75 * (2 + 1), 1e-15);
    c[1].df = 2;
    assert_true(isinf(cp_mixture_var(m)));
}

static void cdf_body(cp_mixture m, recipe r, cp_rng *rng) {
    for (int k = 0; k < 20; k++) {
        double y = r.centre + 2 * r.width * (cp_rng_unit(rng) - 0.5);
        assert_near(cp_mixture_cdf(m, y), oracle_cdf(m, y, 1), 1e-13);
        double sum = 0;
        for (size_t i = 0; i < m.n; i++)
            sum += m.c[i].weight / m.c[i].scale * dt((y - m.c[i].loc) / m.c[i].scale, m.c[i].df, 0);
        if (sum > DBL_MIN) assert_near(cp_mixture_log_density(m, y), log(sum), 1e-12);
    }
}
static void cdf_and_density_agree(void **state) {
    (void)state;
    for_all(__func__, 5, cdf_body);
}

static void log_density_survives_underflow(void **state) {
    (void)state;
    cp_component c[] = {{0.5, 0, 1e-6, INFINITY}, {0.5, 1, 1e-6, INFINITY}};
    cp_mixture m = {.c = c, .n = 2};
    assert_near(cp_mixture_log_density(m, 1000), log(0.5) + dnorm(1000, 1, 1e-6, 1), 1e-13);
    assert_true(cp_mixture_cdf(m, -1000) == 0 && cp_mixture_cdf(m, 1000) == 1);
    assert_near(cp_mixture_cdf(m, 0.5), 0.5, 1e-15);
}

/* ------------------------------------------------------------------------------------------------------ quantiles */

/* F(result) = q within 1e-10, and in the tails within a relative 1e-8, unless neighbouring doubles straddle q. */
static void quantile_is_right(cp_mixture m, double q) {
    double y = cp_mixture_quantile(m, q);
    int lower = q <= 0.5;
    double want = lower ? q : 1 - q, tolerance = fmin(1e-10, 1e-8 * want);
    if (fabs(oracle_cdf(m, y, lower) - want) <= tolerance) return;
    double spacing = 2 * (nextafter(fabs(y), INFINITY) - fabs(y));
    double one = oracle_cdf(m, y - spacing, lower), other = oracle_cdf(m, y + spacing, lower);
    if (!(fmin(one, other) <= want && want <= fmax(one, other)))
        fail_msg("quantile %.17g is %.17g, F there is %.17g", q, y, oracle_cdf(m, y, 1));
}

static void quantile_body(cp_mixture m, recipe r, cp_rng *rng) {
    (void)r;
    static const double qs[] = {1e-300, 1e-30, 1e-12, 1e-4, 0.01,     0.05,       0.25,
                                0.5,    0.75,  0.95,  0.99, 1 - 1e-9, 1 - 0x1p-53};
    for (size_t i = 0; i < COUNT(qs); i++) quantile_is_right(m, qs[i]);
    for (int k = 0; k < 20; k++) quantile_is_right(m, cp_rng_unit(rng));
}
static void quantile_inverts_the_cdf(void **state) {
    (void)state;
    for_all(__func__, 5, quantile_body);
}

static void quantile_of_very_different_scales(void **state) {
    (void)state;
    cp_component c[] = {{0.5, 3, 1e-6, INFINITY}, {0.5, 3, 1e6, INFINITY}};
    for (double q = 0.001; q < 1; q += 0.001) quantile_is_right((cp_mixture){.c = c, .n = 2}, q);
}

/* Between the two modes F is flat at exactly the quantile asked for: any point there will do. */
static void quantile_in_a_flat_stretch(void **state) {
    (void)state;
    cp_component c[] = {{0.5, -1e6, 1e-6, INFINITY}, {0.5, 1e6, 1e-6, INFINITY}};
    for (int k = -10; k <= 10; k++) quantile_is_right((cp_mixture){.c = c, .n = 2}, 0.5 + 1e-7 * k);
}

static void quantile_at_a_large_offset(void **state) {
    (void)state;
    cp_component c[] = {{0.3, 1e9, 1e-3, INFINITY}, {0.7, 1e9 + 1, 0.5, 3}};
    for (double q = 0.001; q < 1; q += 0.001) quantile_is_right((cp_mixture){.c = c, .n = 2}, q);
}

static void quantile_of_heavy_tails(void **state) {
    (void)state;
    cp_component c[] = {{0.5, 0, 1, 0.5}, {0.5, 5, 2, 1}};
    static const double qs[] = {1e-60, 1e-12, 1e-3, 0.3, 0.6, 1 - 1e-12};
    for (size_t i = 0; i < COUNT(qs); i++) quantile_is_right((cp_mixture){.c = c, .n = 2}, qs[i]);
}

static void quantile_at_the_ends(void **state) {
    (void)state;
    cp_component c = {1, 0, 1, INFINITY};
    cp_mixture m = {.c = &c, .n = 1};
    assert_true(cp_mixture_quantile(m, 0) == -INFINITY && cp_mixture_quantile(m, 1) == INFINITY);
    assert_true(isnan(cp_mixture_quantile(m, -0.1)) && isnan(cp_mixture_quantile(m, 1.1)));
    assert_true(isnan(cp_mixture_quantile(m, NAN)));
    assert_near(cp_mixture_quantile(m, 0.975), qnorm(0.975, 0, 1, 1, 0), 1e-13);
}

/* ----------------------------------------------------------------------------------------------------------- crps */

/* The closed form in long double. */
static long double mean_abs(long double gap, long double sd) {
    long double u = gap / sd;
    return sd * sqrtl(2 / acosl(-1)) * expl(-0.5L * u * u) + gap * erfl(u / sqrtl(2));
}

static double closed_form(cp_mixture m, double y) {
    long double sum = 0;
    for (size_t i = 0; i < m.n; i++) {
        const cp_component *a = &m.c[i];
        sum += (long double)a->weight * mean_abs((long double)y - a->loc, a->scale);
        for (size_t j = 0; j < m.n; j++) {
            const cp_component *b = &m.c[j];
            long double sd = sqrtl((long double)a->scale * a->scale + (long double)b->scale * b->scale);
            sum -= 0.5L * a->weight * b->weight * mean_abs((long double)a->loc - b->loc, sd);
        }
    }
    return (double)sum;
}

/* The same law with every component cut into `parts` equal ones: reaches the ways of computing meant for many. */
static cp_mixture cut(cp_mixture m, size_t parts, cp_component *out) {
    for (size_t i = 0; i < m.n * parts; i++) {
        out[i] = m.c[i / parts];
        out[i].weight /= (double)parts;
    }
    return (cp_mixture){.c = out, .n = m.n * parts};
}

static void crps_body(cp_mixture m, recipe r, cp_rng *rng) {
    static cp_component pieces[MOST];
    if (r.student) return;
    for (int k = 0; k < 3; k++) {
        double y = k == 0 ? r.centre + 20 * r.width + 100 : cp_mixture_draw(m, rng);
        double oracle = closed_form(m, y);
        assert_true(fabs(cp_mixture_crps(m, y) - oracle) <= 1e-6 * oracle);
        cp_mixture many = cut(m, MOST / m.n, pieces);
        assert_true(fabs(cp_mixture_crps(many, y) - oracle) <= 1e-6 * oracle);
    }
}
static void crps_equals_the_closed_form(void **state) {
    (void)state;
    for_all(__func__, 1, crps_body);
}

typedef struct integrand {
    cp_mixture m;
    double y;
} integrand;

/* (F(y - t))^2 + (1 - F(y + t))^2, to be integrated over t > 0. */
static double both_sides(double t, void *arg) {
    const integrand *g = arg;
    double below = oracle_cdf(g->m, g->y - t, 1), above = oracle_cdf(g->m, g->y + t, 0);
    return below * below + above * above;
}

static double integrated(cp_mixture m, double y) {
    gsl_integration_workspace *w = gsl_integration_workspace_alloc(5000);
    integrand g = {m, y};
    gsl_function f = {both_sides, &g};
    double body, tail, error;
    gsl_integration_qag(&f, 0, 50, 0, 1e-9, 5000, GSL_INTEG_GAUSS61, w, &body, &error);
    gsl_integration_qagiu(&f, 50, 0, 1e-8, 5000, w, &tail, &error);
    gsl_integration_workspace_free(w);
    return body + tail;
}

static void crps_student_body(cp_mixture m, recipe r, cp_rng *rng) {
    if (!r.student) return;
    for (int k = 0; k < 3; k++) {
        double y = k == 0 ? 15 : cp_mixture_draw(m, rng), oracle = integrated(m, y);
        assert_true(fabs(cp_mixture_crps(m, y) - oracle) <= 1e-6 * oracle);
    }
}
static void crps_of_student_mixtures_equals_the_integral(void **state) {
    (void)state;
    for_all(__func__, 4, crps_student_body);
}

static void crps_of_heavy_tails(void **state) {
    (void)state;
    cp_component c = {1, 0, 1, 1};
    /* Cauchy at its centre: 2 int_0^inf (1/2 - atan(z)/pi)^2 dz = 2 log(2) / pi. */
    assert_near(cp_mixture_crps((cp_mixture){.c = &c, .n = 1}, 0), 2 * log(2) / M_PI, 1e-6);
    c.df = 0.5;
    assert_true(isinf(cp_mixture_crps((cp_mixture){.c = &c, .n = 1}, 0)));
}

/* Narrow components far apart and an outcome between them: all the mass is in steps that a careless rule walks over. */
static void crps_of_steps(void **state) {
    (void)state;
    static cp_component c[300];
    for (size_t i = 0; i < 300; i++) c[i] = (cp_component){1.0 / 300, 1e6 * (double)(i * i), 1e-6, INFINITY};
    cp_mixture m = {.c = c, .n = 300};
    assert_near(cp_mixture_crps(m, 1.7e10), closed_form(m, 1.7e10), 1e-6);
    for (size_t i = 0; i < 300; i++) c[i] = (cp_component){i ? 1e-9 : 1 - 299e-9, i ? 1e6 : 0, 1e-3, INFINITY};
    assert_near(cp_mixture_crps(m, 0), closed_form(m, 0), 1e-6);
}

/* The light part makes nearly all of E|Y - Y'| and of the mean scale, and hardly any of the score at 0. */
static void crps_of_a_heavy_centre_and_light_wide_wings(void **state) {
    (void)state;
    static cp_component c[400];
    for (size_t i = 0; i < 400; i++)
        c[i] = (cp_component){i % 2 ? 0.05 / 200 : 0.95 / 200, i % 2 ? (double)i / 40 : 0.001 * (double)i,
                              i % 2 ? 20 : 0.1, INFINITY};
    cp_mixture m = {.c = c, .n = 400};
    double oracle = closed_form(m, 0.2);
    assert_true(fabs(cp_mixture_crps(m, 0.2) - oracle) <= 1e-6 * oracle);
}

static void crps_at_a_large_offset(void **state) {
    (void)state;
    cp_component c[] = {{0.3, 1e9, 1e-3, INFINITY}, {0.7, 1e9 + 1, 0.5, INFINITY}};
    cp_component near_zero[] = {{0.3, 0, 1e-3, INFINITY}, {0.7, 1, 0.5, INFINITY}};
    double want = cp_mixture_crps((cp_mixture){.c = near_zero, .n = 2}, 0.25);
    assert_near(cp_mixture_crps((cp_mixture){.c = c, .n = 2}, 1e9 + 0.25), want, 1e-6);
}

/* Places near 1e9 are known to 1e-7 only: a thousandth of these scales.  Distances between them are exact. */
static void crps_of_students_at_a_large_offset(void **state) {
    (void)state;
    const double at = 1e9, unit = 1.0 / 8192;
    cp_component near_zero[] = {{.5, 0, unit, 4}, {.3, 8 * unit, unit, 20}, {.2, -5 * unit, unit, 300}}, far[3];
    for (int i = 0; i < 3; i++) {
        far[i] = near_zero[i];
        far[i].loc += at;
    }
    double want = cp_mixture_crps((cp_mixture){.c = near_zero, .n = 3}, 2 * unit);
    assert_true(fabs(cp_mixture_crps((cp_mixture){.c = far, .n = 3}, at + 2 * unit) - want) <= 1e-12 * want);
}

/* ---------------------------------------------------------------------------------------------------------- draws */

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

enum { DRAWS = 40000 };

static double distance(cp_mixture m, const double *sorted) {
    double d = 0;
    for (int i = 0; i < DRAWS; i++) {
        double f = cp_mixture_cdf(m, sorted[i]);
        d = fmax(d, fmax(f - (double)i / DRAWS, (double)(i + 1) / DRAWS - f));
    }
    return d;
}

static void draws_body(cp_mixture m, recipe r, cp_rng *rng) {
    static double x[DRAWS];
    (void)r;
    if (m.n > 50) return;
    for (int i = 0; i < DRAWS; i++) x[i] = cp_mixture_draw(m, rng);
    qsort(x, DRAWS, sizeof *x, by_value);
    double bound = sqrt(log(2 / 1e-6) / (2.0 * DRAWS));
    assert_true(distance(m, x) < bound);
    cp_component wider = m.c[0];
    for (size_t i = 1; i < m.n; i++)
        if (m.c[i].weight > wider.weight) wider = m.c[i];
    wider.weight = 1;
    wider.scale *= 3;
    assert_true(distance((cp_mixture){.c = &wider, .n = 1}, x) > bound);
}
/* Equal Gaussians in short give the very bits they give when written out. */
static void short_and_long_mixtures_are_one(void **state) {
    (void)state;
    enum { STRIDE = 3 };
    static const size_t sizes[] = {1, 2, 63, 64, 65, 130, 700};
    static cp_gauss g[STRIDE * MOST];
    static cp_component c[MOST];
    cp_rng rng;
    cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, 0, 0);
    for (size_t i = 0; i < COUNT(sizes); i++) {
        size_t n = sizes[i];
        cp_mixture brief = {.n = n, .g = g, .stride = STRIDE, .centre = 7.25, .unit = 1.3}, full = {.c = c, .n = n};
        for (size_t k = 0; k < STRIDE * n; k++)
            g[k] = (cp_gauss){(float)cp_draw_normal(&rng), (float)(.1 + cp_draw_exp(&rng))};
        for (size_t k = 0; k < n; k++)
            c[k] = (cp_component){1 / (double)n, 7.25 + 1.3 * (double)g[STRIDE * k].mean,
                                  1.3 * (double)g[STRIDE * k].sd, INFINITY};
        assert_true(cp_mixture_check(brief));
        assert_true(cp_mixture_mean(brief) == cp_mixture_mean(full) && cp_mixture_var(brief) == cp_mixture_var(full));
        for (double y = -200; y <= 200; y += 12.5) {
            assert_true(cp_mixture_cdf(brief, y) == cp_mixture_cdf(full, y));
            assert_true(cp_mixture_upper(brief, y) == cp_mixture_upper(full, y));
            assert_true(cp_mixture_log_density(brief, y) == cp_mixture_log_density(full, y));
            assert_true(cp_mixture_crps(brief, y) == cp_mixture_crps(full, y));
        }
        for (double q = .01; q < 1; q += .07)
            assert_true(cp_mixture_quantile(brief, q) == cp_mixture_quantile(full, q));
        cp_rng one = rng, other = rng;
        for (int k = 0; k < 20; k++) assert_true(cp_mixture_draw(brief, &one) == cp_mixture_draw(full, &other));
    }
}

static void draws_follow_the_cdf(void **state) {
    (void)state;
    for_all(__func__, 1, draws_body);
}

/* Mean, variance and CRPS = E|Y - y| - E|Y - Y'|/2 from draws, within five standard errors. */
static void draws_have_the_moments_and_the_crps(void **state) {
    (void)state;
    enum { N = 200000 };
    cp_component c[] = {{0.2, -2, 0.3, INFINITY}, {0.5, 1, 1, INFINITY}, {0.3, 3, 0.5, 9}};
    cp_mixture m = {.c = c, .n = 3};
    cp_rng rng;
    cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, 0, 0);
    double y = 0.7, sum = 0, squares = 0, score = 0, score_squares = 0, fourth = 0;
    double mean = cp_mixture_mean(m), var = cp_mixture_var(m);
    for (int i = 0; i < N; i++) {
        double a = cp_mixture_draw(m, &rng), b = cp_mixture_draw(m, &rng), e = a - mean;
        double s = 0.5 * (fabs(a - y) + fabs(b - y) - fabs(a - b));
        sum += e;
        squares += e * e;
        fourth += e * e * e * e;
        score += s;
        score_squares += s * s;
    }
    double score_mean = score / N, score_sd = sqrt(score_squares / N - score_mean * score_mean);
    assert_true(fabs(sum / N) < 5 * sqrt(var / N));
    assert_true(fabs(squares / N - var) < 5 * sqrt((fourth / N - var * var) / N));
    assert_true(fabs(score_mean - cp_mixture_crps(m, y)) < 5 * score_sd / sqrt(N));
}

int main(void) {
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tidy_drops_dust_and_renormalises),
        cmocka_unit_test(check_finds_each_fault),
        cmocka_unit_test(moments_have_their_closed_forms),
        cmocka_unit_test(cdf_and_density_agree),
        cmocka_unit_test(log_density_survives_underflow),
        cmocka_unit_test(quantile_inverts_the_cdf),
        cmocka_unit_test(quantile_of_very_different_scales),
        cmocka_unit_test(quantile_in_a_flat_stretch),
        cmocka_unit_test(quantile_at_a_large_offset),
        cmocka_unit_test(quantile_of_heavy_tails),
        cmocka_unit_test(quantile_at_the_ends),
        cmocka_unit_test(crps_equals_the_closed_form),
        cmocka_unit_test(crps_of_student_mixtures_equals_the_integral),
        cmocka_unit_test(crps_of_heavy_tails),
        cmocka_unit_test(crps_of_steps),
        cmocka_unit_test(crps_of_a_heavy_centre_and_light_wide_wings),
        cmocka_unit_test(crps_at_a_large_offset),
        cmocka_unit_test(crps_of_students_at_a_large_offset),
        cmocka_unit_test(short_and_long_mixtures_are_one),
        cmocka_unit_test(draws_follow_the_cdf),
        cmocka_unit_test(draws_have_the_moments_and_the_crps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
