#include "lives.h"

#include "bart/model/bart.h"
#include "bart/model/bart_inspect.h"
#include "bart/model/bart_model.h"
#include "data/schema_encode.h"

/* Small fits: every sampler, numbers and classes, every way to cut. */
static const char *const small[] = {
    "bart trees 7 chains 3 samples 12 burn-in 20 thin 2",
    "bart trees 5 chains 2 samples 9 burn-in 20 thin 1 sampler cgm cuts quantile:9",
    "bart trees 3 chains 2 samples 9 burn-in 20 thin 1 sampler pg cuts grid:5 particles 4",
    "bart trees 5 chains 2 samples 9 burn-in 5 thin 1 sparse yes warm-start grow:3",
    "bart trees 5 chains 1 samples 9 burn-in 5 thin 1 prior-only yes k sampled",
};

static const cp_bart_model *state_of(const copse_model *m) {
    return m->state;
}

/* Classes by a third of the target, so that there are three. */
static copse_table *three_classes(size_t rows) {
    static const char *const names[] = {"low", "middle", "high"};
    copse_error err;
    copse_table *from = made("friedman1", rows), *t;
    size_t col = copse_table_find(from, "target");
    const char **label = calloc(rows, sizeof *label);
    double *x = calloc(rows, sizeof *x);
    must(copse_table_new(rows, &t, &err), err);
    for (size_t c = 0; c < col; c++) {
        for (size_t i = 0; i < rows; i++) x[i] = copse_table_number(from, i, c);
        must(copse_table_add_numbers(t, copse_table_name(from, c), x, &err), err);
    }
    for (size_t i = 0; i < rows; i++) {
        double y = copse_table_number(from, i, col);
        label[i] = names[y < 12 ? 0 : y < 17 ? 1 : 2];
    }
    must(copse_table_add_text(t, "target", label, &err), err);
    free(label);
    free(x);
    copse_table_free(from);
    return t;
}

static copse_table *table_of(size_t which, size_t rows) {
    return which == 2 ? three_classes(rows) : made(which ? "moons" : "friedman1", rows);
}
enum { TABLES = 3 };

/* ----------------------------------------------------------------------------------------------------------- models */

static void numbers_behind_words_are_taken(void **state) {
    (void)state;
    static const struct {
        const char *cuts, *start;
        cp_bart_cuts kind;
        size_t per_column, warm;
    } c[] = {{"uniform", "none", CP_BART_CUTS_UNIFORM, 0, 0},
             {"grid", "grow", CP_BART_CUTS_GRID, 100, 10},
             {"grid:7", "grow:3", CP_BART_CUTS_GRID, 7, 3},
             {"quantile:65535", "grow:1", CP_BART_CUTS_QUANTILE, 65535, 1}};
    for (size_t i = 0; i < COUNT(c); i++) {
        copse_error err;
        copse_params *p = NULL;
        must(cp_param_new(&cp_method_bart, &p, &err), err);
        must(cp_param_set(p, "cuts", c[i].cuts, &err), err);
        must(cp_param_set(p, "warm-start", c[i].start, &err), err);
        cp_bart_options o = cp_bart_options_of(p);
        assert_int_equal(o.cuts, c[i].kind);
        assert_int_equal(o.cuts_per_column, c[i].per_column);
        assert_int_equal(o.grow_from_root, c[i].warm);
        cp_param_free(p);
    }
}

static void models_are_sound_and_come_back_as_they_were(void **state) {
    (void)state;
    for (size_t s = 0; s < TABLES; s++) {
        copse_table *t = table_of(s, 60);
        for (size_t i = 0; i < COUNT(small); i++) {
            copse_model *m = fitted(t, small[i]), *again = assert_comes_back(m);
            assert_true(figure_of(m, "leaves_per_tree") == figure_of(again, "leaves_per_tree"));
            copse_model_free(again);
            copse_model_free(m);
        }
        copse_table_free(t);
    }
}

/* What the JSON of all trees of a draw adds up to, recomputed node by node through the listing. */
static double sum_of_trees(const copse_model *m, size_t draw, size_t sum, const float *x) {
    const cp_bart_model *b = state_of(m);
    double f = 0;
    for (size_t k = 0; k < b->trees; k++) {
        size_t tree = (draw * b->sums + sum) * b->trees + k;
        cp_inspect_node v;
        int32_t node = 0;
        for (cp_bart_inspect_node(b, tree, node, &v); v.left != CP_NONE; cp_bart_inspect_node(b, tree, node, &v))
            node = (double)x[v.dim] <= v.cut ? v.left : v.right;
        f += strtod(v.note + strlen("adds "), NULL);
    }
    return f;
}

