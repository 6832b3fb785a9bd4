#include "lives.h"

#include "btree/btree.h"
#include "ks.h"
#include "num/rng.h"

/* Small fits of both methods: "method name value name value". */
static const char *const small[] = {
    "smc particles 60 islands 3",
    "smc particles 20 islands 2 proposal optimal island-weights evidence",
    "bcart samples 30 burn-in 100 thin 2 chains 3",
    "smc particles 20 islands 2 prior-only yes",
    "bcart samples 30 burn-in 100 thin 2 chains 3 prior-only yes",
};

static const cp_btree *state_of(const copse_model *m) {
    return m->state;
}

/* ----------------------------------------------------------------------------------------------------------- models */

static void models_are_sound_and_come_back_as_they_were(void **state) {
    (void)state;
    static const char *const sets[] = {"moons", "friedman1"};
    for (size_t s = 0; s < COUNT(sets); s++) {
        copse_table *t = made(sets[s], 60);
        for (size_t i = 0; i < COUNT(small); i++) {
            copse_model *m = fitted(t, small[i]), *again = assert_comes_back(m);
            for (size_t k = 0; k < 3; k++) {
                static const char *const names[] = {"leaves", "depth", "unique_trees"};
                assert_true(figure_of(m, names[k]) == figure_of(again, names[k]));
            }
            copse_model_free(again);
            copse_model_free(m);
        }
        copse_table_free(t);
    }
}

/* y -> a + b y: the standardised targets are the same, so are the trees, and a density is worth 1/b as much. */
static void targets_may_have_any_unit(void **state) {
    (void)state;
    copse_error err;
    copse_table *t = made("friedman1", 60), *far;
    size_t col = copse_table_find(t, "target"), n = copse_table_rows(t);
    double y[60];
    for (size_t i = 0; i < n; i++) y[i] = 1024 + 8 * copse_table_number(t, i, col);
    must(copse_table_new(n, &far, &err), err);
    for (size_t c = 0; c < copse_table_cols(t); c++) {
        double x[60];
        for (size_t i = 0; i < n; i++) x[i] = copse_table_number(t, i, c);
        must(copse_table_add_numbers(far, copse_table_name(t, c), c == col ? y : x, &err), err);
    }
    copse_model *a = fitted(t, small[0]), *b = fitted(far, small[0]);
    assert_near(figure_of(b, "log_marginal"), figure_of(a, "log_marginal") - 60 * log(8), 1e-9);
    assert_true(figure_of(a, "leaves") > 1);
    assert_near(figure_of(b, "leaves"), figure_of(a, "leaves"), 1e-9);
    copse_prediction *p, *q;
    must(copse_predict(a, t, &(copse_predict_options){.n = n}, NULL, &p, &err), err);
    must(copse_predict(b, far, &(copse_predict_options){.n = n}, NULL, &q, &err), err);
    for (size_t i = 0; i < n; i++) {
        assert_near(copse_prediction_mean(q, i), 1024 + 8 * copse_prediction_mean(p, i), 1e-9);
        assert_near(copse_prediction_quantile(q, i, .9), 1024 + 8 * copse_prediction_quantile(p, i, .9), 1e-7);
    }
    copse_prediction_free(p);
    copse_prediction_free(q);
    copse_model_free(a);
    copse_model_free(b);
    copse_table_free(t);
    copse_table_free(far);
}

/* The marginal likelihood of all islands is the mean of theirs; alone, one has no spread. */
/* The same rows, each with the target of another. */
static copse_table *with_targets_reversed(const copse_table *t) {
    copse_error err;
    copse_table *out;
    size_t n = copse_table_rows(t);
    double x[60];
    must(copse_table_new(n, &out, &err), err);
    for (size_t c = 0; c < copse_table_cols(t); c++) {
        int target = c == copse_table_find(t, "target");
        for (size_t i = 0; i < n; i++) x[i] = copse_table_number(t, target ? n - 1 - i : i, c);
        must(copse_table_add_numbers(out, copse_table_name(t, c), x, &err), err);
    }
    return out;
}

static void assert_same_grove(const cp_tree_set *a, const cp_tree_set *b) {
    assert_int_equal(a->nodes, b->nodes);
    assert_int_equal(a->trees, b->trees);
    assert_memory_equal(a->node, b->node, a->nodes * sizeof *a->node);
    assert_memory_equal(a->weight, b->weight, a->trees * sizeof *a->weight);
}

