/* Moves on one tree of a sum leave its posterior as it is: on data small enough to list every tree, the transition
 * matrix against a posterior computed from first principles.  What is drawn has the probabilities that the matrix was
 * built with.  And on trees too large to list, ratios are those of bayes/moves.h. */
#include "bayes/moves.h"
#include "ks.h"
#include "leaf/leaf_mean.h"
#include "mh_matrix.h"
#include "sanitized.h"

#define EXACT 1e-12

static void each_case(void (*test)(local_world *w)) {
    for (size_t i = 0; i < 2 * LOCAL_CASES; i++) {
        local_world w;
        local_world_init(&w, &local_cases[i / 2], i % 2);
        test(&w);
        local_world_clear(&w);
    }
}

static void check_invariant(local_world *w) {
    const unsigned kinds[] = {GROW_AND_PRUNE, CHANGE, SWAP, ALL};
    print_message("%s%s: %zu trees\n", w->of->name, w->lambda.shape > 0 ? ", variance" : "", w->all.n);
    for (size_t i = 0; i < COUNT(kinds); i++) {
        double *p = local_matrix(w, kinds[i]);
        for (size_t s = 0; s < w->all.n; s++) {
            double sum = 0;
            for (size_t t = 0; t < w->all.n; t++) sum += p[s * w->all.n + t];
            assert_near(sum, 1, EXACT);
        }
        assert_true(local_drift(w, p) < EXACT);
        assert_true(local_imbalance(w, p) < EXACT);
        free(p);
    }
}

static void the_posterior_is_invariant_and_each_move_reversible(void **state) {
    (void)state;
    each_case(check_invariant);
}

/* Another noise is not what the moves were made for; nor is grow without its opposite. */
static void check_others_drift(local_world *w) {
    if (w->all.n == 1) return;
    double *p = local_matrix(w, 1U << CP_BART_GROW);
    assert_true(local_drift(w, p) > 1e-6);
    free(p);
    w->b.view.noise_var *= 1.01;
    w->lambda.rate *= 1.01;
    p = local_matrix(w, ALL);
    assert_true(local_drift(w, p) > 1e-6);
    free(p);
}

static void another_posterior_is_seen(void **state) {
    (void)state;
    each_case(check_others_drift);
}

static void check_sums(local_world *w) {
    for (size_t s = 0; s < w->all.n; s++) {
        local_world_plant(w, s);
        assert_near(cp_bart_tree_log_prior(&w->b.tree, &w->b.view, w->b.tmp), w->all.tree[s].log_prior, EXACT);
        assert_near(cp_bart_tree_log_likelihood(&w->b.tree, &w->b.view), w->all.tree[s].log_likelihood, EXACT);
    }
}

static void trees_know_their_prior_and_likelihood(void **state) {
    (void)state;
    each_case(check_sums);
}

/* ---------------------------------------------------------------------------------------------------- what is drawn */

enum { DRAWS = REPEATS_OF(100000), FEW_STATES = 4 };

/* Where a whole step leads, against the matrix. */
static void check_steps(local_world *w) {
    double *p = local_matrix(w, ALL);
    size_t *count = calloc(w->all.n, sizeof *count);
    cp_rng rng;
    copse_error err;
    cp_rng_init(&rng, seed_of("steps"), CP_FOR_TEST, 0, 0);
    for (size_t i = 0; i < FEW_STATES; i++) {
        size_t s = i * (w->all.n - 1) / (FEW_STATES - 1);
        cp_bart_tally tally = {0};
        memset(count, 0, w->all.n * sizeof *count);
        local_world_plant(w, s);
        for (int draw = 0; draw < DRAWS; draw++) {
            uint64_t accepted[CP_BART_MOVES];
            memcpy(accepted, tally.accepted, sizeof accepted);
            must(cp_bart_mh_sampler.step(&w->moves, &w->b.view, &w->b.tree, &rng, &tally, &err), err);
            count[local_world_state(w)]++;
            if (memcmp(accepted, tally.accepted, sizeof accepted)) local_world_plant(w, s);
        }
        for (size_t t = 0; t < w->all.n; t++)
            assert_true(fabs((double)count[t] / DRAWS - p[s * w->all.n + t]) < share_bound(DRAWS));
        local_world_plant(w, s);
        for (int kind = 0; kind < LOCAL_KINDS; kind++) {
            double share = cp_bart_tree_leaves(&w->b.tree) > 1 ? w->of->move_prob[kind] : kind == CP_BART_GROW;
            assert_true(fabs((double)tally.proposed[kind] / DRAWS - share) < share_bound(DRAWS));
        }
    }
    free(count);
    free(p);
}

static void steps_lead_where_the_matrix_says(void **state) {
    (void)state;
    each_case(check_steps);
}

/* ------------------------------------------------------------------------------------------ trees too large to list */

typedef struct twin {
    cp_leaf leaf;
    cp_moves_tree_model model;
    cp_moves moves;
    cp_moves_tree tree;
    int32_t of[2 * CP_BART_MAX_LEAVES]; /* the twin's number of each node */
} twin;