static void a_draw_is_the_sum_of_its_trees(void **state) {
    (void)state;
    copse_error err;
    copse_table *t = made("friedman1", 60);
    copse_model *m = fitted(t, small[0]);
    const cp_bart_model *b = state_of(m);
    float x[60 * 10];
    must(cp_schema_encode(m->schema, (cp_table_rows){t, 0, 60}, x, &err), err);
    cp_rows rows = cp_model_rows(m, x, 60);
    for (size_t draw = 0; draw < 36; draw += 5) {
        cp_answer a;
        cp_model_query q = {.rows = &rows, .n = 60, .one_tree = 1, .tree = (int32_t)draw};
        must(cp_model_predict(m, &q, NULL, &a, &err), err);
        for (size_t i = 0; i < 60; i++) {
            cp_mixture mix = cp_answer_mixture(&a, i);
            cp_component c = cp_mixture_at(&mix, 0);
            assert_int_equal(mix.n, 1);
            assert_near(c.loc, b->centre + sum_of_trees(m, draw, 0, x + i * 10), 2e-3); /* listed with 4 digits each */
            assert_near(c.scale, b->series[CP_BART_SIGMA][draw], 1e-6);
        }
        cp_answer_clear(&a);
    }
    copse_model_free(m);
    copse_table_free(t);
}

