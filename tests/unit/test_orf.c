/* On-line random forests: the law of the bags, the rules of the paper against a tree that keeps its rows, what waits to
 * be learnt, forgetting.  What they have in common with other methods that learn online is in test_online.c. */
#include "ks.h"
#include "online.h"

#include "model/model_file.h"
#include "orf/orf.h"

static copse_params *options(const char *text) {
    return options_of(&cp_method_orf, text);
}

/* ------------------------------------------------------------------------------------------------------------- laws */

/* Largest distance between the cdf of the copies of rows in trees and that of Poisson(mean). */
static double distance_from_poisson(double mean) {
    enum { TREES = 500, ROWS = 1000, MOST = 20 };
    size_t count[MOST] = {0}, below = 0;
    double most = 0, p = exp(-mean), cdf = 0;
    for (uint32_t m = 0; m < TREES; m++)
        for (uint64_t row = 0; row < ROWS; row++) {
            cp_rng rng;
            cp_rng_init(&rng, seed_of("poisson"), CP_FOR_EXTEND, m, row);
            size_t k = cp_orf_tree_draw_copies(&rng);
            assert_true(k < MOST);
            count[k]++;
        }
    for (size_t k = 0; k < MOST; k++) {
        below += count[k];
        cdf += p;
        most = fmax(most, fabs(cdf - (double)below / (TREES * ROWS)));
        p *= mean / (double)(k + 1);
    }
    return most;
}

static void each_tree_takes_each_row_poisson_times(void **state) {
    (void)state;
    assert_true(distance_from_poisson(1) <= ks_bound_one(500 * 1000));
    assert_true(distance_from_poisson(1.02) > ks_bound_one(500 * 1000)); /* the test can fail */
}

static double uniform(double x, const void *arg) {
    double power = *(const double *)arg;
    return pow(x, power);
}

/* Columns alike, cuts anywhere in what is known of the range: [0,1], and what rows have shown beyond it. */
static void tests_are_drawn_evenly(void **state) {
    (void)state;
    enum { TREES = 300, TESTS = 60, N = TREES * TESTS, DIMS = 3 };
    sample s = make_sample("tests", 1, DIMS, 2, 0);
    copse_params *p = options("trees=300 tests=60");
    static double place[N];
    double one = 1, wrong = 1.1;
    size_t n = 0, column[DIMS] = {0};
    s.x[0] = -1; /* the range of column 0 is now [-1, 1], and that of column 1 [0, 4] */
    s.x[1] = 4;
    cp_orf *f = fit_rows(&s.rows, 1, p);
    for (size_t m = 0; m < TREES; m++) {
        copse_error err;
        must(cp_orf_tree_reset(&f->tree[m], &f->rules, (uint32_t)m, &err), err);
        for (size_t i = 0; i < TESTS; i++) {
            const cp_orf_test *test = &f->tree[m].test[i];
            double cut = (double)test->cut;
            column[test->dim]++;
            place[n++] = test->dim == 0 ? (cut + 1) / 2 : test->dim == 1 ? cut / 4 : cut;
        }
    }
    for (size_t d = 0; d < DIMS; d++) assert_true(fabs((double)column[d] / N - 1. / DIMS) <= share_bound(N));
    assert_true(ks_one(place, N, uniform, &one) <= ks_bound_one(N));
    assert_true(ks_one(place, N, uniform, &wrong) > ks_bound_one(N));
    cp_orf_free(f);
    cp_param_free(p);
    free_sample(&s);
}

/* ------------------------------------------------------------------------ the paper's rules, by one that keeps rows */

enum { SHADOW_NODES = 400, SHADOW_ROWS = 1600 };

/* A node with the rows that the paper has it count, copies and all. */
typedef struct shadow_node {
    int32_t left;
    size_t n_born, n_own;
    size_t born[SHADOW_ROWS], own[SHADOW_ROWS];
    size_t depth;
    cp_orf_test *test;
} shadow_node;

typedef struct shadow {
    const cp_rows *rows;
    const cp_orf_rules *f;
    size_t min_samples; /* as the shadow has them */
    double min_gain;
    size_t nodes;
    shadow_node node[SHADOW_NODES];
} shadow;

static int goes_left(const shadow *w, const cp_orf_test *test, size_t row) {
    return w->rows->x[row * w->rows->dims + (size_t)test->dim] <= test->cut;
}

