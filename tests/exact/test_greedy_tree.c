/* Trees of the greedy engine against each other: what must make no difference makes none. */
#include "grown.h"
#include "ks.h"
#include "sanitized.h"

#include "base/mem.h"

static const size_t tasks[] = {0, 2, 4}; /* regression, and classes */

/* Rows of all sorts: many values, few values, levels, missing ones; weights if asked. */
typedef struct recipe {
    size_t n, classes;
    size_t values; /* different values of the first column; 0: continuous */
    int missing;
    int whole_targets;
} recipe;

enum { DIMS = 5, LEVELS = 40 };

static double a_number(cp_rng *rng, size_t values) {
    double u = cp_rng_unit(rng);
    return values ? floor(u * (double)values) / 7 - 3 : u;
}

static made sorts_of_rows(cp_rng *rng, const recipe *r) {
    made m = make_rows(r->n, DIMS, r->classes);
    m.levels[2] = LEVELS;
    m.levels[4] = 3;
    for (size_t i = 0; i < r->n; i++) {
        float *x = m.x + i * DIMS;
        x[0] = (float)a_number(rng, r->values);
        x[1] = (float)a_number(rng, 6);
        x[2] = (float)cp_rng_below(rng, LEVELS);
        x[3] = (float)a_number(rng, r->values ? r->values / 2 : 0);
        x[4] = (float)cp_rng_below(rng, 3);
        double mean = sin(3 * (double)x[0]) + (double)x[1] / 3 + ((int)x[2] % 5 == 1) + 0.3 * (double)x[4];
        m.y[i] = mean + 0.5 * cp_draw_normal(rng);
        if (r->whole_targets) m.y[i] = rint(8 * m.y[i]);
        if (r->classes) m.label[i] = (int32_t)((uint64_t)fabs(floor(2 * m.y[i])) % r->classes);
        m.weight[i] = 1;
        for (size_t d = 0; r->missing && d < DIMS; d++)
            if (cp_rng_below(rng, 10) == 0) x[d] = NAN;
    }
    return m;
}

static cp_rng stream(const char *name) {
    cp_rng rng;
    cp_rng_init(&rng, seed_of(name), CP_FOR_TEST, 0, 0);
    return rng;
}

/* --------------------------------------------------------------------------------------------------------- weights */

static made rows_repeated(const made *m) {
    size_t n = 0, at = 0;
    for (size_t i = 0; i < m->rows.n; i++) n += (size_t)m->weight[i];
    made all = make_rows(n, DIMS, m->rows.classes);
    memcpy(all.levels, m->levels, DIMS * sizeof *m->levels);
    for (size_t i = 0; i < m->rows.n; i++)
        for (size_t k = 0; k < (size_t)m->weight[i]; k++, at++) {
            memcpy(all.x + at * DIMS, m->x + i * DIMS, DIMS * sizeof *m->x);
            all.y[at] = m->y[i];
            all.label[at] = m->label[i];
        }
    return all;
}

/* Weight 2 is the row twice: the same splits to the bit, the same means and shares to the bit. */
static void weight_two_is_the_row_twice(void **state) {
    (void)state;
    cp_rng rng = stream(__func__);
    for (size_t round = 0; round < 24; round++) {
        recipe r = {.n = round % 4 == 3 ? 3000 : 200, .classes = tasks[round % 3], .values = 50, .whole_targets = 1};
        r.missing = round & 1;
        made m = sorts_of_rows(&rng, &r);
        m.rows.weight = m.weight;
        for (size_t i = 0; i < r.n; i++) m.weight[i] = 1 + (double)cp_rng_below(&rng, 3);
        made all = rows_repeated(&m);
        cp_greedy_rule rule = {.features = round & 2 ? 2 : DIMS, .min_leaf = 1, .max_leaves = round % 5 ? 0 : 40};
        for (int binned = 0; binned <= 1; binned++) {
            grown a = grow_tree(&m.rows, binned, &rule), b = grow_tree(&all.rows, binned, &rule);
            assert_same_splits(&a, &b);
            for (size_t k = 0; m.rows.y && k < a.tree.leaves; k++) {
                assert_true(a.tree.value[k].mean == b.tree.value[k].mean);
                assert_true(a.tree.value[k].weight == b.tree.value[k].weight);
                assert_near((double)a.tree.value[k].var, (double)b.tree.value[k].var, 1e-6);
            }
            if (!m.rows.y)
                assert_memory_equal(a.tree.class_weight, b.tree.class_weight,
                                    a.tree.start[a.tree.leaves] * sizeof *a.tree.class_weight);
            free_grown(&a);
            free_grown(&b);
        }
        free_rows(&m);
        free_rows(&all);
    }
}

