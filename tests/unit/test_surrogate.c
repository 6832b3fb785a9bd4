#include "check.h"

#include <gsl/gsl_integration.h>
#include <gsl/gsl_randist.h>

#include "bo/surrogate.h"
#include "num/rng.h"

enum { COLS = 3, ROWS = 40, POINTS = 60 };

static const float scale[COLS] = {.5F, 4, .5F};

static double hill(const float *x) {
    double sum = 0;
    for (int k = 0; k < COLS; k++) sum -= pow((double)x[k] - .4, 2);
    return sum;
}

static void taught(cp_surrogate *s, cp_rng *rng, float *x, double *y) {
    copse_error err;
    for (int i = 0; i < ROWS * COLS; i++) x[i] = (float)cp_rng_unit(rng);
    for (int i = 0; i < ROWS; i++) y[i] = hill(x + i * COLS);
    must(cp_surrogate_init(s, COLS, 10, seed_of("surrogate"), &err), err);
    must(cp_surrogate_reset(s, seed_of("surrogate"), scale, &err), err);
    must(cp_surrogate_update(s, x, y, ROWS, &err), err);
}

static void answer_at(const cp_surrogate *s, const float *x, cp_answer *out) {
    copse_error err;
    float stretched[POINTS * COLS];
    for (int i = 0; i < POINTS * COLS; i++) stretched[i] = scale[i % COLS] * x[i];
    cp_rows rows = {.task = COPSE_REGRESS, .n = POINTS, .dims = COLS, .x = stretched};
    must(cp_answer_init(out, COPSE_REGRESS, POINTS, 0, &err), err);
    must(s->method->predict(s->state, &rows, s->params, out, &err), err);
}

/* The mean over the trees of the values in the leaf of u. */
static double leaf_mean(const cp_surrogate *s, const float *u, const float *x, const double *y) {
    double mean = 0;
    for (size_t tree = 0; tree < 10; tree++) {
        double sum = 0, n = 0;
        for (size_t i = 0; i < ROWS; i++) {
            if (cp_surrogate_leaf(s, tree, x + i * COLS) != cp_surrogate_leaf(s, tree, u)) continue;
            sum += y[i];
            n++;
        }
        mean += sum / n / 10;
    }
    return mean;
}

static double mixture_var(cp_mixture m) {
    double mean = 0, square = 0;
    for (size_t i = 0; i < m.n; i++) {
        cp_component c = cp_mixture_at(&m, i);
        mean += c.weight * c.loc;
        square += c.weight * (c.loc * c.loc + c.scale * c.scale);
    }
    return square - mean * mean;
}

typedef struct gain {
    double mean, sd, best;
} gain;

static double gain_at(double z, void *arg) {
    const gain *g = arg;
    return fmax(g->mean + g->sd * z - g->best, 0) * gsl_ran_ugaussian_pdf(z);
}

/* E max(f - best, 0), f Gaussian, by quadrature beyond the kink. */
static double integrated(gain g, gsl_integration_workspace *w) {
    double sum = 0, off;
    double from = g.sd > 0 ? fmin(fmax((g.best - g.mean) / g.sd, -12), 12) : -12;
    gsl_function f = {gain_at, &g};
    gsl_integration_qag(&f, from, 12, 1e-14, 1e-11, 1000, GSL_INTEG_GAUSS61, w, &sum, &off);
    return sum;
}

/* The mean is that of the leaves; the sd that of the mixture less its noise, and the part of it that is closed. */
static void expected_improvement_is_the_integral(void **state) {
    static const double bests[] = {-.5, -.1, -.01, .2}; /* among the values, and above all of them */
    cp_surrogate s;
    cp_rng rng;
    cp_answer a;
    copse_error err;
    float x[ROWS * COLS], u[POINTS * COLS];
    double y[ROWS], remaining[POINTS], got[POINTS], less[POINTS];
    gsl_integration_workspace *w = gsl_integration_workspace_alloc(1000);
    (void)state;
    cp_rng_init(&rng, seed_of("improvement"), CP_FOR_TEST, 0, 0);
    taught(&s, &rng, x, y);
    for (int i = 0; i < POINTS * COLS; i++) u[i] = i < 10 * COLS ? x[i] : (float)(1.4 * cp_rng_unit(&rng) - .2);
    for (int i = 0; i < POINTS; i++) remaining[i] = (double)i / POINTS;
    answer_at(&s, u, &a);
    for (size_t b = 0; b < COUNT(bests); b++) {
        cp_acquisition_params v = {.kind = CP_ACQ_EI, .best = bests[b]};
        must(cp_surrogate_acquisition(&s, &v, &(cp_surrogate_points){u, POINTS, NULL}, got, &err), err);
        must(cp_surrogate_acquisition(&s, &v, &(cp_surrogate_points){u, POINTS, remaining}, less, &err), err);
        for (size_t i = 0; i < POINTS; i++) {
            double mean = leaf_mean(&s, u + i * COLS, x, y);
            double sd = sqrt(fmax(0, mixture_var(cp_answer_mixture(&a, i)) - s.method->inspect.noise(s.state)));
            assert_near(got[i], integrated((gain){mean, sd, bests[b]}, w), 1e-10);
            assert_near(less[i], integrated((gain){mean, remaining[i] * sd, bests[b]}, w), 1e-10);
        }
    }
    cp_answer_clear(&a);
    cp_surrogate_clear(&s);
    gsl_integration_workspace_free(w);
}

