#include "tree/tree.h"

#include <math.h>

#include <string.h>

#include "base/mem.h"
#include "kernel/sort.h"

/* An open node is stored as a leaf without a number; its next is CP_NONE. */
static const cp_tree_node open_node = {.what = CP_TREE_LEAF, .next = CP_NONE};

static int is_open(const cp_tree *t, int32_t node) {
    return node >= 0 && (size_t)node < t->nodes && t->node[node].next == CP_NONE;
}

/* Node numbers are int32_t; words of sets, leaves and class weights are counted in uint32_t. */
static copse_status too_large(copse_error *err) {
    return cp_fail(err, COPSE_E_DATA, "a tree gets more than 2^31 nodes: raise the least number of rows in a leaf");
}

/* ---------------------------------------------------------------------------------------------------------- growing */

copse_status cp_tree_init_root(cp_tree *t, copse_error *err) {
    CP_TRY(CP_GROW(t->node, t->cap_nodes, 1, err));
    t->node[0] = open_node;
    t->nodes = 1;
    return COPSE_OK;
}

static copse_status add_set(cp_tree *t, const uint32_t *set, size_t words, copse_error *err) {
    if (words > UINT32_MAX - t->sets) return too_large(err);
    CP_TRY(CP_GROW(t->set, t->cap_sets, t->sets + words, err));
    if (words) memcpy(t->set + t->sets, set, words * sizeof *set);
    t->sets += words;
    return COPSE_OK;
}

copse_status cp_tree_split(cp_tree *t, int32_t node, const cp_tree_test *test, copse_error *err) {
    CP_BUG(!is_open(t, node) || test->dim > CP_TREE_DIM);
    if (t->nodes + 2 > INT32_MAX) return too_large(err);
    CP_TRY(CP_GROW(t->node, t->cap_nodes, t->nodes + 2, err));
    cp_tree_node split = {.what = test->dim, .next = (int32_t)t->nodes};
    if (test->missing_left) split.what |= CP_TREE_MISSING_LEFT;
    if (test->set) {
        split.what |= CP_TREE_CATEGORY;
        split.at.set = (uint32_t)t->sets;
        CP_TRY(add_set(t, test->set, test->words, err));
    } else {
        split.at.cut = test->cut;
    }
    t->node[node] = split;
    t->node[t->nodes++] = open_node;
    t->node[t->nodes++] = open_node;
    return COPSE_OK;
}

/* Until the tree is finished, leaves are numbered in the order in which they are closed. */
static void close_leaf(cp_tree *t, int32_t node) {
    t->node[node] = (cp_tree_node){.at.leaf = (uint32_t)t->leaves, .what = CP_TREE_LEAF, .next = node};
    t->leaves++;
}

copse_status cp_tree_leaf_value(cp_tree *t, int32_t node, cp_tree_value value, copse_error *err) {
    CP_BUG(!is_open(t, node));
    CP_TRY(CP_GROW(t->value, t->cap_value, t->leaves + 1, err));
    t->value[t->leaves] = value;
    close_leaf(t, node);
    return COPSE_OK;
}

/* Memory for so many more leaves with so many more class weights; also sets start[0]. */
static copse_status reserve_class_weights(cp_tree *t, size_t leaves, size_t class_weights, copse_error *err) {
    size_t used = t->leaves ? t->start[t->leaves] : 0;
    if (class_weights > UINT32_MAX - used) return too_large(err);
    CP_TRY(CP_GROW(t->start, t->cap_start, t->leaves + leaves + 1, err));
    CP_TRY(CP_GROW(t->rows, t->cap_rows, t->leaves + leaves, err));
    CP_TRY(CP_GROW(t->class_weight, t->cap_class_weight, used + class_weights, err));
    t->start[0] = 0;
    return COPSE_OK;
}

/* Writes the class weights of leaf number t->leaves, for which memory is reserved. */
static void put_class_weights(cp_tree *t, const cp_tree_class_weight *class_weight, size_t n, uint32_t rows) {
    uint32_t start = t->start[t->leaves];
    memcpy(t->class_weight + start, class_weight, n * sizeof *class_weight);
    t->start[t->leaves + 1] = start + (uint32_t)n;
    t->rows[t->leaves] = rows;
}