static void weights_of_one_are_no_weights(void **state) {
    (void)state;
    cp_rng rng = stream(__func__);
    for (size_t round = 0; round < 12; round++) {
        recipe r = {.n = 2500, .classes = tasks[round % 3], .missing = round & 1};
        made m = sorts_of_rows(&rng, &r);
        cp_greedy_rule rule = {.features = round & 2 ? 2 : DIMS, .min_leaf = 1 + round % 4};
        for (int binned = 0; binned <= 1; binned++) {
            m.rows.weight = NULL;
            grown a = grow_tree(&m.rows, binned, &rule);
            m.rows.weight = m.weight;
            grown b = grow_tree(&m.rows, binned, &rule);
            assert_same_tree(&a, &b);
            free_grown(&a);
            free_grown(&b);
        }
        free_rows(&m);
    }
}

static grown grow_job(const cp_rows *rows, int binned, const cp_greedy_rule *rule, const cp_greedy_job *job) {
    grown g = {0};
    copse_error err;
    copse_run run = {.threads = 1};
    must(cp_greedy_grow_data_init(&g.data, rows, binned, &run, &err), err);
    must(cp_greedy_grow(&g.data, rule, job, &run, &g.tree, &err), err);
    assert_tree(&g);
    return g;
}

/* A job's list of rows, a job's weights of which some are 0, and the data's own: three ways to say the same. */
static void a_part_of_the_rows(void **state) {
    (void)state;
    cp_rng rng = stream(__func__);
    for (size_t round = 0; round < 12; round++) {
        recipe r = {.n = 4000, .classes = tasks[round % 3], .missing = 1, .values = round & 1 ? 100 : 0};
        made m = sorts_of_rows(&rng, &r);
        uint32_t row[4000], listed = 0;
        for (uint32_t i = 0; i < r.n; i++) {
            m.weight[i] = cp_rng_below(&rng, 3) ? cp_draw_exp(&rng) : 0;
            if (m.weight[i] > 0) row[listed++] = i;
        }
        cp_greedy_rule rule = {.features = round & 2 ? 2 : DIMS, .min_leaf = 2};
        cp_greedy_job list = {.row = row, .rows = listed, .weight = m.weight, .root = 1};
        cp_greedy_job zeros = {.rows = r.n, .weight = m.weight, .root = 1}, own = {.rows = r.n, .root = 1};
        for (int binned = 0; binned <= 1; binned++) {
            m.rows.weight = NULL;
            grown a = grow_job(&m.rows, binned, &rule, &list), b = grow_job(&m.rows, binned, &rule, &zeros);
            m.rows.weight = m.weight;
            grown c = grow_job(&m.rows, binned, &rule, &own);
            assert_same_tree(&a, &b);
            assert_same_tree(&a, &c);
            free_grown(&a);
            free_grown(&b);
            free_grown(&c);
        }
        free_rows(&m);
    }
}

/* ------------------------------------------------------------------------------------------------- ways to one tree */

/* Up to 5000 rows with one bin per value: histograms, subtraction and lists of large nodes, lists of small ones. */
static void exact_and_binned_agree(void **state) {
    (void)state;
    cp_rng rng = stream(__func__);
    for (size_t round = 0; round < 48; round++) {
        recipe r = {.n = 100 + cp_rng_below(&rng, 4900), .classes = tasks[round % 3], .values = 255};
        r.missing = round & 1;
        made m = sorts_of_rows(&rng, &r);
        if (round & 4) m.rows.weight = m.weight;
        for (size_t i = 0; i < r.n; i++) m.weight[i] = round & 8 ? cp_draw_exp(&rng) : (double)cp_rng_below(&rng, 3);
        m.weight[0] = 1;
        cp_greedy_rule rule = {.features = round & 2 ? 2 : DIMS, .min_leaf = 1 + round % 7, .entropy = round & 1};
        if (round % 5 == 0) rule.max_leaves = 60;
        if (round % 7 == 0) rule.min_leaf_weight = 2.5;
        if (round % 11 == 0) rule.max_depth = 6;
        grown a = grow_tree(&m.rows, 0, &rule), b = grow_tree(&m.rows, 1, &rule);
        assert_true(a.tree.leaves > 10);
        assert_same_tree(&a, &b);
        free_grown(&a);
        free_grown(&b);
        free_rows(&m);
    }
}