static void the_prior_knows_no_targets(void **state) {
    (void)state;
    static const char *const options[] = {"smc particles 4000 prior-only yes",
                                          "bcart samples 1000 thin 50 prior-only yes"};
    copse_table *t = made("friedman1", 60), *other = with_targets_reversed(t);
    for (size_t i = 0; i < COUNT(options); i++) {
        copse_error err;
        copse_prediction *p;
        copse_model *a = fitted(t, options[i]), *b = fitted(other, options[i]);
        const cp_btree *s = state_of(a);
        assert_same_grove(&s->tree_set, &state_of(b)->tree_set);
        must(copse_predict(a, t, &(copse_predict_options){.n = 60}, NULL, &p, &err), err);
        for (size_t k = 0; k < 60; k++) { /* Student's with 3 degrees of freedom: variance 3 */
            double scale = s->scale * sqrt(s->hyper.lambda * (1 + 1 / s->hyper.kappa));
            assert_near(copse_prediction_mean(p, k), s->centre, 1e-12);
            assert_near(copse_prediction_sd(p, k), scale * sqrt(3), 1e-9);
        }
        double single = 0;
        for (size_t k = 0; k < s->tree_set.trees; k++)
            if (s->size[s->tree_set.root[k]].leaves == 1) single += s->tree_set.weight[k];
        print_message("%s: no split %.4f\n", options[i], single);
        if (s->islands) assert_near(single, 0.05, share_bound(4000)); /* independent draws */
        copse_prediction_free(p);
        copse_model_free(a);
        copse_model_free(b);
    }
    copse_table_free(t);
    copse_table_free(other);
}

static void islands_are_averaged(void **state) {
    (void)state;
    copse_table *t = made("moons", 40);
    copse_model *m = fitted(t, "smc particles 30 islands 3");
    const cp_btree *b = state_of(m);
    double sum = 0, mean = 0, squares = 0;
    assert_int_equal(b->islands, 3);
    for (size_t i = 0; i < 3; i++) {
        sum += exp(b->island[i].log_marginal - b->island[0].log_marginal) / 3;
        mean += b->island[i].log_marginal / 3;
    }
    for (size_t i = 0; i < 3; i++) squares += pow(b->island[i].log_marginal - mean, 2) / 2;
    assert_near(figure_of(m, "log_marginal"), b->island[0].log_marginal + log(sum), 1e-12);
    assert_near(figure_of(m, "log_marginal_sd"), sqrt(squares), 1e-12);
    copse_model_free(m);
    copse_table_free(t);
}

/* Weighted trees: what is asked of all of them is the mean of what each says. */
static void the_answer_is_the_mean_over_trees(void **state) {
    (void)state;
    copse_error err;
    copse_table *t = made("friedman1", 40);
    for (size_t i = 0; i < COUNT(small); i++) {
        copse_model *m = fitted(t, small[i]);
        const cp_btree *b = state_of(m);
        cp_answer all;
        double mean[40] = {0}, sum = 0;
        must(cp_model_predict(m, &(cp_model_query){.table = t, .n = 40}, NULL, &all, &err), err);
        for (size_t k = 0; k < b->tree_set.trees; k++) {
            cp_answer one;
            cp_model_query q = {.table = t, .n = 40, .one_tree = 1, .tree = (int32_t)k};
            must(cp_model_predict(m, &q, NULL, &one, &err), err);
            for (size_t r = 0; r < 40; r++)
                mean[r] += b->tree_set.weight[k] * cp_mixture_mean(cp_answer_mixture(&one, r));
            sum += b->tree_set.weight[k];
            cp_answer_clear(&one);
        }
        assert_near(sum, 1, 1e-9);
        for (size_t r = 0; r < 40; r++) assert_near(cp_mixture_mean(cp_answer_mixture(&all, r)), mean[r], 1e-9);
        cp_answer_clear(&all);
        copse_model_free(m);
    }
    copse_table_free(t);
}

/* The mean of y is known better than y. */
static void the_mean_is_known_better_than_y(void **state) {
    (void)state;
    copse_error err;
    copse_table *t = made("friedman1", 60);
    copse_model *m = fitted(t, small[0]);
    copse_prediction *y, *mean;
    must(copse_predict(m, t, &(copse_predict_options){.n = 60}, NULL, &y, &err), err);
    must(copse_predict(m, t, &(copse_predict_options){.n = 60, .of_mean = 1}, NULL, &mean, &err), err);
    for (size_t i = 0; i < 60; i++) {
        assert_near(copse_prediction_mean(y, i), copse_prediction_mean(mean, i), 1e-9);
        assert_true(copse_prediction_sd(mean, i) < copse_prediction_sd(y, i));
    }
    copse_prediction_free(y);
    copse_prediction_free(mean);
    copse_model_free(m);
    copse_table_free(t);
}

/* -------------------------------------------------------------------------------------------------------- posterior */