copse_status cp_tree_leaf_classes(cp_tree *t, int32_t node, const cp_tree_class_weight *class_weight, size_t n,
                                  uint32_t rows, copse_error *err) {
    CP_BUG(!is_open(t, node) || !n);
    CP_TRY(reserve_class_weights(t, 1, n, err));
    put_class_weights(t, class_weight, n, rows);
    close_leaf(t, node);
    return COPSE_OK;
}

/* Leaf number t->leaves becomes a copy of leaf k of another tree. */
static void copy_leaf(cp_tree *t, const cp_tree *from, uint32_t k) {
    if (from->value)
        t->value[t->leaves] = from->value[k];
    else
        put_class_weights(t, from->class_weight + from->start[k], from->start[k + 1] - from->start[k], from->rows[k]);
}

static copse_status reserve_leaves(cp_tree *t, const cp_tree *like, copse_error *err) {
    if (like->value) return CP_GROW(t->value, t->cap_value, t->leaves + like->leaves, err);
    return reserve_class_weights(t, like->leaves, like->start[like->leaves], err);
}

copse_status cp_tree_graft(cp_tree *t, int32_t node, const cp_tree *branch, size_t dims, copse_error *err) {
    CP_BUG(!is_open(t, node) || branch->nodes != 2 * branch->leaves - 1);
    if (t->nodes + branch->nodes > INT32_MAX) return too_large(err);
    CP_TRY(CP_GROW(t->node, t->cap_nodes, t->nodes + branch->nodes - 1, err));
    CP_TRY(reserve_leaves(t, branch, err));
    if (branch->gain && !t->gain) CP_TRY(CP_NEW(t->gain, dims, err));
    uint32_t first_set = (uint32_t)t->sets;
    CP_TRY(add_set(t, branch->set, branch->sets, err));
    int32_t shift = (int32_t)t->nodes - 1; /* the branch's node i > 0 becomes shift + i */
    for (size_t i = 0; i < branch->nodes; i++) {
        cp_tree_node n = branch->node[i];
        int32_t to = i ? shift + (int32_t)i : node;
        if (cp_tree_is_leaf(&n)) {
            copy_leaf(t, branch, n.at.leaf);
            close_leaf(t, to);
            continue;
        }
        n.next += shift;
        if (n.what & CP_TREE_CATEGORY) n.at.set += first_set;
        t->node[to] = n;
    }
    t->nodes += branch->nodes - 1;
    for (size_t d = 0; branch->gain && d < dims; d++) t->gain[d] += branch->gain[d];
    return COPSE_OK;
}

/* -------------------------------------------------------------------------------------------------------- finishing */

/* Memory for exactly the nodes and leaves of `from`; their counts are still 0.  Sets and gains stay with `from`. */
static copse_status init_like(cp_tree *t, const cp_tree *from, copse_error *err) {
    CP_TRY(CP_RAW(t->node, from->nodes, err));
    t->cap_nodes = from->nodes;
    if (from->value) {
        CP_TRY(CP_RAW(t->value, from->leaves, err));
        t->cap_value = from->leaves;
        return COPSE_OK;
    }
    CP_TRY(CP_RAW(t->start, from->leaves + 1, err));
    CP_TRY(CP_RAW(t->rows, from->leaves, err));
    CP_TRY(CP_RAW(t->class_weight, from->start[from->leaves], err));
    t->cap_start = from->leaves + 1;
    t->cap_rows = from->leaves;
    t->cap_class_weight = from->start[from->leaves];
    t->start[0] = 0;
    return COPSE_OK;
}

/* Copies nodes in the order of N2.  Splits whose children are not copied yet are on a stack; their next is still the
 * number in `from`. */
static void copy_in_order(cp_tree *t, const cp_tree *from, int32_t *stack) {
    size_t waiting = 0;
    t->node[t->nodes++] = from->node[0];
    if (!cp_tree_is_leaf(&t->node[0])) stack[waiting++] = 0;
    while (waiting) {
        cp_tree_node *split = &t->node[stack[--waiting]];
        cp_tree_node *child = &t->node[t->nodes];
        memcpy(child, &from->node[split->next], 2 * sizeof *child);
        split->next = (int32_t)t->nodes;
        t->nodes += 2;
        for (int32_t side = 1; side >= 0; side--)
            if (!cp_tree_is_leaf(&child[side])) stack[waiting++] = split->next + side;
    }
    for (size_t i = 0; i < t->nodes; i++) {
        if (!cp_tree_is_leaf(&t->node[i])) continue;
        copy_leaf(t, from, t->node[i].at.leaf);
        close_leaf(t, (int32_t)i);
    }
}