/* More values than bins, but nodes small enough: their splits are exact whatever the bins. */
static void small_nodes_do_not_see_the_bins(void **state) {
    (void)state;
    cp_rng rng = stream(__func__);
    for (size_t round = 0; round < 24; round++) {
        recipe r = {.n = round & 2 ? 256 : 900, .classes = tasks[round % 3], .missing = round % 5 == 1};
        made m = sorts_of_rows(&rng, &r);
        if (round & 4) m.rows.weight = m.weight;
        for (size_t i = 0; i < r.n; i++) m.weight[i] = cp_draw_exp(&rng);
        cp_greedy_rule rule = {.features = round & 2 ? 2 : DIMS, .min_leaf = 1, .entropy = round & 1};
        grown a = grow_tree(&m.rows, 0, &rule), b = grow_tree(&m.rows, 1, &rule);
        assert_same_tree(&a, &b);
        free_grown(&a);
        free_grown(&b);
        free_rows(&m);
    }
}

/* Sums are exact, so the order of rows cannot matter to a split; but for squares of real weights of classes. */
static void the_order_of_rows_does_not_matter(void **state) {
    (void)state;
    cp_rng rng = stream(__func__);
    for (size_t round = 0; round < 24; round++) {
        recipe r = {.n = 3000, .classes = tasks[round % 3], .missing = round & 1, .values = round & 8 ? 200 : 0};
        made m = sorts_of_rows(&rng, &r), turned = make_rows(r.n, DIMS, r.classes);
        memcpy(turned.levels, m.levels, DIMS * sizeof *m.levels);
        for (size_t i = 0; i < r.n; i++) {
            size_t j = (i * 1001 + 17) % r.n;
            m.weight[i] = r.classes ? (double)cp_rng_below(&rng, 4) : cp_draw_exp(&rng);
            memcpy(turned.x + j * DIMS, m.x + i * DIMS, DIMS * sizeof *m.x);
            turned.y[j] = m.y[i];
            turned.label[j] = m.label[i];
            turned.weight[j] = m.weight[i];
        }
        if (round & 2) m.rows.weight = m.weight;
        if (round & 2) turned.rows.weight = turned.weight;
        cp_greedy_rule rule = {.features = round & 4 ? 2 : DIMS, .min_leaf = 1};
        for (int binned = 0; binned <= 1; binned++) {
            grown a = grow_tree(&m.rows, binned, &rule), b = grow_tree(&turned.rows, binned, &rule);
            assert_same_splits(&a, &b);
            free_grown(&a);
            free_grown(&b);
        }
        free_rows(&m);
        free_rows(&turned);
    }
}

/* Enough rows that branches are grown apart. */
static void threads_do_not_matter(void **state) {
    (void)state;
    cp_rng rng = stream(__func__);
    for (size_t round = 0; round < 6; round++) {
        recipe r = {.n = 90000, .classes = tasks[round % 3], .missing = 1, .values = round & 1 ? 200 : 0};
        made m = sorts_of_rows(&rng, &r);
        cp_greedy_rule rule = {.features = round > 2 ? 2 : DIMS, .min_leaf = 20, .random_cuts = round == 3};
        int binned = round % 2;
        grown one = grow_with(&m.rows, binned, &rule, 0, 1);
        assert_true(one.tree.leaves > 100);
        static const int threads[] = {2, 7};
        for (size_t t = ONE_OF > 1 ? 1 : 0; t < COUNT(threads); t++) { /* under a sanitizer on seven alone */
            grown g = grow_with(&m.rows, binned, &rule, 0, threads[t]);
            assert_same_tree(&one, &g);
            free_grown(&g);
        }
        free_grown(&one);
        free_rows(&m);
    }
}

