/* Trees of the greedy engine on thousands of small sets of rows, judged node by node by ref_cart. */
#include "grown.h"
#include "sanitized.h"

enum { SETS = REPEATS_OF(1500), BIG_LEAVES = 1000 };

typedef enum weighting { NONE, ONES, WHOLE, REAL, ZEROS, WEIGHTINGS } weighting;

static double a_weight(cp_rng *rng, weighting kind) {
    switch (kind) {
        case WHOLE: return 1 + (double)cp_rng_below(rng, 3);
        case REAL: return cp_draw_exp(rng);
        case ZEROS: return cp_rng_below(rng, 3) ? cp_draw_exp(rng) : 0;
        default: return 1;
    }
}

/* A number from a small grid, so that ties are many; or a level; sometimes nothing. */
static float a_value(cp_rng *rng, uint32_t levels, int missing, int grid) {
    if (missing && cp_rng_below(rng, 4) == 0) return NAN;
    if (levels) return (float)cp_rng_below(rng, levels + 1); /* `levels` itself is an unseen one */
    return grid ? (float)cp_rng_below(rng, 5) - 1.7f : (float)(cp_rng_unit(rng) - 0.5);
}

/* Unevenly apart, so that no rounding is exact by chance. */
static const double few_targets[] = {0, 0.3, 1.7};

/* One of the small sets: everything about it is drawn. */
static made small_set(cp_rng *rng, size_t classes) {
    size_t n = 1 + cp_rng_below(rng, 12), dims = 1 + cp_rng_below(rng, 3);
    made m = make_rows(n, dims, classes);
    weighting kind = (weighting)cp_rng_below(rng, WEIGHTINGS);
    int missing = (int)cp_rng_below(rng, 2), grid = (int)cp_rng_below(rng, 3), rough = (int)cp_rng_below(rng, 2);
    for (size_t d = 0; d < dims; d++)
        if (cp_rng_below(rng, 3) == 0) m.levels[d] = 1 + (uint32_t)cp_rng_below(rng, 6);
    for (size_t i = 0; i < n; i++) {
        for (size_t d = 0; d < dims; d++) m.x[i * dims + d] = a_value(rng, m.levels[d], missing, grid);
        m.y[i] = rough ? few_targets[cp_rng_below(rng, COUNT(few_targets))] : cp_draw_normal(rng);
        m.label[i] = classes ? (int32_t)cp_rng_below(rng, classes) : 0;
        m.weight[i] = a_weight(rng, kind);
    }
    m.weight[0] += m.weight[0] == 0; /* some weight must be left */
    if (kind != NONE) m.rows.weight = m.weight;
    return m;
}

static void say_rows(const made *m) {
    for (size_t i = 0; i < m->rows.n; i++) {
        print_message("  ");
        for (size_t d = 0; d < m->rows.dims; d++)
            print_message("%s%-9.6g ", m->levels[d] ? "#" : "", (double)m->x[i * m->rows.dims + d]);
        if (m->rows.y) print_message("  y %.17g", m->y[i]);
        if (m->rows.label) print_message("  class %d", m->label[i]);
        print_message("  weight %.17g\n", m->rows.weight ? m->weight[i] : 1);
    }
}

/* opt_weight: what the reference is told the weights are, which may differ from the engine's by a factor. */
static void judge_as(const made *m, const double *opt_weight, const cp_greedy_rule *rule, int binned) {
    ref_rule ref = {.kind = m->rows.y       ? REF_SQUARED
                            : rule->entropy ? REF_ENTROPY
                                            : REF_GINI,
                    .features = rule->features,
                    .min_leaf = rule->min_leaf,
                    .min_leaf_weight = rule->min_leaf_weight,
                    .max_depth = rule->max_depth,
                    .max_leaves = rule->max_leaves,
                    .any_cut = rule->random_cuts,
                    .any_unit = opt_weight != m->rows.weight};
    grown g = grow_tree(&m->rows, binned, rule);
    const char *wrong = ref_judge(&g.tree, &ref, &m->rows, opt_weight, g.data.centre, g.data.scale);
    if (wrong) {
        say_rows(m);
        fail_msg("%s%s: features %zu, min_leaf %zu, weight %g, depth %zu, leaves %zu: %s", binned ? "binned" : "exact",
                 rule->entropy ? ", entropy" : "", rule->features, rule->min_leaf, rule->min_leaf_weight,
                 rule->max_depth, rule->max_leaves, wrong);
    }
    free_grown(&g);
}

static void judge(const made *m, const cp_greedy_rule *rule, int binned) {
    judge_as(m, m->rows.weight, rule, binned);
}

/* change(rule, rng) sets the limits of each set's tree; both finders must pass. */
static void judge_many(const char *name, size_t classes, void (*change)(cp_greedy_rule *rule, cp_rng *rng)) {
    cp_rng rng;
    cp_rng_init(&rng, seed_of(name), CP_FOR_TEST, (uint32_t)classes, 0);
    for (size_t i = 0; i < SETS; i++) {
        made m = small_set(&rng, classes);
        cp_greedy_rule rule = {.features = m.rows.dims, .min_leaf = 1, .seed = i};
        rule.entropy = classes && i % 2;
        if (change) change(&rule, &rng);
        for (int binned = 0; binned <= 1; binned++) judge(&m, &rule, binned);
        free_rows(&m);
    }
}