/* Mean of the leaves + kappa sd of the whole mixture, by its components. */
static void upper_bound_is_mean_and_deviation(void **state) {
    cp_surrogate s;
    cp_rng rng;
    cp_answer a;
    copse_error err;
    cp_acquisition_params v = {.kind = CP_ACQ_UCB, .kappa = 1.5};
    float x[ROWS * COLS], u[POINTS * COLS];
    double y[ROWS], got[POINTS];
    (void)state;
    cp_rng_init(&rng, seed_of("bound"), CP_FOR_TEST, 0, 0);
    taught(&s, &rng, x, y);
    for (int i = 0; i < POINTS * COLS; i++) u[i] = (float)cp_rng_unit(&rng);
    answer_at(&s, u, &a);
    must(cp_surrogate_acquisition(&s, &v, &(cp_surrogate_points){u, POINTS, NULL}, got, &err), err);
    for (size_t i = 0; i < POINTS; i++)
        assert_near(got[i], leaf_mean(&s, u + i * COLS, x, y) + 1.5 * sqrt(mixture_var(cp_answer_mixture(&a, i))),
                    1e-10);
    cp_answer_clear(&a);
    cp_surrogate_clear(&s);
}

/* The cell of a point at any depth holds it, and at the leaf no other point of another leaf. */
static void cells_are_where_the_leaf_is_one(void **state) {
    cp_surrogate s;
    cp_rng rng;
    float x[ROWS * COLS], cell[2 * COLS], v[COLS];
    double y[ROWS];
    (void)state;
    cp_rng_init(&rng, seed_of("cells"), CP_FOR_TEST, 0, 0);
    taught(&s, &rng, x, y);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t tree = 0; tree < 10; tree++) {
            const float *u = x + i * COLS;
            size_t depth = cp_surrogate_cell(&s, tree, u, SIZE_MAX, cell);
            assert_int_equal(cp_surrogate_cell(&s, tree, u, depth, cell), depth);
            for (size_t k = 0; k < COLS; k++) {
                assert_true(cell[2 * k] <= u[k] + 1e-6F && u[k] <= cell[2 * k + 1] + 1e-6F); /* scaled and back */
                v[k] = cell[2 * k] + (cell[2 * k + 1] - cell[2 * k]) * (.01F + .98F * (float)cp_rng_unit(&rng));
            }
            assert_int_equal(cp_surrogate_leaf(&s, tree, u), cp_surrogate_leaf(&s, tree, v));
        }
    cp_surrogate_clear(&s);
}

/* One tree's leaf, for Thompson sampling: m + z s with z = 0 is what the leaf has. */
static void one_tree_answers_with_its_leaf(void **state) {
    cp_surrogate s;
    cp_rng rng;
    copse_error err;
    float x[ROWS * COLS];
    double y[ROWS], got[ROWS];
    (void)state;
    cp_rng_init(&rng, seed_of("leaf"), CP_FOR_TEST, 0, 0);
    taught(&s, &rng, x, y);
    for (int32_t tree = 0; tree < 10; tree++) {
        cp_acquisition_params v = {.kind = CP_ACQ_THOMPSON, .tree = tree};
        must(cp_surrogate_acquisition(&s, &v, &(cp_surrogate_points){x, ROWS, NULL}, got, &err), err);
        for (size_t i = 0; i < ROWS; i++) assert_near(got[i], y[i], 1e-10); /* each point has a leaf of its own */
    }
    cp_surrogate_clear(&s);
}

static void what_is_forgotten_is_as_never_learnt(void **state) {
    cp_surrogate a, b;
    cp_rng rng;
    copse_error err;
    cp_acquisition_params v = {.kind = CP_ACQ_UCB, .kappa = 1};
    float x[ROWS * COLS];
    double y[ROWS], want[ROWS], got[ROWS];
    (void)state;
    cp_rng_init(&rng, seed_of("forgotten"), CP_FOR_TEST, 0, 0);
    taught(&a, &rng, x, y);
    taught(&b, &rng, x, y);
    must(cp_surrogate_reset(&a, seed_of("surrogate"), scale, &err), err);
    assert_int_equal(cp_surrogate_rows(&a), 0);
    must(cp_surrogate_update(&a, x, y, ROWS, &err), err);
    must(cp_surrogate_acquisition(&a, &v, &(cp_surrogate_points){x, ROWS, NULL}, got, &err), err);
    must(cp_surrogate_acquisition(&b, &v, &(cp_surrogate_points){x, ROWS, NULL}, want, &err), err);
    assert_memory_equal(got, want, sizeof got);
    cp_surrogate_clear(&a);
    cp_surrogate_clear(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expected_improvement_is_the_integral), cmocka_unit_test(upper_bound_is_mean_and_deviation),
        cmocka_unit_test(cells_are_where_the_leaf_is_one),      cmocka_unit_test(one_tree_answers_with_its_leaf),
        cmocka_unit_test(what_is_forgotten_is_as_never_learnt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
