/* The six methods on the engine: what a tree holds against the rows and weights it was given, what the forest says
 * against a literal reading of its trees, and what may not change it. */
#include "fitted.h"
#include "sanitized.h"

#include "base/mem.h"
#include "greedy/greedy.h"
#include "greedy/greedy_fit.h"
#include "greedy/greedy_inspect.h"
#include "greedy/greedy_trunk.h"
#include "method/row_groups.h"
#include "split/split.h"
#include "tree/tree_walk.h"

static const cp_method *const methods[] = {&cp_method_cart, &cp_method_rf,  &cp_method_ert,
                                           &cp_method_bf,   &cp_method_ssf, &cp_method_ebf};

static const char *few_trees(const cp_method *m) {
    return m == &cp_method_cart ? "" : "trees=5";
}

static cp_answer ask(const cp_method *m, const cp_greedy *g, const cp_rows *rows, const copse_params *p, int32_t tree,
                     int of_mean) {
    copse_error err;
    cp_answer a;
    must(cp_answer_init(&a, rows->task, rows->n, rows->classes, &err), err);
    a.tree = tree;
    a.of_mean = of_mean;
    must(m->predict(g, rows, p, &a, &err), err);
    return a;
}

/* ---------------------------------------------------------------------------------------------- what may not change */

static void threads_change_no_byte(void **state) {
    (void)state;
    static const char *const more[] = {"", " splits=binned", " max-leaves=20"};
    for (size_t k = 0; k < COUNT(methods); k++)
        for (size_t classes = 0; classes <= 3; classes += 3)
            for (size_t i = 0; i < COUNT(more); i++) {
                if (methods[k] == &cp_method_ert && i == 1) continue;
                sample s = make_sample("threads", 1500, 4, classes, 0);
                char text[80];
                snprintf(text, sizeof text, "%s%s", few_trees(methods[k]), more[i]);
                copse_params *p = options_of(methods[k], text);
                cp_greedy *one = fit(methods[k], &s.rows, p, 1);
                for (int threads = 2; threads <= 7; threads += 5) {
                    cp_greedy *g = fit(methods[k], &s.rows, p, threads);
                    assert_same_model(methods[k], one, g, p);
                    cp_greedy_free(g);
                }
                cp_greedy_free(one);
                cp_param_free(p);
                free_sample(&s);
            }
}

static cp_tree grow_ranked(const cp_rows *rows, int binned, int ranked) {
    copse_error err;
    cp_greedy_data d;
    cp_tree t = {0};
    cp_greedy_rule rule = {.features = rows->dims, .min_leaf = 2};
    cp_greedy_job job = {.rows = rows->n, .root = 1};
    must(cp_greedy_grow_data_init(&d, rows, binned, NULL, &err), err);
    if (ranked) must(cp_greedy_grow_data_rank(&d, NULL, &err), err);
    must(cp_greedy_grow(&d, &rule, &job, NULL, &t, &err), err);
    cp_greedy_grow_data_clear(&d);
    return t;
}

/* With ties, zeros of both signs, missing values, and levels unseen in training. */
static void ranks_change_no_tree(void **state) {
    (void)state;
    enum { ROWS = 5000, DIMS = 4 };
    static const uint32_t levels[DIMS] = {0, 0, 0, 300};
    for (int way = 0; way < 6; way++) {
        sample s = make_sample("ranks", ROWS, DIMS, way / 2 == 2 ? 3 : 0, way / 2 == 1 ? 40 : 0);
        for (size_t i = 0; i < ROWS; i++) {
            float *x = s.x + i * DIMS;
            x[1] = i % 5 == 0 ? -0.0f : i % 5 == 1 ? 0.0f : x[1] - 0.5f;
            if (i % 7 == 0) x[2] = NAN;
            x[3] = floorf(x[3] * 301);
        }
        s.rows.levels = levels;
        cp_tree a = grow_ranked(&s.rows, way % 2, 0), b = grow_ranked(&s.rows, way % 2, 1);
        assert_true(a.leaves > 50);
        assert_int_equal(a.nodes, b.nodes);
        assert_memory_equal(a.node, b.node, a.nodes * sizeof *a.node);
        assert_int_equal(a.sets, b.sets);
        assert_memory_equal(a.set, b.set, a.sets * sizeof *a.set);
        cp_tree_clear(&a);
        cp_tree_clear(&b);
        free_sample(&s);
    }
}

/* Which of two splits that gain the same comes first is part of the tree. */
static void of_equal_gains_the_first_node_is_split(void **state) {
    (void)state;
    enum { EACH = 4, ROWS = 4 * EACH };
    static const double level[] = {0, 1, 10, 11};
    float x[ROWS];
    double y[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        x[i] = (float)(i / EACH);
        y[i] = level[i / EACH];
    }
    const cp_rows rows = {.task = COPSE_REGRESS, .n = ROWS, .dims = 1, .x = x, .y = y};
    copse_params *p = options_of(&cp_method_cart, "max-leaves=3");
    cp_greedy *g = fit(&cp_method_cart, &rows, p, 1);
    const cp_tree *t = &g->forest.tree[0];
    assert_int_equal(t->leaves, 3);
    assert_false(cp_tree_is_leaf(&t->node[t->node[0].next]));
    assert_true(cp_tree_is_leaf(&t->node[t->node[0].next + 1]));
    cp_greedy_free(g);
    cp_param_free(p);
}