/* Leaves without bound, but counted: the finder for large nodes does the work that the one for small nodes does
 * else. */
static void count_leaves(cp_greedy_rule *rule, cp_rng *rng) {
    (void)rng;
    rule->max_leaves = BIG_LEAVES;
}

static void limit_leaves(cp_greedy_rule *rule, cp_rng *rng) {
    rule->max_leaves = 1 + cp_rng_below(rng, 5);
}

static void limit_sizes(cp_greedy_rule *rule, cp_rng *rng) {
    rule->min_leaf = 1 + cp_rng_below(rng, 4);
    if (cp_rng_below(rng, 2)) rule->min_leaf_weight = 0.5 * (double)cp_rng_below(rng, 6);
    if (cp_rng_below(rng, 2)) rule->max_depth = 1 + cp_rng_below(rng, 3);
    if (cp_rng_below(rng, 2)) rule->max_leaves = BIG_LEAVES;
}

static void try_some_columns(cp_greedy_rule *rule, cp_rng *rng) {
    rule->features = 1;
    if (cp_rng_below(rng, 2)) rule->max_leaves = BIG_LEAVES;
}

static void cut_at_random(cp_greedy_rule *rule, cp_rng *rng) {
    rule->random_cuts = 1;
    rule->features = 1 + cp_rng_below(rng, rule->features);
    rule->min_leaf = 1 + cp_rng_below(rng, 2);
}

static const size_t tasks[] = {0, 2, 3, 5}; /* regression, and classes */

#define FOR_ALL_TASKS(change)                                                             \
    do {                                                                                  \
        (void)state;                                                                      \
        for (size_t t = 0; t < COUNT(tasks); t++) judge_many(__func__, tasks[t], change); \
    } while (0)

static void every_split_is_the_best(void **state) {
    FOR_ALL_TASKS(NULL);
}
static void every_split_of_large_nodes_is_the_best(void **state) {
    FOR_ALL_TASKS(count_leaves);
}
static void the_best_split_comes_first(void **state) {
    FOR_ALL_TASKS(limit_leaves);
}
static void sides_keep_their_sizes(void **state) {
    FOR_ALL_TASKS(limit_sizes);
}
static void one_column_at_a_time(void **state) {
    FOR_ALL_TASKS(try_some_columns);
}
static void random_cuts_divide(void **state) {
    FOR_ALL_TASKS(cut_at_random);
}

/* Hundreds of rows, so that nodes are larger than any special case; numbers only, and levels. */
static void larger_sets(void **state) {
    (void)state;
    cp_rng rng;
    cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, 0, 0);
    for (size_t round = 0; round < 12; round++) {
        size_t n = 100, classes = round % 3 ? round % 3 * 2 : 0;
        made m = make_rows(n, 2, classes);
        m.levels[1] = round & 1 ? 7 : 0;
        for (size_t i = 0; i < n; i++) {
            m.x[2 * i] = a_value(&rng, 0, round > 5, 0);
            m.x[2 * i + 1] = a_value(&rng, m.levels[1], round > 5, 1);
            m.y[i] = cp_draw_normal(&rng) + (isnan(m.x[2 * i]) ? 1 : (double)m.x[2 * i]);
            m.label[i] = (int32_t)cp_rng_below(&rng, classes ? classes : 1);
            m.weight[i] = cp_draw_exp(&rng);
        }
        if (round & 2) m.rows.weight = m.weight;
        cp_greedy_rule rule = {.features = 2, .min_leaf = 1, .entropy = round & 1};
        for (int binned = 0; binned <= 1; binned++) {
            rule.max_leaves = 0;
            judge(&m, &rule, binned);
            rule.max_leaves = BIG_LEAVES;
            judge(&m, &rule, binned);
        }
        free_rows(&m);
    }
}

/* Values with no float between them, the largest there are, infinities, both zeros: the cut is then the lower of
 * two. */
static void values_of_any_size(void **state) {
    (void)state;
    const float sizes[] = {-INFINITY,
                           -FLT_MAX,
                           nextafterf(-FLT_MAX, 0),
                           -1e-45f,
                           -0.0f,
                           0,
                           1e-45f,
                           1,
                           nextafterf(1, 2),
                           nextafterf(nextafterf(1, 2), 2),
                           nextafterf(FLT_MAX, 0),
                           FLT_MAX,
                           INFINITY,
                           NAN};
    cp_rng rng;
    cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, 0, 0);
    for (size_t round = 0; round < 400; round++) {
        made m = make_rows(12, 2, round % 3 ? round % 3 + 1 : 0);
        for (size_t i = 0; i < 24; i++) m.x[i] = sizes[cp_rng_below(&rng, COUNT(sizes))];
        for (size_t i = 0; i < 12; i++) {
            m.y[i] = cp_draw_normal(&rng);
            m.label[i] = (int32_t)cp_rng_below(&rng, 2);
        }
        cp_greedy_rule rule = {.features = 2, .min_leaf = 1, .max_leaves = round & 1 ? BIG_LEAVES : 0};
        rule.random_cuts = round % 5 == 0;
        for (int binned = 0; binned <= 1; binned++) judge(&m, &rule, binned);
        free_rows(&m);
    }
}