/* All draws at once are what each of them says, in order; blocks of rows do not show. */
static void the_answer_is_all_draws_in_order(void **state) {
    (void)state;
    copse_error err;
    copse_table *t = made("friedman1", 150);
    for (size_t i = 0; i < COUNT(small); i++) {
        copse_model *m = fitted(t, small[i]);
        size_t draws = copse_model_draws(m);
        cp_answer all, one;
        must(cp_model_predict(m, &(cp_model_query){.table = t, .n = 150}, NULL, &all, &err), err);
        for (size_t k = 0; k < draws; k++) {
            cp_model_query q = {.table = t, .n = 150, .one_tree = 1, .tree = (int32_t)k};
            must(cp_model_predict(m, &q, NULL, &one, &err), err);
            for (size_t r = 0; r < 150; r++) {
                cp_mixture a = cp_answer_mixture(&all, r), b = cp_answer_mixture(&one, r);
                assert_int_equal(a.n, draws);
                assert_true(cp_mixture_check(a));
                assert_true(cp_mixture_at(&a, k).loc == cp_mixture_at(&b, 0).loc);
                assert_true(cp_mixture_at(&a, k).scale == cp_mixture_at(&b, 0).scale);
            }
            cp_answer_clear(&one);
        }
        cp_answer_clear(&all);
        copse_model_free(m);
    }
    copse_table_free(t);
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of class k of a row: the least of the sorted draws that a share of them does not exceed. */
static void check_quantiles(const copse_prediction *p, size_t row, size_t k, double *draw, size_t n) {
    const double share[] = {0.001, 0.05, 0.5, 0.77, 0.95, 0.999};
    qsort(draw, n, sizeof *draw, by_size);
    for (size_t i = 0; i < COUNT(share); i++) {
        size_t rank = (size_t)ceil(share[i] * (double)n);
        assert_true(copse_prediction_prob_quantile(p, row, k, share[i]) == draw[rank ? rank - 1 : 0]);
    }
}

/* Blocks of rows do not show, nor does the number of threads. */
static void probabilities_are_told_draw_by_draw(void **state) {
    (void)state;
    copse_error err;
    const copse_run run = {.threads = 3};
    for (size_t s = 1; s < TABLES; s++) {
        copse_table *t = table_of(s, 150);
        copse_model *m = fitted(t, small[0]);
        size_t draws = copse_model_draws(m), classes = copse_model_classes(m);
        double *drawn = calloc(draws, sizeof *drawn);
        copse_prediction *p;
        assert_true(copse_model_has_prob_draws(m));
        must(copse_predict(m, t, &(copse_predict_options){.n = 150, .of_mean = 1}, &run, &p, &err), err);
        for (size_t d = 0; d < draws; d++) {
            cp_model_query q = {.table = t, .n = 150, .one_tree = 1, .tree = (int32_t)d};
            cp_answer one;
            must(cp_model_predict(m, &q, NULL, &one, &err), err);
            for (size_t r = 0; r < 150; r++)
                for (size_t k = 0; k < classes; k++) {
                    copse_prediction_prob_draws(p, r, k, draws, drawn);
                    assert_true(drawn[d] == (double)(float)one.probs[r * classes + k]);
                }
            cp_answer_clear(&one);
        }
        for (size_t r = 0; r < 150; r += 7)
            for (size_t k = 0; k < classes; k++) {
                double sum = 0, squares = 0, mean = copse_prediction_probs(p, r)[k];
                copse_prediction_prob_draws(p, r, k, draws, drawn);
                for (size_t d = 0; d < draws; d++) sum += drawn[d] / (double)draws;
                for (size_t d = 0; d < draws; d++) squares += (drawn[d] - mean) * (drawn[d] - mean) / (double)draws;
                assert_near(sum, mean, 1e-6);
                assert_near(copse_prediction_prob_sd(p, r, k), sqrt(squares), 1e-12);
                check_quantiles(p, r, k, drawn, draws);
            }
        copse_prediction_free(p);
        free(drawn);
        copse_model_free(m);
        copse_table_free(t);
    }
}

/* Two classes: the mean of Phi; three: of Phi over the sum; in both of what each draw says. */
static void probabilities_are_means_over_draws(void **state) {
    (void)state;
    copse_error err;
    for (size_t s = 1; s < TABLES; s++) {
        copse_table *t = table_of(s, 100);
        copse_model *m = fitted(t, small[0]);
        const cp_bart_model *b = state_of(m);
        size_t draws = copse_model_draws(m), classes = copse_model_classes(m), dims = m->schema->dims;
        float *x = calloc(100 * dims, sizeof *x);
        double *mean = calloc(100 * classes, sizeof *mean);
        must(cp_schema_encode(m->schema, (cp_table_rows){t, 0, 100}, x, &err), err);
        assert_int_equal(b->sums, classes > 2 ? classes : 1);
        cp_answer all;
        must(cp_model_predict(m, &(cp_model_query){.table = t, .n = 100}, NULL, &all, &err), err);
        for (size_t k = 0; k < draws; k++) {
            cp_answer one;
            cp_model_query q = {.table = t, .n = 100, .one_tree = 1, .tree = (int32_t)k};
            must(cp_model_predict(m, &q, NULL, &one, &err), err);
            for (size_t r = 0; r < 100 * classes; r++) mean[r] += one.probs[r] / (double)draws;
            for (size_t r = 0; k % 9 == 0 && r < 100; r += 7) {
                double p[3], sum = 0;
                for (size_t c = 0; c < b->sums; c++) {
                    double z = b->offset[c] + sum_of_trees(m, k, c, x + r * dims);
                    sum += p[c] = 0.5 * erfc(-z / sqrt(2));
                }
                for (size_t c = 0; c < b->sums; c++)
                    assert_near(one.probs[r * classes + (b->sums > 1 ? c : 1)], b->sums > 1 ? p[c] / sum : p[c], 2e-3);
            }
            cp_answer_clear(&one);
        }
        for (size_t r = 0; r < 100; r++) {
            double sum = 0;
            for (size_t c = 0; c < classes; c++) {
                assert_near(all.probs[r * classes + c], mean[r * classes + c], 1e-12);
                sum += all.probs[r * classes + c];
            }
            assert_near(sum, 1, 1e-12);
        }
        cp_answer_clear(&all);
        free(x);
        free(mean);
        copse_model_free(m);
        copse_table_free(t);
    }
}

/* Asked for as many draws as there are, the mean of y gives its own; y differs from these by noise; fewer are
 * spread. */
static void draws_come_in_the_order_of_sampling(void **state) {
    (void)state;
    copse_error err;
    copse_table *t = made("friedman1", 40);
    copse_model *m = fitted(t, small[0]);
    copse_prediction *mean, *y;
    double d[72], few[9], noisy[36], off = 0, squares = 0;
    must(copse_predict(m, t, &(copse_predict_options){.n = 40, .of_mean = 1}, NULL, &mean, &err), err);
    must(copse_predict(m, t, &(copse_predict_options){.n = 40}, NULL, &y, &err), err);
    for (size_t r = 0; r < 40; r++) {
        cp_answer one;
        copse_prediction_draws(mean, r, 5, 36, d);
        copse_prediction_draws(mean, r, 6, 9, few);
        copse_prediction_draws(y, r, 7, 36, noisy);
        for (size_t k = 0; k < 9; k++) assert_true(few[k] == d[4 * k]);
        for (size_t k = 0; k < 36; k += 7) {
            cp_model_query q = {.table = t, .first = r, .n = 1, .one_tree = 1, .tree = (int32_t)k};
            must(cp_model_predict(m, &q, NULL, &one, &err), err);
            assert_true(cp_mixture_mean(cp_answer_mixture(&one, 0)) == d[k]);
            cp_answer_clear(&one);
        }
        for (size_t k = 0; k < 36; k++) {
            double z = (noisy[k] - d[k]) / state_of(m)->series[CP_BART_SIGMA][k];
            off += z;
            squares += z * z;
        }
        copse_prediction_draws(mean, r, 5, 72, d);
        assert_memory_equal(d, d + 36, 36 * sizeof *d);
        assert_near(copse_prediction_mean(y, r), copse_prediction_mean(mean, r), 1e-9);
        assert_true(copse_prediction_sd(mean, r) < copse_prediction_sd(y, r));
    }
    assert_true(fabs(off / 1440) < 0.15 && fabs(squares / 1440 - 1) < 0.25); /* 1440 normals: five sd and more */
    copse_prediction_free(mean);
    copse_prediction_free(y);
    copse_model_free(m);
    copse_table_free(t);
}

/* y -> a + b y: brought to the same scale they are the same, so the answers are a + b times the old ones. */
static void targets_may_have_any_unit(void **state) {
    (void)state;
    copse_error err;
    copse_table *t = made("friedman1", 60), *far;
    size_t col = copse_table_find(t, "target");
    double y[60], x[60];
    must(copse_table_new(60, &far, &err), err);
    for (size_t c = 0; c < copse_table_cols(t); c++) {
        for (size_t i = 0; i < 60; i++) x[i] = copse_table_number(t, i, c);
        for (size_t i = 0; i < 60; i++) y[i] = 1024 + 8 * x[i];
        must(copse_table_add_numbers(far, copse_table_name(t, c), c == col ? y : x, &err), err);
    }
    copse_model *a = fitted(t, small[0]), *b = fitted(far, small[0]);
    copse_prediction *p, *q;
    must(copse_predict(a, t, &(copse_predict_options){.n = 60}, NULL, &p, &err), err);
    must(copse_predict(b, far, &(copse_predict_options){.n = 60}, NULL, &q, &err), err);
    assert_near(figure_of(b, "sigma"), 8 * figure_of(a, "sigma"), 1e-3);
    for (size_t i = 0; i < 60; i++)
        assert_near(copse_prediction_mean(q, i), 1024 + 8 * copse_prediction_mean(p, i), 1e-3);
    copse_prediction_free(p);
    copse_prediction_free(q);
    copse_model_free(a);
    copse_model_free(b);
    copse_table_free(t);
    copse_table_free(far);
}

/* -------------------------------------------------------------------------------------------------------- posterior */

static void shares_of_splits_add_up(void **state) {
    (void)state;
    copse_error err;
    for (size_t s = 0; s < TABLES; s++) {
        copse_table *t = table_of(s, 60);
        copse_model *m = fitted(t, small[0]);
        copse_posterior *p;
        size_t n, per_draw = copse_model_trees(m) / copse_model_draws(m);
        double sum = 0, leaves = 0, splits = 0, shares = 0;
        must(copse_posterior_new(m, NULL, &p, &err), err);
        const copse_bar *bar = copse_posterior_leaves(p, &n);
        for (size_t k = 0; k < n; k++) {
            sum += bar[k].probability;
            leaves += bar[k].probability * (double)bar[k].value;
        }
        assert_near(sum, 1, 1e-9);
        assert_near(leaves, figure_of(m, "leaves_per_tree"), 1e-9);
        for (size_t f = 0; f < copse_model_features(m); f++) {
            copse_share share;
            assert_true(copse_posterior_share(p, f, &share));
            assert_true(share.low <= share.mean && share.mean <= share.high);
            assert_true(copse_posterior_inclusion(p, f) <= 1 + 1e-9);
            splits += copse_posterior_splits(p, f);
            shares += share.mean;
        }
        assert_near(splits, (double)per_draw * (leaves - 1), 1e-9);
        assert_near(shares, 1, 1e-9);
        copse_posterior_free(p);
        copse_model_free(m);
        copse_table_free(t);
    }
}

/* The verdict is of the worst of all that is watched; one chain is never enough. */
static void the_diagnosis_names_what_is_wrong(void **state) {
    (void)state;
    copse_error err;
    copse_table *t = made("friedman1", 60);
    copse_diagnosis d;
    copse_model *m = fitted(t, "bart trees 5 chains 1 samples 50 burn-in 0 thin 1");
    must(copse_model_diagnose(m, &d, &err), err);
    assert_false(d.ok);
    assert_non_null(strstr(d.verdict, "One chain cannot say"));
    copse_model_free(m);
    m = fitted(t, "bart trees 5 chains 2 samples 3 burn-in 0 thin 1");
    must(copse_model_diagnose(m, &d, &err), err);
    assert_false(d.ok);
    assert_non_null(strstr(d.verdict, "Too few draws"));
    copse_model_free(m);
    m = fitted(t, "bart trees 5 chains 4 samples 20 burn-in 0 thin 1");
    must(copse_model_diagnose(m, &d, &err), err);
    assert_false(d.ok);
    assert_non_null(strstr(d.verdict, "Expect to need `samples="));
    copse_model_free(m);
    m = fitted(t, "bart trees 20 chains 4 samples 400 burn-in 200 thin 10 prior-only yes");
    must(copse_model_diagnose(m, &d, &err), err);
    if (!d.ok) fail_msg("%s", d.verdict);
    assert_non_null(strstr(d.verdict, "about the prior"));
    copse_model_free(m);
    copse_table_free(t);
}

/* ------------------------------------------------------------------------------------------------------ checkpoints */

static void a_fit_in_pieces_is_the_same_fit(void **state) {
    (void)state;
    for (size_t s = 0; s < TABLES; s++) {
        copse_table *t = table_of(s, 60);
        for (size_t i = 0; i < COUNT(small); i++) assert_pieces_make_the_whole(t, small[i]);
        copse_table_free(t);
    }
}

static void a_lengthened_fit_is_the_longer_fit(void **state) {
    (void)state;
    char path[64];
    for (size_t s = 0; s < TABLES; s++) {
        copse_table *t = table_of(s, 60);
        copse_model *shorter, *longer, *whole;
        temporary(path);
        assert_int_equal(fit_with(t, "bart trees 5 chains 2 samples 7 burn-in 9 thin 3", path, NULL, &shorter), 0);
        assert_int_equal(fit_with(t, "bart trees 5 chains 2 samples 19 burn-in 9 thin 3", NULL, path, &longer), 0);
        assert_int_equal(fit_with(t, "bart trees 5 chains 2 samples 19 burn-in 9 thin 3", NULL, NULL, &whole), 0);
        assert_same_image(image_of(whole), image_of(longer));
        copse_model_free(shorter);
        copse_model_free(longer);
        copse_model_free(whole);
        unlink(path);
        copse_table_free(t);
    }
}

/* Weights are part of what is learnt from. */
static void other_weights_are_other_rows(void **state) {
    (void)state;
    char path[64];
    copse_error err;
    copse_table *t = made("friedman1", 30);
    copse_params *p = params_of("bart trees 3 chains 1 samples 3 burn-in 3 thin 1");
    copse_model *m;
    temporary(path);
    copse_roles weighted = {.target = "target", .weights = "x9"}, other = {.target = "target", .drop = "x9"};
    must(copse_fit(t, &weighted, p, &(copse_run){.checkpoint = path}, &m, &err), err);
    copse_model_free(m);
    assert_int_equal(copse_fit(t, &other, p, &(copse_run){.resume = path}, &m, &err), COPSE_E_DATA);
    must(copse_fit(t, &weighted, p, &(copse_run){.resume = path}, &m, &err), err);
    copse_model_free(m);
    unlink(path);
    copse_params_free(p);
    copse_table_free(t);
}

static void damaged_checkpoints_are_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(small); i++) damage_checkpoints(i % 2 ? "moons" : "friedman1", small[i], 60);
}