copse_status cp_tree_make_steps(cp_tree *t, copse_error *err) {
    uint32_t widest = 0;
    for (size_t i = 0; i < t->nodes; i++) {
        if (t->node[i].what & CP_TREE_CATEGORY) return COPSE_OK;
        if (cp_tree_dim(&t->node[i]) > widest) widest = cp_tree_dim(&t->node[i]);
    }
    if (widest > 255 || t->leaves > (size_t)1 << 22) return COPSE_OK;
    CP_TRY(CP_RAW(t->step, t->nodes, err));
    t->unit = widest < CP_KEY_BLOCK_DIMS ? CP_TREE_STEP_UNIT : 1;
    for (size_t i = 0; i < t->nodes; i++) {
        const cp_tree_node *n = &t->node[i];
        t->step[i].way = (uint32_t)n->next << 8 | cp_tree_dim(n) * t->unit;
        t->step[i].cut = cp_tree_is_leaf(n) ? CP_TREE_STEP_LEAF + n->at.leaf : cp_sort_from_float(n->at.cut);
    }
    return COPSE_OK;
}

copse_status cp_tree_finish(cp_tree *t, copse_error *err) {
    CP_BUG(t->nodes != 2 * t->leaves - 1);
    cp_tree done = {0};
    int32_t *stack = NULL;
    copse_status status = COPSE_OK;
    CP_TRY_OUT(CP_RAW(stack, t->leaves, err));
    CP_TRY_OUT(init_like(&done, t, err));
    copy_in_order(&done, t, stack);
    CP_TRY_OUT(cp_tree_make_steps(&done, err));
    uint32_t *tight = t->sets ? cp_mem_resize(t->set, t->sets, sizeof *t->set) : NULL;
    done.set = tight ? tight : t->set;
    done.sets = t->sets;
    done.cap_sets = tight ? t->sets : t->cap_sets;
    done.gain = t->gain;
    t->set = NULL;
    t->gain = NULL;
    cp_tree_clear(t);
    *t = done;
    done = (cp_tree){0};
out:
    cp_tree_clear(&done);
    cp_mem_free(stack);
    return status;
}

/* ------------------------------------------------------------------------------------------------------ whole trees */

void cp_tree_clear(cp_tree *t) {
    cp_mem_free(t->node);
    cp_mem_free(t->step);
    cp_mem_free(t->set);
    cp_mem_free(t->value);
    cp_mem_free(t->gauss);
    cp_mem_free(t->start);
    cp_mem_free(t->class_weight);
    cp_mem_free(t->rows);
    cp_mem_free(t->gain);
    *t = (cp_tree){0};
}

void cp_tree_clear_forest(cp_forest *f) {
    for (size_t i = 0; f->tree && i < f->trees; i++) cp_tree_clear(&f->tree[i]);
    cp_mem_free(f->tree);
    cp_mem_free(f->levels);
    *f = (cp_forest){0};
}

/* A run of nodes: two siblings and all nodes below them. */
typedef struct run {
    size_t first, end, depth;
} run;

/* The run below the left sibling ends where the run below the right one begins.  The shorter of the two is taken first,
 * so the stack holds at most log2(nodes) runs. */
size_t cp_tree_depth(const cp_tree *t) {
    run waiting[32], now = {1, t->nodes, 1};
    size_t n = 0, most = 0;
    for (;;) {
        if (now.first == now.end) {
            if (!n) return most;
            now = waiting[--n];
            continue;
        }
        if (now.depth > most) most = now.depth;
        const cp_tree_node *right = &t->node[now.first + 1];
        size_t middle = cp_tree_is_leaf(right) ? now.end : (size_t)right->next;
        run low = {now.first + 2, middle, now.depth + 1}, high = {middle, now.end, now.depth + 1};
        int low_first = low.end - low.first < high.end - high.first;
        waiting[n++] = low_first ? high : low;
        now = low_first ? low : high;
    }
}

int cp_tree_is_numeric(const cp_tree *t) {
    return t->sets == 0;
}
