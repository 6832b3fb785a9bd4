#include "check.h"

#include "base/mem.h"
#include "eval/metric.h"
#include "num/draw.h"
#include "num/special.h"

static const double pi = 3.14159265358979323846;

/* An answer over arrays that the test owns. */
static cp_answer class_answer(size_t rows, size_t classes, double *probs) {
    return (cp_answer){.task = COPSE_CLASS, .rows = rows, .classes = classes, .probs = probs};
}

static cp_answer number_answer(size_t rows, cp_component *comp, size_t *start) {
    return (cp_answer){.task = COPSE_REGRESS, .rows = rows, .start = start, .comp = comp, .n_comp = start[rows]};
}

static copse_scores class_scores(size_t rows, size_t classes, double *probs, const int32_t *label,
                                 const unsigned char *missing) {
    copse_error err;
    copse_scores out = {0};
    cp_metric m;
    cp_answer a = class_answer(rows, classes, probs);
    cp_metric_init(&m, COPSE_CLASS, 0);
    must(cp_metric_add(&m, &a, &(cp_truth){.label = label, .missing = missing}, NULL, &err), err);
    cp_metric_read(&m, &out);
    cp_metric_clear(&m);
    return out;
}

/* ------------------------------------------------------------------------------------------------- classification */

static void class_scores_by_hand(void **state) {
    (void)state;
    double p[] = {0.7, 0.2, 0.1, 0.1, 0.3, 0.6, 0.25, 0.5, 0.25};
    copse_scores s = class_scores(3, 3, p, (int32_t[]){0, 1, 1}, NULL);
    assert_int_equal(s.task, COPSE_CLASS);
    assert_int_equal(s.rows, 3);
    assert_int_equal(s.classes, 3);
    assert_near(s.accuracy, 2.0 / 3, 1e-15);
    assert_near(s.log_loss, -(log(0.7) + log(0.3) + log(0.5)) / 3, 1e-15);
    assert_near(s.brier, (0.09 + 0.04 + 0.01 + 0.01 + 0.49 + 0.36 + 0.0625 + 0.25 + 0.0625) / 3, 1e-15);
    assert_near(s.ece, (fabs(0.7 - 1) + fabs(0.6 - 0) + fabs(0.5 - 1)) / 3, 1e-15);
    assert_true(isnan(s.auc));
    assert_int_equal(s.reliability[6].rows, 1); /* (.6, .7] */
    assert_near(s.reliability[6].confidence, 0.7, 1e-15);
    assert_near(s.reliability[6].accuracy, 1, 1e-15);
    assert_int_equal(s.reliability[9].rows, 0);
    assert_true(isnan(s.reliability[9].confidence) && isnan(s.reliability[9].accuracy));
}

static void certainty_is_scored_without_infinities(void **state) {
    (void)state;
    double p[] = {1, 0, 1, 0};
    copse_scores s = class_scores(2, 2, p, (int32_t[]){0, 1}, NULL);
    assert_near(s.log_loss, -log(1e-15) / 2, 1e-15);
    assert_near(s.brier, 1, 1e-15);
    assert_int_equal(s.reliability[9].rows, 2);
    assert_near(s.auc, 0.5, 0);
}

static void an_unseen_class_is_wrong_with_probability_zero(void **state) {
    (void)state;
    double p[] = {0.6, 0.4, 0.9, 0.1};
    copse_scores s = class_scores(2, 2, p, (int32_t[]){CP_NONE, 0}, NULL);
    assert_int_equal(s.rows, 2);
    assert_near(s.accuracy, 0.5, 0);
    assert_near(s.log_loss, -(log(1e-15) + log(0.9)) / 2, 1e-15);
    assert_near(s.brier, (0.36 + 0.16 + 1 + 0.01 + 0.01) / 2, 1e-15);
    assert_true(isnan(s.auc)); /* no negative or no positive left */
}