static void twin_init(twin *t, const bart_world *w, const double move_prob[LOCAL_KINDS]) {
    copse_error err;
    const cp_leaf_residual of = {w->r, w->view.opt_weight, w->of->rows};
    cp_leaf_mean_init(&t->leaf, &of, w->view.leaf_var, w->view.noise_var);
    cp_moves_tree_model_init(&t->model, &w->columns.ranks, &t->leaf, w->of->prior);
    must(cp_moves_init(&t->moves, &t->model, move_prob, &err), err);
    must(cp_moves_tree_init(&t->tree, &t->model, &err), err);
}

static void twin_plant(twin *w, const cp_bart_tree *t, int16_t at) {
    copse_error err;
    must(cp_moves_reserve(&w->moves, &w->tree, w->tree.pairs + 1, &err), err);
    if (cp_bart_tree_is_leaf(t, at)) return;
    const cp_move move = {CP_MOVE_GROW, w->of[at], t->node[at].rule};
    assert_true(isfinite(cp_moves_log_ratio(&w->moves, &w->tree, &move)));
    cp_moves_apply(&w->moves, &w->tree, &move);
    int16_t left = t->node[at].left;
    w->of[left] = w->tree.node[w->of[at]].left;
    w->of[left + 1] = w->of[left] + 1;
    twin_plant(w, t, left);
    twin_plant(w, t, (int16_t)(left + 1));
}

static void round_residuals(bart_world *w) {
    for (size_t i = 0; i < w->of->rows; i++) {
        w->r[i] = roundf(w->r[i] * 64) / 64;
        w->weight[i] = (1 + roundf(w->weight[i] * 8)) / 8;
    }
    cp_bart_tree_reset(&w->tree, &w->view);
    bart_world_sum(w);
}

/* There a single leaf is pruned in vain as often as any tree; here it only grows. */
static double only_grow(const cp_bart_mh *k, const cp_bart_tree *t, cp_bart_move kind) {
    if (kind == CP_BART_GROW && cp_bart_tree_leaves(t) == 1) return log(k->move_prob[CP_BART_GROW]);
    if (kind == CP_BART_PRUNE && cp_bart_tree_leaves(t) == 2) return -log(k->move_prob[CP_BART_GROW]);
    return 0;
}

/* Moves are taken as often as not, whatever their ratio: trees get large and odd. */
static size_t compare_ratios(bart_world *w, cp_bart_mh *k, twin *other, cp_rng *rng) {
    copse_error err;
    size_t compared = 0;
    for (int step = 0; step < 400; step++) {
        cp_bart_mh_move move;
        cp_bart_move kind = (cp_bart_move)cp_rng_below(rng, LOCAL_KINDS);
        must(cp_bart_tree_reserve(&w->tree, cp_bart_tree_leaves(&w->tree) + 1, &err), err);
        if (!cp_bart_mh_choose(k, &w->view, &w->tree, kind, rng, &move)) continue;
        cp_moves_tree_reset(&other->tree, &other->model);
        other->of[0] = 0;
        twin_plant(other, &w->tree, 0);
        const cp_move same = {(cp_move_kind)kind, other->of[move.node], move.rule};
        double ratio = cp_bart_mh_log_ratio(k, &w->view, &w->tree, &move);
        assert_near(ratio, cp_moves_log_ratio(&other->moves, &other->tree, &same) + only_grow(k, &w->tree, kind), 1e-9);
        bart_world_holds(w);
        compared++;
        ratio = cp_bart_mh_log_ratio(k, &w->view, &w->tree, &move);
        if (ratio > -INFINITY && cp_rng_unit(rng) < (kind == CP_BART_PRUNE ? .4 : .7))
            cp_bart_mh_apply(k, &w->view, &w->tree, &move, rng);
        bart_world_holds(w);
    }
    return compared;
}

static void ratios_are_those_of_bayesian_trees(void **state) {
    (void)state;
    const cp_bart_sampler_options opt = {.move_prob = {.3, .25, .25, .2}};
    for (size_t i = 0; i < COUNT(bart_shapes); i++) {
        bart_world w;
        cp_bart_mh k;
        twin other;
        cp_rng rng;
        copse_error err;
        if (bart_shapes[i].sparse || bart_shapes[i].rows > 1000) continue;
        cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, (uint32_t)i, 0);
        bart_world_init(&w, &bart_shapes[i], &rng);
        round_residuals(&w);
        must(cp_bart_mh_init(&k, &w.columns, &opt, &err), err);
        twin_init(&other, &w, opt.move_prob);
        size_t compared = compare_ratios(&w, &k, &other, &rng);
        assert_true(compared > 300 || w.of->rows == 1 || w.of->constant == w.of->dims);
        print_message("%zu rows: %zu ratios, %zu leaves\n", w.of->rows, compared, cp_bart_tree_leaves(&w.tree));
        cp_moves_tree_clear(&other.tree);
        cp_moves_clear(&other.moves);
        cp_bart_mh_clear(&k);
        bart_world_clear(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_posterior_is_invariant_and_each_move_reversible),
        cmocka_unit_test(another_posterior_is_seen),
        cmocka_unit_test(trees_know_their_prior_and_likelihood),
        cmocka_unit_test(steps_lead_where_the_matrix_says),
        cmocka_unit_test(ratios_are_those_of_bayesian_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