/* ----------------------------------------------------------------------------------------------------------- leaves */

static double variance_about(const cp_rows *rows, double mean) {
    double sum = 0;
    for (size_t i = 0; i < rows->n; i++) sum += (rows->y[i] - mean) * (rows->y[i] - mean);
    return sum;
}

/* A row lands where it was trained: counts, weights and means of leaves are those of the rows that walk into them; and
 * what splits took away is what is gone. */
static void rows_land_in_their_leaves(void **state) {
    (void)state;
    cp_rng rng = stream(__func__);
    for (size_t round = 0; round < 12; round++) {
        recipe r = {.n = 20000, .missing = round & 1, .values = round & 2 ? 200 : 0};
        made m = sorts_of_rows(&rng, &r);
        cp_greedy_rule rule = {.features = round & 4 ? 1 : DIMS, .min_leaf = 5, .random_cuts = round > 8};
        grown g = grow_tree(&m.rows, round % 3 > 0, &rule);
        double *sum = calloc(g.tree.leaves, sizeof *sum), mean = 0, left = 0, gain = 0;
        uint32_t *count = calloc(g.tree.leaves, sizeof *count);
        for (size_t i = 0; i < r.n; i++) {
            uint32_t leaf = leaf_of(&g, &m.rows, i);
            count[leaf]++;
            sum[leaf] += m.y[i];
            mean += m.y[i] / (double)r.n;
        }
        for (size_t k = 0; k < g.tree.leaves; k++) {
            const cp_tree_value *v = &g.tree.value[k];
            assert_int_equal(v->rows, count[k]);
            assert_true((double)v->weight == (double)count[k]);
            assert_near(g.data.centre + g.data.scale * (double)v->mean, sum[k] / count[k], 1e-5);
            left += (double)v->var * (double)v->weight;
        }
        for (size_t d = 0; d < DIMS; d++) gain += (double)g.tree.gain[d];
        double all = variance_about(&m.rows, mean) / g.data.scale / g.data.scale;
        assert_rel(gain + left, all, 1e-4);
        free(sum);
        free(count);
        free_grown(&g);
        free_rows(&m);
    }
}

/* More levels than bins, and more than a rank of 16 bits: rows still walk where they were trained. */
static void levels_without_end(void **state) {
    (void)state;
    static const uint32_t levels[] = {33, 255, 256, 400, 70000};
    cp_rng rng = stream(__func__);
    for (size_t round = 0; round < 40; round++) {
        size_t n = 1500, classes = tasks[round % 3], few = levels[round % COUNT(levels)];
        made m = make_rows(n, 2, classes);
        m.levels[0] = (uint32_t)few;
        for (size_t i = 0; i < n; i++) {
            uint64_t level = cp_rng_below(&rng, i % 3 ? 300 : few + 1) % (few + 1);
            m.x[2 * i] = i % 50 ? (float)(level > few - 20 || i % 3 ? level : few - level % 20) : NAN;
            m.x[2 * i + 1] = (float)cp_rng_below(&rng, 3);
            m.y[i] = cp_draw_normal(&rng) + (double)(level % 7);
            m.label[i] = classes ? (int32_t)((level + cp_rng_below(&rng, 2)) % classes) : 0;
        }
        cp_greedy_rule rule = {
            .features = 2, .min_leaf = 5, .max_leaves = round & 2 ? 40 : 0, .random_cuts = round & 4 ? 1 : 0};
        grown g = grow_tree(&m.rows, round & 1, &rule);
        uint32_t *count = calloc(g.tree.leaves, sizeof *count);
        for (size_t i = 0; i < n; i++) count[leaf_of(&g, &m.rows, i)]++;
        assert_true(g.tree.leaves > 10);
        for (size_t k = 0; k < g.tree.leaves; k++)
            assert_int_equal(classes ? g.tree.rows[k] : g.tree.value[k].rows, count[k]);
        free(count);
        free_grown(&g);
        free_rows(&m);
    }
}

/* ---------------------------------------------------------------------------------------------------- random choice */

enum { DRAWS = REPEATS_OF(20000), COLUMNS = 5, FEW = 24 };

