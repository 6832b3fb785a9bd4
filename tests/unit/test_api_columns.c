/* Whole columns of a prediction equal what single rows give. */
#include "many_methods.h"

enum { ROWS = 150, DRAWS = 5 };

static copse_prediction *predict(const copse_model *m, size_t n) {
    copse_error err;
    copse_table *t = mixed_table(100, n, copse_model_task(m));
    copse_prediction *p = NULL;
    must(copse_predict(m, t, NULL, &(copse_run){.threads = 1}, &p, &err), err);
    copse_table_free(t);
    return p;
}

static void assert_columns(const copse_prediction *p, int threads) {
    copse_error err;
    const copse_run run = {.threads = threads};
    const double q[] = {.5, .05, .999, .05, 0, 1, .25};
    static double out[ROWS * COUNT(q)], y[ROWS], draws[DRAWS];
    for (size_t i = 0; i < ROWS; i++) y[i] = sin((double)i);
    must(copse_predictions_mean(p, &run, out, &err), err);
    for (size_t i = 0; i < ROWS; i++) assert_true(out[i] == copse_prediction_mean(p, i));
    must(copse_predictions_sd(p, &run, out, &err), err);
    for (size_t i = 0; i < ROWS; i++) assert_true(out[i] == copse_prediction_sd(p, i));
    must(copse_predictions_cdf(p, y, &run, out, &err), err);
    for (size_t i = 0; i < ROWS; i++) assert_true(out[i] == copse_prediction_cdf(p, i, y[i]));
    must(copse_predictions_log_density(p, y, &run, out, &err), err);
    for (size_t i = 0; i < ROWS; i++) assert_true(out[i] == copse_prediction_log_density(p, i, y[i]));
    must(copse_predictions_crps(p, y, &run, out, &err), err);
    for (size_t i = 0; i < ROWS; i++) assert_true(out[i] == copse_prediction_crps(p, i, y[i]));
    must(copse_predictions_quantile(p, q, COUNT(q), &run, out, &err), err);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t k = 0; k < COUNT(q); k++) {
            double alone = copse_prediction_quantile(p, i, q[k]), here = out[i * COUNT(q) + k];
            int same = here == alone || fabs(here - alone) <= 1e-12 * fabs(alone);
            assert_true(same || fabs(copse_prediction_cdf(p, i, here) - q[k]) <= 1e-14); /* where the cdf is flat */
        }
    must(copse_predictions_draws(p, 7, DRAWS, &run, out, &err), err);
    for (size_t i = 0; i < ROWS; i++) {
        copse_prediction_draws(p, i, 7, DRAWS, draws);
        assert_memory_equal(draws, out + i * DRAWS, sizeof draws);
    }
}

static void columns_equal_rows(void **state) {
    (void)state;
    for (size_t i = 0; copse_method(i); i++) {
        copse_model *m = mixed_model(copse_method(i), COPSE_REGRESS);
        if (!m) continue;
        copse_prediction *p = predict(m, ROWS);
        assert_columns(p, 1);
        assert_columns(p, 3);
        assert_null(copse_predictions_probs(p));
        copse_prediction_free(p);
        copse_model_free(m);
    }
}

static void probabilities_are_one_array(void **state) {
    copse_error err;
    copse_model *m = mixed_model(copse_method(0), COPSE_CLASS);
    copse_prediction *p = predict(m, ROWS);
    const double *probs = copse_predictions_probs(p);
    double out[ROWS];
    (void)state;
    for (size_t i = 0; i < ROWS; i++) assert_ptr_equal(probs + 3 * i, copse_prediction_probs(p, i));
    assert_int_equal(copse_predictions_mean(p, NULL, out, &err), COPSE_E_USAGE);
    assert_int_equal(copse_predictions_draws(p, 1, 1, NULL, out, &err), COPSE_E_USAGE);
    assert_null(copse_predictions_probs(NULL));
    copse_prediction_free(p);
    copse_model_free(m);
}

static const copse_method_info *method_named(const char *name) {
    for (size_t i = 0; copse_method(i); i++)
        if (strcmp(copse_method(i)->name, name) == 0) return copse_method(i);
    return NULL;
}

/* The components make the mixture: its mean, its cdf. */
static void components_make_the_mixture(void **state) {
    (void)state;
    for (size_t i = 0; copse_method(i); i++) {
        copse_model *m = mixed_model(copse_method(i), COPSE_REGRESS);
        if (!m) continue;
        copse_prediction *p = predict(m, 5);
        copse_component c;
        double weight = 0, mean = 0;
        size_t n = copse_prediction_components(p, 3);
        for (size_t k = 0; k < n; k++) {
            assert_true(copse_prediction_component(p, 3, k, &c) && c.scale > 0 && c.df > 0);
            weight += c.weight;
            mean += c.weight * c.location;
        }
        assert_near(weight, 1, 1e-9);
        assert_near(mean, copse_prediction_mean(p, 3), 1e-9);
        assert_false(copse_prediction_component(p, 3, n, &c));
        assert_false(copse_prediction_component(p, 5, 0, &c) || copse_prediction_component(NULL, 0, 0, &c));
        copse_prediction_free(p);
        copse_model_free(m);
    }
}