static void the_posterior_over_trees_adds_up(void **state) {
    (void)state;
    copse_error err;
    copse_table *t = made("friedman1", 60);
    for (size_t i = 0; i < COUNT(small); i++) {
        copse_model *m = fitted(t, small[i]);
        copse_posterior *p;
        size_t n, features = copse_model_features(m);
        double sum = 0, leaves = 0, splits = 0;
        must(copse_posterior_new(m, NULL, &p, &err), err);
        const copse_bar *bar = copse_posterior_leaves(p, &n);
        for (size_t k = 0; k < n; k++) {
            assert_true(!k || bar[k].value > bar[k - 1].value);
            sum += bar[k].probability;
            leaves += bar[k].probability * (double)bar[k].value;
        }
        assert_near(sum, 1, 1e-9);
        assert_near(leaves, figure_of(m, "leaves"), 1e-9);
        for (size_t f = 0; f < features; f++) {
            assert_true(copse_posterior_inclusion(p, f) <= 1 + 1e-9);
            assert_true(copse_posterior_inclusion(p, f) <= copse_posterior_splits(p, f) + 1e-9);
            splits += copse_posterior_splits(p, f);
        }
        assert_near(splits, leaves - 1, 1e-9); /* a tree has one leaf more than splits */
        copse_posterior_free(p);
        copse_model_free(m);
    }
    copse_model *forest = fitted(t, "rf trees 2");
    copse_posterior *p;
    assert_int_equal(copse_posterior_new(forest, NULL, &p, &err), COPSE_E_USAGE);
    assert_null(p);
    copse_model_free(forest);
    copse_table_free(t);
}

/* ----------------------------------------------------------------------------------------------------------- tuning */

static void tuning_never_lowers_the_marginal_likelihood(void **state) {
    (void)state;
    copse_table *t = made("moons", 80);
    copse_model *plain = fitted(t, "smc particles 100 islands 2 alpha 50");
    copse_model *tuned = fitted(t, "smc particles 100 islands 2 alpha 50 tune alpha,beta-split");
    assert_true(figure_of(tuned, "log_marginal") > figure_of(plain, "log_marginal") + 1);
    assert_true(figure_of(tuned, "alpha") < 50);
    assert_true(figure_of(tuned, "alpha_split") == 0.95);
    assert_false(state_of(plain)->tuned);
    copse_model_free(plain);
    copse_model_free(tuned);
    copse_table_free(t);
}

/* --------------------------------------------------------------------------------------------------------- progress */

/* What was said of an island: its stages are counted, and there is no total before the last. */
typedef struct stages {
    double last, ended;
    int known_early;
} stages;

static void on_stage(void *arg, const char *what, double done, double total) {
    stages *s = arg;
    if (strcmp(what, "island 2 of 2: stages") != 0) return;
    s->known_early |= total > 0 && done < total;
    s->last = done;
    s->ended += total > 0;
}

static void every_stage_is_reported(void **state) {
    (void)state;
    copse_error err;
    copse_table *t = made("moons", 60);
    copse_params *p = params_of("smc particles 40 islands 2");
    copse_model *m;
    stages s = {0};
    must(copse_fit(t, &roles, p, &(copse_run){.threads = 1, .progress = on_stage, .arg = &s}, &m, &err), err);
    assert_true(s.last == (double)state_of(m)->island[1].stages && s.last > 5);
    assert_true(s.ended == 1);
    assert_false(s.known_early);
    copse_model_free(m);
    copse_params_free(p);
    copse_table_free(t);
}

/* ------------------------------------------------------------------------------------------------------ checkpoints */

static void a_fit_in_pieces_is_the_same_fit(void **state) {
    (void)state;
    static const char *const sets[] = {"moons", "friedman1"};
    static const char *const fits[] = {"smc particles 60 islands 3", "smc particles 60 islands 2 expansion layer",
                                       "smc particles 30 islands 2 proposal optimal expansion node-likelihood",
                                       "bcart samples 100 burn-in 300 thin 2 chains 3"};
    for (size_t s = 0; s < COUNT(sets); s++) {
        copse_table *t = made(sets[s], 60);
        for (size_t i = 0; i < COUNT(fits); i++) assert_pieces_make_the_whole(t, fits[i]);
        copse_table_free(t);
    }
}

static void damaged_checkpoints_are_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(small); i++) damage_checkpoints("moons", small[i], 60);
}

static void out_of_memory_is_a_status(void **state) {
    (void)state;
    run_out_of_memory("moons", "smc particles 3 islands 2 tune alpha");
    run_out_of_memory("moons", "bcart samples 3 burn-in 10 thin 1 chains 2");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_are_sound_and_come_back_as_they_were),
        cmocka_unit_test(targets_may_have_any_unit),
        cmocka_unit_test(the_prior_knows_no_targets),
        cmocka_unit_test(islands_are_averaged),
        cmocka_unit_test(the_answer_is_the_mean_over_trees),
        cmocka_unit_test(the_mean_is_known_better_than_y),
        cmocka_unit_test(the_posterior_over_trees_adds_up),
        cmocka_unit_test(tuning_never_lowers_the_marginal_likelihood),
        cmocka_unit_test(every_stage_is_reported),
        cmocka_unit_test(a_fit_in_pieces_is_the_same_fit),
        cmocka_unit_test(damaged_checkpoints_are_refused),
        cmocka_unit_test(out_of_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