/* Column d alone tells y apart worse than column d-1: which one is taken says which ones were tried. */
static made graded_columns(size_t n) {
    made m = make_rows(n, COLUMNS, 0);
    for (size_t i = 0; i < n; i++) {
        m.y[i] = (double)i + (i >= n / 2 ? 1000 : 0);
        for (size_t d = 0; d < COLUMNS; d++) m.x[i * COLUMNS + d] = (float)((i + d) % n >= n / 2);
    }
    return m;
}

static double choose(size_t n, size_t k) {
    return k > n ? 0 : k == 0 ? 1 : choose(n - 1, k - 1) * (double)n / (double)k;
}

/* The best of k columns drawn without replacement is column d if d is drawn and none of those before it is. */
static void columns_are_drawn_evenly(void **state) {
    (void)state;
    for (int way = 0; way < 4; way++) { /* lists of small nodes, of large ones; histograms */
        made m = graded_columns(FEW);
        for (size_t k = 1; k <= COLUMNS; k++) {
            double count[COLUMNS] = {0};
            cp_greedy_rule rule = {.features = k, .min_leaf = 1, .seed = seed_of(__func__)};
            rule.max_depth = way < 2;
            rule.max_leaves = way < 2 ? 0 : 2;
            for (uint32_t slot = 0; slot < DRAWS; slot++) {
                grown g = grow_with(&m.rows, way % 2, &rule, slot, 1);
                count[cp_tree_dim(&g.tree.node[0])]++;
                free_grown(&g);
            }
            int even = 1;
            for (size_t d = 0; d < COLUMNS; d++) {
                double p = choose(COLUMNS - 1 - d, k - 1) / choose(COLUMNS, k);
                assert_true(fabs(count[d] / DRAWS - p) < share_bound(DRAWS));
                even &= fabs(count[d] / DRAWS - 1. / COLUMNS) < share_bound(DRAWS);
            }
            assert_true(even == (k == 1)); /* the control: the law of k = 1 is refused for all others */
        }
        free_rows(&m);
    }
}

/* Nodes draw for themselves: parent and child try the same column as often as chance has it. */
static void nodes_draw_for_themselves(void **state) {
    (void)state;
    made m = graded_columns(FEW);
    cp_rng rng = stream(__func__);
    for (size_t i = 0; i < (size_t)FEW * COLUMNS; i++) m.x[i] = (float)cp_rng_unit(&rng);
    double same[3] = {0};
    for (uint32_t slot = 0; slot < DRAWS; slot++) {
        cp_greedy_rule rule = {.features = 1, .min_leaf = 4, .max_depth = 2, .seed = seed_of(__func__)};
        grown g = grow_with(&m.rows, 0, &rule, slot, 1);
        uint32_t at[3];
        for (int i = 0; i < 3; i++)
            at[i] = cp_tree_is_leaf(&g.tree.node[i]) ? COLUMNS + (uint32_t)i : cp_tree_dim(&g.tree.node[i]);
        same[0] += at[0] == at[1];
        same[1] += at[0] == at[2];
        same[2] += at[1] == at[2];
        /* A child too small to be split counts as a draw of its own. */
        if (at[1] >= COLUMNS) same[0] += 1. / COLUMNS;
        if (at[2] >= COLUMNS) same[1] += 1. / COLUMNS;
        if (at[1] >= COLUMNS || at[2] >= COLUMNS) same[2] += 1. / COLUMNS;
        free_grown(&g);
    }
    for (int i = 0; i < 3; i++) assert_true(fabs(same[i] / DRAWS - 1. / COLUMNS) < share_bound(DRAWS));
    free_rows(&m);
}

static double uniform_cdf(double x, const void *range) {
    const double *r = range;
    return fmin(1, fmax(0, (x - r[0]) / (r[1] - r[0])));
}

