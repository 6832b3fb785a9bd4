/* Trees of the sum under thousands of changes: the invariants hold, files bring back the very state, and what a file
 * says is not believed. */
#include "bart_world.h"
#include "ks.h"

#include "bart/core/bart_tree_file.h"
#include "base/mem.h"
#include "bayes/moves.h"
#include "leaf/leaf_mean.h"
#include "num/dens.h"

static void invariants_hold_under_any_changes(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(bart_shapes); i++) {
        bart_world w;
        cp_rng rng;
        size_t most = 0, done = 0;
        cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, (uint32_t)i, 0);
        bart_world_init(&w, &bart_shapes[i], &rng);
        bart_world_sum(&w);
        bart_world_holds(&w);
        for (int step = 0; step < 3000; step++) {
            done += (size_t)bart_world_shake(&w, step % 1000 < 500 ? .45 : .8, &rng);
            if (step % (w.of->rows > 1000 ? 50 : 5) == 0) bart_world_holds(&w);
            if (cp_bart_tree_leaves(&w.tree) > most) most = cp_bart_tree_leaves(&w.tree);
        }
        bart_world_holds(&w);
        assert_true(w.of->rows == 1 || w.of->constant == w.of->dims ? done == 0 : most >= 4);
        print_message("%zu rows: %zu changes, up to %zu leaves\n", w.of->rows, done, most);
        bart_world_clear(&w);
    }
}

/* A full tree: bytes name 256 leaves, and no more. */
static void a_tree_has_room_for_256_leaves(void **state) {
    (void)state;
    bart_world w;
    cp_rng rng;
    copse_error err;
    const bart_shape shape = {.rows = 2000, .dims = 3, .prior = {.95, .5}};
    cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, 0, 0);
    bart_world_init(&w, &shape, &rng);
    bart_world_sum(&w);
    must(cp_bart_tree_reserve(&w.tree, CP_BART_MAX_LEAVES, &err), err);
    size_t before = cp_mem_count();
    while (cp_bart_tree_leaves(&w.tree) < CP_BART_MAX_LEAVES) bart_world_shake(&w, .1, &rng);
    assert_int_equal(cp_mem_count(), before);
    bart_world_holds(&w);
    for (int i = 0; i < 200; i++) bart_world_shake(&w, .7, &rng);
    bart_world_holds(&w);
    cp_bart_tree_reset(&w.tree, &w.view);
    bart_world_sum(&w);
    bart_world_holds(&w);
    bart_world_clear(&w);
}

/* Every broken invariant is named. */
static void check_sees_what_is_broken(void **state) {
    (void)state;
    bart_world w;
    cp_rng rng;
    cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, 0, 0);
    bart_world_init(&w, &bart_shapes[0], &rng);
    bart_world_sum(&w);
    while (cp_bart_tree_leaves(&w.tree) < 5) bart_world_shake(&w, .1, &rng);
    bart_world_holds(&w);
    cp_bart_tree *t = &w.tree;
#define BREAKS(what, number)                              \
    do {                                                  \
        cp_bart_node node[9];                             \
        cp_bart_leaf leaf[5];                             \
        memcpy(node, t->node, sizeof node);               \
        memcpy(leaf, t->leaf, sizeof leaf);               \
        what;                                             \
        const char *bad = cp_bart_tree_check(t, &w.view); \
        assert_non_null(bad);                             \
        assert_memory_equal(bad, number, 2);              \
        memcpy(t->node, node, sizeof node);               \
        memcpy(t->leaf, leaf, sizeof leaf);               \
    } while (0)
    BREAKS(t->node[3].parent = 8, "T1");
    BREAKS(t->node[2].depth++, "T1");
    BREAKS(t->node[t->leaf[2].node].slot = 1, "T2");
    BREAKS(t->node[0].rule.cell++, "T3");
    BREAKS(t->node[0].cut += 1, "T3");
    BREAKS(t->leaf[1].rows++, "T4");
    BREAKS(t->leaf[1].sum_w += .5, "T4");
    BREAKS(t->leaf[1].sum_wr += .1, "T4");
    BREAKS(t->leaf[3].open = !t->leaf[3].open, "T5");
    w.slot[7] ^= 1;
    assert_memory_equal(cp_bart_tree_check(t, &w.view), "T2", 2);
    bart_world_clear(&w);
}