/* Averaged over draws, the likelihoods are the density of the prediction; sigma's trace is the components' scale. */
static void draws_of_numbers_make_the_prediction(void **state) {
    copse_error err;
    copse_model *m = mixed_model(method_named("bart"), COPSE_REGRESS);
    copse_prediction *p = predict(m, ROWS);
    copse_trace t;
    size_t draws = copse_predictions_model_draws(p);
    double *out = malloc(ROWS * draws * sizeof *out), y[ROWS], sigma[18];
    (void)state;
    for (size_t i = 0; i < ROWS; i++) y[i] = cos((double)i);
    assert_int_equal(draws, 18);
    must(copse_predictions_log_likelihood(p, y, NULL, out, &err), err);
    for (size_t i = 0; i < ROWS; i++) {
        double sum = 0;
        for (size_t k = 0; k < draws; k++) sum += exp(out[i * draws + k]) / (double)draws;
        assert_near(sum, exp(copse_prediction_log_density(p, i, y[i])), 1e-12);
    }
    assert_true(copse_model_trace(m, 0, &t));
    assert_string_equal(t.name, "sigma");
    assert_int_equal(t.chains * t.draws, draws);
    must(copse_model_trace_values(m, 0, sigma, &err), err);
    for (size_t k = 0; k < draws; k++) {
        copse_component c;
        assert_true(copse_prediction_component(p, 7, k, &c));
        assert_near(c.scale / sigma[k], 1, 1e-6);
    }
    assert_int_equal(copse_predictions_log_likelihood(p, NULL, NULL, out, &err), COPSE_E_USAGE);
    free(out);
    copse_prediction_free(p);
    copse_model_free(m);
}

static void draws_of_classes_make_the_probabilities(void **state) {
    copse_error err;
    copse_model *m = mixed_model(method_named("bart"), COPSE_CLASS);
    copse_table *x = mixed_table(100, 20, COPSE_CLASS);
    copse_prediction *p = NULL;
    double out[20 * 18], y[20];
    (void)state;
    must(copse_predict(m, x, &(copse_predict_options){.of_mean = 1}, NULL, &p, &err), err);
    for (size_t i = 0; i < 20; i++) y[i] = (double)(i % 3);
    must(copse_predictions_log_likelihood(p, y, NULL, out, &err), err);
    for (size_t i = 0; i < 20; i++) {
        double sum = 0;
        for (size_t k = 0; k < 18; k++) sum += exp(out[i * 18 + k]) / 18;
        assert_near(sum, copse_prediction_probs(p, i)[i % 3], 1e-6);
    }
    y[3] = 3;
    assert_int_equal(copse_predictions_log_likelihood(p, y, NULL, out, &err), COPSE_E_DATA);
    copse_prediction_free(p);
    copse_table_free(x);
    copse_model_free(m);
}

/* Names differ, values are finite, and a copy has the same traces: they are in the file. */
static void traces_of_samplers(void **state) {
    static const char *const with[] = {"bart", "bcart"};
    copse_error err;
    (void)state;
    for (size_t s = 0; s < COUNT(with); s++)
        for (copse_task task = COPSE_CLASS; task <= COPSE_REGRESS; task++) {
            copse_model *m = mixed_model(method_named(with[s]), task), *copy = NULL;
            copse_trace t, last = {0};
            size_t n = 0;
            must(copse_model_copy(m, NULL, &copy, &err), err);
            for (; copse_model_trace(m, n, &t); n++) {
                double a[64], b[64];
                assert_true(t.chains == 2 && t.chains * t.draws <= 64 && strcmp(t.name, last.name) != 0);
                must(copse_model_trace_values(m, n, a, &err), err);
                must(copse_model_trace_values(copy, n, b, &err), err);
                assert_memory_equal(a, b, t.chains * t.draws * sizeof *a);
                for (size_t k = 0; k < t.chains * t.draws; k++) assert_true(isfinite(a[k]));
                last = t;
            }
            assert_true(n >= 2);
            assert_int_equal(copse_model_trace_values(m, n, (double[64]){0}, &err), COPSE_E_USAGE);
            copse_model_free(m);
            copse_model_free(copy);
        }
    copse_model *none = mixed_model(method_named("rf"), COPSE_CLASS);
    assert_false(copse_model_trace(none, 0, &(copse_trace){0}));
    assert_false(copse_model_trace(NULL, 0, &(copse_trace){0}) || copse_model_trace(none, 0, NULL));
    copse_model_free(none);
}

static void misuse_and_stop(void **state) {
    copse_error err;
    copse_model *m = mixed_model(copse_method(0), COPSE_REGRESS);
    copse_prediction *p = predict(m, ROWS), *none = predict(m, 0);
    const double q[] = {.5, 2, NAN};
    static double out[ROWS * 3];
    copse_flag stop = 1;
    (void)state;
    assert_int_equal(copse_predictions_mean(NULL, NULL, out, &err), COPSE_E_USAGE);
    assert_int_equal(copse_predictions_sd(p, NULL, NULL, &err), COPSE_E_USAGE);
    assert_int_equal(copse_predictions_cdf(p, NULL, NULL, out, &err), COPSE_E_USAGE);
    assert_int_equal(copse_predictions_quantile(p, NULL, 3, NULL, out, &err), COPSE_E_USAGE);
    assert_int_equal(copse_predictions_quantile(p, q, 3, &(copse_run){.stop = &stop}, out, &err), COPSE_E_STOPPED);
    must(copse_predictions_quantile(p, NULL, 0, NULL, NULL, &err), err);
    must(copse_predictions_mean(none, NULL, NULL, &err), err);
    must(copse_predictions_quantile(p, q, 3, NULL, out, &err), err);
    assert_true(isnan(out[1]) && isnan(out[2]));
    copse_prediction_free(p);
    copse_prediction_free(none);
    copse_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_equal_rows),
        cmocka_unit_test(probabilities_are_one_array),
        cmocka_unit_test(components_make_the_mixture),
        cmocka_unit_test(draws_of_numbers_make_the_prediction),
        cmocka_unit_test(draws_of_classes_make_the_probabilities),
        cmocka_unit_test(traces_of_samplers),
        cmocka_unit_test(misuse_and_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
