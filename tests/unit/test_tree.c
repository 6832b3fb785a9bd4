#include "check.h"

#include "random_tree.h"

static const struct {
    copse_task task;
    int categories;
} kinds[] = {{COPSE_REGRESS, 0}, {COPSE_REGRESS, 1}, {COPSE_CLASS, 0}, {COPSE_CLASS, 1}};

static cp_rng stream(const char *name, size_t kind) {
    cp_rng rng;
    cp_rng_init(&rng, seed_of(name), CP_FOR_TEST, (uint32_t)kind, 0);
    return rng;
}

static void assert_sound(const cp_tree *t, const cp_forest *f) {
    const char *wrong = cp_tree_check(t, f);
    if (wrong) fail_msg("%s", wrong);
}

/* Two trees send every row to leaves that hold the same. */
static void assert_same_answers(const cp_tree *a, const cp_tree *b, const cp_forest *f, const float *x, size_t n) {
    for (size_t i = 0; i < n; i++) {
        int32_t at = literal_walk(a, f, 0, x + i * f->dims), bt = literal_walk(b, f, 0, x + i * f->dims);
        assert_true(same_leaf(a, a->node[at].at.leaf, b, b->node[bt].at.leaf));
    }
}

static void finishing_changes_no_answer_and_leaves_no_slack(void **state) {
    (void)state;
    copse_error err;
    for (size_t kind = 0; kind < COUNT(kinds); kind++) {
        cp_forest f = empty_forest(kinds[kind].task, kinds[kind].categories, 1);
        cp_rng rng = stream("finish", kind);
        float *x = random_rows("finish", &f, 300, 1);
        for (size_t leaves = 1; leaves < 400; leaves += 1 + leaves / 3) {
            cp_tree before = {0}, after = {0};
            cp_rng again = rng;
            must(random_tree(&before, &f, leaves, 0, &rng, &err), err);
            must(random_tree(&after, &f, leaves, 0, &again, &err), err);
            must(cp_tree_finish(&after, &err), err);
            assert_sound(&after, &f);
            assert_same_answers(&before, &after, &f, x, 300);
            assert_int_equal(after.cap_nodes, after.nodes);
            assert_int_equal(after.cap_sets, after.sets);
            if (f.task == COPSE_REGRESS) {
                assert_int_equal(after.cap_value, after.leaves);
            } else {
                assert_int_equal(after.cap_start, after.leaves + 1);
                assert_int_equal(after.cap_rows, after.leaves);
                assert_int_equal(after.cap_class_weight, after.start[after.leaves]);
            }
            cp_tree_clear(&before);
            cp_tree_clear(&after);
        }
        free(x);
        cp_tree_clear_forest(&f);
    }
}

/* A tree grown whole, and the same tree grown as a trunk and branches. */
static void a_grafted_tree_answers_as_trunk_and_branch(void **state) {
    (void)state;
    copse_error err;
    enum { ROWS = 400 };
    for (size_t kind = 0; kind < COUNT(kinds); kind++) {
        cp_forest f = empty_forest(kinds[kind].task, kinds[kind].categories, 1);
        cp_rng rng = stream("graft", kind);
        float *x = random_rows("graft", &f, ROWS, 1);
        cp_tree trunk = {0}, branch[6] = {{0}};
        int32_t landing[ROWS], place[COUNT(branch)];
        must(random_tree(&trunk, &f, 12, COUNT(branch), &rng, &err), err);
        for (size_t i = 0; i < ROWS; i++) landing[i] = literal_walk(&trunk, &f, 0, x + i * f.dims);
        size_t open = 0;
        for (size_t i = 0; i < trunk.nodes; i++)
            if (trunk.node[i].next == CP_NONE) place[open++] = (int32_t)i;
        assert_int_equal(open, COUNT(branch));
        for (size_t b = 0; b < open; b++) {
            must(random_tree(&branch[b], &f, 1 + 5 * b, 0, &rng, &err), err);
            if (b % 2) must(cp_tree_finish(&branch[b], &err), err);
            branch[b].gain = cp_mem_new(f.dims, sizeof(float));
            branch[b].gain[b % f.dims] = 1;
            must(cp_tree_graft(&trunk, place[b], &branch[b], f.dims, &err), err);
        }
        assert_int_equal(trunk.nodes, 2 * trunk.leaves - 1);
        must(cp_tree_finish(&trunk, &err), err);
        assert_sound(&trunk, &f);
        for (size_t d = 0; d < f.dims; d++) assert_true(trunk.gain[d] == (d == 0 ? 2 : 1));
        for (size_t i = 0; i < ROWS; i++) {
            const cp_tree_node *leaf = &trunk.node[literal_walk(&trunk, &f, 0, x + i * f.dims)];
            for (size_t b = 0; b < open; b++) {
                if (landing[i] != place[b]) continue;
                int32_t end = literal_walk(&branch[b], &f, 0, x + i * f.dims);
                assert_true(same_leaf(&trunk, leaf->at.leaf, &branch[b], branch[b].node[end].at.leaf));
            }
        }
        for (size_t b = 0; b < open; b++) cp_tree_clear(&branch[b]);
        cp_tree_clear(&trunk);
        cp_tree_clear_forest(&f);
        free(x);
    }
}

