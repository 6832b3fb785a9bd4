/* Trees under thousands of random moves, on data with ties, constant columns and equal rows: the invariants hold,
 * nothing allocates, files bring back the very state, and what a file says is not believed. */
#include "base/mem.h"
#include "bayes/moves_file.h"
#include "bayes/moves_tree_check.h"
#include "check.h"
#include "leaf/leaf_dirichlet.h"
#include "leaf/leaf_nig.h"
#include "num/draw.h"

typedef struct world {
    size_t rows, dims;
    float *x;
    int32_t *label;
    double *y;
    cp_ranks ranks;
    cp_leaf leaf;
    cp_moves_tree_model model;
    cp_moves moves;
    cp_moves_tree tree;
} world;

typedef struct shape {
    size_t rows, dims, classes;
    int steps; /* values of a column; 0: continuous */
    size_t constant, copies;
    cp_tree_prior prior;
} shape;

static const shape shapes[] = {
    {.rows = 300, .dims = 4, .classes = 3, .prior = {.95, .5}},
    {.rows = 300, .dims = 4, .steps = 3, .prior = {.95, .2}},
    {.rows = 100, .dims = 3, .classes = 2, .steps = 2, .prior = {.99, 0}},
    {.rows = 200, .dims = 5, .steps = 7, .constant = 2, .copies = 50, .prior = {.95, .1}},
    {.rows = 5000, .dims = 2, .classes = 70, .steps = 40, .prior = {.95, .1}},
    {.rows = 1, .dims = 2, .prior = {.95, .5}},
    {.rows = 40, .dims = 3, .constant = 3, .prior = {.95, .5}},
};

static const double share[CP_MOVES] = {.3, .25, .25, .2};

static void init_data(world *w, const shape *s, cp_rng *rng) {
    *w = (world){.rows = s->rows, .dims = s->dims};
    w->x = malloc(s->rows * s->dims * sizeof *w->x);
    w->label = malloc(s->rows * sizeof *w->label);
    w->y = malloc(s->rows * sizeof *w->y);
    for (size_t i = 0; i < s->rows; i++) {
        for (size_t d = 0; d < s->dims; d++) {
            double u = cp_rng_unit(rng);
            if (s->steps) u = floor(u * s->steps);
            w->x[i * s->dims + d] = d < s->constant ? 7 : (float)u;
        }
        if (i >= s->rows - s->copies) memcpy(w->x + i * s->dims, w->x, s->dims * sizeof *w->x);
        w->label[i] = s->classes ? (int32_t)cp_rng_below(rng, s->classes) : 0;
        w->y[i] = cp_draw_normal(rng) + 3 * (double)w->x[i * s->dims + s->dims - 1];
    }
}

static copse_status init_moves(world *w, const shape *s, copse_error *err) {
    CP_TRY(cp_ranks_init(&w->ranks, w->x, s->rows, s->dims, NULL, err));
    if (s->classes)
        CP_TRY(cp_leaf_dirichlet_init(&w->leaf, w->label, s->rows, s->classes, 5, err));
    else
        CP_TRY(cp_leaf_nig_init(&w->leaf, w->y, s->rows, (cp_leaf_nig_prior){.1, 3, .1}, err));
    cp_moves_tree_model_init(&w->model, &w->ranks, &w->leaf, s->prior);
    CP_TRY(cp_moves_init(&w->moves, &w->model, share, err));
    return cp_moves_tree_init(&w->tree, &w->model, err);
}

static void clear_moves(world *w) {
    cp_moves_tree_clear(&w->tree);
    cp_moves_clear(&w->moves);
    cp_leaf_clear(&w->leaf);
    cp_ranks_clear(&w->ranks);
}

static void clear_world(world *w) {
    clear_moves(w);
    free(w->x);
    free(w->label);
    free(w->y);
}

static void must_hold(const world *w) {
    const char *bad = cp_moves_tree_check(&w->tree, &w->model);
    if (bad) fail_msg("%s", bad);
}

/* As step, but a move that is not impossible is taken as often as not, whatever its ratio: trees get large and odd. */
static int reckless_step(world *w, cp_rng *rng) {
    copse_error err;
    cp_move move;
    cp_move_kind kind = (cp_move_kind)cp_rng_below(rng, CP_MOVES);
    must(cp_moves_reserve(&w->moves, &w->tree, w->tree.pairs + 1, &err), err);
    if (!cp_moves_choose(&w->moves, &w->tree, kind, rng, &move)) return 0;
    double ratio = cp_moves_log_ratio(&w->moves, &w->tree, &move);
    if (ratio == -INFINITY || cp_rng_unit(rng) < .3 + .4 * (kind == CP_MOVE_PRUNE)) return 0;
    assert_true(isfinite(ratio));
    cp_moves_apply(&w->moves, &w->tree, &move);
    return 1;
}

