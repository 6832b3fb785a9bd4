#include "check.h"
#include "ks.h"

#include "bayes/tree_prior.h"

static cp_ranks ranks_of(const float *x, size_t rows, size_t dims) {
    cp_ranks r;
    copse_error err;
    copse_run run = {.threads = 1};
    must(cp_ranks_init(&r, x, rows, dims, &run, &err), err);
    return r;
}

static void split_probability_falls_with_depth(void **state) {
    (void)state;
    const cp_tree_prior p = {.alpha = 0.95, .beta = 0.5}, flat = {.alpha = 0.3, .beta = 0};
    assert_true(cp_tree_prior_split(&p, 0) == 0.95);
    assert_near(cp_tree_prior_split(&p, 3), 0.475, 1e-15);
    for (size_t depth = 0; depth < 2000; depth += 1 + depth / 2) {
        double split = cp_tree_prior_split(&p, depth);
        assert_near(exp(cp_tree_prior_log_split(&p, depth)), split, 1e-14);
        assert_near(exp(cp_tree_prior_log_stop(&p, depth)), 1 - split, 1e-14);
        assert_true(cp_tree_prior_split(&flat, depth) == 0.3);
    }
}

/* --------------------------------------------------------------------------------------------------- made-up nodes */

enum { ROWS = 97, DIMS = 5 };
static const double offset[DIMS] = {0, 1e8, -5, 0, 2};

/* Columns with many ties, one far from 0, one constant. */
static cp_ranks make_ranks(const char *name) {
    static float x[ROWS * DIMS];
    cp_rng rng;
    cp_rng_init(&rng, seed_of(name), CP_FOR_TEST, 0, 0);
    for (size_t i = 0; i < COUNT(x); i++) {
        size_t d = i % DIMS;
        double steps = d == 0 ? 4 : d == 1 ? 1000 : 17;
        x[i] = (float)(offset[d] + (d == 3 ? 0 : floor(cp_rng_unit(&rng) * steps) * (d == 1 ? 16 : 1)));
    }
    return ranks_of(x, ROWS, DIMS);
}

/* Some rows, ascending. */
static size_t some_rows(cp_rng *rng, size_t most, uint32_t *out) {
    size_t n = 0;
    double share = cp_rng_unit(rng);
    for (uint32_t i = 0; i < ROWS && n < most; i++)
        if (cp_rng_unit(rng) < share) out[n++] = i;
    if (n == 0) out[n++] = (uint32_t)cp_rng_below(rng, ROWS);
    return n;
}

static cp_extent literal_extent(const cp_ranks *r, size_t dim, cp_span s) {
    cp_extent e = {UINT32_MAX, 0};
    for (size_t i = 0; i < s.n; i++) {
        uint32_t rank = cp_ranks_column(r, dim)[s.row[i]];
        if (rank < e.low) e.low = rank;
        if (rank > e.high) e.high = rank;
    }
    return e;
}

static void extents_and_columns_that_vary(void **state) {
    (void)state;
    cp_ranks r = make_ranks(__func__);
    cp_rng rng;
    cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, 1, 0);
    for (size_t i = 0; i < 300; i++) {
        uint32_t row[ROWS];
        cp_span s = {row, some_rows(&rng, i % 4 ? ROWS : 3, row)};
        size_t vary = 0;
        for (size_t d = 0; d < DIMS; d++) {
            cp_extent e = cp_rule_extent(&r, d, s), want = literal_extent(&r, d, s);
            assert_true(e.low == want.low && e.high == want.high);
            assert_int_equal(cp_rule_varies(&r, d, s), e.low < e.high);
            vary += e.low < e.high;
        }
        assert_int_equal(cp_rule_columns(&r, s, DIMS), vary);
        assert_int_equal(cp_rule_columns(&r, s, 1), vary > 0);
        assert_int_equal(cp_rule_columns(&r, s, 2), vary < 2 ? vary : 2);
    }
    cp_ranks_clear(&r);
}