static size_t literal_depth(const cp_tree *t, int32_t node) {
    if (cp_tree_is_leaf(&t->node[node])) return 0;
    size_t left = literal_depth(t, t->node[node].next), right = literal_depth(t, t->node[node].next + 1);
    return 1 + (left > right ? left : right);
}

static void depth_is_the_longest_way_down(void **state) {
    (void)state;
    cp_forest f = random_forest("depth", COPSE_REGRESS, 0, 60, 300);
    for (size_t m = 0; m < f.trees; m++) assert_int_equal(cp_tree_depth(&f.tree[m]), literal_depth(&f.tree[m], 0));
    cp_tree_clear_forest(&f);
}

/* All splits on one side, or on alternating ones, thousands deep: nothing here may call itself. */
static void very_deep_trees_are_no_trouble(void **state) {
    (void)state;
    copse_error err;
    enum { DEPTH = 200000 };
    for (int shape = 0; shape < 3; shape++) {
        cp_forest f = empty_forest(COPSE_REGRESS, 0, 1);
        cp_tree *t = &f.tree[0];
        cp_tree_value v = {0, 1, 1, 1};
        int32_t at = 0;
        must(cp_tree_init_root(t, &err), err);
        for (int i = 0; i < DEPTH; i++) {
            int32_t side = shape < 2 ? shape : i % 2;
            must(cp_tree_split(t, at, &(cp_tree_test){.cut = 0.5f}, &err), err);
            must(cp_tree_leaf_value(t, t->node[at].next + !side, v, &err), err);
            at = t->node[at].next + side;
        }
        must(cp_tree_leaf_value(t, at, v, &err), err);
        must(cp_tree_finish(t, &err), err);
        assert_sound(t, &f);
        assert_int_equal(cp_tree_depth(t), DEPTH);
        cp_tree_clear_forest(&f);
    }
}

/* --------------------------------------------------------------------------------------- what the check must notice */

