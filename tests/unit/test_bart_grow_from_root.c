/* Trees grown from the root: each first cut as often as prior times likelihood say; a fit that is found in few sweeps;
 * columns with more values than there are bins, more rows than are looked at, and rows that count nothing. */
#include "bart/core/bart_tree_check.h"
#include "bart/draws/bart_chain_state.h"
#include "bart/draws/bart_grow_from_root.h"
#include "bart/mh/bart_mh.h"
#include "ks.h"
#include "sample.h"

static cp_bart_options options(size_t trees, size_t warm) {
    return (cp_bart_options){.sampler = &cp_bart_mh_sampler,
                             .sampler_opt = {.move_prob = {.5, .5}},
                             .trees = trees,
                             .grow_from_root = warm,
                             .samples = 1000,
                             .thin = 1,
                             .split = {.95, 2},
                             .k = 2,
                             .nu = 3,
                             .q = .9,
                             .ols = 1};
}

/* -------------------------------------------------------------------------------------------------- the law of cuts */

enum { ROWS = 12, DIMS = 2, DRAWS = 10000 };

/* log of prior and likelihood of a tree that is cut once, as the two leaves' children are never cut. */
static double log_cut(const cp_bart_view *v, const cp_bart_tree *t, cp_rule rule) {
    cp_bart_split s = {.node = 0, .rule = rule};
    assert_true(cp_bart_tree_try_split(t, v, &s));
    return v->log_split[0] + cp_bart_split_probs_log_rule(v, rule, (cp_bart_group){t->slot, 0}) +
           cp_bart_view_log_leaf(v, s.left.sum_w, s.left.sum_wr) +
           cp_bart_view_log_leaf(v, s.right.sum_w, s.right.sum_wr);
}

typedef struct counts {
    double none, cut[DIMS][ROWS];
} counts;

static void count_first_cuts(cp_bart_chain *c, const cp_bart_view *v, counts *out) {
    cp_bart_grow_from_root *warm = NULL;
    cp_bart_tree *t = c->sum->tree;
    copse_error err;
    must(cp_bart_grow_from_root_new(c->problem, &warm, &err), err);
    for (uint32_t i = 0; i < DRAWS; i++) {
        cp_rng rng;
        cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, i, 0);
        must(cp_bart_grow_from_root_step(warm, v, t, 0, &rng, &err), err);
        if (i % 50 == 0) assert_null(cp_bart_tree_check(t, v));
        if (cp_bart_tree_is_leaf(t, 0))
            out->none += 1.0 / DRAWS;
        else
            out->cut[t->node[0].rule.dim][t->node[0].rule.cell] += 1.0 / DRAWS;
    }
    cp_bart_grow_from_root_free(warm);
}

static void must_be_near(double share, double p) {
    if (!(fabs(share - p) < share_bound(DRAWS))) fail_msg("%g of the draws have a probability of %g", share, p);
}

static void first_cuts_follow_prior_and_likelihood(void **state) {
    (void)state;
    for (int weighted = 0; weighted < 2; weighted++) {
        copse_error err;
        sample s = make_sample(__func__, ROWS, DIMS, 0, 7);
        double weight[ROWS], sum_w = 0, sum_wr = 0;
        for (size_t i = 0; i < ROWS; i++) weight[i] = .5 + (double)(i % 4);
        s.rows.weight = weighted ? weight : NULL;
        cp_bart_options opt = options(1, 1);
        opt.split.alpha = .6;
        cp_bart_problem b;
        cp_bart_chain *c = NULL;
        must(cp_bart_problem_init(&b, &s.rows, &opt, 1, NULL, &err), err);
        must(cp_bart_chain_new(&b, 0, &c, &err), err);
        cp_bart_view v = cp_bart_chain_state_view(c, c->sum);
        v.noise_var *= 2; /* or else one cut is all but certain */
        cp_bart_tree *t = c->sum->tree;
        for (size_t i = 0; i < ROWS; i++) {
            double w = weighted ? (double)b.opt_weight[i] : 1;
            sum_w += w;
            sum_wr += w * (double)c->sum->r[i];
        }
        t->leaf[0].sum_wr = sum_wr;
        counts want = {.none = exp(v.log_stop[0] + cp_bart_view_log_leaf(&v, sum_w, sum_wr))}, have = {0};
        double all = want.none;
        for (uint32_t d = 0; d < DIMS; d++)
            for (uint32_t cell = 0; cell + 1 < cp_ranks_count(&b.columns.ranks, d); cell++)
                all += want.cut[d][cell] = exp(log_cut(&v, t, (cp_rule){d, cell}));
        count_first_cuts(c, &v, &have);
        must_be_near(have.none, want.none / all);
        for (size_t d = 0; d < DIMS; d++)
            for (size_t cell = 0; cell < ROWS; cell++) must_be_near(have.cut[d][cell], want.cut[d][cell] / all);
        assert_true(have.none > .02 && have.none < .98);
        cp_bart_chain_free(c);
        cp_bart_problem_clear(&b);
        free_sample(&s);
    }
}