static void missing_targets_are_skipped(void **state) {
    (void)state;
    double p[] = {0.6, 0.4, 0.9, 0.1, 0.2, 0.8};
    copse_scores s = class_scores(3, 2, p, (int32_t[]){0, CP_NONE, 1}, (unsigned char[]){0, 1, 0});
    assert_int_equal(s.rows, 2);
    assert_near(s.accuracy, 1, 0);
    assert_near(s.auc, 1, 0);
}

static void nothing_and_one_class(void **state) {
    (void)state;
    copse_scores none = class_scores(0, 2, NULL, NULL, NULL);
    assert_int_equal(none.rows, 0);
    assert_true(isnan(none.accuracy) && isnan(none.log_loss) && isnan(none.ece) && isnan(none.auc));
    double p[] = {1, 1};
    copse_scores one = class_scores(2, 1, p, (int32_t[]){0, 0}, NULL);
    assert_near(one.accuracy, 1, 0);
    assert_near(one.log_loss, 0, 0);
    assert_true(isnan(one.auc));
}

/* ECE and AUC by their definitions, O(n^2), on probabilities rounded so that ties are many. */
static void ece_and_auc_equal_brute_force(void **state) {
    (void)state;
    enum { N = 700 };
    static double p[2 * N];
    static int32_t label[N];
    cp_rng rng;
    cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, 0, 0);
    for (size_t n = 1; n <= N; n = n * 3 / 2 + 1) {
        for (size_t i = 0; i < n; i++) {
            p[2 * i + 1] = (double)cp_rng_below(&rng, 33) / 32;
            p[2 * i] = 1 - p[2 * i + 1];
            label[i] = cp_rng_unit(&rng) < p[2 * i + 1];
        }
        copse_scores s = class_scores(n, 2, p, label, NULL);
        double wins = 0, pairs = 0;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                if (!(label[i] == 1 && label[j] == 0)) continue;
                pairs++;
                wins += p[2 * i + 1] > p[2 * j + 1] ? 1 : p[2 * i + 1] == p[2 * j + 1] ? 0.5 : 0;
            }
        if (pairs > 0) assert_near(s.auc, wins / pairs, 1e-14);
        double ece = 0;
        for (int b = 0; b < 10; b++) {
            double gap = 0;
            for (size_t i = 0; i < n; i++) {
                double c = fmax(p[2 * i], p[2 * i + 1]);
                int best = p[2 * i + 1] > p[2 * i];
                if (c > b / 10.0 && c <= (b + 1) / 10.0) gap += c - (best == label[i]);
            }
            ece += fabs(gap) / (double)n;
        }
        assert_near(s.ece, ece, 1e-13);
    }
}

/* Online learning: a class appears, and with a third there is no AUC any more. */
static void the_number_of_classes_may_grow(void **state) {
    (void)state;
    copse_error err;
    copse_scores s = {0};
    cp_metric m;
    cp_metric_init(&m, COPSE_CLASS, 0);
    double one[] = {1, 1}, two[] = {0.3, 0.7}, three[] = {0.2, 0.2, 0.6};
    cp_answer a = class_answer(2, 1, one), b = class_answer(1, 2, two), c = class_answer(1, 3, three);
    must(cp_metric_add(&m, &a, &(cp_truth){.label = (int32_t[]){0, CP_NONE}}, NULL, &err), err);
    must(cp_metric_add(&m, &b, &(cp_truth){.label = (int32_t[]){1}}, NULL, &err), err);
    cp_metric_read(&m, &s);
    assert_int_equal(s.classes, 2);
    assert_near(s.auc, 1, 0);
    must(cp_metric_add(&m, &c, &(cp_truth){.label = (int32_t[]){2}}, NULL, &err), err);
    cp_metric_read(&m, &s);
    assert_int_equal(s.rows, 4);
    assert_near(s.accuracy, 0.75, 0);
    assert_true(isnan(s.auc));
    cp_metric_clear(&m);
}

/* ----------------------------------------------------------------------------------------------------- regression */

enum { ROWS = 3000, PER_ROW = 3 };

typedef struct numbers {
    cp_component comp[ROWS * PER_ROW];
    size_t start[ROWS + 1];
    double y[ROWS];
} numbers;