/* --------------------------------------------------------------------------------------------------- what trees say */

/* The same tree, grown by the moves of Bayesian trees. */
static void plant(cp_moves *k, cp_moves_tree *m, int32_t at, const cp_bart_tree *t, int16_t from) {
    copse_error err;
    if (cp_bart_tree_is_leaf(t, from)) return;
    const cp_move move = {CP_MOVE_GROW, at, t->node[from].rule};
    must(cp_moves_reserve(k, m, m->pairs + 1, &err), err);
    assert_true(isfinite(cp_moves_log_ratio(k, m, &move)));
    cp_moves_apply(k, m, &move);
    plant(k, m, m->node[at].left, t, t->node[from].left);
    plant(k, m, m->node[at].left + 1, t, (int16_t)(t->node[from].left + 1));
}

static void prior_and_likelihood_are_those_of_bayesian_trees(void **state) {
    (void)state;
    const double share[CP_MOVES] = {.5, .5, 0, 0};
    for (size_t i = 0; i < COUNT(bart_shapes); i++) {
        bart_world w;
        cp_rng rng;
        copse_error err;
        cp_leaf leaf;
        cp_moves_tree_model model;
        cp_moves k;
        cp_moves_tree m;
        if (bart_shapes[i].sparse) continue; /* they have no shares */
        cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, (uint32_t)i, 0);
        bart_world_init(&w, &bart_shapes[i], &rng);
        bart_world_sum(&w);
        const cp_leaf_residual of = {w.r, w.view.opt_weight, w.of->rows};
        cp_leaf_mean_init(&leaf, &of, w.view.leaf_var, w.view.noise_var);
        cp_moves_tree_model_init(&model, &w.columns.ranks, &leaf, w.of->prior);
        must(cp_moves_init(&k, &model, share, &err), err);
        must(cp_moves_tree_init(&m, &model, &err), err);
        for (int step = 0; step < 40; step++) {
            bart_world_shake(&w, .3, &rng);
            cp_moves_tree_reset(&m, &model);
            plant(&k, &m, 0, &w.tree, 0);
            assert_near(cp_bart_tree_log_prior(&w.tree, &w.view, w.tmp), m.log_prior, 1e-9);
            assert_near(cp_bart_tree_log_likelihood(&w.tree, &w.view), m.log_likelihood, 1e-4);
            assert_int_equal(cp_bart_tree_depth(&w.tree), cp_moves_tree_depth(&m));
        }
        cp_moves_tree_clear(&m);
        cp_moves_clear(&k);
        bart_world_clear(&w);
    }
}

typedef struct law {
    double mean, sd;
} law;

static double normal_cdf(double x, const void *arg) {
    const law *l = arg;
    return cp_dens_normal_cdf((x - l->mean) / l->sd);
}

static void check_mu(bart_world *w, uint8_t slot, law want, cp_rng *rng) {
    enum { DRAWS = 5000 };
    static double mu[DRAWS];
    for (size_t i = 0; i < DRAWS; i++) {
        cp_bart_tree_draw_mu(&w->tree, &w->view, rng);
        mu[i] = (double)w->tree.mu[slot];
    }
    assert_true(ks_one(mu, DRAWS, normal_cdf, &want) < ks_bound_one(DRAWS));
    want.mean += .2 * want.sd;
    assert_true(ks_one(mu, DRAWS, normal_cdf, &want) > ks_bound_one(DRAWS));
}