static void invariants_hold_under_any_moves(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(shapes); i++) {
        world w;
        cp_rng rng;
        copse_error err;
        size_t most = 0, accepted = 0;
        cp_rng_init(&rng, seed_of("invariants"), CP_FOR_TEST, (uint32_t)i, 0);
        init_data(&w, &shapes[i], &rng);
        must(init_moves(&w, &shapes[i], &err), err);
        must_hold(&w);
        for (int step = 0; step < 4000; step++) {
            accepted += (size_t)reckless_step(&w, &rng);
            if (step % (shapes[i].rows > 1000 ? 40 : 4) == 0) must_hold(&w);
            if (cp_moves_tree_leaves(&w.tree) > most) most = cp_moves_tree_leaves(&w.tree);
        }
        must_hold(&w);
        assert_true(shapes[i].rows == 1 || shapes[i].constant == shapes[i].dims ? accepted == 0 : most >= 4);
        print_message("%zu rows: %zu moves taken, up to %zu leaves\n", w.rows, accepted, most);
        clear_world(&w);
    }
}

/* A ratio looks and leaves no trace. */
static void a_ratio_changes_nothing(void **state) {
    (void)state;
    world w;
    cp_rng rng;
    copse_error err;
    cp_rng_init(&rng, seed_of("no trace"), CP_FOR_TEST, 0, 0);
    init_data(&w, &shapes[2], &rng);
    must(init_moves(&w, &shapes[2], &err), err);
    for (int step = 0; step < 3000; step++) {
        cp_move move;
        reckless_step(&w, &rng);
        must(cp_moves_reserve(&w.moves, &w.tree, w.tree.pairs + 1, &err), err);
        size_t nodes = cp_moves_tree_nodes(&w.tree) * sizeof *w.tree.node;
        cp_moves_node *before = malloc(nodes);
        memcpy(before, w.tree.node, nodes);
        for (int kind = 0; kind < CP_MOVES; kind++) {
            if (!cp_moves_choose(&w.moves, &w.tree, (cp_move_kind)kind, &rng, &move)) continue;
            double first = cp_moves_log_ratio(&w.moves, &w.tree, &move);
            assert_true(first == cp_moves_log_ratio(&w.moves, &w.tree, &move));
            assert_memory_equal(before, w.tree.node, nodes);
        }
        free(before);
    }
    must_hold(&w);
    clear_world(&w);
}

/* grow, then the prune that takes it back: ratios are each other's inverse, and the tree is what it was. */
static void there_and_back_cancel(void **state) {
    (void)state;
    world w;
    cp_rng rng;
    copse_error err;
    cp_rng_init(&rng, seed_of("there and back"), CP_FOR_TEST, 0, 0);
    init_data(&w, &shapes[3], &rng);
    must(init_moves(&w, &shapes[3], &err), err);
    for (int step = 0; step < 2000; step++) {
        cp_move there;
        reckless_step(&w, &rng);
        must(cp_moves_reserve(&w.moves, &w.tree, w.tree.pairs + 1, &err), err);
        for (int kind = 0; kind < CP_MOVES; kind++) {
            if (kind == CP_MOVE_PRUNE || !cp_moves_choose(&w.moves, &w.tree, (cp_move_kind)kind, &rng, &there))
                continue;
            cp_move back = there;
            back.rule = w.tree.node[there.node].rule;
            if (kind == CP_MOVE_GROW) back.kind = CP_MOVE_PRUNE;
            double prior = w.tree.log_prior, likelihood = w.tree.log_likelihood;
            double ratio = cp_moves_log_ratio(&w.moves, &w.tree, &there);
            if (ratio == -INFINITY) continue;
            cp_moves_apply(&w.moves, &w.tree, &there);
            must(cp_moves_reserve(&w.moves, &w.tree, w.tree.pairs + 1, &err), err);
            assert_near(cp_moves_log_ratio(&w.moves, &w.tree, &back), -ratio, 1e-10);
            cp_moves_apply(&w.moves, &w.tree, &back);
            assert_near(w.tree.log_prior, prior, 1e-12);
            assert_near(w.tree.log_likelihood, likelihood, 1e-12);
        }
    }
    must_hold(&w);
    clear_world(&w);
}