/* Targets far from zero, large, tiny and close together: nothing may be lost in sums. */
static void targets_of_any_size(void **state) {
    (void)state;
    static const double offset[] = {0, 1e9, -1e12, 0, 0, 0, 1e60}, size[] = {1, 1, 1e-3, 1e60, 1e-60, 1e150, 1e50};
    cp_rng rng;
    cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, 0, 0);
    for (size_t k = 0; k < COUNT(size); k++) {
        for (size_t round = 0; round < 50; round++) {
            made m = make_rows(12, 2, 0);
            for (size_t i = 0; i < 12; i++) {
                m.x[2 * i] = a_value(&rng, 0, 1, 1);
                m.x[2 * i + 1] = a_value(&rng, 0, 0, 0);
                m.y[i] = offset[k] + size[k] * cp_draw_normal(&rng);
            }
            cp_greedy_rule rule = {.features = 2, .min_leaf = 1, .max_leaves = round % 2 ? BIG_LEAVES : 0};
            for (int binned = 0; binned <= 1; binned++) judge(&m, &rule, binned);
            free_rows(&m);
        }
    }
}

/* Weights are ratios: times any factor they make as good a tree.  Sizes that a float cannot hold included. */
static void weights_of_any_size(void **state) {
    (void)state;
    static const int power[] = {0, 100, -100, 996, -996};
    cp_rng rng;
    cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, 0, 0);
    for (size_t round = 0; round < 60; round++) {
        size_t classes = round % 3;
        made m = make_rows(12, 2, classes ? classes + 1 : 0);
        double base[12];
        for (size_t i = 0; i < 12; i++) {
            m.x[2 * i] = a_value(&rng, 0, 1, 1);
            m.x[2 * i + 1] = a_value(&rng, 0, 0, 0);
            m.y[i] = cp_draw_normal(&rng);
            m.label[i] = (int32_t)cp_rng_below(&rng, classes + 1);
            base[i] = cp_draw_exp(&rng);
        }
        m.rows.weight = m.weight;
        cp_greedy_rule rule = {.features = 2, .min_leaf = 1, .max_leaves = round % 2 ? BIG_LEAVES : 0};
        for (size_t k = 0; k < COUNT(power); k++) {
            for (size_t i = 0; i < 12; i++) m.weight[i] = ldexp(base[i], power[k]);
            for (int binned = 0; binned <= 1; binned++) judge_as(&m, base, &rule, binned);
        }
        free_rows(&m);
    }
}

/* One row that outweighs all others by 1e600: no side without rows, no infinity, no NaN. */
static void weights_of_very_different_sizes(void **state) {
    (void)state;
    cp_rng rng;
    cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, 0, 0);
    for (size_t round = 0; round < 300; round++) {
        size_t classes = round % 3;
        made m = make_rows(30, 2, classes ? classes + 1 : 0);
        for (size_t i = 0; i < 30; i++) {
            m.x[2 * i] = a_value(&rng, 0, 1, 1);
            m.x[2 * i + 1] = a_value(&rng, 0, 0, 0);
            m.y[i] = cp_draw_normal(&rng) * (round % 2 ? 1 : 1e60);
            m.label[i] = (int32_t)cp_rng_below(&rng, classes + 1);
            m.weight[i] = pow(10, 300 * (2 * cp_rng_unit(&rng) - 1));
        }
        m.weight[0] = 1e300;
        m.weight[1] = 1e-300;
        m.rows.weight = m.weight;
        cp_greedy_rule rule = {.features = 2, .min_leaf = 1, .entropy = round % 5 == 0};
        if (round % 4 > 1) rule.max_leaves = BIG_LEAVES;
        grown g = grow_tree(&m.rows, round % 8 > 3, &rule);
        if (m.rows.y) assert_int_equal(g.tree.leaves, 30);
        if (!m.rows.y) assert_int_equal(g.tree.start[g.tree.leaves], g.tree.leaves);
        free_grown(&g);
        free_rows(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_split_is_the_best),
        cmocka_unit_test(every_split_of_large_nodes_is_the_best),
        cmocka_unit_test(the_best_split_comes_first),
        cmocka_unit_test(sides_keep_their_sizes),
        cmocka_unit_test(one_column_at_a_time),
        cmocka_unit_test(random_cuts_divide),
        cmocka_unit_test(larger_sets),
        cmocka_unit_test(values_of_any_size),
        cmocka_unit_test(targets_of_any_size),
        cmocka_unit_test(weights_of_any_size),
        cmocka_unit_test(weights_of_very_different_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