/* Each outcome is drawn from its own prediction, so every calibration figure has a known value. */
static void fill_calibrated(numbers *d, const char *name) {
    cp_rng rng;
    cp_rng_init(&rng, seed_of(name), CP_FOR_TEST, 0, 0);
    for (size_t i = 0; i < ROWS; i++) {
        cp_component *c = d->comp + PER_ROW * i;
        for (size_t k = 0; k < PER_ROW; k++)
            c[k] = (cp_component){cp_draw_exp(&rng), 4 * cp_draw_normal(&rng), 0.2 + cp_draw_exp(&rng), INFINITY};
        assert_int_equal(cp_mixture_tidy(c, PER_ROW), PER_ROW);
        d->start[i] = PER_ROW * i;
        d->y[i] = cp_mixture_draw((cp_mixture){.c = c, .n = PER_ROW}, &rng);
    }
    d->start[ROWS] = ROWS * PER_ROW;
}

static copse_scores number_scores(numbers *d, const unsigned char *missing, size_t block, int threads) {
    copse_error err;
    copse_scores out = {0};
    cp_metric m;
    cp_metric_init(&m, COPSE_REGRESS, 0.95);
    for (size_t i = 0; i < ROWS; i += block) {
        size_t n = ROWS - i < block ? ROWS - i : block;
        cp_answer a = number_answer(n, d->comp, d->start + i);
        cp_truth truth = {.y = d->y + i, .missing = missing ? missing + i : NULL};
        must(cp_metric_add(&m, &a, &truth, &(copse_run){.threads = threads}, &err), err);
    }
    cp_metric_read(&m, &out);
    cp_metric_clear(&m);
    return out;
}

static void number_scores_by_hand(void **state) {
    (void)state;
    copse_error err;
    copse_scores s = {.predict_seconds = 3, .predict_cpu_seconds = 4};
    cp_component c[] = {{1, 0, 1, INFINITY}, {1, 10, 2, INFINITY}};
    cp_answer a = number_answer(2, c, (size_t[]){0, 1, 2});
    cp_metric m;
    cp_metric_init(&m, COPSE_REGRESS, 0);
    must(cp_metric_add(&m, &a, &(cp_truth){.y = (double[]){1, 10}}, NULL, &err), err);
    cp_metric_read(&m, &s);
    assert_int_equal(s.rows, 2);
    assert_near(s.rmse, sqrt(0.5), 1e-15);
    assert_near(s.mae, 0.5, 1e-15);
    assert_near(s.nlpd, (0.5 * log(2 * pi) * 2 + 0.5 + log(2)) / 2, 1e-15);
    /* CRPS of N(0,1): z (2 Phi(z) - 1) + 2 phi(z) - 1/sqrt(pi), at z = 1 and 0. */
    double at_one = 2 * cp_special_normal_cdf(1) - 1 + 2 * exp(-0.5) / sqrt(2 * pi) - 1 / sqrt(pi);
    double at_zero = 2 / sqrt(2 * pi) - 1 / sqrt(pi);
    assert_near(s.crps, (at_one + 2 * at_zero) / 2, 1e-12);
    assert_near(s.sharpness, 1.5, 1e-15);
    for (size_t i = 0; i < COPSE_LEVELS; i++) {
        assert_near(s.coverage[i].level, (double)(i + 1) / 10, 1e-15);
        double want = i >= 6 ? 1 : 0.5; /* one sd is the .683 interval */
        assert_near(s.coverage[i].observed, want, 0);
        assert_near(s.coverage[i].gaussian, want, 0);
    }
    assert_int_equal(s.pit[8], 1);
    assert_int_equal(s.pit[5], 1);
    assert_true(s.interval == 0 && s.interval_observed == 0);
    assert_true(s.predict_seconds == 3 && s.predict_cpu_seconds == 4);
    cp_metric_clear(&m);
}