#define ASSERT_CAUGHT(change)                                                                  \
    do {                                                                                       \
        change;                                                                                \
        if (!cp_tree_check(t, f)) fail_msg("%s: nothing noticed, line %d", #change, __LINE__); \
    } while (0)

/* Sets a field, expects a complaint, sets it back. */
#define CAUGHT(field, wrong)              \
    do {                                  \
        __typeof__(field) was_ = (field); \
        ASSERT_CAUGHT((field) = (wrong)); \
        (field) = was_;                   \
        assert_sound(t, f);               \
    } while (0)

static void check_notices_nodes(cp_tree *t, const cp_forest *f) {
    CAUGHT(t->nodes, 0);
    CAUGHT(t->nodes, t->nodes - 1);
    CAUGHT(t->nodes, t->nodes - 2);
    CAUGHT(t->nodes, t->nodes + 2);
    CAUGHT(t->leaves, t->leaves + 1);
    for (size_t i = 0; i < t->nodes; i++) {
        cp_tree_node *n = &t->node[i];
        for (int32_t next = -2; next < (int32_t)t->nodes + 3; next++)
            if (next != n->next) CAUGHT(n->next, next);
        CAUGHT(n->next, INT32_MIN);
        CAUGHT(n->next, INT32_MAX);
        CAUGHT(n->what, n->what ^ CP_TREE_LEAF);
        CAUGHT(n->what, n->what ^ CP_TREE_CATEGORY);
        CAUGHT(n->what, n->what | 0x10000000u);
        CAUGHT(n->what, (n->what & ~(uint32_t)CP_TREE_DIM) | (uint32_t)f->dims);
        CAUGHT(n->what, n->what | (uint32_t)CP_TREE_DIM);
        if (cp_tree_is_leaf(n)) {
            CAUGHT(n->at.leaf, n->at.leaf + 1);
            CAUGHT(n->at.leaf, UINT32_MAX);
        } else if (n->what & CP_TREE_CATEGORY) {
            CAUGHT(n->at.set, (uint32_t)t->sets);
            CAUGHT(n->at.set, UINT32_MAX);
        } else {
            CAUGHT(n->at.cut, NAN);
        }
    }
}

static void check_notices_values(cp_tree *t, const cp_forest *f) {
    CAUGHT(t->cap_value, t->leaves - 1);
    for (size_t k = 0; k < t->leaves; k++) {
        cp_tree_value *v = &t->value[k];
        const float not_finite[] = {NAN, INFINITY, -INFINITY};
        for (size_t i = 0; i < COUNT(not_finite); i++) {
            CAUGHT(v->mean, not_finite[i]);
            CAUGHT(v->var, not_finite[i]);
            CAUGHT(v->weight, not_finite[i]);
        }
        CAUGHT(v->var, -1e-30f);
        CAUGHT(v->weight, 0);
        CAUGHT(v->rows, 0);
    }
}

static void check_notices_shares(cp_tree *t, const cp_forest *f) {
    CAUGHT(t->cap_start, t->leaves);
    CAUGHT(t->cap_rows, t->leaves - 1);
    CAUGHT(t->cap_class_weight, t->cap_class_weight - 1);
    CAUGHT(t->start[0], 1);
    for (size_t k = 0; k < t->leaves; k++) {
        CAUGHT(t->rows[k], 0);
        CAUGHT(t->start[k + 1], t->start[k]);
        CAUGHT(t->start[k + 1], UINT32_MAX);
    }
    for (size_t k = 0; k < t->leaves; k++)
        for (size_t i = t->start[k]; i < t->start[k + 1]; i++) {
            CAUGHT(t->class_weight[i].label, (uint32_t)f->classes);
            if (i > t->start[k]) CAUGHT(t->class_weight[i].label, t->class_weight[i - 1].label);
            CAUGHT(t->class_weight[i].weight, 0);
            CAUGHT(t->class_weight[i].weight, -1);
            CAUGHT(t->class_weight[i].weight, INFINITY);
            CAUGHT(t->class_weight[i].weight, NAN);
        }
}

static void check_notices_every_corrupted_field(void **state) {
    (void)state;
    for (size_t kind = 0; kind < COUNT(kinds); kind++) {
        cp_forest f = random_forest("corrupt", kinds[kind].task, kinds[kind].categories, 4, 60);
        for (size_t m = 0; m < f.trees; m++) {
            assert_sound(&f.tree[m], &f);
            check_notices_nodes(&f.tree[m], &f);
            if (f.task == COPSE_REGRESS)
                check_notices_values(&f.tree[m], &f);
            else
                check_notices_shares(&f.tree[m], &f);
        }
        cp_tree_clear_forest(&f);
    }
}

/* ---------------------------------------------------------------------------------------------------- out of memory */

static copse_status grow_graft_finish(cp_forest *f, copse_error *err) {
    cp_rng rng = stream("memory", 0);
    cp_tree branch = {0};
    cp_tree *t = &f->tree[0];
    copse_status status = COPSE_OK;
    CP_TRY_OUT(random_tree(t, f, 40, 1, &rng, err));
    CP_TRY_OUT(random_tree(&branch, f, 30, 0, &rng, err));
    CP_TRY_OUT(CP_NEW(branch.gain, f->dims, err));
    for (size_t i = 0; i < t->nodes; i++)
        if (t->node[i].next == CP_NONE) CP_TRY_OUT(cp_tree_graft(t, (int32_t)i, &branch, f->dims, err));
    CP_TRY_OUT(cp_tree_finish(t, err));
    assert_sound(t, f);
out:
    cp_tree_clear(&branch);
    return status;
}

static void out_of_memory_is_a_status(void **state) {
    (void)state;
    for (size_t kind = 0; kind < COUNT(kinds); kind++)
        for (long k = 0;; k++) {
            copse_error err = {0};
            cp_forest f = empty_forest(kinds[kind].task, kinds[kind].categories, 1);
            cp_mem_fail_after(k);
            copse_status status = grow_graft_finish(&f, &err);
            cp_mem_fail_after(-1);
            cp_tree_clear_forest(&f);
            if (!status) {
                assert_true(k > 10);
                break;
            }
            assert_int_equal(status, COPSE_E_MEMORY);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finishing_changes_no_answer_and_leaves_no_slack),
        cmocka_unit_test(a_grafted_tree_answers_as_trunk_and_branch),
        cmocka_unit_test(depth_is_the_longest_way_down),
        cmocka_unit_test(very_deep_trees_are_no_trouble),
        cmocka_unit_test(check_notices_every_corrupted_field),
        cmocka_unit_test(out_of_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
