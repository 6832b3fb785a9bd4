/* The moves leave the posterior as it is: on data small enough to list every tree, the transition matrix, built from
 * the moves' own targets, ratios and results, against a posterior computed from first principles.  And what is drawn
 * has the probabilities that the matrix was built with. */
#include "check.h"
#include "ks.h"
#include "num/rng.h"
#include "ref/ref_cases.h"
#include "sanitized.h"

#define EXACT 1e-12
enum { ALL = 15, GROW_AND_PRUNE = 3, CHANGE = 4, SWAP = 8 };

static void each_case(void (*test)(const ref_case *c, const ref_kernel *k)) {
    for (size_t i = 0; i < COUNT(ref_cases); i++) {
        ref_kernel k;
        ref_kernel_init(&k, &ref_cases[i]);
        test(&ref_cases[i], &k);
        ref_kernel_clear(&k);
    }
}

static void check_rows(const ref_case *c, const ref_kernel *k) {
    double prior = 0;
    print_message("%s: %zu trees, log evidence %.6f\n", c->name, k->states, k->log_evidence);
    for (size_t s = 0; s < k->states; s++) {
        prior += k->prior[s];
        for (int kind = 0; kind < CP_MOVES; kind++) {
            double sum = 0;
            for (size_t t = 0; t < k->states; t++) sum += k->p[kind][s * k->states + t];
            assert_near(sum, 1, EXACT);
        }
    }
    assert_near(prior, 1, EXACT);
}

static void every_row_of_every_matrix_sums_to_one(void **state) {
    (void)state;
    each_case(check_rows);
}

static void check_invariant(const ref_case *c, const ref_kernel *k) {
    const unsigned kinds[] = {ALL, GROW_AND_PRUNE, CHANGE, SWAP};
    for (size_t i = 0; i < COUNT(kinds); i++) {
        assert_true(ref_kernel_drift(k, c, kinds[i]) < EXACT);
        assert_true(ref_kernel_imbalance(k, c, kinds[i]) < EXACT);
    }
}

static void the_posterior_is_invariant_and_each_move_reversible(void **state) {
    (void)state;
    each_case(check_invariant);
}

/* Another posterior is not left alone, nor is this one by grow without its opposite. */
static void check_others_drift(const ref_case *c, const ref_kernel *k) {
    ref_case other = *c;
    ref_kernel wrong;
    if (k->states == 1) return;
    other.prior.alpha *= .99;
    ref_kernel_init(&wrong, &other);
    for (size_t s = 0; s < k->states; s++) wrong.pi[s] = k->pi[s];
    assert_true(ref_kernel_drift(&wrong, c, ALL) > 1e-6);
    ref_kernel_clear(&wrong);
    assert_true(ref_kernel_drift(k, c, 1U << CP_MOVE_GROW) > 1e-6);
}

static void another_prior_is_seen(void **state) {
    (void)state;
    each_case(check_others_drift);
}

/* Every tree can be reached: from the single leaf, with m growing, all states have probability > 0. */
static void check_connected(const ref_case *c, const ref_kernel *k) {
    double *now = calloc(k->states, sizeof *now), *next = calloc(k->states, sizeof *next);
    now[ref_kernel_find(k, ".")] = 1;
    for (size_t step = 0; step < c->rows; step++) {
        memset(next, 0, k->states * sizeof *next);
        for (size_t s = 0; s < k->states; s++)
            for (size_t t = 0; now[s] > 0 && t < k->states; t++)
                next[t] += now[s] * (k->p[CP_MOVE_GROW][s * k->states + t] + (s == t));
        memcpy(now, next, k->states * sizeof *now);
    }
    for (size_t s = 0; s < k->states; s++) assert_true(now[s] > 0);
    free(now);
    free(next);
}

static void every_tree_can_be_grown(void **state) {
    (void)state;
    each_case(check_connected);
}

/* ---------------------------------------------------------------------------------------------------- what is drawn */

enum { DRAWS = REPEATS_OF(100000), FEW_STATES = 5 };

/* Drawn (target, rule) against 1/targets times the rule's probability. */
static void check_choices(ref_world *w, cp_move_kind kind, cp_rng *rng) {
    enum { CELLS = 2 * REF_ROWS };
    static size_t count[2 * REF_ROWS][CELLS];
    size_t n = cp_moves_targets(&w->tree, kind);
    int with_rule = kind == CP_MOVE_GROW || kind == CP_MOVE_CHANGE;
    memset(count, 0, sizeof count);
    for (int i = 0; i < DRAWS; i++) {
        cp_move move;
        assert_int_equal(cp_moves_choose(&w->moves, &w->tree, kind, rng, &move), n > 0);
        if (!n) return;
        count[move.node][with_rule ? move.rule.dim * REF_ROWS + move.rule.cell : 0]++;
    }
    for (size_t i = 0; i < n; i++) {
        int32_t u = cp_moves_target(&w->tree, kind, i);
        for (uint32_t at = 0; at < (with_rule ? w->of->dims * REF_ROWS : 1); at++) {
            cp_rule rule = {at / REF_ROWS, at % REF_ROWS};
            int is_rule = with_rule && rule.cell + 1 < cp_ranks_count(&w->ranks, rule.dim);
            double p = !with_rule ? 1 : is_rule ? ref_rule_prob(w, ref_rows_of(w, u), rule) : 0;
            assert_true(fabs((double)count[u][at] / DRAWS - p / (double)n) < share_bound(DRAWS));
            if (!(p > 0)) assert_int_equal(count[u][at], 0);
        }
    }
}

