#include "check.h"

#include "base/mem.h"
#include "eval/stability.h"
#include "num/draw.h"

/* ----------------------------------------------------------------------------------------------------------- tables */

static void add(copse_table *t, const char *name, const double *values) {
    copse_error err;
    must(copse_table_add_numbers(t, name, values, &err), err);
}

/* Ten columns of noise, and y = step * (x1 > 1/2) + noise. */
static copse_table *make_noise(const char *name, size_t rows, double step) {
    copse_error err;
    copse_table *t;
    cp_rng rng;
    double *x = malloc(rows * sizeof *x), *y = malloc(rows * sizeof *y);
    cp_rng_init(&rng, seed_of(name), CP_FOR_TEST, 0, 0);
    must(copse_table_new(rows, &t, &err), err);
    for (int d = 1; d <= 10; d++) {
        char column[8];
        for (size_t i = 0; i < rows; i++) x[i] = cp_rng_unit(&rng);
        for (size_t i = 0; d == 1 && i < rows; i++) y[i] = step * (x[i] > .5) + cp_draw_normal(&rng);
        snprintf(column, sizeof column, "x%d", d);
        add(t, column, x);
    }
    add(t, "y", y);
    free(x);
    free(y);
    return t;
}

/* Options as "name=value name=value ..." of method bf. */
static copse_params *bf(const char *text) {
    copse_error err;
    copse_params *p;
    char buf[256], *save = NULL;
    must(copse_params_new("bf", &p, &err), err);
    snprintf(buf, sizeof buf, "%s", text);
    for (char *word = strtok_r(buf, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        must(copse_params_set(p, word, value, &err), err);
    }
    return p;
}

static copse_trunks *study(const copse_table *t, copse_task task, const char *options) {
    copse_error err;
    copse_trunks *out;
    copse_params *p = bf(options);
    must(copse_stability(t, &(copse_roles){.target = "y", .task = task}, p, &(copse_run){.threads = 2}, &out, &err),
         err);
    copse_params_free(p);
    return out;
}

/* K1 to K3 of the header. */
static void assert_sound(const copse_trunks *t) {
    size_t sum = 0, splits = 0;
    const copse_trunk *kind, *sample = copse_trunks_kind(t, 0);
    const copse_trunk_split *s;
    for (size_t i = 0; (kind = copse_trunks_kind(t, i)) != NULL; i++) {
        sum += kind->draws;
        if (i > 0) assert_true(kind->draws > 0);
        if (i > 1) assert_true(kind->draws <= copse_trunks_kind(t, i - 1)->draws);
        for (size_t k = 0, before = 0; k < kind->nodes; k++) {
            const copse_trunk_node *n = &kind->node[k];
            assert_int_equal(n->left < 0, n->feature == NULL);
            if (n->feature) assert_int_equal(n->left, 2 * before++ + 1);
        }
    }
    assert_int_equal(sum, copse_trunks_draws(t));
    for (; (s = copse_trunks_split(t, splits)) != NULL; splits++) {
        assert_non_null(sample->node[s->node].feature);
        assert_true(s->first <= s->here && s->here <= copse_trunks_draws(t));
        if (splits > 0) assert_true(s->first <= copse_trunks_split(t, splits - 1)->first);
        for (size_t i = 1; s->cuts && i < s->here; i++) assert_true(s->cuts[i - 1] <= s->cuts[i]);
    }
    assert_int_equal(splits, sample->nodes / 2);
}

/* ---------------------------------------------------------------------------------------------------- known answers */

static void a_strong_split_is_in_every_draw(void **state) {
    (void)state;
    copse_table *t = make_noise(__func__, 400, 20);
    copse_trunks *out = study(t, COPSE_REGRESS, "trees=200 max-leaves=2");
    assert_sound(out);
    const copse_trunk *sample = copse_trunks_kind(out, 0);
    const copse_trunk_split *s = copse_trunks_split(out, 0);
    assert_string_equal(sample->node[0].feature, "x1");
    assert_int_equal(sample->draws, 200);
    assert_null(copse_trunks_kind(out, 1));
    assert_int_equal(s->first, 200);
    assert_int_equal(sample->node[1].rows + sample->node[2].rows, 400);
    /* No draw has reason to cut anywhere but in the gap about 1/2. */
    assert_near(sample->node[0].cut, .5, .02);
    assert_near(s->cuts[0], sample->node[0].cut, .02);
    assert_near(s->cuts[199], sample->node[0].cut, .02);
    copse_trunks_free(out);
    copse_table_free(t);
}

static void noise_is_not_stable(void **state) {
    (void)state;
    copse_table *t = make_noise(__func__, 200, 0);
    copse_trunks *out = study(t, COPSE_REGRESS, "trees=300 max-leaves=4 min-leaf=20");
    size_t kinds = 0, splits = 0;
    assert_sound(out);
    while (copse_trunks_kind(out, kinds)) kinds++;
    while (copse_trunks_split(out, splits)) splits++;
    assert_true(kinds > 30);
    assert_true(copse_trunks_split(out, splits - 1)->first < 150);
    assert_true(copse_trunks_kind(out, 0)->draws <= copse_trunks_split(out, splits - 1)->first);
    copse_trunks_free(out);
    copse_table_free(t);
}

/* Rows (x1, x2, y): (0,0,0), (1,0,a), (1,1,1).  A split on x1 leaves w2 w3 / (w2 + w3) (1-a)^2 of the squared error,
 * one on x2 leaves w1 w2 / (w1 + w2) a^2, so that with c = (a / (1-a))^2 a draw splits on x1 if w3 / (w2 + w3) < c w1 /
 * (w1 + w2) = u, which has probability 1 - exp(-w2 u / (1-u)) given w1 and w2.  The rest is averaged over the quantiles
 * of two exponentials. */
static double probability_of_x1(double a) {
    enum { GRID = 1000 };
    double c = a * a / ((1 - a) * (1 - a)), sum = 0;
    for (int i = 0; i < GRID; i++) {
        double w1 = -log1p(-(i + .5) / GRID);
        for (int k = 0; k < GRID; k++) {
            double w2 = -log1p(-(k + .5) / GRID), u = c * w1 / (w1 + w2);
            sum += u >= 1 ? 1 : -expm1(-w2 * u / (1 - u));
        }
    }
    return sum / GRID / GRID;
}

static void three_rows_follow_their_law(void **state) {
    (void)state;
    enum { DRAWS = 20000 };
    static const double a[] = {.55, .7, .9};
    double bound = sqrt(log(2 / 1e-6) / (2. * DRAWS)), share[3];
    for (int i = 0; i < 3; i++) {
        copse_error err;
        copse_table *t;
        must(copse_table_new(3, &t, &err), err);
        add(t, "x1", (double[]){0, 1, 1});
        add(t, "x2", (double[]){0, 0, 1});
        add(t, "y", (double[]){0, a[i], 1});
        copse_trunks *out = study(t, COPSE_REGRESS, "trees=20000 max-leaves=2 min-leaf=1 min-leaf-weight=0");
        assert_sound(out);
        assert_string_equal(copse_trunks_kind(out, 0)->node[0].feature, "x1");
        assert_string_equal(copse_trunks_kind(out, 1)->node[0].feature, "x2");
        share[i] = (double)copse_trunks_kind(out, 0)->draws / DRAWS;
        if (fabs(share[i] - probability_of_x1(a[i])) > bound)
            fail_msg("y = %g: %g of the draws, %g expected", a[i], share[i], probability_of_x1(a[i]));
        copse_trunks_free(out);
        copse_table_free(t);
    }
    /* The bound is tight enough to tell these apart: a wrong law would be seen. */
    assert_true(fabs(share[0] - probability_of_x1(a[1])) > bound);
}

static void what_matches_is_counted_by_place(void **state) {
    (void)state;
    copse_table *t = make_noise(__func__, 300, 3);
    copse_trunks *out = study(t, COPSE_REGRESS, "trees=100 max-leaves=3 min-leaf=30");
    const copse_trunk *kind, *sample = copse_trunks_kind(out, 0);
    size_t same_top = 0;
    assert_sound(out);
    for (size_t i = 0; (kind = copse_trunks_kind(out, i)) != NULL; i++)
        if (kind->node[0].feature && !strcmp(kind->node[0].feature, sample->node[0].feature)) same_top += kind->draws;
    assert_int_equal(copse_trunks_split(out, 0)->here, same_top);
    /* Trunks of as many splits are of the sample's kind if all its splits are in them. */
    assert_int_equal(copse_trunks_split(out, 1)->first, sample->draws);
    copse_trunks_free(out);
    copse_table_free(t);
}

/* ---------------------------------------------------------------------------------------------- categories, classes */

static void categories_have_no_cut(void **state) {
    (void)state;
    enum { N = 200 };
    static const char *const word[] = {"red", "green", "blue", "grey"};
    copse_error err;
    copse_table *t;
    cp_rng rng;
    const char *colour[N], *label[N];
    double x[N];
    cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, 0, 0);
    for (int i = 0; i < N; i++) {
        colour[i] = word[i % 4];
        label[i] = i % 4 < 2 ? "warm" : "cold";
        x[i] = cp_rng_unit(&rng);
    }
    must(copse_table_new(N, &t, &err), err);
    must(copse_table_add_text(t, "colour", colour, &err), err);
    add(t, "x", x);
    must(copse_table_add_text(t, "y", label, &err), err);
    copse_trunks *out = study(t, COPSE_CLASS, "trees=50 max-leaves=2");
    const copse_trunk *sample = copse_trunks_kind(out, 0);
    assert_sound(out);
    assert_string_equal(sample->node[0].feature, "colour");
    assert_true(isnan(sample->node[0].cut));
    assert_null(copse_trunks_split(out, 0)->cuts);
    assert_int_equal(copse_trunks_split(out, 0)->first, 50);
    assert_string_equal(sample->node[1].note[0] == 'w' ? sample->node[2].note : sample->node[1].note, "cold");
    copse_trunks_free(out);
    copse_table_free(t);
}