static void mu_follows_its_posterior_or_its_prior(void **state) {
    (void)state;
    bart_world w;
    cp_rng rng;
    cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, 0, 0);
    bart_world_init(&w, &bart_shapes[2], &rng);
    while (cp_bart_tree_leaves(&w.tree) < 4) bart_world_shake(&w, .1, &rng);
    bart_world_sum(&w);
    for (uint8_t s = 0; s < 4; s++) {
        const cp_bart_leaf *l = &w.tree.leaf[s];
        double precision = 1 / w.view.leaf_var + l->sum_w / w.view.noise_var;
        check_mu(&w, s, (law){l->sum_wr / w.view.noise_var / precision, 1 / sqrt(precision)}, &rng);
    }
    w.view.r = NULL;
    for (uint8_t s = 0; s < 4; s++) check_mu(&w, s, (law){0, sqrt(w.view.leaf_var)}, &rng);
    assert_true(cp_bart_tree_log_likelihood(&w.tree, &w.view) == 0);
    bart_world_clear(&w);
}

/* ------------------------------------------------------------------------------------------------------------ files */

static unsigned char *image_of(const cp_bart_tree *t, size_t *out_n) {
    copse_error err;
    cp_writer *w = NULL;
    const unsigned char *bytes;
    must(cp_writer_new(&w, &err), err);
    must(cp_bart_tree_file_write(t, w, &err), err);
    must(cp_writer_finish(w, &bytes, out_n, &err), err);
    unsigned char *copy = malloc(*out_n);
    memcpy(copy, bytes, *out_n);
    cp_writer_free(w);
    return copy;
}

static copse_status read_image(const unsigned char *bytes, size_t n, bart_world *w, cp_bart_tree *t, copse_error *err) {
    cp_reader *r = NULL;
    CP_TRY(cp_reader_new(bytes, n, &r, err));
    copse_status status = cp_bart_tree_file_read(t, &w->view, r, err);
    cp_reader_free(r);
    return status;
}

static void assert_same_tree(const cp_bart_tree *a, const cp_bart_tree *b, size_t rows) {
    assert_int_equal(a->pairs, b->pairs);
    for (size_t i = 0; i < cp_bart_tree_nodes(a); i++) {
        const cp_bart_node *n = &a->node[i], *m = &b->node[i];
        assert_true(n->parent == m->parent && n->left == m->left && n->depth == m->depth);
        if (n->left == CP_NONE)
            assert_int_equal(n->slot, m->slot);
        else
            assert_true(n->rule.dim == m->rule.dim && n->rule.cell == m->rule.cell && n->cut == m->cut);
    }
    for (size_t s = 0; s < cp_bart_tree_leaves(a); s++) {
        const cp_bart_leaf *l = &a->leaf[s], *m = &b->leaf[s];
        assert_true(l->rows == m->rows && l->open == m->open && l->node == m->node && l->sum_w == m->sum_w);
    }
    assert_memory_equal(a->mu, b->mu, CP_BART_MAX_LEAVES * sizeof *a->mu);
    assert_memory_equal(a->slot, b->slot, rows);
}

static void files_bring_back_the_very_state(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(bart_shapes); i++) {
        bart_world w;
        cp_rng rng;
        copse_error err;
        cp_bart_tree back;
        size_t n;
        cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, (uint32_t)i, 0);
        bart_world_init(&w, &bart_shapes[i], &rng);
        for (int step = 0; step < 60; step++) bart_world_shake(&w, .3, &rng);
        bart_world_sum(&w);
        cp_bart_tree_draw_mu(&w.tree, &w.view, &rng);
        unsigned char *bytes = image_of(&w.tree, &n);
        uint8_t *slot = malloc(w.of->rows);
        must(cp_bart_tree_init(&back, &w.view, slot, &err), err);
        must(read_image(bytes, n, &w, &back, &err), err);
        assert_same_tree(&w.tree, &back, w.of->rows);
        for (size_t s = 0; s < cp_bart_tree_leaves(&back); s++) back.leaf[s].sum_wr = w.tree.leaf[s].sum_wr;
        assert_null(cp_bart_tree_check(&back, &w.view));
        cp_bart_tree_clear(&back);
        free(slot);
        free(bytes);
        bart_world_clear(&w);
    }
}