static void check_draws(const ref_case *c, const ref_kernel *k) {
    ref_world w;
    cp_rng rng;
    cp_rng_init(&rng, seed_of("targets and rules"), CP_FOR_TEST, 0, 0);
    ref_world_init(&w, c);
    for (size_t i = 0; i < FEW_STATES; i++) {
        ref_world_plant(&w, k->code[i * (k->states - 1) / (FEW_STATES - 1)]);
        for (int kind = 0; kind < CP_MOVES; kind++) check_choices(&w, (cp_move_kind)kind, &rng);
    }
    ref_world_clear(&w);
}

static void targets_and_rules_have_their_probabilities(void **state) {
    (void)state;
    each_case(check_draws);
}

/* How often each tree was seen. */
typedef struct tally {
    ref_world w;
    const ref_kernel *k;
    size_t *count;
    cp_rng rng;
} tally;

static void tally_init(tally *t, const ref_case *c, const ref_kernel *k, const char *name) {
    *t = (tally){.k = k, .count = calloc(k->states, sizeof *t->count)};
    cp_rng_init(&t->rng, seed_of(name), CP_FOR_TEST, 0, 0);
    ref_world_init(&t->w, c);
}

static void tally_clear(tally *t) {
    ref_world_clear(&t->w);
    free(t->count);
}

static void tally_tree(tally *t) {
    char code[REF_CODE];
    ref_world_code(&t->w, code);
    t->count[ref_kernel_find(t->k, code)]++;
}

static void assert_share(const tally *t, size_t state, double p) {
    assert_true(fabs((double)t->count[state] / DRAWS - p) < share_bound(DRAWS));
}

/* Where a whole step leads, against the matrix. */
static void check_steps(const ref_case *c, const ref_kernel *k) {
    copse_error err;
    tally y;
    tally_init(&y, c, k, "steps");
    for (size_t i = 0; i < FEW_STATES; i++) {
        size_t s = i * (k->states - 1) / (FEW_STATES - 1);
        memset(y.count, 0, k->states * sizeof *y.count);
        ref_world_plant(&y.w, k->code[s]);
        for (int draw = 0; draw < DRAWS; draw++) {
            cp_moves_outcome out;
            must(cp_moves_step(&y.w.moves, &y.w.tree, &y.rng, &out, &err), err);
            tally_tree(&y);
            if (out.accepted) ref_world_plant(&y.w, k->code[s]);
        }
        for (size_t t = 0; t < k->states; t++) {
            double p = 0;
            for (int kind = 0; kind < CP_MOVES; kind++) p += c->share[kind] * k->p[kind][s * k->states + t];
            assert_share(&y, t, p);
        }
    }
    tally_clear(&y);
}

static void steps_lead_where_the_matrix_says(void **state) {
    (void)state;
    each_case(check_steps);
}

static void check_prior_draws(const ref_case *c, const ref_kernel *k) {
    copse_error err;
    tally y;
    tally_init(&y, c, k, "trees of the prior");
    for (int draw = 0; draw < DRAWS; draw++) {
        must(cp_moves_draw_tree(&y.w.moves, &y.w.tree, &y.rng, &err), err);
        tally_tree(&y);
    }
    assert_null(cp_moves_tree_check(&y.w.tree, &y.w.model));
    for (size_t t = 0; t < k->states; t++) assert_share(&y, t, k->prior[t]);
    tally_clear(&y);
}

static void trees_of_the_prior_follow_it(void **state) {
    (void)state;
    each_case(check_prior_draws);
}

/* The tree's own sums are the listed ones. */
static void check_sums(const ref_case *c, const ref_kernel *k) {
    ref_world w;
    ref_world_init(&w, c);
    for (size_t s = 0; s < k->states; s++) {
        ref_world_plant(&w, k->code[s]);
        assert_near(w.tree.log_prior, log(k->prior[s]), EXACT);
        assert_near(w.tree.log_prior + w.tree.log_likelihood, log(k->pi[s]) + k->log_evidence, EXACT);
    }
    ref_world_clear(&w);
}

static void trees_know_their_prior_and_likelihood(void **state) {
    (void)state;
    each_case(check_sums);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_of_every_matrix_sums_to_one),
        cmocka_unit_test(the_posterior_is_invariant_and_each_move_reversible),
        cmocka_unit_test(another_prior_is_seen),
        cmocka_unit_test(every_tree_can_be_grown),
        cmocka_unit_test(targets_and_rules_have_their_probabilities),
        cmocka_unit_test(steps_lead_where_the_matrix_says),
        cmocka_unit_test(trees_of_the_prior_follow_it),
        cmocka_unit_test(trees_know_their_prior_and_likelihood),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