/* Gini's impurity, or variance, by its definition. */
static double impurity(const shadow *w, const size_t *row, size_t n) {
    double sum = 0, mean = 0;
    if (w->rows->y) {
        for (size_t i = 0; i < n; i++) mean += w->rows->y[row[i]] / (double)n;
        for (size_t i = 0; i < n; i++) sum += pow(w->rows->y[row[i]] - mean, 2) / (double)n;
        return sum;
    }
    for (size_t k = 0; k < w->rows->classes; k++) {
        double share = 0;
        for (size_t i = 0; i < n; i++) share += (w->rows->label[row[i]] == (int32_t)k) / (double)n;
        sum += share * (1 - share);
    }
    return sum;
}

static size_t side_of(const shadow *w, const shadow_node *n, size_t test, int left, size_t *out) {
    size_t k = 0;
    for (size_t i = 0; i < n->n_own; i++)
        if (goes_left(w, &n->test[test], n->own[i]) == left) out[k++] = n->own[i];
    return k;
}

static double gain_by_hand(const shadow *w, const shadow_node *n, size_t test) {
    static size_t part[SHADOW_ROWS];
    double whole = impurity(w, n->own, n->n_own), gain = whole;
    for (int left = 0; left < 2; left++) {
        size_t k = side_of(w, n, test, left, part);
        if (k == n->n_own) return 0;
        if (k) gain -= (double)k / (double)n->n_own * impurity(w, part, k);
    }
    return w->rows->y && whole > 0 ? gain / whole : gain;
}

static void shadow_split(shadow *w, size_t j, size_t test) {
    shadow_node *n = &w->node[j];
    n->left = (int32_t)w->nodes;
    assert_true(w->nodes + 2 <= SHADOW_NODES);
    for (int right = 0; right < 2; right++) {
        shadow_node *child = &w->node[w->nodes++];
        *child = (shadow_node){.left = CP_NONE, .depth = n->depth + 1};
        child->n_born = side_of(w, n, test, !right, child->born);
    }
}

static void shadow_copy(shadow *w, size_t row) {
    size_t j = 0;
    while (w->node[j].left != CP_NONE) j = (size_t)w->node[j].left + !goes_left(w, w->node[j].test, row);
    shadow_node *n = &w->node[j];
    n->own[n->n_own++] = row;
    if (n->n_own < w->min_samples || (double)n->depth >= w->f->max_depth) return;
    double most = 0;
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < w->f->tests; i++) {
        double gain = gain_by_hand(w, n, i);
        if (gain > most + 1e-12 && gain >= w->min_gain) {
            most = gain;
            best = i;
        }
    }
    if (best == SIZE_MAX) return;
    shadow_split(w, j, best);
    *n->test = n->test[best]; /* from now on the node's split */
}

/* New leaves have tests of their own, which the shadow takes from the tree. */
static void take_tests(shadow *w, const cp_orf_tree *t) {
    for (size_t j = 0; j < w->nodes && j < t->nodes; j++) {
        if (w->node[j].test || t->node[j].left != CP_NONE) continue;
        size_t n = w->f->tests;
        w->node[j].test = malloc(n * sizeof *w->node[j].test);
        memcpy(w->node[j].test, t->test + (size_t)t->node[j].dim * n, n * sizeof *w->node[j].test);
    }
}

static void assert_counts(const shadow *w, const size_t *row, size_t n, const uint32_t *count) {
    for (size_t k = 0; k < w->f->classes; k++) {
        uint32_t found = 0;
        for (size_t i = 0; i < n; i++) found += w->rows->label[row[i]] == (int32_t)k;
        assert_int_equal(count[k], found);
    }
}

static void assert_moments(const shadow *w, const size_t *row, size_t n, const cp_orf_moments *m, double centre) {
    double mean = 0;
    assert_true(m->n == (double)n);
    if (!n) return;
    for (size_t i = 0; i < n; i++) mean += w->rows->y[row[i]] / (double)n;
    assert_near(m->mean + centre, mean, 1e-12);
    assert_near(m->m2 / m->n, impurity(w, row, n), 1e-12);
}