static void parting_keeps_the_order(void **state) {
    (void)state;
    cp_ranks r = make_ranks(__func__);
    cp_rng rng;
    cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, 1, 0);
    for (size_t i = 0; i < 300; i++) {
        uint32_t row[ROWS], left[ROWS], right[ROWS], in_place[ROWS];
        cp_span s = {row, some_rows(&rng, ROWS, row)};
        cp_rule rule = {.dim = (uint32_t)(i % DIMS)};
        rule.cell = (uint32_t)cp_rng_below(&rng, cp_ranks_count(&r, rule.dim));
        size_t n = cp_rule_partition(&r, rule, s, left, right), l = 0;
        for (size_t j = 0; j < s.n; j++) {
            int goes = cp_ranks_column(&r, rule.dim)[row[j]] <= rule.cell;
            assert_int_equal(goes ? left[l] : right[j - l], row[j]);
            l += (size_t)goes;
        }
        assert_int_equal(n, l);
        memcpy(in_place, row, sizeof row);
        assert_int_equal(cp_rule_partition(&r, rule, (cp_span){in_place, s.n}, in_place, right), n);
        assert_memory_equal(in_place, left, n * sizeof *left);
    }
    cp_ranks_clear(&r);
}

static void gap_is_between_neighbours_of_the_node(void **state) {
    (void)state;
    cp_ranks r = make_ranks(__func__);
    cp_rng rng;
    cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, 1, 0);
    for (size_t i = 0; i < 300; i++) {
        uint32_t row[ROWS], order[DIMS], left[ROWS], right[ROWS];
        cp_span s = {row, some_rows(&rng, 12, row)};
        cp_rule rule;
        cp_extent e;
        if (!cp_rule_draw(&r, s, &rng, order, &rule, &e)) continue;
        cp_extent gap = cp_rule_gap(&r, rule, e, s);
        size_t n = cp_rule_partition(&r, rule, s, left, right);
        assert_true(n > 0 && n < s.n);
        assert_int_equal(gap.low, literal_extent(&r, rule.dim, (cp_span){left, n}).high);
        assert_int_equal(gap.high, literal_extent(&r, rule.dim, (cp_span){right, s.n - n}).low);
    }
    cp_ranks_clear(&r);
}

/* ----------------------------------------------------------------------------------------------- rules of the prior */

/* All rules of a node with their probabilities; they sum to 1. */
static void probabilities_of_all_rules_sum_to_one(void **state) {
    (void)state;
    cp_ranks r = make_ranks(__func__);
    cp_rng rng;
    cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, 1, 0);
    for (size_t i = 0; i < 100; i++) {
        uint32_t row[ROWS];
        cp_span s = {row, some_rows(&rng, i % 2 ? ROWS : 3, row)};
        size_t columns = cp_rule_columns(&r, s, DIMS);
        double sum = 0;
        for (uint32_t d = 0; d < DIMS; d++)
            for (uint32_t c = 0; c < cp_ranks_count(&r, d); c++)
                sum += exp(cp_rule_log_prob(&r, (cp_rule){d, c}, cp_rule_extent(&r, d, s), columns));
        assert_near(sum, columns ? 1 : 0, 1e-13);
    }
    cp_ranks_clear(&r);
}

static void rules_outside_are_impossible(void **state) {
    (void)state;
    const float x[] = {0, 1, 2, 4};
    cp_ranks r = ranks_of(x, 4, 1);
    const cp_extent e = {1, 3};
    assert_true(isinf(cp_rule_log_prob(&r, (cp_rule){0, 0}, e, 1)));
    assert_true(isinf(cp_rule_log_prob(&r, (cp_rule){0, 3}, e, 1)));
    assert_near(cp_rule_log_prob(&r, (cp_rule){0, 1}, e, 2), log(1.0 / 6), 1e-15);
    assert_near(cp_rule_log_prob(&r, (cp_rule){0, 2}, e, 1), log(2.0 / 3), 1e-15);
    cp_ranks_clear(&r);
}

enum { DRAWS = 40000 };