/* Many columns are tried where one column of six says everything, few where none says anything. */
static void rf_tries_many_columns_where_few_are_worse(void **state) {
    (void)state;
    enum { ROWS = 600, DIMS = 6 };
    for (size_t classes = 0; classes <= 2; classes += 2)
        for (int tells = 0; tells <= 1; tells++) {
            sample s = make_sample("columns", ROWS, DIMS, classes, 0),
                   noise = make_sample("other", ROWS, 1, classes, 0);
            for (size_t i = 0; i < ROWS; i++) {
                double x = (double)s.x[i * DIMS + 3];
                s.y[i] = tells ? sin(9 * x) + .1 * noise.y[i] : noise.y[i];
                s.label[i] = tells ? (int32_t)(8 * x) % 2 : noise.label[i];
            }
            copse_params *automatic = options_of(&cp_method_rf, "trees=9"),
                         *many = options_of(&cp_method_rf, "trees=9 features-per-split=all"),
                         *few = options_of(&cp_method_rf, "trees=9 features-per-split=2");
            cp_greedy *a = fit(&cp_method_rf, &s.rows, automatic, 2), *b = fit(&cp_method_rf, &s.rows, many, 1),
                      *c = fit(&cp_method_rf, &s.rows, few, 1);
            assert_same_model(&cp_method_rf, a, tells ? b : c, automatic);
            assert_true(b->forest.tree[0].nodes != c->forest.tree[0].nodes);
            cp_greedy_free(a);
            cp_greedy_free(b);
            cp_greedy_free(c);
            cp_param_free(automatic);
            cp_param_free(many);
            cp_param_free(few);
            free_sample(&s);
            free_sample(&noise);
        }
}

static void seeds_change_forests(void **state) {
    (void)state;
    sample s = make_sample("seeds", 300, 4, 0, 0);
    for (size_t k = 1; k < COUNT(methods); k++) {
        copse_params *p = options_of(methods[k], "trees=2 seed=1"), *q = options_of(methods[k], "trees=2 seed=2");
        cp_greedy *a = fit(methods[k], &s.rows, p, 1), *b = fit(methods[k], &s.rows, q, 1);
        cp_answer x = ask(methods[k], a, &s.rows, p, CP_NONE, 0), y = ask(methods[k], b, &s.rows, q, CP_NONE, 0);
        size_t same = 0;
        for (size_t i = 0; i < s.rows.n; i++)
            same += cp_mixture_mean(cp_answer_mixture(&x, i)) == cp_mixture_mean(cp_answer_mixture(&y, i));
        assert_true(same < s.rows.n / 2);
        cp_answer_clear(&x);
        cp_answer_clear(&y);
        cp_greedy_free(a);
        cp_greedy_free(b);
        cp_param_free(p);
        cp_param_free(q);
    }
    free_sample(&s);
}

/* ---------------------------------------------------------------------------------- leaves against rows and weights */

/* What a leaf should hold. */
typedef struct sums {
    double weight, first, second, share[3];
    uint32_t rows;
} sums;

/* Sends every row of positive weight down the tree and compares its leaves with what arrives there. */
static void assert_leaves_hold(const cp_greedy *g, size_t m, const cp_rows *rows, const double *weight) {
    const cp_forest *f = &g->forest;
    const cp_tree *t = &f->tree[m];
    sums *sum = calloc(t->leaves, sizeof *sum);
    uint32_t *leaf = malloc(rows->n * sizeof *leaf);
    cp_tree_walk(t, f, rows->x, rows->n, leaf);
    for (size_t i = 0; i < rows->n; i++) {
        if (weight[i] <= 0) continue;
        sums *a = &sum[leaf[i]];
        double y = rows->y ? (rows->y[i] - f->centre) / f->scale : 0;
        a->rows++;
        a->weight += weight[i];
        a->first += weight[i] * y;
        a->second += weight[i] * y * y;
        if (rows->label) a->share[rows->label[i]] += weight[i];
    }
    for (size_t k = 0; k < t->leaves; k++) {
        const sums *a = &sum[k];
        if (rows->label) {
            assert_int_equal(t->rows[k], a->rows);
            for (uint32_t s = t->start[k]; s < t->start[k + 1]; s++)
                assert_near((double)t->class_weight[s].weight, a->share[t->class_weight[s].label], 1e-6);
            continue;
        }
        double mean = a->first / a->weight;
        assert_int_equal(t->value[k].rows, a->rows);
        assert_near((double)t->value[k].weight, a->weight, 1e-6);
        assert_near((double)t->value[k].mean, mean, 1e-6);
        assert_near((double)t->value[k].var, fmax(0, a->second / a->weight - mean * mean), 1e-6);
    }
    free(sum);
    free(leaf);
}

static void every_row_lands_in_the_leaf_it_was_trained_in(void **state) {
    (void)state;
    for (size_t classes = 0; classes <= 3; classes += 3) {
        sample s = make_sample("leaves", 700, 3, classes, classes ? 30 : 0);
        uint32_t row[700];
        double weight[700];
        for (uint32_t i = 0; i < 700; i++) row[i] = i;
        for (size_t k = 0; k < 4; k++) { /* cart, rf, ert, bf */
            cp_greedy *g = fit_with(methods[k], &s.rows, few_trees(methods[k]));
            for (uint32_t m = 0; m < g->forest.trees; m++) {
                cp_greedy_weight_draw draw = {.seed = 1, .tree = m};
                for (size_t i = 0; i < 700; i++) weight[i] = 1;
                if (methods[k] == &cp_method_rf) cp_greedy_weight_bootstrap(row, 700, NULL, draw, weight);
                if (methods[k] == &cp_method_bf) cp_greedy_weight_exponential(row, 700, NULL, draw, weight);
                assert_leaves_hold(g, m, &s.rows, weight);
            }
            cp_greedy_free(g);
        }
        free_sample(&s);
    }
}

/* Each tree of subset k holds its rows and no others; subsets do not meet and leave nothing out. */
static void subsets_divide_the_rows(void **state) {
    (void)state;
    enum { ROWS = 503, PARTS = 4, TREES = 3 };
    copse_error err;
    sample s = make_sample("subsets", ROWS, 3, 0, 0);
    cp_greedy *g = fit_with(&cp_method_ssf, &s.rows, "trees=3 subsets=4");
    uint32_t row[ROWS];
    size_t seen = 0;
    cp_row_groups groups;
    for (uint32_t i = 0; i < ROWS; i++) row[i] = i;
    must(cp_row_groups_init(&groups, &s.rows, &(cp_row_groups_ask){row, ROWS, PARTS, 0, 1}, &err), err);
    assert_int_equal(g->forest.trees, PARTS * TREES);
    for (size_t k = 0; k < PARTS; k++) {
        size_t first = ROWS * k / PARTS, n = ROWS * (k + 1) / PARTS - first;
        memcpy(row + first, groups.row + first, n * sizeof *row);
        must(cp_greedy_weight_sort(row + first, n, &err), err);
        for (uint32_t m = (uint32_t)k * TREES; m < (k + 1) * TREES; m++) {
            double weight[ROWS] = {0};
            cp_greedy_weight_exponential(row + first, n, NULL, (cp_greedy_weight_draw){1, m, k}, weight);
            assert_leaves_hold(g, m, &s.rows, weight);
        }
        seen += n;
    }
    assert_int_equal(seen, ROWS);
    cp_row_groups_clear(&groups);
    cp_greedy_free(g);
    free_sample(&s);
}