/* Coverage must agree with intervals made of quantiles, row by row. */
static void coverage_equals_that_of_quantiles(void **state) {
    (void)state;
    static numbers d;
    fill_calibrated(&d, __func__);
    copse_scores s = number_scores(&d, NULL, ROWS, 2);
    for (size_t l = 0; l < COPSE_LEVELS; l++) {
        double level = (double)(l + 1) / 10;
        size_t inside = 0;
        for (size_t i = 0; i < ROWS; i++) {
            cp_mixture m = {.c = d.comp + d.start[i], .n = PER_ROW};
            inside +=
                d.y[i] >= cp_mixture_quantile(m, 0.5 - level / 2) && d.y[i] <= cp_mixture_quantile(m, 0.5 + level / 2);
        }
        assert_near(s.coverage[l].observed, (double)inside / ROWS, 0);
    }
}

/* DKW, alpha 1e-6: PIT values of a calibrated forecast are uniform; those of a forecast twice too wide are not. */
static void calibrated_forecasts_look_calibrated(void **state) {
    (void)state;
    static numbers d;
    fill_calibrated(&d, __func__);
    double bound = sqrt(log(2 / 1e-6) / (2.0 * ROWS));
    for (int wide = 0; wide < 2; wide++) {
        for (size_t i = 0; wide && i < ROWS * PER_ROW; i++) d.comp[i].scale *= 3;
        copse_scores s = number_scores(&d, NULL, ROWS, 1);
        double seen = 0, worst = 0;
        for (size_t b = 0; b < COPSE_BINS; b++) {
            seen += (double)s.pit[b];
            worst = fmax(worst, fabs(seen / ROWS - (double)(b + 1) / COPSE_BINS));
        }
        for (size_t l = 0; l < COPSE_LEVELS; l++)
            worst = fmax(worst, fabs(s.coverage[l].observed - s.coverage[l].level) / 2);
        assert_true(wide ? worst > bound : worst < bound);
        assert_near(s.interval, 0.95, 0);
        assert_true(wide ? s.interval_observed > 0.97
                         : fabs(s.interval_observed - 0.95) < 5 * sqrt(0.95 * 0.05 / ROWS));
    }
}

static void blocks_and_threads_change_no_bit(void **state) {
    (void)state;
    static numbers d;
    static unsigned char missing[ROWS];
    fill_calibrated(&d, __func__);
    for (size_t i = 0; i < ROWS; i += 7) {
        missing[i] = 1;
        d.y[i] = NAN;
    }
    copse_scores whole = number_scores(&d, missing, ROWS, 1);
    assert_int_equal(whole.rows, ROWS - (ROWS + 6) / 7);
    assert_true(isfinite(whole.rmse) && isfinite(whole.crps));
    static const size_t blocks[] = {1, 64, 1000};
    for (size_t i = 0; i < 3; i++) {
        copse_scores cut = number_scores(&d, missing, blocks[i], (int)(1 + 3 * i));
        assert_memory_equal(&whole, &cut, sizeof whole);
    }
}

/* ---------------------------------------------------------------------------------------------------------- weights */

enum { HEAVY = 200 }; /* rows, of weight 0 to 3 */

static void assert_same_scores(const copse_scores *a, const copse_scores *b) {
    assert_near(a->accuracy, b->accuracy, 1e-12);
    assert_near(a->log_loss, b->log_loss, 1e-12);
    assert_near(a->brier, b->brier, 1e-12);
    assert_near(a->ece, b->ece, 1e-12);
    if (a->task == COPSE_CLASS) assert_near(a->auc, b->auc, 1e-12);
    assert_near(a->rmse, b->rmse, 1e-12);
    assert_near(a->mae, b->mae, 1e-12);
    assert_near(a->nlpd, b->nlpd, 1e-12);
    assert_near(a->crps, b->crps, 1e-12);
    assert_near(a->sharpness, b->sharpness, 1e-12);
    assert_near(a->interval_observed, b->interval_observed, 1e-12);
    for (size_t i = 0; i < COPSE_LEVELS; i++) {
        assert_near(a->coverage[i].observed, b->coverage[i].observed, 1e-12);
        assert_near(a->coverage[i].gaussian, b->coverage[i].gaussian, 1e-12);
    }
}