/* Written wrongly on purpose, a tree is refused, and one leaf is left. */
static void what_a_file_says_is_not_believed(void **state) {
    (void)state;
    enum { BAD = 13 };
    bart_world w;
    cp_rng rng;
    copse_error err;
    cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, 0, 0);
    bart_world_init(&w, &bart_shapes[5], &rng);
    bart_world_sum(&w);
    while (cp_bart_tree_leaves(&w.tree) < 5) bart_world_shake(&w, .1, &rng);
    uint8_t *slot = malloc(w.of->rows);
    cp_bart_tree back;
    must(cp_bart_tree_init(&back, &w.view, slot, &err), err);
    for (int bad = 0; bad < BAD; bad++) {
        cp_bart_node node[9];
        cp_bart_leaf leaf[5];
        cp_bart_tree t = w.tree;
        float mu[CP_BART_MAX_LEAVES];
        size_t n;
        memcpy(node, t.node, sizeof node);
        memcpy(leaf, t.leaf, sizeof leaf);
        memcpy(mu, t.mu, sizeof mu);
        t.node = node;
        t.leaf = leaf;
        t.mu = mu;
        int16_t a = leaf[0].node;
        switch (bad) {
            case 0: node[0].left = 3; break;
            case 1: node[0].left = 2; break;
            case 2: node[a].left = 1; break;
            case 3: node[0].left = CP_NONE; break;
            case 4: node[a].left = 9; break;
            case 5: node[a].slot = 1; break;
            case 6: node[a].slot = 5; break;
            case 7: mu[0] = NAN; break;
            case 8: node[0].rule.dim = 2; break;
            case 9: node[0].rule.cell = UINT32_MAX; break;
            case 10: node[0].cut = 1000; break;
            case 11: leaf[1].sum_w = -leaf[1].sum_w; break;
            default: leaf[1].sum_w += 1; break;
        }
        unsigned char *bytes = image_of(&t, &n);
        assert_int_equal(read_image(bytes, n, &w, &back, &err), COPSE_E_MODEL);
        assert_int_equal(back.pairs, 0);
        bart_world one = w;
        one.tree = back;
        one.slot = slot;
        bart_world_sum(&one);
        assert_null(cp_bart_tree_check(&back, &w.view));
        free(bytes);
    }
    cp_bart_tree_clear(&back);
    free(slot);
    bart_world_clear(&w);
}

static copse_status make_and_read(const unsigned char *bytes, size_t n, bart_world *w, uint8_t *slot,
                                  copse_error *err) {
    cp_bart_tree t;
    CP_TRY(cp_bart_tree_init(&t, &w->view, slot, err));
    copse_status status = read_image(bytes, n, w, &t, err);
    cp_bart_tree_clear(&t);
    return status;
}

static void no_memory_is_a_status(void **state) {
    (void)state;
    bart_world w;
    cp_rng rng;
    size_t n;
    cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, 0, 0);
    bart_world_init(&w, &bart_shapes[0], &rng);
    while (cp_bart_tree_leaves(&w.tree) < 20) bart_world_shake(&w, .1, &rng);
    unsigned char *bytes = image_of(&w.tree, &n);
    uint8_t *slot = malloc(w.of->rows);
    for (long k = 0;; k++) {
        copse_error err;
        cp_mem_fail_after(k);
        copse_status status = make_and_read(bytes, n, &w, slot, &err);
        cp_mem_fail_after(-1);
        if (!status) {
            assert_true(k > 6);
            break;
        }
        assert_int_equal(status, COPSE_E_MEMORY);
    }
    free(slot);
    free(bytes);
    bart_world_clear(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(invariants_hold_under_any_changes),
        cmocka_unit_test(a_tree_has_room_for_256_leaves),
        cmocka_unit_test(check_sees_what_is_broken),
        cmocka_unit_test(prior_and_likelihood_are_those_of_bayesian_trees),
        cmocka_unit_test(mu_follows_its_posterior_or_its_prior),
        cmocka_unit_test(files_bring_back_the_very_state),
        cmocka_unit_test(what_a_file_says_is_not_believed),
        cmocka_unit_test(no_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