/* A row may be there up to four times: its copies are in one subset, so no tree of another has seen it. */
static void subsets_do_not_share_copies(void **state) {
    (void)state;
    enum { ROWS = 400, PARTS = 4 };
    sample s = make_sample("shared", ROWS, 3, 0, 0);
    for (size_t i = 0; i < ROWS; i++) {
        size_t from = i % 4 < 2 ? i : i - 2;
        memmove(s.x + i * 3, s.x + from * 3, 3 * sizeof *s.x);
        s.y[i] = (double)(from + 1);
    }
    cp_greedy *g = fit_with(&cp_method_ssf, &s.rows, "trees=1 subsets=4 min-leaf=1 min-leaf-weight=0");
    size_t total = 0, most = 0;
    for (size_t m = 0; m < PARTS; m++) {
        size_t rows = 0;
        for (size_t k = 0; k < g->forest.tree[m].leaves; k++) {
            assert_int_equal(g->forest.tree[m].value[k].rows % 2, 0);
            rows += g->forest.tree[m].value[k].rows;
        }
        total += rows;
        most = rows > most ? rows : most;
    }
    assert_int_equal(total, ROWS);
    assert_true(most <= ROWS / PARTS + 2);
    cp_greedy_free(g);
    free_sample(&s);
}

/* bf's rule and weights of 1 make cart's tree, bit for bit. */
static void bf_with_unit_weights_is_cart(void **state) {
    (void)state;
    copse_error err;
    static const cp_greedy_kind cart_kind = {.one_tree = 1}, bf_kind = {.draws = CP_GREEDY_EXPONENTIAL};
    for (size_t classes = 0; classes <= 3; classes += 3) {
        sample s = make_sample("unit", 900, 4, classes, 0);
        copse_params *cart = options_of(&cp_method_cart, "min-leaf=2 min-leaf-weight=3"),
                     *bf = options_of(&cp_method_bf, "min-leaf=2");
        cp_greedy *g = fit(&cp_method_cart, &s.rows, cart, 1);
        cp_greedy_rule a, b;
        must(cp_greedy_fit_rule(&a, &cart_kind, &s.rows, cart, &err), err);
        must(cp_greedy_fit_rule(&b, &bf_kind, &s.rows, bf, &err), err);
        assert_memory_equal(&a, &b, sizeof a);
        double weight[900];
        for (size_t i = 0; i < 900; i++) weight[i] = 1;
        cp_greedy_data data;
        must(cp_greedy_grow_data_init(&data, &s.rows, 0, NULL, &err), err);
        cp_greedy_job job = {.rows = 900, .weight = weight, .root = 1};
        cp_tree t = {0};
        must(cp_greedy_grow(&data, &b, &job, NULL, &t, &err), err);
        const cp_tree *c = &g->forest.tree[0];
        assert_int_equal(t.nodes, c->nodes);
        assert_memory_equal(t.node, c->node, t.nodes * sizeof *t.node);
        assert_memory_equal(t.gain, c->gain, 4 * sizeof *t.gain);
        if (!classes) assert_memory_equal(t.value, c->value, t.leaves * sizeof *t.value);
        cp_tree_clear(&t);
        cp_greedy_grow_data_clear(&data);
        cp_greedy_free(g);
        cp_param_free(cart);
        cp_param_free(bf);
        free_sample(&s);
    }
}

/* ----------------------------------------------------------------------------------------------------------- trunks */

static void assert_top_is(const cp_tree *t, int32_t at, const cp_tree *trunk, int32_t node) {
    const cp_tree_node *a = &t->node[at], *b = &trunk->node[node];
    if (cp_tree_is_leaf(b)) return;
    assert_int_equal(a->what, b->what);
    assert_true(a->at.cut == b->at.cut);
    assert_top_is(t, a->next, trunk, b->next);
    assert_top_is(t, a->next + 1, trunk, b->next + 1);
}

static void trunk_of_ebf_is_cart_with_its_limits(void **state) {
    (void)state;
    static const struct {
        const char *ebf, *cart;
        size_t leaves;
    } cases[] = {{"trees=4 trunk-min-leaf=150", "min-leaf=150", 0},
                 {"trees=4 trunk-leaves=7 trunk-min-leaf=10", "max-leaves=7 min-leaf=10", 7},
                 {"trees=4", "min-leaf=167", 0},
                 {"trees=4 trunk-leaves=1", "max-leaves=1", 1}};
    for (size_t c = 0; c < COUNT(cases); c++)
        for (size_t classes = 0; classes <= 3; classes += 3) {
            sample s = make_sample("trunk", 1000, 3, classes, 0);
            cp_greedy *ebf = fit_with(&cp_method_ebf, &s.rows, cases[c].ebf);
            cp_greedy *cart = fit_with(&cp_method_cart, &s.rows, cases[c].cart);
            assert_int_equal(ebf->trunk, cart->forest.tree[0].leaves);
            if (cases[c].leaves) assert_int_equal(ebf->trunk, cases[c].leaves);
            for (size_t m = 0; m < ebf->forest.trees; m++)
                assert_top_is(&ebf->forest.tree[m], 0, &cart->forest.tree[0], 0);
            cp_greedy_free(ebf);
            cp_greedy_free(cart);
            free_sample(&s);
        }
}

