#include "check.h"

#include "base/mem.h"
#include "data/synth.h"

static copse_table *make(const char *name, cp_synth_options opt) {
    copse_table *t;
    copse_error err;
    must(cp_synth_new(name, &opt, &t, &err), err);
    assert_true(cp_table_check(t));
    return t;
}

static double at(const copse_table *t, const char *name, size_t row) {
    return t->col[cp_table_find(t, name)].number[row];
}

static void every_set_is_listed_and_made(void **state) {
    (void)state;
    size_t n = 0;
    for (const char *name; (name = cp_synth_name(n)); n++) {
        assert_true(strlen(cp_synth_summary(n)) > 10);
        copse_table *t = make(name, (cp_synth_options){.rows = 50, .noise = -1, .seed = 1});
        assert_string_equal(t->col[0].name, "x1");
        assert_string_equal(t->col[t->cols - 1].name, "target");
        assert_int_equal(t->rows, strcmp(name, "motorcycle") ? 50 : 133);
        cp_table_free(t);
    }
    assert_true(n >= 10);
    assert_null(cp_synth_summary(n));
}

/* The formulas once more, from the papers. */
static void truths_follow_their_formulas(void **state) {
    (void)state;
    const double pi = acos(-1);
    cp_synth_options opt = {.rows = 200, .noise = 0, .seed = 3, .with_truth = 1};
    copse_table *f1 = make("friedman1", opt), *f2 = make("friedman2", opt), *f3 = make("friedman3", opt);
    copse_table *b = make("branin", opt);
    assert_int_equal(f1->cols, 12);
    for (size_t i = 0; i < opt.rows; i++) {
        double y = 10 * sin(pi * at(f1, "x1", i) * at(f1, "x2", i)) + 20 * pow(at(f1, "x3", i) - .5, 2) +
                   10 * at(f1, "x4", i) + 5 * at(f1, "x5", i);
        assert_near(at(f1, "truth", i), y, 1e-12);
        assert_true(at(f1, "target", i) == at(f1, "truth", i));
        double reactance = at(f2, "x2", i) * at(f2, "x3", i) - 1 / (at(f2, "x2", i) * at(f2, "x4", i));
        assert_near(at(f2, "truth", i), sqrt(pow(at(f2, "x1", i), 2) + reactance * reactance), 1e-12);
        assert_near(at(f3, "truth", i), atan(reactance / at(f3, "x1", i)), 1e-12);
        double x1 = at(b, "x1", i), x2 = at(b, "x2", i);
        assert_near(
            at(b, "truth", i),
            pow(x2 - 5.1 * x1 * x1 / (4 * pi * pi) + 5 * x1 / pi - 6, 2) + 10 * (1 - 1 / (8 * pi)) * cos(x1) + 10,
            1e-12);
    }
    cp_table_free(f1);
    cp_table_free(f2);
    cp_table_free(f3);
    cp_table_free(b);
}

static double smallest(const char *name, size_t rows) {
    copse_table *t = make(name, (cp_synth_options){.rows = rows, .noise = -1, .seed = 1, .with_truth = 1});
    double least = INFINITY;
    for (size_t i = 0; i < rows; i++) least = fmin(least, at(t, "truth", i));
    cp_table_free(t);
    return least;
}

static void minima_are_the_known_ones(void **state) {
    (void)state;
    double least = smallest("branin", 200000);
    assert_true(least >= 0.397887 && least < 0.40);
    least = smallest("hartmann6", 400000);
    assert_true(least >= -3.32237 && least < -3.0);
}