static void check_finds_what_is_broken(void **state) {
    (void)state;
    world w;
    cp_rng rng;
    copse_error err;
    cp_rng_init(&rng, seed_of("broken trees"), CP_FOR_TEST, 0, 0);
    init_data(&w, &shapes[0], &rng);
    must(init_moves(&w, &shapes[0], &err), err);
    while (w.tree.pairs < 8) reckless_step(&w, &rng);
    cp_moves_node *inner = &w.tree.node[w.tree.prunable.node[0]], *leaf = &w.tree.node[w.tree.growable.node[0]];
#define BREAKS(place, value, what)                                           \
    do {                                                                     \
        __typeof__(place) kept_ = (place);                                   \
        (place) = (value);                                                   \
        const char *bad_ = cp_moves_tree_check(&w.tree, &w.model);           \
        if (!bad_ || strncmp(bad_, what, 2)) fail_msg("%s: %s", what, bad_); \
        (place) = kept_;                                                     \
    } while (0)
    BREAKS(inner->left, inner->left + 1, "T1");
    BREAKS(inner->depth, inner->depth + 1, "T1");
    BREAKS(w.tree.node[0].left, 3, "T1");
    BREAKS(w.tree.node[3].parent, 3, "T1");
    BREAKS(leaf->rows, leaf->rows - 1, "T2");
    BREAKS(w.tree.row[leaf->first], w.tree.row[leaf->first + 1], "T2");
    BREAKS(inner->rule.cell, inner->gap.high, "T3");
    BREAKS(inner->extent.low, inner->extent.low + 1, "T3");
    BREAKS(inner->gap.low, inner->gap.low - 1, "T3");
    BREAKS(inner->columns, 1, "T3");
    BREAKS(inner->log, inner->log - 1e-9, "T3");
    BREAKS(leaf->columns, 0, "T4");
    BREAKS(leaf->log, leaf->log + 1e-9, "T4");
    BREAKS(w.tree.stat[(size_t)w.tree.growable.node[0] * w.tree.width], -1, "T4");
    BREAKS(leaf->list_index, CP_NONE, "T5");
    BREAKS(w.tree.growable.n, w.tree.growable.n - 1, "T5");
    BREAKS(w.tree.prunable.node[0], 0, "T5");
    BREAKS(w.tree.log_prior, w.tree.log_prior + 1e-9, "T6");
    must_hold(&w);
    clear_world(&w);
}

/* The same without a likelihood; and with other targets under the same tree. */
static void priors_alone_and_new_targets(void **state) {
    (void)state;
    world w;
    cp_rng rng;
    copse_error err;
    cp_rng_init(&rng, seed_of("prior alone"), CP_FOR_TEST, 0, 0);
    init_data(&w, &shapes[1], &rng);
    must(init_moves(&w, &shapes[1], &err), err);
    for (int step = 0; step < 500; step++) reckless_step(&w, &rng);
    for (size_t i = 0; i < w.rows; i++) w.y[i] = cp_draw_normal(&rng);
    assert_non_null(cp_moves_tree_check(&w.tree, &w.model));
    cp_moves_tree_refresh(&w.tree, &w.model);
    must_hold(&w);
    cp_moves_tree_clear(&w.tree);
    w.model.leaf = NULL;
    must(cp_moves_tree_init(&w.tree, &w.model, &err), err);
    for (int step = 0; step < 500; step++) {
        cp_moves_outcome out;
        must(cp_moves_step(&w.moves, &w.tree, &rng, &out, &err), err);
        must_hold(&w);
    }
    assert_true(w.tree.log_likelihood == 0);
    assert_true(w.tree.pairs > 0);
    clear_world(&w);
}

/* ----------------------------------------------------------------------------------------------------------- memory */

static void steps_allocate_only_when_the_tree_outgrows_itself(void **state) {
    (void)state;
    world w;
    cp_rng rng;
    copse_error err;
    cp_rng_init(&rng, seed_of("allocations"), CP_FOR_TEST, 0, 0);
    init_data(&w, &shapes[0], &rng);
    must(init_moves(&w, &shapes[0], &err), err);
    must(cp_moves_reserve(&w.moves, &w.tree, w.rows, &err), err);
    size_t before = cp_mem_count();
    for (int step = 0; step < 3000; step++) {
        cp_moves_outcome out;
        must(cp_moves_step(&w.moves, &w.tree, &rng, &out, &err), err);
    }
    assert_int_equal(cp_mem_count(), before);
    clear_world(&w);
}