static void out_of_memory_is_a_status(void **state) {
    (void)state;
    run_out_of_memory("friedman1", "bart trees 2 samples 3 burn-in 3 thin 1 chains 2");
    run_out_of_memory("moons", "bart trees 2 samples 2 burn-in 2 thin 1 chains 1 sparse yes warm-start grow:1");
    run_out_of_memory("moons", "bart trees 2 samples 2 burn-in 2 thin 1 chains 1 sampler pg particles 3");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_behind_words_are_taken),
        cmocka_unit_test(models_are_sound_and_come_back_as_they_were),
        cmocka_unit_test(a_draw_is_the_sum_of_its_trees),
        cmocka_unit_test(the_answer_is_all_draws_in_order),
        cmocka_unit_test(probabilities_are_means_over_draws),
        cmocka_unit_test(probabilities_are_told_draw_by_draw),
        cmocka_unit_test(draws_come_in_the_order_of_sampling),
        cmocka_unit_test(targets_may_have_any_unit),
        cmocka_unit_test(shares_of_splits_add_up),
        cmocka_unit_test(the_diagnosis_names_what_is_wrong),
        cmocka_unit_test(a_fit_in_pieces_is_the_same_fit),
        cmocka_unit_test(a_lengthened_fit_is_the_longer_fit),
        cmocka_unit_test(other_weights_are_other_rows),
        cmocka_unit_test(damaged_checkpoints_are_refused),
        cmocka_unit_test(out_of_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