static void hypercube_has_a_value_for_each_corner(void **state) {
    (void)state;
    double value[8], seen[8] = {0}, worst = 0;
    copse_table *t = make("hypercube", (cp_synth_options){.rows = 4000, .noise = -1, .seed = 5, .with_truth = 1});
    for (size_t i = 0; i < t->rows; i++) {
        size_t corner = 0;
        for (size_t d = 0; d < 3; d++) {
            corner |= (size_t)(t->col[d].number[i] > 0) << d;
            worst = fmax(worst, fabs(fabs(t->col[d].number[i]) - 1));
        }
        if (seen[corner]++ > 0) assert_true(at(t, "truth", i) == value[corner]);
        value[corner] = at(t, "truth", i);
        assert_true(fabs(at(t, "target", i) - value[corner]) < .08); /* noise .01 */
    }
    assert_true(worst > .2 && worst < .8); /* offsets of sd .1 */
    for (size_t k = 0; k < 8; k++) {
        assert_true(seen[k] > 350);
        for (size_t l = 0; l < k; l++) assert_true(value[k] != value[l]);
    }
    cp_table_free(t);
}

static void the_hole_is_empty(void **state) {
    (void)state;
    copse_table *t = make("hole", (cp_synth_options){.rows = 5000, .noise = -1, .seed = 1});
    double nearest = 2;
    for (size_t i = 0; i < t->rows; i++) nearest = fmin(nearest, hypot(at(t, "x1", i), at(t, "x2", i)));
    assert_true(nearest >= .5 && nearest < .52);
    cp_table_free(t);
}

/* The share of rows whose class is not the most probable one. */
static double error_of(const char *name, double noise) {
    copse_table *t = make(name, (cp_synth_options){.rows = 20000, .noise = noise, .seed = 1, .with_truth = 1});
    const cp_column *y = &t->col[t->cols - 2], *truth = &t->col[t->cols - 1];
    size_t wrong = 0;
    assert_int_equal(y->levels.n, 2);
    for (size_t i = 0; i < t->rows; i++)
        wrong += strcmp(cp_dict_text(&y->levels, (size_t)y->code[i]),
                        cp_dict_text(&truth->levels, (size_t)truth->code[i])) != 0;
    cp_table_free(t);
    return (double)wrong / 20000;
}

static void classes_can_be_told_apart_as_well_as_expected(void **state) {
    (void)state;
    assert_true(error_of("moons", .01) == 0);
    assert_true(error_of("moons", -1) < .05);
    assert_true(error_of("moons", 1) > .1);
    double ring = error_of("ringnorm", -1);
    assert_true(ring > .008 && ring < .018); /* Breiman: 1.3% */
}

static void a_row_does_not_depend_on_the_number_of_rows(void **state) {
    (void)state;
    for (size_t k = 0; cp_synth_name(k); k++) {
        if (strcmp(cp_synth_name(k), "motorcycle") == 0) continue;
        cp_synth_options opt = {.rows = 7, .noise = -1, .seed = 11, .with_truth = 1};
        copse_table *few = make(cp_synth_name(k), opt);
        opt.rows = 100;
        copse_table *many = make(cp_synth_name(k), opt);
        opt.seed = 12;
        copse_table *other = make(cp_synth_name(k), opt);
        for (size_t j = 0; j < few->cols; j++) {
            if (few->col[j].kind != COPSE_NUMBER) continue;
            assert_memory_equal(few->col[j].number, many->col[j].number, 7 * sizeof(double));
            assert_memory_not_equal(many->col[j].number, other->col[j].number, 100 * sizeof(double));
        }
        cp_table_free(few);
        cp_table_free(many);
        cp_table_free(other);
    }
}

static void noise_has_the_size_asked_for(void **state) {
    (void)state;
    copse_table *t = make("friedman1", (cp_synth_options){.rows = 20000, .noise = 2, .seed = 1, .with_truth = 1});
    double sum = 0, squares = 0;
    for (size_t i = 0; i < t->rows; i++) {
        double e = at(t, "target", i) - at(t, "truth", i);
        sum += e;
        squares += e * e;
    }
    assert_true(fabs(sum / 20000) < 5 * 2 / sqrt(20000.0)); /* five standard errors */
    assert_true(fabs(squares / 20000 - 4) < 5 * 4 * sqrt(2 / 20000.0));
    cp_table_free(t);
}