static copse_status run(world *w, const shape *s, copse_error *err) {
    cp_rng rng;
    CP_TRY(init_moves(w, s, err));
    cp_rng_init(&rng, seed_of("out of memory"), CP_FOR_TEST, 0, 0);
    for (int step = 0; step < 400; step++) {
        cp_moves_outcome out;
        CP_TRY(cp_moves_step(&w->moves, &w->tree, &rng, &out, err));
    }
    return cp_moves_draw_tree(&w->moves, &w->tree, &rng, err);
}

static void any_allocation_may_fail(void **state) {
    (void)state;
    world w;
    cp_rng rng;
    copse_error err;
    cp_rng_init(&rng, seed_of("out of memory"), CP_FOR_TEST, 0, 0);
    init_data(&w, &shapes[3], &rng);
    for (long k = 0;; k++) {
        assert_true(k < 1000);
        cp_mem_fail_after(k);
        copse_status status = run(&w, &shapes[3], &err);
        cp_mem_fail_after(-1);
        if (w.tree.node && w.tree.row && w.tree.cap_node && w.tree.growable.cap) must_hold(&w);
        clear_moves(&w);
        if (!status) break;
        assert_int_equal(status, COPSE_E_MEMORY);
    }
    clear_world(&w);
}

/* ------------------------------------------------------------------------------------------------------------ files */

typedef struct image {
    int32_t *left, *growable, *prunable;
    uint32_t *dim, *cell;
    size_t nodes, growables, prunables;
} image;

static image image_of(const cp_moves_tree *t) {
    size_t nodes = cp_moves_tree_nodes(t);
    image m = {.nodes = nodes,
               .growables = t->growable.n,
               .prunables = t->prunable.n,
               .left = calloc(nodes, 4),
               .dim = calloc(nodes, 4),
               .cell = calloc(nodes, 4),
               .growable = calloc(nodes, 4),
               .prunable = calloc(nodes, 4)};
    for (size_t i = 0; i < nodes; i++) {
        m.left[i] = t->node[i].left;
        if (m.left[i] == CP_NONE) continue;
        m.dim[i] = t->node[i].rule.dim;
        m.cell[i] = t->node[i].rule.cell;
    }
    memcpy(m.growable, t->growable.node, m.growables * sizeof *m.growable);
    memcpy(m.prunable, t->prunable.node, m.prunables * sizeof *m.prunable);
    return m;
}

static void free_image(image *m) {
    free(m->left);
    free(m->dim);
    free(m->cell);
    free(m->growable);
    free(m->prunable);
}

static copse_status read_back(cp_writer *w, cp_moves *k, cp_moves_tree *t, copse_error *err) {
    const unsigned char *bytes;
    size_t n;
    cp_reader *r = NULL;
    CP_TRY(cp_writer_finish(w, &bytes, &n, err));
    CP_TRY(cp_reader_new(bytes, n, &r, err));
    copse_status status = cp_moves_file_read(k, t, r, err);
    cp_reader_free(r);
    return status;
}

/* Writes the image as cp_moves_file_write would and reads it. */
static copse_status read_image(const image *m, cp_moves *k, cp_moves_tree *t, copse_error *err) {
    cp_writer *w = NULL;
    must(cp_writer_new(&w, err), *err);
    must(cp_writer_array(w, "left", CP_I32, m->left, m->nodes, err), *err);
    must(cp_writer_array(w, "dim", CP_U32, m->dim, m->nodes, err), *err);
    must(cp_writer_array(w, "cell", CP_U32, m->cell, m->nodes, err), *err);
    must(cp_writer_array(w, "growable", CP_I32, m->growable, m->growables, err), *err);
    must(cp_writer_array(w, "prunable", CP_I32, m->prunable, m->prunables, err), *err);
    copse_status status = read_back(w, k, t, err);
    cp_writer_free(w);
    return status;
}