/* ------------------------------------------------------------------------------------------------------------- fits */

static double error_after(const sample *s, size_t warm, size_t sweeps) {
    copse_error err;
    cp_bart_options opt = options(50, warm);
    cp_bart_problem b;
    cp_bart_chain *c = NULL;
    double sum = 0;
    must(cp_bart_problem_init(&b, &s->rows, &opt, 1, NULL, &err), err);
    must(cp_bart_chain_new(&b, 0, &c, &err), err);
    must(cp_bart_chain_run(c, sweeps, NULL, &err), err);
    const char *bad = cp_bart_chain_state_check(c);
    if (bad) fail_msg("%s", bad);
    for (size_t i = 0; i < s->rows.n; i++) sum += (double)c->sum->r[i] * (double)c->sum->r[i] / (double)s->rows.n;
    sum = sqrt(sum) * b.scale;
    cp_bart_chain_free(c);
    cp_bart_problem_clear(&b);
    return sum;
}

/* 3000 values a column, so bins of many; the noise's standard deviation is .3. */
static void few_sweeps_find_the_fit(void **state) {
    (void)state;
    sample s = make_sample(__func__, 3000, 3, 0, 0);
    double cold = error_after(&s, 0, 4), warm = error_after(&s, 4, 4);
    print_message("after 4 sweeps: cold %.3f, warm %.3f\n", cold, warm);
    assert_true(warm < .8 * cold);
    free_sample(&s);
}

/* More rows than a tree looks at, and more columns than it tries; half of the rows count nothing and lie. */
static void large_data_are_sampled(void **state) {
    (void)state;
    enum { MANY = 40000, WIDE = 20 };
    sample s = make_sample(__func__, MANY, WIDE, 0, 50);
    double *weight = malloc(MANY * sizeof *weight), before;
    for (size_t i = 0; i < MANY; i++) {
        weight[i] = 1;
        s.y[i] = (double)s.x[i * WIDE] + .1 * (double)s.x[i * WIDE + 1];
    }
    before = error_after(&s, 2, 2);
    for (size_t i = 0; i < MANY; i += 2) {
        weight[i] = 0;
        s.y[i] = 1e6;
    }
    s.rows.weight = weight;
    copse_error err;
    cp_bart_options opt = options(20, 2);
    cp_bart_problem b;
    cp_bart_chain *c = NULL;
    double sum = 0;
    must(cp_bart_problem_init(&b, &s.rows, &opt, 1, NULL, &err), err);
    must(cp_bart_chain_new(&b, 0, &c, &err), err);
    must(cp_bart_chain_run(c, 2, NULL, &err), err);
    for (size_t i = 1; i < MANY; i += 2) sum += (double)c->sum->r[i] * (double)c->sum->r[i] / (MANY / 2);
    print_message("residual %.4f, weighted %.4f\n", before, sqrt(sum) * b.scale);
    assert_true(before < .01 && sqrt(sum) * b.scale < .05);
    cp_bart_chain_free(c);
    cp_bart_problem_clear(&b);
    free(weight);
    free_sample(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_cuts_follow_prior_and_likelihood),
        cmocka_unit_test(few_sweeps_find_the_fit),
        cmocka_unit_test(large_data_are_sampled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