/* Everything a leaf knows, counted again. */
static void assert_leaf(const shadow *w, const shadow_node *n, const cp_orf_tree *t, size_t leaf, double centre) {
    static size_t part[SHADOW_ROWS];
    for (size_t i = 0; i < w->f->tests; i++) {
        assert_near(cp_orf_tree_gain(t, w->f, leaf, i), n->n_own ? gain_by_hand(w, n, i) : 0, 1e-10);
        for (int right = 0; right < (w->rows->y ? 2 : 1); right++) {
            size_t k = side_of(w, n, i, !right, part);
            if (w->rows->y)
                assert_moments(w, part, k, cp_orf_tree_moments(t, w->f, leaf) + 2 + 2 * i + right, centre);
            else
                assert_counts(w, part, k, cp_orf_tree_counts(t, w->f, leaf) + (2 + i) * w->f->width);
        }
    }
    if (w->rows->y) {
        assert_moments(w, n->born, n->n_born, cp_orf_tree_moments(t, w->f, leaf), centre);
        assert_moments(w, n->own, n->n_own, cp_orf_tree_moments(t, w->f, leaf) + 1, centre);
    } else {
        assert_counts(w, n->born, n->n_born, cp_orf_tree_counts(t, w->f, leaf));
        assert_counts(w, n->own, n->n_own, cp_orf_tree_counts(t, w->f, leaf) + w->f->width);
    }
}

/* Does the tree split when the shadow does, and as it does? */
static int same_splits(const shadow *w, const cp_orf_tree *t) {
    if (t->nodes != w->nodes) return 0;
    for (size_t j = 0; j < t->nodes; j++) {
        const cp_orf_node *n = &t->node[j];
        if (n->left != w->node[j].left) return 0;
        if (n->left != CP_NONE && (n->dim != w->node[j].test->dim || n->cut != w->node[j].test->cut)) return 0;
    }
    return 1;
}

/* One tree, row by row; how many of the rows were learnt while it split as the shadow did. */
static size_t follow(const cp_rows *rows, const char *text, size_t min_samples, double min_gain, size_t *out_nodes) {
    static shadow w;
    copse_error err;
    copse_params *p = options(text);
    cp_orf *f = fit_rows(rows, 0, p);
    cp_orf_tree *t = &f->tree[0];
    size_t i = 0;
    w = (shadow){.rows = rows, .f = &f->rules, .min_samples = min_samples, .min_gain = min_gain, .nodes = 1};
    w.node[0] = (shadow_node){.left = CP_NONE};
    take_tests(&w, t);
    for (; i < rows->n; i++) {
        cp_rng rng;
        double y = rows->y ? rows->y[i] - rows->y[0] : rows->label[i];
        cp_rng_init(&rng, f->rules.seed, CP_FOR_EXTEND, 0, i);
        size_t copies = cp_orf_tree_draw_copies(&rng);
        must(cp_orf_tree_learn(t, &f->rules, 0, rows->x + i * rows->dims, y, &err), err);
        for (size_t k = 0; k < copies; k++) shadow_copy(&w, i);
        if (!same_splits(&w, t)) break;
        take_tests(&w, t);
        for (size_t j = 0; i % 50 == 0 && j < t->nodes; j++)
            if (t->node[j].left == CP_NONE)
                assert_leaf(&w, &w.node[j], t, (size_t)t->node[j].dim, rows->y ? rows->y[0] : 0);
    }
    *out_nodes = t->nodes;
    for (size_t j = 0; j < w.nodes; j++) free(w.node[j].test);
    cp_orf_free(f);
    cp_param_free(p);
    return i;
}

static void trees_follow_the_rules_of_the_paper(void **state) {
    (void)state;
    const struct {
        size_t classes;
        int steps;
        const char *options;
        size_t min_samples;
        double min_gain;
        size_t least_nodes, most_nodes;
    } cases[] = {
        {3, 0, "trees=1 min-samples=30", 30, 0, 21, 99},
        {3, 0, "trees=1 min-samples=30 min-gain=.05", 30, .05, 7, 60},
        {12, 4, "trees=1 min-samples=40 tests=3", 40, 0, 9, 99},
        {3, 0, "trees=1 min-samples=30 max-depth=2", 30, 0, 7, 7},
        {3, 0, "trees=1 min-samples=30 min-gain=.9", 30, .9, 1, 1},
        {0, 0, "trees=1 min-samples=30", 30, 0, 21, 99},
        {0, 5, "trees=1 min-samples=40 min-gain=.2 tests=4", 40, .2, 5, 60},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t nodes;
        sample s = make_sample("rules", 1000, 2, cases[i].classes, cases[i].steps);
        assert_int_equal(follow(&s.rows, cases[i].options, cases[i].min_samples, cases[i].min_gain, &nodes), 1000);
        assert_in_range(nodes, cases[i].least_nodes, cases[i].most_nodes);
        /* A shadow with other rules is not followed: the test can fail. */
        if (nodes > 1) assert_true(follow(&s.rows, cases[i].options, cases[i].min_samples + 1, 0, &nodes) < 1000);
        free_sample(&s);
    }
}

/* --------------------------------------------------------------------------------------------------------- streams */