static void must_equal(const cp_moves_tree *a, const cp_moves_tree *b) {
    assert_int_equal(a->pairs, b->pairs);
    for (size_t i = 0; i < cp_moves_tree_nodes(a); i++) {
        cp_moves_node p = a->node[i], q = b->node[i];
        if (p.left == CP_NONE) /* of a leaf these mean nothing */
            p.rule = q.rule = (cp_rule){0}, p.extent = q.extent = p.gap = q.gap = (cp_extent){0};
        assert_memory_equal(&p, &q, sizeof p);
        if (p.left == CP_NONE)
            assert_memory_equal(a->stat + i * a->width, b->stat + i * a->width, a->width * sizeof *a->stat);
    }
    assert_memory_equal(a->row, b->row, a->rows * sizeof *a->row);
    assert_int_equal(a->growable.n, b->growable.n);
    assert_int_equal(a->prunable.n, b->prunable.n);
    assert_true(a->log_prior == b->log_prior && a->log_likelihood == b->log_likelihood);
    for (size_t i = 0; i < a->growable.n; i++) assert_int_equal(a->growable.node[i], b->growable.node[i]);
    for (size_t i = 0; i < a->prunable.n; i++) assert_int_equal(a->prunable.node[i], b->prunable.node[i]);
}

static void files_bring_back_the_very_state(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(shapes); i++) {
        world w;
        cp_moves_tree again;
        cp_rng rng;
        copse_error err;
        cp_rng_init(&rng, seed_of("files"), CP_FOR_TEST, (uint32_t)i, 0);
        init_data(&w, &shapes[i], &rng);
        must(init_moves(&w, &shapes[i], &err), err);
        must(cp_moves_tree_init(&again, &w.model, &err), err);
        for (int round = 0; round < 20; round++) {
            cp_writer *file = NULL;
            for (int step = 0; step < 30; step++) reckless_step(&w, &rng);
            must(cp_writer_new(&file, &err), err);
            must(cp_moves_file_write(&w.tree, file, &err), err);
            must(read_back(file, &w.moves, &again, &err), err);
            cp_writer_free(file);
            assert_null(cp_moves_tree_check(&again, &w.model));
            must_equal(&w.tree, &again);
        }
        cp_moves_tree_clear(&again);
        clear_world(&w);
    }
}

/* Any one number of the file changed: it is refused, or makes a sound tree. */
static void files_are_not_believed(void **state) {
    (void)state;
    world w;
    cp_moves_tree again;
    cp_rng rng;
    copse_error err;
    size_t refused = 0, n = 4000;
    cp_rng_init(&rng, seed_of("hostile files"), CP_FOR_TEST, 0, 0);
    init_data(&w, &shapes[0], &rng);
    must(init_moves(&w, &shapes[0], &err), err);
    must(cp_moves_tree_init(&again, &w.model, &err), err);
    while (w.tree.pairs < 12) reckless_step(&w, &rng);
    for (size_t i = 0; i < n; i++) {
        image m = image_of(&w.tree);
        int32_t at = (int32_t)cp_rng_below(&rng, m.nodes), value = (int32_t)cp_rng_below(&rng, m.nodes + 6) - 3;
        if (i % 50 == 0) value = (int32_t)cp_rng_u32(&rng);
        switch (i % 8) {
            case 0: m.left[at] = value; break;
            case 1: m.dim[at] = (uint32_t)value; break;
            case 2: m.cell[at] = cp_rng_u32(&rng) >> cp_rng_below(&rng, 32); break;
            case 3: m.growable[(size_t)at % m.growables] = value; break;
            case 4: m.prunable[(size_t)at % m.prunables] = value; break;
            case 5: m.growables -= 1; break;
            case 6: m.prunables += 1; break;
            default: m.nodes -= (size_t)at; break;
        }
        copse_status status = read_image(&m, &w.moves, &again, &err);
        assert_true(status == COPSE_OK || status == COPSE_E_MODEL);
        refused += status != COPSE_OK;
        assert_null(cp_moves_tree_check(&again, &w.model));
        free_image(&m);
    }
    print_message("%zu of %zu refused\n", refused, n);
    assert_true(refused > n / 2);
    cp_moves_tree_clear(&again);
    clear_world(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(invariants_hold_under_any_moves),
        cmocka_unit_test(a_ratio_changes_nothing),
        cmocka_unit_test(there_and_back_cancel),
        cmocka_unit_test(check_finds_what_is_broken),
        cmocka_unit_test(priors_alone_and_new_targets),
        cmocka_unit_test(steps_allocate_only_when_the_tree_outgrows_itself),
        cmocka_unit_test(any_allocation_may_fail),
        cmocka_unit_test(files_bring_back_the_very_state),
        cmocka_unit_test(files_are_not_believed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