/* Adds rows one by one, each as often as it weighs, or once with its weight. */
static copse_scores scores_of(copse_task task, const double *weight, int repeat) {
    copse_error err;
    copse_scores out = {0};
    cp_metric m;
    cp_rng rng;
    cp_rng_init(&rng, seed_of("weights"), CP_FOR_TEST, 0, 0);
    cp_metric_init(&m, task, task == COPSE_REGRESS ? .6 : 0);
    for (size_t i = 0; i < HEAVY; i++) {
        double p[2] = {floor(8 * cp_rng_unit(&rng)) / 8, 0}, y = cp_draw_normal(&rng);
        p[1] = 1 - p[0];
        int32_t label = cp_rng_unit(&rng) < .3 ? 0 : 1;
        cp_component c = {1, .5 * y + .3 * cp_draw_normal(&rng), .2 + cp_rng_unit(&rng), INFINITY};
        cp_answer a = task == COPSE_CLASS ? class_answer(1, 2, p) : number_answer(1, &c, (size_t[]){0, 1});
        cp_truth truth = {.y = &y, .label = &label, .weight = repeat ? NULL : &weight[i]};
        for (int k = 0; k < (repeat ? (int)weight[i] : 1); k++) must(cp_metric_add(&m, &a, &truth, NULL, &err), err);
    }
    cp_metric_read(&m, &out);
    cp_metric_clear(&m);
    return out;
}

static void weight_two_is_a_row_twice(void **state) {
    (void)state;
    double weight[HEAVY], tenth[HEAVY];
    for (size_t i = 0; i < HEAVY; i++) tenth[i] = (weight[i] = (double)(i % 4)) / 10;
    for (int k = 0; k < 2; k++) {
        copse_task task = k ? COPSE_CLASS : COPSE_REGRESS;
        copse_scores once = scores_of(task, weight, 0), twice = scores_of(task, weight, 1);
        copse_scores light = scores_of(task, tenth, 0);
        assert_same_scores(&once, &twice);
        assert_same_scores(&once, &light);
        assert_int_equal(once.rows, HEAVY * 3 / 4);
        assert_int_equal(twice.rows, HEAVY * 6 / 4);
    }
}

static void failed_allocations_add_nothing(void **state) {
    (void)state;
    copse_error err;
    copse_scores s = {0};
    double p[] = {0.5, 0.5};
    cp_component c = {1, 0, 1, INFINITY};
    cp_answer classes = class_answer(1, 2, p), number = number_answer(1, &c, (size_t[]){0, 1});
    for (long k = 0; k < 5; k++) {
        cp_metric m;
        cp_metric_init(&m, k < 4 ? COPSE_CLASS : COPSE_REGRESS, 0);
        cp_truth truth = {.label = (int32_t[]){0}, .y = (double[]){0}};
        cp_mem_fail_after(k % 4);
        copse_status status = cp_metric_add(&m, k < 4 ? &classes : &number, &truth, NULL, &err);
        cp_mem_fail_after(-1);
        assert_int_equal(status, COPSE_E_MEMORY);
        cp_metric_read(&m, &s);
        assert_int_equal(s.rows, 0);
        cp_metric_clear(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(class_scores_by_hand),
        cmocka_unit_test(certainty_is_scored_without_infinities),
        cmocka_unit_test(an_unseen_class_is_wrong_with_probability_zero),
        cmocka_unit_test(missing_targets_are_skipped),
        cmocka_unit_test(nothing_and_one_class),
        cmocka_unit_test(ece_and_auc_equal_brute_force),
        cmocka_unit_test(the_number_of_classes_may_grow),
        cmocka_unit_test(number_scores_by_hand),
        cmocka_unit_test(coverage_equals_that_of_quantiles),
        cmocka_unit_test(calibrated_forecasts_look_calibrated),
        cmocka_unit_test(blocks_and_threads_change_no_bit),
        cmocka_unit_test(weight_two_is_a_row_twice),
        cmocka_unit_test(failed_allocations_add_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