/* Branch k of tree m is grown on the rows of trunk leaf k with weights of its own that sum to their number. */
static void branches_hold_the_rows_of_their_trunk_leaf(void **state) {
    (void)state;
    enum { ROWS = 900 };
    copse_error err;
    sample s = make_sample("branches", ROWS, 3, 0, 0);
    cp_greedy *ebf = fit_with(&cp_method_ebf, &s.rows, "trees=3 trunk-min-leaf=120");
    cp_greedy *cart = fit_with(&cp_method_cart, &s.rows, "min-leaf=120");
    cp_greedy_weight w;
    size_t *start = NULL;
    must(cp_greedy_weight_init(&w, &s.rows, 0, &err), err);
    cp_greedy_trunk_routing way = {&cart->forest.tree[0], &cart->forest, &s.rows};
    must(cp_greedy_trunk_route(&way, &w, NULL, &start, &err), err);
    assert_int_equal(start[ebf->trunk], ROWS);
    for (uint32_t m = 0; m < 3; m++) {
        double weight[ROWS] = {0};
        for (size_t k = 0; k < ebf->trunk; k++)
            cp_greedy_weight_exponential(w.row + start[k], start[k + 1] - start[k], NULL,
                                         (cp_greedy_weight_draw){1, m, k}, weight);
        assert_leaves_hold(ebf, m, &s.rows, weight);
    }
    cp_greedy_weight_clear(&w);
    cp_mem_free(start);
    cp_greedy_free(ebf);
    cp_greedy_free(cart);
    free_sample(&s);
}

static void trunk_of_a_sample_keeps_its_size(void **state) {
    (void)state;
    sample s = make_sample("sampled trunk", 4000, 3, 0, 0);
    cp_greedy *whole = fit_with(&cp_method_ebf, &s.rows, "trees=1 trunk-min-leaf=500");
    cp_greedy *part = fit_with(&cp_method_ebf, &s.rows, "trees=1 trunk-min-leaf=500 trunk-sample=.5");
    assert_true(part->trunk + 2 >= whole->trunk && part->trunk <= whole->trunk + 2);
    assert_int_equal(part->rows, 4000);
    cp_greedy_free(whole);
    cp_greedy_free(part);
    free_sample(&s);
}

/* ------------------------------------------------------------------------------------------ answers, read literally */

static uint32_t leaf_of(const cp_greedy *g, size_t m, const cp_rows *rows, size_t i) {
    uint32_t leaf;
    cp_tree_walk(&g->forest.tree[m], &g->forest, rows->x + i * rows->dims, 1, &leaf);
    return leaf;
}

/* Parts of an answer put together are the answer, whatever the rows of the last one. */
static void parts_of_an_answer_make_the_whole(void **state) {
    (void)state;
    sample s = make_sample("parts", 533, 3, 0, 0);
    copse_params *p = options_of(&cp_method_rf, "trees=9");
    cp_greedy *g = fit(&cp_method_rf, &s.rows, p, 1);
    cp_answer all = ask(&cp_method_rf, g, &s.rows, p, CP_NONE, 0), joined;
    copse_error err;
    must(cp_answer_init(&joined, COPSE_REGRESS, s.rows.n, 0, &err), err);
    for (size_t first = 0, n; first < s.rows.n; first += n) {
        n = s.rows.n - first < 120 ? s.rows.n - first : 120;
        cp_rows rows = cp_rows_slice(&s.rows, first, n);
        cp_answer part = ask(&cp_method_rf, g, &rows, p, CP_NONE, 0);
        must(cp_answer_place(&joined, first, &part, &err), err);
        cp_answer_clear(&part);
    }
    for (size_t i = 0; i < s.rows.n; i++) {
        cp_mixture a = cp_answer_mixture(&all, i), b = cp_answer_mixture(&joined, i);
        assert_true(a.n == 9 && b.n == 9);
        for (size_t m = 0; m < 9; m++) {
            cp_component x = cp_mixture_at(&a, m), y = cp_mixture_at(&b, m);
            assert_true(x.loc == y.loc && x.scale == y.scale && x.weight == y.weight);
        }
    }
    cp_answer_clear(&all);
    cp_answer_clear(&joined);
    cp_greedy_free(g);
    cp_param_free(p);
    free_sample(&s);
}

static void numbers_are_mixtures_over_trees(void **state) {
    (void)state;
    sample s = make_sample("mixtures", 1300, 3, 0, 0);
    for (size_t k = 0; k < COUNT(methods); k++) {
        copse_params *p = options_of(methods[k], few_trees(methods[k]));
        cp_greedy *g = fit(methods[k], &s.rows, p, 1);
        const cp_forest *f = &g->forest;
        int32_t last = (int32_t)f->trees - 1;
        cp_answer all = ask(methods[k], g, &s.rows, p, CP_NONE, 0), mean = ask(methods[k], g, &s.rows, p, CP_NONE, 1),
                  one = ask(methods[k], g, &s.rows, p, last, 0);
        for (size_t i = 0; i < s.rows.n; i += 13) {
            cp_mixture a = cp_answer_mixture(&all, i), b = cp_answer_mixture(&mean, i), c = cp_answer_mixture(&one, i);
            assert_true(cp_mixture_check(a) && cp_mixture_check(b) && c.n == 1);
            assert_int_equal(a.n, f->trees);
            for (size_t m = 0; m < f->trees; m++) {
                const cp_tree_value *v = &f->tree[m].value[leaf_of(g, m, &s.rows, i)];
                double loc = f->centre + f->scale * (double)v->mean;
                cp_component of_y = cp_mixture_at(&a, m), of_mean = cp_mixture_at(&b, m);
                assert_near(of_y.loc, loc, 1e-12);
                assert_rel(of_y.scale, f->scale * sqrt(cp_greedy_leaf_variance_of(&g->leaf_variance, v)), 1e-6);
                assert_near(of_mean.loc, loc, 1e-12);
                assert_rel(of_mean.scale, f->scale * sqrt(g->leaf_variance.floor), 1e-6);
            }
            cp_component alone = cp_mixture_at(&c, 0), among = cp_mixture_at(&a, (size_t)last);
            assert_true(alone.loc == among.loc && alone.scale == among.scale);
        }
        cp_answer_clear(&all);
        cp_answer_clear(&mean);
        cp_answer_clear(&one);
        cp_greedy_free(g);
        cp_param_free(p);
    }
    free_sample(&s);
}

