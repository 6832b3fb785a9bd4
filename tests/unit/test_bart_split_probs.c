/* Rules from the prior: their probabilities sum to 1, and draws have them, from leaves and from lists of rows. */
#include "bart_world.h"
#include "ks.h"

#include "base/mem.h"

static void columns_are_drawn_by_their_share(void **state) {
    (void)state;
    enum { DIMS = 5, DRAWS = 100000 };
    const double given[DIMS] = {.5, 0, .3, 1e-12, .2};
    cp_bart_split_probs s;
    cp_rng rng;
    copse_error err;
    size_t count[2][DIMS] = {{0}};
    cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, 0, 0);
    must(cp_bart_split_probs_init(&s, DIMS, 1, &err), err);
    for (int i = 0; i < DRAWS; i++) count[0][cp_bart_split_probs_draw(&s, &rng)]++;
    cp_bart_split_probs_set(&s, given);
    for (int i = 0; i < DRAWS; i++) count[1][cp_bart_split_probs_draw(&s, &rng)]++;
    for (size_t d = 0; d < DIMS; d++) {
        assert_true(fabs((double)count[0][d] / DRAWS - 1.0 / DIMS) < share_bound(DRAWS));
        assert_true(fabs((double)count[1][d] / DRAWS - given[d]) < share_bound(DRAWS));
        assert_true(cp_bart_split_probs_of(&s, d) >= given[d] && cp_bart_split_probs_of(&s, d) > 0);
    }
    assert_int_equal(count[1][1], 0);
    cp_bart_split_probs_clear(&s);
}

/* By its definition: rows, columns and widths counted one by one. */
static double log_rule(const bart_world *w, cp_bart_group g, cp_rule rule) {
    const cp_ranks *r = &w->columns.ranks;
    double mass = 0, width = 0;
    for (size_t d = 0; d < r->dims; d++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < r->rows; i++) {
            if (g.slot[i] != g.id) continue;
            low = fmin(low, (double)w->x[i * r->dims + d]);
            high = fmax(high, (double)w->x[i * r->dims + d]);
        }
        const float *v = cp_ranks_values(r, d) + rule.cell;
        if (low < high) mass += cp_bart_split_probs_of(&w->split_probs, d);
        if (d == rule.dim && low <= (double)v[0] && (double)v[1] <= high)
            width = ((double)v[1] - (double)v[0]) / (high - low);
    }
    return width > 0 ? log(width * cp_bart_split_probs_of(&w->split_probs, rule.dim) / mass) : -INFINITY;
}

static void check_rules(bart_world *w, int16_t node, cp_rng *rng) {
    enum { DRAWS = 20000 };
    static size_t count[12][300];
    const cp_ranks *r = &w->columns.ranks;
    cp_bart_group rows = cp_bart_tree_merge(&w->tree, &w->view, node, w->tmp);
    double sum = 0;
    int some = 0;
    memset(count, 0, sizeof count);
    for (int i = 0; i < DRAWS; i++) {
        cp_rule rule = {0, 0};
        some = cp_bart_split_probs_draw_rule(&w->view, rows, rng, &rule);
        count[rule.dim][rule.cell] += (size_t)some;
    }
    for (uint32_t d = 0; d < r->dims; d++)
        for (uint32_t cell = 0; cell + 1 < cp_ranks_count(r, d); cell++) {
            double log_p = cp_bart_split_probs_log_rule(&w->view, (cp_rule){d, cell}, rows), p = exp(log_p);
            assert_near(log_p, log_rule(w, rows, (cp_rule){d, cell}), 1e-12);
            sum += p;
            assert_true(fabs((double)count[d][cell] / DRAWS - p) < share_bound(DRAWS));
            if (!(p > 0)) assert_int_equal(count[d][cell], 0);
        }
    assert_near(sum, some, 1e-12);
}

static void rules_have_their_probabilities(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(bart_shapes); i++) {
        bart_world w;
        cp_rng rng;
        if (bart_shapes[i].rows > 1000) continue;
        cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, (uint32_t)i, 0);
        bart_world_init(&w, &bart_shapes[i], &rng);
        for (int k = 0; k < 6; k++) bart_world_shake(&w, 0, &rng);
        for (int16_t u = 0; (size_t)u < cp_bart_tree_nodes(&w.tree) && u < 6; u++) check_rules(&w, u, &rng);
        bart_world_clear(&w);
    }
}

/* Without shares, probabilities are those of the prior of trees. */
static void equal_shares_are_the_prior_of_trees(void **state) {
    (void)state;
    bart_world w;
    cp_rng rng;
    uint32_t row[200];
    cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, 0, 0);
    bart_world_init(&w, &bart_shapes[3], &rng);
    const cp_ranks *r = &w.columns.ranks;
    for (uint32_t i = 0; i < r->rows; i++) row[i] = i;
    const cp_span all = {row, r->rows};
    const cp_bart_group same = {w.slot, 0};
    size_t columns = cp_rule_columns(r, all, r->dims);
    assert_near(cp_bart_split_probs_mass(&w.view, same), (double)columns / (double)r->dims, 1e-12);
    for (uint32_t d = 0; d < r->dims; d++)
        for (uint32_t cell = 0; cell + 1 < cp_ranks_count(r, d); cell++) {
            cp_rule rule = {d, cell};
            double want = cp_rule_log_prob(r, rule, cp_rule_extent(r, d, all), columns);
            assert_near(cp_bart_split_probs_log_rule(&w.view, rule, same), want, 1e-12);
        }
    bart_world_clear(&w);
}

static void no_memory_is_a_status(void **state) {
    (void)state;
    for (long k = 0; k < 2; k++) {
        cp_bart_split_probs s;
        copse_error err;
        cp_mem_fail_after(k);
        copse_status status = cp_bart_split_probs_init(&s, 3, 1, &err);
        cp_mem_fail_after(-1);
        assert_int_equal(status, COPSE_E_MEMORY);
        assert_null(s.opt_s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_drawn_by_their_share),
        cmocka_unit_test(rules_have_their_probabilities),
        cmocka_unit_test(equal_shares_are_the_prior_of_trees),
        cmocka_unit_test(no_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