/* Whichever allocation fails while rows are answered and learnt, what was taken in is learnt before the model is
 * saved. */
static void what_was_taken_in_is_learnt_before_saving(void **state) {
    (void)state;
    copse_error err;
    copse_table *t = NULL;
    copse_params *p = options("trees=20 min-samples=4");
    image whole = {0};
    size_t unlearnt = 0;
    int failing = 1;
    must(copse_synth("moons", &(copse_synth_options){.rows = 100, .seed = 1}, &t, &err), err);
    for (long k = -1; failing; k++) { /* the first time none fails */
        copse_model *m = NULL;
        copse_prediction *before = NULL;
        image saved;
        cp_writer *w = NULL;
        must(copse_fit(t, &(copse_roles){.target = "target"}, p, NULL, &m, &err), err);
        cp_mem_fail_after(k);
        copse_status status = copse_update_predict(m, t, &(copse_run){.threads = 1}, &before, &err);
        cp_mem_fail_after(-1);
        failing = k < 0 || status;
        unlearnt += status && copse_model_rows(m) == 200;
        must(cp_writer_new(&w, &err), err);
        must(cp_model_file_write(m, 0, w, &err), err);
        must(finish_image(w, &saved, &err), err);
        if (k < 0) whole = saved;
        if (k >= 0 && copse_model_rows(m) == 200) {
            assert_int_equal(saved.n, whole.n);
            assert_memory_equal(saved.bytes, whole.bytes, whole.n);
        }
        if (k >= 0) free(saved.bytes);
        cp_writer_free(w);
        copse_prediction_free(before);
        copse_model_free(m);
    }
    assert_true(unlearnt > 5);
    free(whole.bytes);
    cp_param_free(p);
    copse_table_free(t);
}

/* Classes met one by one, in the end as if they had been known from the start. */
static void classes_may_come_later(void **state) {
    (void)state;
    enum { N = 300, K = 30 };
    sample s = make_sample("later", N, 3, K, 0);
    copse_params *p = options("trees=5 min-samples=10 tests=4");
    for (size_t i = 0; i < N; i++) s.label[i] = (int32_t)((size_t)s.label[i] % (1 + i / 10));
    cp_orf *whole = fit_rows(&s.rows, N, p);
    cp_rows now = s.rows;
    now.classes = 1;
    cp_orf *grown = fit_rows(&now, 1, p);
    for (size_t i = 1; i < N; i++) {
        if ((size_t)s.label[i] >= now.classes) now.classes = (size_t)s.label[i] + 1;
        learn_rows(grown, &now, i, 1, p);
    }
    now.classes = K;
    learn_rows(grown, &now, 0, 0, p);
    assert_same(whole, grown, p);
    cp_orf_free(whole);
    cp_orf_free(grown);
    cp_param_free(p);
    free_sample(&s);
}

/* --------------------------------------------------------------------------------------------------------- answers */

/* The mean over trees of a leaf's shares, smoothed; the mixture of leaf Gaussians: by hand, from a tree of one leaf. */
static void a_leaf_says_what_its_rows_say(void **state) {
    (void)state;
    sample s = make_sample("leaf", 50, 2, 3, 0);
    copse_params *p = options("trees=1 min-samples=1000 smoothing=2");
    cp_answer a;
    cp_orf *f = fit_rows(&s.rows, 50, p);
    double n = 0, count[3] = {0}, sum = 0, square = 0, all = 0, mean = 0, of_all = 0;
    for (size_t i = 0; i < 50; i++) {
        cp_rng rng;
        cp_rng_init(&rng, 1, CP_FOR_EXTEND, 0, i);
        double k = (double)cp_orf_tree_draw_copies(&rng);
        n += k;
        count[s.label[i]] += k;
        sum += k * s.y[i];
        mean += s.y[i] / 50;
    }
    a = ask(f, &s.rows, p);
    for (size_t k = 0; k < 3; k++) assert_near(a.probs[k], (count[k] + 2. / 3) / (n + 2), 1e-14);
    cp_answer_clear(&a);
    cp_orf_free(f);
    s.rows = (cp_rows){.task = COPSE_REGRESS, .n = 50, .dims = 2, .x = s.x, .y = s.y};
    f = fit_rows(&s.rows, 50, p);
    for (size_t i = 0; i < 50; i++) {
        cp_rng rng;
        cp_rng_init(&rng, 1, CP_FOR_EXTEND, 0, i);
        square += (double)cp_orf_tree_draw_copies(&rng) * pow(s.y[i] - sum / n, 2);
        of_all += pow(s.y[i] - mean, 2) / 50;
    }
    all = (square + 2 * of_all) / (n + 2);
    a = ask(f, &s.rows, p);
    assert_near(cp_mixture_mean(cp_answer_mixture(&a, 0)), sum / n, 1e-13);
    assert_near(cp_mixture_var(cp_answer_mixture(&a, 0)), all, 1e-13);
    cp_answer_clear(&a);
    cp_orf_free(f);
    cp_param_free(p);
    free_sample(&s);
}