static void probabilities_are_smoothed_shares(void **state) {
    (void)state;
    sample s = make_sample("shares", 1300, 2, 3, 0);
    static const char *const alphas[] = {"alpha=0 min-leaf=4", "alpha=2.5 min-leaf=2"};
    for (size_t k = 0; k < 2 * COUNT(methods); k++) {
        const cp_method *method = methods[k / 2];
        char text[80];
        snprintf(text, sizeof text, "%s %s", few_trees(method), alphas[k % 2]);
        copse_params *p = options_of(method, text);
        double alpha = cp_param_real(p, "alpha");
        cp_greedy *g = fit(method, &s.rows, p, 1);
        cp_answer a = ask(method, g, &s.rows, p, CP_NONE, 0);
        for (size_t i = 0; i < s.rows.n; i += 13) {
            double want[3] = {0}, sum = 0;
            for (size_t m = 0; m < g->forest.trees; m++) {
                const cp_tree *t = &g->forest.tree[m];
                uint32_t leaf = leaf_of(g, m, &s.rows, i);
                double w[3] = {0};
                for (uint32_t j = t->start[leaf]; j < t->start[leaf + 1]; j++)
                    w[t->class_weight[j].label] = (double)t->class_weight[j].weight;
                for (int c = 0; c < 3; c++)
                    want[c] += (w[c] + alpha / 3) / (w[0] + w[1] + w[2] + alpha) / (double)g->forest.trees;
            }
            double power = g->temperature.power, mix = g->temperature.mix, total = 0;
            for (int c = 0; c < 3; c++) total += want[c] = pow(want[c], power);
            for (int c = 0; c < 3; c++) {
                double share = g->temperature.share[c];
                assert_near(a.probs[i * 3 + (size_t)c], (1 - mix) * want[c] / total + mix * share, 1e-12);
                sum += a.probs[i * 3 + (size_t)c];
            }
            assert_near(sum, 1, 1e-12);
        }
        cp_answer_clear(&a);
        cp_greedy_free(g);
        cp_param_free(p);
    }
    free_sample(&s);
}

/* Row by row, tree by tree: those whose bootstrap missed the row. */
static void out_of_bag_figures_are_what_they_say(void **state) {
    (void)state;
    enum { ROWS = 500, TREES = 6 };
    for (size_t classes = 0; classes <= 3; classes += 3) {
        sample s = make_sample("bag", ROWS, 3, classes, 0);
        cp_greedy *g = fit_with(&cp_method_rf, &s.rows, "trees=6");
        double bag[TREES][ROWS], n = 0, squares = 0, mean = 0, scatter = 0, right = 0, loss = 0, alpha = 0.1;
        uint32_t row[ROWS];
        for (uint32_t i = 0; i < ROWS; i++) row[i] = i;
        for (uint32_t m = 0; m < TREES; m++)
            cp_greedy_weight_bootstrap(row, ROWS, NULL, (cp_greedy_weight_draw){1, m, 0}, bag[m]);
        for (int pass = 0; pass < 2; pass++)
            for (size_t i = 0; i < ROWS; i++) {
                double votes = 0, sum = 0, p[3] = {0};
                for (size_t m = 0; m < TREES; m++) {
                    if (bag[m][i] > 0) continue;
                    const cp_tree *t = &g->forest.tree[m];
                    uint32_t leaf = leaf_of(g, m, &s.rows, i);
                    votes++;
                    if (!classes) {
                        sum += g->forest.centre + g->forest.scale * (double)t->value[leaf].mean;
                        continue;
                    }
                    double w[3] = {0};
                    for (uint32_t j = t->start[leaf]; j < t->start[leaf + 1]; j++)
                        w[t->class_weight[j].label] = (double)t->class_weight[j].weight;
                    for (int c = 0; c < 3; c++) p[c] += (w[c] + alpha / 3) / (w[0] + w[1] + w[2] + alpha);
                }
                if (votes < 1) continue;
                if (!pass) {
                    n++;
                    mean += s.y[i];
                    int best = p[1] > p[0] ? 1 : 0;
                    if (p[2] > p[best]) best = 2;
                    right += best == s.label[i];
                    loss -= log(fmax(1e-15, p[s.label[i]] / votes));
                } else {
                    squares += pow(s.y[i] - sum / votes, 2);
                    scatter += pow(s.y[i] - mean / n, 2);
                }
            }
        assert_near(g->oob[0], classes ? right / n : sqrt(squares / n), 1e-6);
        assert_near(g->oob[1], classes ? loss / n : 1 - squares / scatter, 1e-6);
        cp_greedy_free(g);
        free_sample(&s);
    }
}

/* A tree grown down to single rows knows no variance of its own; rows held out tell. */
static void pure_leaves_do_not_claim_certainty(void **state) {
    (void)state;
    sample s = make_sample("pure", 3000, 2, 0, 0);
    for (size_t k = 0; k < 2; k++) { /* cart, rf */
        char text[80];
        snprintf(text, sizeof text, "%s min-leaf=1", few_trees(methods[k]));
        copse_params *p = options_of(methods[k], text);
        cp_rows train = cp_rows_slice(&s.rows, 0, 2000), test = cp_rows_slice(&s.rows, 2000, 1000);
        cp_greedy *g = fit(methods[k], &train, p, 1);
        cp_answer a = ask(methods[k], g, &test, p, CP_NONE, 0);
        double inside = 0;
        for (size_t i = 0; i < test.n; i++) {
            double u = cp_mixture_cdf(cp_answer_mixture(&a, i), test.y[i]);
            inside += u > 0.05 && u < 0.95;
        }
        assert_true(inside > 800 && inside < 980); /* of 90% intervals */
        cp_answer_clear(&a);
        cp_greedy_free(g);
        cp_param_free(p);
    }
    free_sample(&s);
}

/* --------------------------------------------------------------------------------------------- weights and failures */