static void the_motorcycle_data_are_as_printed(void **state) {
    (void)state;
    copse_table *t = make("motorcycle", (cp_synth_options){.rows = 0, .noise = -1});
    double times = 0, accelerations = 0;
    for (size_t i = 0; i < 133; i++) {
        times += t->col[0].number[i];
        accelerations += t->col[1].number[i];
    }
    assert_int_equal(t->rows, 133);
    assert_true(t->col[0].number[132] == 57.6 && t->col[1].number[132] == 10.7);
    assert_near(times / 133, 25.17894736842105, 1e-12); /* R: colMeans(MASS::mcycle) */
    assert_near(accelerations / 133, -25.54586466165414, 1e-12);
    cp_table_free(t);
}

static void refuse(const char *name, cp_synth_options opt, const char *message) {
    copse_table *t;
    copse_error err;
    assert_int_equal(cp_synth_new(name, &opt, &t, &err), COPSE_E_USAGE);
    assert_string_equal(err.msg, message);
    assert_null(t);
}

static void what_a_set_cannot_do_is_said(void **state) {
    (void)state;
    refuse("freidman1", (cp_synth_options){.rows = 1}, "there is no data set 'freidman1'. Did you mean 'friedman1'?");
    refuse("zzzzzz", (cp_synth_options){.rows = 1}, "there is no data set 'zzzzzz': copse synth lists them");
    refuse("friedman1", (cp_synth_options){.rows = 1, .dims = 4}, "friedman1 takes 5 to 1000000 columns, not 4");
    refuse("branin", (cp_synth_options){.rows = 1, .dims = 3}, "branin has 2 columns, not 3");
    refuse("hypercube", (cp_synth_options){.rows = 1, .dims = 31}, "hypercube takes 1 to 30 columns, not 31");
    refuse("branin", (cp_synth_options){.rows = 0}, "a data set needs at least one row");
    refuse("branin", (cp_synth_options){.rows = 1, .noise = NAN}, "the noise must be a finite number");
    refuse("moons", (cp_synth_options){.rows = 1, .noise = 0}, "moons needs a noise above 0");
    refuse("motorcycle", (cp_synth_options){.noise = -1, .dims = 2}, "motorcycle has 1 column, not 2");
    refuse("motorcycle", (cp_synth_options){.noise = -1, .with_truth = 1},
           "motorcycle is measured: it has neither a noise to choose nor a truth");
}

static void every_failed_allocation_is_clean(void **state) {
    (void)state;
    static const char *const names[] = {"friedman1", "moons", "motorcycle"};
    for (size_t i = 0; i < 3; i++) {
        cp_synth_options opt = {.rows = 20, .noise = -1, .seed = 1};
        size_t before = cp_mem_count();
        cp_table_free(make(names[i], opt));
        long total = (long)(cp_mem_count() - before);
        for (long k = 0; k < total; k++) {
            copse_table *t;
            copse_error err;
            cp_mem_fail_after(k);
            copse_status status = cp_synth_new(names[i], &opt, &t, &err);
            cp_mem_fail_after(-1);
            assert_int_equal(status, COPSE_E_MEMORY);
            cp_table_free(t);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_set_is_listed_and_made),
        cmocka_unit_test(truths_follow_their_formulas),
        cmocka_unit_test(minima_are_the_known_ones),
        cmocka_unit_test(hypercube_has_a_value_for_each_corner),
        cmocka_unit_test(the_hole_is_empty),
        cmocka_unit_test(classes_can_be_told_apart_as_well_as_expected),
        cmocka_unit_test(a_row_does_not_depend_on_the_number_of_rows),
        cmocka_unit_test(noise_has_the_size_asked_for),
        cmocka_unit_test(the_motorcycle_data_are_as_printed),
        cmocka_unit_test(what_a_set_cannot_do_is_said),
        cmocka_unit_test(every_failed_allocation_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