/* Largest distance between frequencies of rules and their probabilities; Hoeffding's bound holds for each rule. */
static double distance(const cp_ranks *r, cp_span s, size_t columns, const char *name) {
    static double hits[DIMS][ROWS];
    uint32_t order[DIMS];
    double most = 0;
    cp_rng rng;
    cp_rng_init(&rng, seed_of(name), CP_FOR_TEST, 2, s.n);
    memset(hits, 0, sizeof hits);
    for (size_t i = 0; i < DRAWS; i++) {
        cp_rule rule;
        cp_extent e;
        assert_true(cp_rule_draw(r, s, &rng, order, &rule, &e));
        assert_true(e.low <= rule.cell && rule.cell < e.high);
        hits[rule.dim][rule.cell]++;
    }
    for (uint32_t d = 0; d < r->dims; d++)
        for (uint32_t c = 0; c < cp_ranks_count(r, d); c++) {
            double p = exp(cp_rule_log_prob(r, (cp_rule){d, c}, cp_rule_extent(r, d, s), columns));
            if (p == 0) assert_true(hits[d][c] == 0);
            most = fmax(most, fabs(hits[d][c] / DRAWS - p));
        }
    return most;
}

static void drawn_rules_follow_their_probabilities(void **state) {
    (void)state;
    cp_ranks r = make_ranks(__func__);
    uint32_t row[ROWS];
    for (uint32_t i = 0; i < ROWS; i++) row[i] = i;
    for (size_t n = 4; n <= ROWS; n = 3 * n + 5) {
        cp_span s = {row, n};
        size_t columns = cp_rule_columns(&r, s, DIMS);
        assert_true(distance(&r, s, columns, __func__) < share_bound(DRAWS));
        assert_true(distance(&r, s, columns + 1, __func__) > share_bound(DRAWS));
    }
    cp_ranks_clear(&r);
}

/* Only one of many columns varies: found by going through all of them. */
static void the_only_column_that_varies_is_found(void **state) {
    (void)state;
    enum { MANY = 200 };
    static float x[2 * MANY];
    uint32_t order[MANY], row[] = {0, 1};
    x[137] = 1;
    cp_ranks r = ranks_of(x, 2, MANY);
    cp_rng rng;
    cp_rule rule;
    cp_extent e;
    cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, 0, 0);
    assert_true(cp_rule_draw(&r, (cp_span){row, 2}, &rng, order, &rule, &e));
    assert_true(rule.dim == 137 && rule.cell == 0 && e.low == 0 && e.high == 1);
    assert_false(cp_rule_draw(&r, (cp_span){row, 1}, &rng, order, &rule, &e));
    cp_ranks_clear(&r);
}

/* Cells of very different widths, and the widest column there is. */
static void cells_by_their_width(void **state) {
    (void)state;
    const float x[] = {-FLT_MAX, 0, 1, FLT_MAX / 2, FLT_MAX};
    cp_ranks r = ranks_of(x, 5, 1);
    double hits[4] = {0};
    cp_rng rng;
    cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, 0, 0);
    for (size_t i = 0; i < DRAWS; i++) hits[cp_rule_draw_cell(&r, 0, (cp_extent){0, 4}, &rng)]++;
    const double want[] = {0.5, 0, 0.25, 0.25};
    for (size_t c = 0; c < 4; c++) assert_true(fabs(hits[c] / DRAWS - want[c]) < share_bound(DRAWS));
    for (size_t i = 0; i < 100; i++)
        assert_int_equal(cp_rule_draw_cell(&r, 0, (cp_extent){1, 2}, &rng), 1); /* a single cell */
    cp_ranks_clear(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(split_probability_falls_with_depth),
        cmocka_unit_test(extents_and_columns_that_vary),
        cmocka_unit_test(parting_keeps_the_order),
        cmocka_unit_test(gap_is_between_neighbours_of_the_node),
        cmocka_unit_test(probabilities_of_all_rules_sum_to_one),
        cmocka_unit_test(rules_outside_are_impossible),
        cmocka_unit_test(drawn_rules_follow_their_probabilities),
        cmocka_unit_test(the_only_column_that_varies_is_found),
        cmocka_unit_test(cells_by_their_width),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