static void weight_zero_is_a_row_left_out(void **state) {
    (void)state;
    enum { ROWS = 400, FIRST = 30, LEFT = 300 };
    sample s = make_sample("zero", ROWS, 3, 0, 0);
    double weight[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        int counts = i >= FIRST && i < FIRST + LEFT;
        weight[i] = counts ? 1 + (double)(i % 3) : 0;
        if (!counts) s.y[i] = s.y[FIRST]; /* the range of y, and with it the units, stays */
    }
    for (size_t k = 0; k < COUNT(methods); k++) {
        copse_params *p = options_of(methods[k], few_trees(methods[k]));
        cp_rows with = s.rows, without = cp_rows_slice(&s.rows, FIRST, LEFT);
        with.weight = weight;
        without.weight = weight + FIRST;
        cp_greedy *a = fit(methods[k], &with, p, 2), *b = fit(methods[k], &without, p, 2);
        assert_int_equal(a->rows, LEFT);
        assert_same_model(methods[k], a, b, p);
        cp_greedy_free(a);
        cp_greedy_free(b);
        cp_param_free(p);
    }
    free_sample(&s);
}

/* The largest difference between the predictions of two models: of means, or of class probabilities. */
static double furthest(const cp_method *m, const cp_greedy *a, const cp_greedy *b, const cp_rows *rows,
                       const copse_params *p) {
    cp_answer x = ask(m, a, rows, p, CP_NONE, 0), y = ask(m, b, rows, p, CP_NONE, 0);
    double most = 0;
    for (size_t i = 0; i < rows->n; i++)
        if (rows->task == COPSE_REGRESS)
            most =
                fmax(most, fabs(cp_mixture_mean(cp_answer_mixture(&x, i)) - cp_mixture_mean(cp_answer_mixture(&y, i))));
        else
            for (size_t k = 0; k < rows->classes; k++)
                most = fmax(most, fabs(x.probs[i * rows->classes + k] - y.probs[i * rows->classes + k]));
    cp_answer_clear(&x);
    cp_answer_clear(&y);
    return most;
}

/* scikit-learn's check_sample_weight_equivalence: whole weights, 0 among them, against rows repeated that often, in
 * another order; at the defaults, and with every option that counts rows. */
static void whole_weights_are_counts(void **state) {
    (void)state;
    enum { ROWS = 200, DIMS = 3 };
    static const char *const options[] = {
        "", "min-leaf=1", "min-leaf=7", "min-leaf-weight=9", "max-leaves=5", "splits=binned"};
    for (size_t way = 0; way < 2 * COUNT(options); way++) {
        sample s = make_sample("counts", ROWS, DIMS, way % 2 ? 3 : 0, 0),
               all = make_sample("all", 5 * ROWS, DIMS, way % 2 ? 3 : 0, 0);
        double weight[ROWS], unit[ROWS];
        size_t n = 0;
        for (size_t i = 0; i < ROWS; i++) {
            weight[i] = (double)(i * 7 % 5);
            unit[i] = 1;
        }
        for (size_t round = 0; round < 4; round++)
            for (size_t i = ROWS; i-- > 0;) {
                if (!((double)round < weight[i])) continue;
                memcpy(all.x + n * DIMS, s.x + i * DIMS, DIMS * sizeof *s.x);
                if (way % 2)
                    all.label[n++] = s.label[i];
                else
                    all.y[n++] = s.y[i];
            }
        cp_rows repeated = cp_rows_slice(&all.rows, 0, n), weighted = s.rows, wrong = s.rows;
        weighted.weight = weight;
        wrong.weight = unit;
        copse_params *p = options_of(&cp_method_cart, options[way / 2]);
        cp_greedy *a = fit(&cp_method_cart, &weighted, p, 1), *b = fit(&cp_method_cart, &repeated, p, 1),
                  *c = fit(&cp_method_cart, &wrong, p, 1);
        double apart = furthest(&cp_method_cart, a, b, &s.rows, p);
        if (!(apart < 1e-6)) fail_msg("cart %s, %s: %g", options[way / 2], way % 2 ? "classes" : "numbers", apart);
        assert_true(furthest(&cp_method_cart, c, b, &s.rows, p) > 1e-3);
        cp_greedy_free(a);
        cp_greedy_free(b);
        cp_greedy_free(c);
        cp_param_free(p);
        free_sample(&s);
        free_sample(&all);
    }
}

static void only_ratios_of_weights_matter(void **state) {
    (void)state;
    for (size_t classes = 0; classes <= 3; classes += 3) {
        sample s = make_sample("ratios", 300, 3, classes, 0);
        double huge[300], ones[300], wild[300];
        for (size_t i = 0; i < 300; i++) {
            ones[i] = 1;
            huge[i] = 0x1p1000;
            wild[i] = i % 7 ? 1 : 1e300;
        }
        for (size_t k = 0; k < COUNT(methods); k++) {
            copse_params *p = options_of(methods[k], few_trees(methods[k]));
            cp_rows plain = s.rows, large = s.rows, mixed = s.rows;
            plain.weight = ones;
            large.weight = huge;
            mixed.weight = wild;
            cp_greedy *a = fit(methods[k], &plain, p, 1), *b = fit(methods[k], &large, p, 1),
                      *c = fit(methods[k], &mixed, p, 1);
            assert_same_model(methods[k], a, b, p);
            cp_greedy_free(a);
            cp_greedy_free(b);
            cp_greedy_free(c);
            cp_param_free(p);
        }
        free_sample(&s);
    }
}

/* Fit, predict, write and read with the k-th allocation failing, for every k. */
static copse_status whole_life(const cp_method *m, const cp_rows *rows, const copse_params *p, copse_error *err) {
    void *state = NULL, *again = NULL;
    cp_answer a = {0};
    cp_writer *w = NULL;
    cp_reader *r = NULL;
    const unsigned char *bytes;
    size_t n;
    copse_status status = m->fit(rows, p, &(copse_run){.threads = 2}, &state, err);
    if (!status) status = cp_answer_init(&a, rows->task, rows->n, rows->classes, err);
    if (!status) status = m->predict(state, rows, p, &a, err);
    if (!status) status = cp_writer_new(&w, err);
    if (!status) status = m->write(state, p, 0, w, err);
    if (!status) status = cp_writer_finish(w, &bytes, &n, err);
    if (!status) status = cp_reader_new(bytes, n, &r, err);
    if (!status) status = m->read(r, p, (cp_rows_shape){rows->task, rows->dims, rows->classes}, &again, err);
    if (!status && m->check(again)) status = COPSE_E_INTERNAL;
    m->clear(state);
    if (again) m->clear(again);
    cp_answer_clear(&a);
    cp_writer_free(w);
    cp_reader_free(r);
    return status;
}