static void random_cuts_are_uniform(void **state) {
    (void)state;
    const double range[] = {-3, 5}, wrong[] = {-3, 5.5};
    static double cut[DRAWS];
    made m = make_rows(FEW, 1, 0);
    for (size_t i = 0; i < FEW; i++) {
        m.x[i] = i == 0 ? -3 : i == 1 ? 5 : i == 2 ? NAN : (float)i / FEW; /* most values are close together */
        m.y[i] = (double)(i % 5);
    }
    for (int binned = 0; binned <= 1; binned++) {
        cp_greedy_rule rule = {
            .features = 1, .min_leaf = 1, .max_depth = 1, .random_cuts = 1, .seed = seed_of(__func__)};
        for (uint32_t slot = 0; slot < DRAWS; slot++) {
            grown g = grow_with(&m.rows, binned, &rule, slot, 1);
            cut[slot] = (double)g.tree.node[0].at.cut;
            free_grown(&g);
        }
        assert_true(ks_one(cut, DRAWS, uniform_cdf, range) < ks_bound_one(DRAWS));
        assert_true(ks_one(cut, DRAWS, uniform_cdf, wrong) > ks_bound_one(DRAWS));
    }
    free_rows(&m);
}

/* Of the 6 ways to divide 3 levels (sides told apart) each has the same chance; the fourth level is not there. */
static void random_sets_are_even(void **state) {
    (void)state;
    double count[8] = {0};
    made m = make_rows(FEW, 1, 2);
    m.levels[0] = 4;
    for (size_t i = 0; i < FEW; i++) {
        m.x[i] = (float)(i % 3);
        m.label[i] = (int32_t)(i % 2);
    }
    cp_greedy_rule rule = {.features = 1, .min_leaf = 1, .max_depth = 1, .random_cuts = 1, .seed = seed_of(__func__)};
    for (uint32_t slot = 0; slot < DRAWS; slot++) {
        grown g = grow_with(&m.rows, 0, &rule, slot, 1);
        count[g.tree.set[g.tree.node[0].at.set] & 7]++;
        free_grown(&g);
    }
    for (size_t s = 0; s < 8; s++)
        assert_true(fabs(count[s] / DRAWS - (s == 0 || s == 7 ? 0 : 1. / 6)) < share_bound(DRAWS));
    free_rows(&m);
}

/* ----------------------------------------------------------------------------------------------------- unusual rows */

static void a_thousand_classes(void **state) {
    (void)state;
    cp_rng rng = stream(__func__);
    recipe r = {.n = 4000, .classes = 1000};
    made m = sorts_of_rows(&rng, &r);
    for (size_t i = 0; i < r.n; i++) m.label[i] = (int32_t)cp_rng_below(&rng, 1000);
    for (int way = 0; way < 4; way++) {
        cp_greedy_rule rule = {.features = DIMS, .min_leaf = 1, .entropy = way / 2};
        grown g = grow_tree(&m.rows, way % 2, &rule);
        assert_int_equal(g.tree.start[g.tree.leaves], g.tree.leaves); /* x tells all rows apart: leaves are pure */
        size_t right = 0;
        for (size_t i = 0; i < r.n; i++)
            right += g.tree.class_weight[leaf_of(&g, &m.rows, i)].label == (uint32_t)m.label[i];
        assert_int_equal(right, r.n);
        free_grown(&g);
    }
    free_rows(&m);
}

static void ten_thousand_columns(void **state) {
    (void)state;
    enum { WIDE = 10000, ROWS = 40 };
    cp_rng rng = stream(__func__);
    made m = make_rows(ROWS, WIDE, 0);
    for (size_t i = 0; i < (size_t)ROWS * WIDE; i++) m.x[i] = (float)cp_rng_below(&rng, 3);
    for (size_t i = 0; i < ROWS; i++) m.y[i] = m.x[i * WIDE + 7777] = (float)i;
    for (int binned = 0; binned <= 1; binned++) {
        cp_greedy_rule rule = {.features = WIDE, .min_leaf = 1};
        grown g = grow_tree(&m.rows, binned, &rule);
        assert_int_equal(g.tree.leaves, ROWS);
        assert_int_equal(cp_tree_dim(&g.tree.node[0]), 7777);
        free_grown(&g);
    }
    free_rows(&m);
}

