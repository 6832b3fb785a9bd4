/* Random cuts of a node's columns: all in two passes over its rows, as one after another. */
#include "check.h"

#include <math.h>

#include "split/split_random.h"
#include "split/split_random_all.h"

enum { ROWS = 300, DIMS = 11, SHIFT = 40 };

/* Some columns have few values, some one; rows of a node lie anywhere, in rising order. */
typedef struct node {
    float x[ROWS * DIMS], value[ROWS];
    size_t dims, n;
    uint32_t row[ROWS];
    cp_sum sum[ROWS], left[DIMS];
    float low[DIMS], high[DIMS], cut[DIMS];
    cp_split_level level[2];
    cp_split_rule rule;
    cp_split_node node;
} node;

static void make_node(node *m, cp_rng *rng) {
    cp_sum all = {0, 0};
    m->dims = 1 + cp_rng_below(rng, DIMS);
    m->n = 0;
    for (size_t i = 0; i < ROWS * m->dims; i++) {
        size_t values = i % m->dims % 3;
        m->x[i] = values == 2 ? 1 : (float)cp_rng_unit(rng) - 0.5f;
        if (values == 1) m->x[i] = floorf(4 * m->x[i]);
    }
    for (uint32_t i = 0; i < ROWS; i++) {
        if (m->n > 1 && cp_rng_below(rng, 3)) continue;
        cp_sum a = {(int64_t)1 << SHIFT | (int64_t)(1 + cp_rng_below(rng, 100)),
                    (int64_t)cp_rng_below(rng, 2000) - 1000};
        m->sum[m->n] = a;
        m->row[m->n++] = i;
        all.w += a.w;
        all.s += a.s;
    }
    m->rule = (cp_split_rule){.shift = SHIFT, .mask = ((int64_t)1 << SHIFT) - 1, .min_rows = 1 + cp_rng_below(rng, 3)};
    m->node = (cp_split_node){.rule = &m->rule, .rows = m->n, .level = m->level};
    m->node.weight = cp_split_weight(&m->rule, all.w);
    m->node.mean = (double)all.s / m->node.weight;
}

static cp_split_random_table table_of(node *m) {
    return (cp_split_random_table){m->x, m->dims, m->row, m->sum, m->n, m->low, m->high, m->cut, m->left};
}

static cp_split one_after_another(node *m, cp_rng *rng) {
    cp_split best = {0};
    cp_split_none(&best);
    for (size_t d = 0; d < m->dims; d++) {
        for (size_t i = 0; i < m->n; i++) m->value[i] = m->x[m->row[i] * m->dims + d];
        cp_split_random_column c = {.value = m->value, .sum = m->sum, .n = m->n};
        if (cp_split_random(&m->node, &c, rng, &best)) best.dim = (int32_t)d;
    }
    return best;
}

static void all_columns_together_are_cut_as_one_after_another(void **state) {
    (void)state;
    static node m;
    cp_rng rng;
    size_t found = 0;
    cp_rng_init(&rng, seed_of("random cuts"), CP_FOR_TEST, 0, 0);
    for (int repeat = 0; repeat < 2000; repeat++) {
        make_node(&m, &rng);
        cp_rng one = rng, all = rng;
        cp_split a = one_after_another(&m, &one), b = {0};
        cp_split_random_table t = table_of(&m);
        cp_split_none(&b);
        assert_true(cp_split_random_all_ranges(&t));
        cp_split_random_all(&m.node, &t, &all, &b);
        assert_true(a.num == b.num);
        assert_true(cp_rng_unit(&one) == cp_rng_unit(&all));
        if (a.num < 0) continue;
        found++;
        assert_int_equal(a.dim, b.dim);
        assert_int_equal(a.missing_left, b.missing_left);
        assert_true(a.cut == b.cut && a.left == b.left && !b.is_set);
    }
    assert_true(found > 1000 && found < 2000);
}

static void a_missing_value_is_seen_wherever_it_is(void **state) {
    (void)state;
    static node m;
    cp_rng rng;
    cp_rng_init(&rng, seed_of("missing"), CP_FOR_TEST, 0, 0);
    for (int repeat = 0; repeat < 500; repeat++) {
        make_node(&m, &rng);
        cp_split_random_table t = table_of(&m);
        assert_true(cp_split_random_all_ranges(&t));
        m.x[m.row[cp_rng_below(&rng, m.n)] * m.dims + cp_rng_below(&rng, m.dims)] = NAN;
        assert_false(cp_split_random_all_ranges(&t));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_columns_together_are_cut_as_one_after_another),
        cmocka_unit_test(a_missing_value_is_seen_wherever_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