static void any_allocation_may_fail(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(methods); k++)
        for (size_t classes = 0; classes <= 3; classes += 3) {
            sample s = make_sample("memory", 60, 2, classes, 0);
            double weight[60];
            for (size_t i = 0; i < 60; i++) weight[i] = (double)(i % 4);
            s.rows.weight = weight;
            copse_params *p = options_of(methods[k], methods[k] == &cp_method_cart  ? ""
                                                     : methods[k] == &cp_method_ssf ? "trees=1 subsets=2"
                                                                                    : "trees=2");
            copse_status status = COPSE_E_MEMORY;
            copse_error err;
            for (long n = 0; status; n = next_failure(n)) {
                size_t live = cp_mem_live();
                cp_mem_fail_after(n);
                status = whole_life(methods[k], &s.rows, p, &err);
                cp_mem_fail_after(-1);
                assert_int_equal(cp_mem_live(), live);
                if (status) assert_int_equal(status, COPSE_E_MEMORY);
                assert_true(n < 5000);
            }
            cp_param_free(p);
            free_sample(&s);
        }
}

/* --------------------------------------------------------------------------------------------------- awkward inputs */

static void assert_answers(const cp_method *m, const cp_rows *rows, const char *text) {
    copse_params *p = options_of(m, text);
    cp_greedy *g = fit(m, rows, p, 2);
    cp_answer a = ask(m, g, rows, p, CP_NONE, 0);
    for (size_t i = 0; i < rows->n; i++) {
        if (rows->task == COPSE_REGRESS) {
            assert_true(cp_mixture_check(cp_answer_mixture(&a, i)));
            continue;
        }
        double sum = 0;
        for (size_t k = 0; k < rows->classes; k++) sum += a.probs[i * rows->classes + k];
        assert_near(sum, 1, 1e-9);
    }
    cp_answer_clear(&a);
    cp_greedy_free(g);
    cp_param_free(p);
}

static void awkward_inputs_are_answered(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(methods); k++) {
        char one[80];
        snprintf(one, sizeof one, "%s%s", few_trees(methods[k]), methods[k] == &cp_method_ssf ? " subsets=1" : "");
        sample row = make_sample("one row", 1, 2, 0, 0), class = make_sample("one class", 50, 2, 1, 0),
               many = make_sample("many classes", 3000, 2, 1000, 0), flat = make_sample("constant", 200, 2, 0, 0),
               wide = make_sample("wide", 40, 10000, 2, 0), gaps = make_sample("gaps", 300, 3, 0, 0);
        for (size_t i = 0; i < 200; i++) flat.y[i] = 1e9;
        for (size_t i = 0; i < 300; i++) {
            gaps.x[i * 3] = NAN;
            if (i % 3 == 0) gaps.x[i * 3 + 1] = NAN;
        }
        assert_answers(methods[k], &row.rows, one);
        assert_answers(methods[k], &class.rows, few_trees(methods[k]));
        assert_answers(methods[k], &many.rows, few_trees(methods[k]));
        assert_answers(methods[k], &flat.rows, few_trees(methods[k]));
        assert_answers(methods[k], &wide.rows, few_trees(methods[k]));
        assert_answers(methods[k], &gaps.rows, few_trees(methods[k]));
        free_sample(&row);
        free_sample(&class);
        free_sample(&many);
        free_sample(&flat);
        free_sample(&wide);
        free_sample(&gaps);
    }
}

static void assert_overwriting_changes_nothing(const cp_method *m, const cp_greedy *g, const cp_rows *rows,
                                               const copse_params *p) {
    size_t bytes = rows->n * rows->dims * sizeof(float);
    float *copy = malloc(bytes);
    cp_rows mine = *rows;
    memcpy(copy, rows->x, bytes);
    mine.x = mine.x_writable = copy;
    cp_answer a = ask(m, g, rows, p, CP_NONE, 0), b = ask(m, g, &mine, p, CP_NONE, 0);
    for (size_t i = 0; i < rows->n; i++)
        for (size_t k = 0; k < g->forest.trees; k++) {
            const cp_tree *t = &g->forest.tree[k];
            cp_gauss x = *cp_answer_gauss(&a, i, k), y = *cp_answer_gauss(&b, i, k),
                     z = t->gauss[leaf_of(g, k, rows, i)];
            assert_true(x.mean == y.mean && x.sd == y.sd && x.mean == z.mean && x.sd == z.sd);
        }
    cp_answer_clear(&a);
    cp_answer_clear(&b);
    free(copy);
}

/* Rows that may be overwritten get the same answer as others, whether these go as key blocks, as keys or, where one is
 * missing, as they are. */
static void answers_may_take_the_place_of_rows(void **state) {
    (void)state;
    enum { ROWS = 8192 + 803 };                   /* in two blocks, and three rows beyond the last key block */
    static const size_t with[] = {5, 63, 64, 65}; /* columns */
    for (size_t k = 0; k < COUNT(with); k++) {
        size_t dims = with[k], gap[] = {ROWS - 4, ROWS - 1}; /* in the last key block; beyond it */
        sample s = make_sample("overwritten", ROWS, dims, 0, 0);
        copse_params *p = options_of(&cp_method_bf, "trees=3 max-depth=5");
        cp_rows few = cp_rows_slice(&s.rows, 0, 1000);
        cp_greedy *g = fit(&cp_method_bf, &few, p, 1);
        s.x[7] = -0.0f;
        assert_overwriting_changes_nothing(&cp_method_bf, g, &s.rows, p);
        for (size_t i = 0; i < COUNT(gap); i++) {
            float known = s.x[gap[i] * dims];
            s.x[gap[i] * dims] = NAN;
            assert_overwriting_changes_nothing(&cp_method_bf, g, &s.rows, p);
            s.x[gap[i] * dims] = known;
        }
        cp_greedy_free(g);
        cp_param_free(p);
        free_sample(&s);
    }
}