/* Nothing to learn: constant target, nothing but missing values, a single row. */
static void nothing_to_split(void **state) {
    (void)state;
    for (size_t round = 0; round < 24; round++) {
        size_t n = round % 3 == 2 ? 1 : 2000, classes = round & 4 ? 3 : 0;
        made m = make_rows(n, 2, classes);
        m.levels[1] = 3;
        for (size_t i = 0; i < n; i++) {
            m.x[2 * i] = round % 3 == 0 ? (float)i : NAN;
            m.x[2 * i + 1] = round % 3 == 0 ? (float)(i % 3) : 3; /* a level unseen */
            m.y[i] = round % 3 == 0 ? 0.1 : (double)i;
            m.label[i] = round % 3 == 0 ? 2 : (int32_t)(i % 3);
        }
        cp_greedy_rule rule = {
            .features = 2, .min_leaf = 1, .max_leaves = round & 1 ? 9 : 0, .random_cuts = round > 11};
        grown g = grow_tree(&m.rows, round & 2 ? 1 : 0, &rule);
        assert_int_equal(g.tree.leaves, 1);
        if (m.rows.y)
            assert_near(g.data.centre + g.data.scale * (double)g.tree.value[0].mean,
                        n == 1           ? m.y[0]
                        : round % 3 == 0 ? 0.1
                                         : 999.5,
                        1e-6);
        free_grown(&g);
        free_rows(&m);
    }
}

static void no_weight_is_an_error(void **state) {
    (void)state;
    made m = make_rows(3, 1, 0);
    copse_error err;
    cp_greedy_data d;
    cp_tree tree = {0};
    cp_greedy_rule rule = {.features = 1, .min_leaf = 1};
    cp_greedy_job job = {.rows = 3, .weight = m.weight, .root = 1};
    must(cp_greedy_grow_data_init(&d, &m.rows, 0, NULL, &err), err);
    assert_int_equal(cp_greedy_grow(&d, &rule, &job, NULL, &tree, &err), COPSE_E_DATA);
    assert_null(tree.node);
    cp_greedy_grow_data_clear(&d);
    free_rows(&m);
}

/* The k-th allocation fails, for every k. */
static void every_allocation_may_fail(void **state) {
    (void)state;
    cp_rng rng = stream(__func__);
    for (size_t way = 0; way < 12; way++) {
        recipe r = {.n = way % 4 == 3 ? 1500 : 60, .classes = tasks[way % 3], .missing = 1, .values = 20};
        made m = sorts_of_rows(&rng, &r);
        cp_greedy_rule rule = {.features = way & 1 ? 2 : DIMS, .min_leaf = 5, .max_leaves = way & 2 ? 8 : 0};
        rule.random_cuts = way > 9;
        for (long k = 0;; k++) {
            cp_greedy_data d;
            cp_tree tree = {0};
            copse_error err;
            copse_run run = {.threads = 1};
            cp_greedy_job job = {.rows = r.n, .root = 1};
            cp_mem_fail_after(k);
            copse_status status = cp_greedy_grow_data_init(&d, &m.rows, (int)way & 1, &run, &err);
            if (!status) {
                status = cp_greedy_grow(&d, &rule, &job, &run, &tree, &err);
                cp_greedy_grow_data_clear(&d);
            }
            cp_mem_fail_after(-1);
            assert_true(status == COPSE_OK || status == COPSE_E_MEMORY);
            if (status) assert_null(tree.node);
            cp_tree_clear(&tree);
            if (!status) {
                assert_true(k > 5);
                break;
            }
        }
        free_rows(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weight_two_is_the_row_twice),
        cmocka_unit_test(weights_of_one_are_no_weights),
        cmocka_unit_test(a_part_of_the_rows),
        cmocka_unit_test(exact_and_binned_agree),
        cmocka_unit_test(small_nodes_do_not_see_the_bins),
        cmocka_unit_test(the_order_of_rows_does_not_matter),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(rows_land_in_their_leaves),
        cmocka_unit_test(levels_without_end),
        cmocka_unit_test(columns_are_drawn_evenly),
        cmocka_unit_test(nodes_draw_for_themselves),
        cmocka_unit_test(random_cuts_are_uniform),
        cmocka_unit_test(random_sets_are_even),
        cmocka_unit_test(a_thousand_classes),
        cmocka_unit_test(ten_thousand_columns),
        cmocka_unit_test(nothing_to_split),
        cmocka_unit_test(no_weight_is_an_error),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