static void without_options_it_has_its_own(void **state) {
    (void)state;
    copse_error err;
    copse_trunks *out;
    copse_table *t = make_noise(__func__, 200, 5);
    must(copse_stability(t, &(copse_roles){.target = "y"}, NULL, NULL, &out, &err), err);
    assert_sound(out);
    assert_int_equal(copse_trunks_draws(out), 100);
    assert_int_equal(copse_trunks_kind(out, 0)->nodes, 9);
    copse_trunks_free(out);
    copse_table_free(t);
}

static void a_constant_target_has_no_split(void **state) {
    (void)state;
    copse_error err;
    copse_table *t;
    must(copse_table_new(4, &t, &err), err);
    add(t, "x", (double[]){1, 2, 3, 4});
    add(t, "y", (double[]){5, 5, 5, 5});
    copse_trunks *out = study(t, COPSE_REGRESS, "trees=10 max-leaves=5");
    assert_sound(out);
    assert_int_equal(copse_trunks_kind(out, 0)->draws, 10);
    assert_null(copse_trunks_split(out, 0));
    copse_trunks_free(out);
    copse_table_free(t);
}

/* --------------------------------------------------------------------------------------------------------- failures */

static void trees_without_bounds_are_refused(void **state) {
    (void)state;
    copse_error err;
    copse_trunks *out;
    copse_table *t = make_noise(__func__, 2000, 1);
    copse_params *p = bf("trees=2 min-leaf-weight=0 min-leaf=1");
    assert_int_equal(copse_stability(t, &(copse_roles){.target = "y"}, p, NULL, &out, &err), COPSE_E_USAGE);
    assert_null(out);
    assert_non_null(strstr(err.msg, "`trunk-leaves=5`"));
    assert_int_equal(copse_stability(t, &(copse_roles){0}, p, NULL, &out, &err), COPSE_E_USAGE);
    copse_params_free(p);
    copse_table_free(t);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    copse_error err;
    copse_table *t = make_noise(__func__, 60, 2);
    copse_params *p = bf("trees=6 max-leaves=4");
    copse_run run = {.threads = 1};
    copse_status status = COPSE_E_MEMORY;
    for (long k = 0; status; k++) {
        copse_trunks *out;
        assert_true(k < 100000);
        cp_mem_fail_after(k);
        status = copse_stability(t, &(copse_roles){.target = "y"}, p, &run, &out, &err);
        cp_mem_fail_after(-1);
        assert_true(status == COPSE_OK || (status == COPSE_E_MEMORY && !out));
        copse_trunks_free(out);
    }
    copse_params_free(p);
    copse_table_free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_strong_split_is_in_every_draw), cmocka_unit_test(noise_is_not_stable),
        cmocka_unit_test(three_rows_follow_their_law),     cmocka_unit_test(what_matches_is_counted_by_place),
        cmocka_unit_test(categories_have_no_cut),          cmocka_unit_test(without_options_it_has_its_own),
        cmocka_unit_test(a_constant_target_has_no_split),  cmocka_unit_test(trees_without_bounds_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