/* Keys are for forests of which no tree splits a category, whatever the first one does. */
static void one_tree_with_categories_is_enough(void **state) {
    (void)state;
    enum { ROWS = 400, DIMS = 3, LEVELS = 4 };
    static const uint32_t levels[DIMS] = {0, LEVELS, 0};
    sample s = make_sample("some categories", ROWS, DIMS, 0, 0);
    for (size_t i = 0; i < ROWS; i++) {
        uint32_t level = (uint32_t)(i * 7 % LEVELS);
        s.x[i * DIMS + 1] = (float)level;
        s.y[i] = (double)s.x[i * DIMS] + (level == 1 || level == 2) + (double)s.x[i * DIMS + 2];
    }
    s.rows.levels = levels;
    int mixed = 0;
    for (int seed = 1; seed <= 10; seed++) {
        char text[100];
        snprintf(text, sizeof text, "trees=5 max-leaves=2 features-per-split=1 seed=%d", seed);
        copse_params *p = options_of(&cp_method_rf, text);
        cp_greedy *g = fit(&cp_method_rf, &s.rows, p, 1);
        size_t plain = 0;
        for (size_t m = 0; m < 5; m++) plain += g->forest.tree[m].step != NULL;
        mixed += g->forest.tree[0].step && plain < 5;
        assert_int_equal(cp_tree_walk_takes_keys(&g->forest), plain == 5);
        assert_overwriting_changes_nothing(&cp_method_rf, g, &s.rows, p);
        cp_greedy_free(g);
        cp_param_free(p);
    }
    assert_true(mixed > 0);
    free_sample(&s);
}

/* Levels that no row of a node has go where missing values go: at every split, for those that no row has at all. */
static void levels_without_rows_go_with_missing_values(void **state) {
    (void)state;
    enum { ROWS = 300, LEVELS = 40, USED = 5 };
    const uint32_t levels[] = {0, LEVELS};
    size_t left = 0, right = 0;
    for (size_t k = 0; k < 2 * COUNT(methods); k++) {
        const cp_method *m = methods[k / 2];
        sample s = make_sample("absent levels", ROWS, 2, k % 2 ? 3 : 0, 0);
        for (size_t i = 0; i < ROWS; i++) s.x[2 * i + 1] = i % 7 ? (float)(i * i % USED) : NAN;
        s.rows.levels = levels;
        copse_params *p = options_of(m, few_trees(m));
        cp_greedy *g = fit(m, &s.rows, p, 1);
        for (size_t t = 0; t < g->forest.trees; t++)
            for (size_t j = 0; j < g->forest.tree[t].nodes; j++) {
                cp_inspect_node v;
                cp_greedy_inspect_node(g, t, (int32_t)j, &v);
                if (!v.set) continue;
                for (uint32_t level = USED; level < LEVELS; level++)
                    assert_int_equal(cp_split_in_set(v.set, level), v.missing_left);
                left += v.missing_left != 0;
                right += v.missing_left == 0;
            }
        cp_greedy_free(g);
        cp_param_free(p);
        free_sample(&s);
    }
    assert_true(left > 20 && right > 20);
}

static void impossible_options_are_refused(void **state) {
    (void)state;
    static const struct {
        const cp_method *method;
        const char *options;
        copse_status status;
    } cases[] = {{&cp_method_rf, "features-per-split=5", COPSE_E_USAGE},
                 {&cp_method_rf, "features-per-split=1.5", COPSE_E_USAGE},
                 {&cp_method_ssf, "subsets=51", COPSE_E_DATA},
                 {&cp_method_ssf, "subsets=50 trees=100000", COPSE_E_USAGE}};
    sample s = make_sample("refused", 50, 4, 0, 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        copse_error err;
        void *g = &s;
        copse_params *p = options_of(cases[i].method, cases[i].options);
        assert_int_equal(cases[i].method->fit(&s.rows, p, NULL, &g, &err), cases[i].status);
        assert_null(g);
        cp_param_free(p);
    }
    free_sample(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_change_no_byte),
        cmocka_unit_test(ranks_change_no_tree),
        cmocka_unit_test(of_equal_gains_the_first_node_is_split),
        cmocka_unit_test(rf_tries_many_columns_where_few_are_worse),
        cmocka_unit_test(seeds_change_forests),
        cmocka_unit_test(every_row_lands_in_the_leaf_it_was_trained_in),
        cmocka_unit_test(subsets_divide_the_rows),
        cmocka_unit_test(subsets_do_not_share_copies),
        cmocka_unit_test(bf_with_unit_weights_is_cart),
        cmocka_unit_test(trunk_of_ebf_is_cart_with_its_limits),
        cmocka_unit_test(branches_hold_the_rows_of_their_trunk_leaf),
        cmocka_unit_test(trunk_of_a_sample_keeps_its_size),
        cmocka_unit_test(parts_of_an_answer_make_the_whole),
        cmocka_unit_test(numbers_are_mixtures_over_trees),
        cmocka_unit_test(probabilities_are_smoothed_shares),
        cmocka_unit_test(out_of_bag_figures_are_what_they_say),
        cmocka_unit_test(pure_leaves_do_not_claim_certainty),
        cmocka_unit_test(weight_zero_is_a_row_left_out),
        cmocka_unit_test(whole_weights_are_counts),
        cmocka_unit_test(only_ratios_of_weights_matter),
        cmocka_unit_test(any_allocation_may_fail),
        cmocka_unit_test(awkward_inputs_are_answered),
        cmocka_unit_test(answers_may_take_the_place_of_rows),
        cmocka_unit_test(one_tree_with_categories_is_enough),
        cmocka_unit_test(levels_without_rows_go_with_missing_values),
        cmocka_unit_test(impossible_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