/* ------------------------------------------------------------------------------------- temporal knowledge weighting */

/* After each row one tree older than 1/gamma rows is picked, and begun anew with the probability of its error. */
static void trees_that_err_are_begun_anew(void **state) {
    (void)state;
    enum { N = 3000, TREES = 40, AGE = 20 };
    sample s = make_sample("anew", N, 2, 2, 0);
    copse_params *p = options("trees=40 forget=.05 min-samples=100000");
    copse_error err;
    for (int sure = 0; sure < 2; sure++) {
        double error = 0, begun = 0;
        cp_rng rng;
        cp_rng_init(&rng, seed_of("coin"), CP_FOR_TEST, 0, 0);
        for (size_t i = 0; i < N; i++) s.label[i] = sure ? 0 : (int32_t)cp_rng_below(&rng, 2);
        cp_orf *f = fit_rows(&s.rows, AGE, p);
        for (size_t i = AGE; i < N; i++) {
            cp_orf_tree was[TREES];
            size_t changed = 0, old = 0;
            double rate = 0;
            cp_rows row = cp_rows_slice(&s.rows, i, 1);
            memcpy(was, f->tree, sizeof was);
            must(cp_method_orf.update(f, &row, p, NULL, NULL, &err), err);
            for (size_t m = 0; m < TREES; m++) {
                if (f->tree[m].born != was[m].born) {
                    assert_int_equal(f->tree[m].born, i + 1);
                    assert_true(i + 1 - was[m].born > AGE);
                    changed++;
                    begun++;
                }
                if (i + 1 - was[m].born <= AGE) continue;
                old++;
                rate += was[m].oob_rows > 0 ? was[m].oob_errors / was[m].oob_rows : 0;
            }
            assert_true(changed <= 1);
            if (old) error += rate / (double)old;
        }
        /* Hoeffding's bound holds for martingales too; what this row adds to the error of the picked tree is the .02 */
        assert_true(fabs(begun - error) / N <= share_bound(N) + .02);
        assert_true(sure ? begun == 0 : begun > .3 * N);
        cp_orf_free(f);
    }
    s.rows = (cp_rows){.task = COPSE_REGRESS, .n = 5, .dims = 2, .x = s.x, .y = s.y};
    void *none = NULL;
    assert_int_equal(cp_method_orf.fit(&s.rows, p, NULL, &none, &err), COPSE_E_USAGE);
    cp_param_free(p);
    free_sample(&s);
}

/* After the world has changed, a forest that forgets is right again sooner. */
static void forgetting_follows_a_change(void **state) {
    (void)state;
    enum { N = 4000, TEST = 300 };
    sample s = make_sample("change", N, 2, 2, 0);
    double right[2] = {0};
    for (size_t i = 0; i < N; i++) s.label[i] = (s.x[2 * i] > .5f) ^ (i >= N / 2);
    for (int k = 0; k < 2; k++) {
        copse_params *p = options(k ? "trees=20 min-samples=20 forget=.01" : "trees=20 min-samples=20");
        cp_orf *f = fit_rows(&s.rows, N - TEST, p);
        cp_rows test = cp_rows_slice(&s.rows, N - TEST, TEST);
        cp_answer a;
        a = ask(f, &test, p);
        for (size_t i = 0; i < TEST; i++) right[k] += cp_answer_label(&a, i) == (size_t)test.label[i];
        cp_answer_clear(&a);
        cp_orf_free(f);
        cp_param_free(p);
    }
    assert_true(right[1] > .9 * TEST);
    assert_true(right[1] > right[0]);
    free_sample(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_tree_takes_each_row_poisson_times),
        cmocka_unit_test(tests_are_drawn_evenly),
        cmocka_unit_test(trees_follow_the_rules_of_the_paper),
        cmocka_unit_test(what_was_taken_in_is_learnt_before_saving),
        cmocka_unit_test(classes_may_come_later),
        cmocka_unit_test(a_leaf_says_what_its_rows_say),
        cmocka_unit_test(trees_that_err_are_begun_anew),
        cmocka_unit_test(forgetting_follows_a_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
