#include "tree/tree_set_file.h"

#include "base/mem.h"
#include "base/number_rule.h"

/* With shared nodes a short file can describe a tree of 2^nodes leaves.  Trees are listed node by node and walked from
 * root to leaf, so the leaves of the largest tree and the sum of all depths are claimed like memory, STEP bytes
 * each. */
enum { STEP = 8 };

typedef struct cost {
    size_t leaves, steps;
} cost;

static copse_status find_cost(const cp_tree_set *g, cost *out, copse_error *err) {
    cp_tree_set_size *size;
    *out = (cost){0};
    CP_TRY(CP_RAW(size, g->nodes, err));
    cp_tree_set_measure(g, size);
    for (size_t t = 0; t < g->trees; t++) {
        cp_tree_set_size s = size[g->root[t]];
        if (s.leaves > out->leaves) out->leaves = s.leaves;
        out->steps += s.depth;
    }
    cp_mem_free(size);
    return COPSE_OK;
}

/* ---------------------------------------------------------------------------------------------------------- writing */

typedef enum field { DIM, LEFT, RIGHT } field;

static copse_status write_ids(const cp_tree_set *g, cp_writer *w, const char *name, field which, copse_error *err) {
    int32_t *id;
    CP_TRY(CP_RAW(id, g->nodes, err));
    for (size_t i = 0; i < g->nodes; i++) {
        const cp_tree_set_node *n = &g->node[i];
        id[i] = which == DIM ? n->dim : which == LEFT ? n->left : n->right;
    }
    copse_status status = cp_writer_array(w, name, CP_I32, id, g->nodes, err);
    cp_mem_free(id);
    return status;
}

static copse_status write_cuts(const cp_tree_set *g, cp_writer *w, const char *name, int high, copse_error *err) {
    float *cut;
    CP_TRY(CP_RAW(cut, g->nodes, err));
    for (size_t i = 0; i < g->nodes; i++) cut[i] = high ? g->node[i].high : g->node[i].low;
    copse_status status = cp_writer_array(w, name, CP_F32, cut, g->nodes, err);
    cp_mem_free(cut);
    return status;
}

static copse_status write_tree_set(const cp_tree_set *g, cp_writer *w, copse_error *err) {
    cost c;
    CP_TRY(write_ids(g, w, "dim", DIM, err));
    CP_TRY(write_ids(g, w, "left", LEFT, err));
    CP_TRY(write_ids(g, w, "right", RIGHT, err));
    CP_TRY(write_cuts(g, w, "low", 0, err));
    CP_TRY(write_cuts(g, w, "high", 1, err));
    CP_TRY(cp_writer_array(w, "stat", CP_F64, g->stat, g->leaves * g->width, err));
    CP_TRY(cp_writer_array(w, "root", CP_I32, g->root, g->trees, err));
    CP_TRY(cp_writer_array(w, "weight", CP_F64, g->weight, g->trees, err));
    cp_writer_claim(w, g->nodes, sizeof *g->node + sizeof(cp_tree_set_size));
    CP_TRY(find_cost(g, &c, err));
    cp_writer_claim(w, c.leaves, STEP);
    cp_writer_claim(w, c.steps, STEP);
    return COPSE_OK;
}

copse_status cp_tree_set_file_write(const cp_tree_set *g, cp_writer *w, copse_error *err) {
    CP_TRY(cp_writer_push(w, "grove", err));
    copse_status status = write_tree_set(g, w, err);
    cp_writer_pop(w);
    return status;
}

/* ---------------------------------------------------------------------------------------------------------- reading */

/* Statistics are counts of classes, or rows, sum and sum of squares of standardised targets. */
static const cp_number_rule number_rules[] = {
    {.name = "low", .least = -CP_NUMBER_FEATURE, .most = CP_NUMBER_FEATURE},
    {.name = "high", .least = -CP_NUMBER_FEATURE, .most = CP_NUMBER_FEATURE},
    {.name = "stat", .least = -CP_NUMBER_COUNT, .most = CP_NUMBER_COUNT},
    {.name = "weight", .least = 0, .most = 1.001},
};

static copse_status read_ids(cp_reader *r, const char *name, field which, cp_tree_set *g, copse_error *err) {
    int32_t *id;
    CP_TRY(cp_reader_array(r, name, CP_I32, g->nodes, &id, err));
    for (size_t i = 0; i < g->nodes; i++) {
        cp_tree_set_node *n = &g->node[i];
        *(which == DIM ? &n->dim : which == LEFT ? &n->left : &n->right) = id[i];
    }
    cp_mem_free(id);
    return COPSE_OK;
}

static copse_status read_cuts(cp_reader *r, const char *name, int high, cp_tree_set *g, copse_error *err) {
    float *cut;
    CP_TRY(cp_reader_array(r, name, CP_F32, g->nodes, &cut, err));
    for (size_t i = 0; i < g->nodes; i++) *(high ? &g->node[i].high : &g->node[i].low) = cut[i];
    cp_mem_free(cut);
    return COPSE_OK;
}

static copse_status read_nodes(cp_reader *r, cp_tree_set *g, copse_error *err) {
    size_t nodes;
    CP_TRY(cp_reader_count(r, "dim", CP_I32, &nodes, err));
    if (nodes < 1 || nodes > INT32_MAX) return cp_reader_bad(r, err, "%zu nodes", nodes);
    CP_TRY(cp_reader_claim(r, nodes, sizeof *g->node + sizeof(cp_tree_set_size), err));
    CP_TRY(CP_NEW(g->node, nodes, err));
    g->nodes = g->cap_nodes = nodes;
    CP_TRY(read_ids(r, "dim", DIM, g, err));
    CP_TRY(read_ids(r, "left", LEFT, g, err));
    CP_TRY(read_ids(r, "right", RIGHT, g, err));
    CP_TRY(read_cuts(r, "low", 0, g, err));
    return read_cuts(r, "high", 1, g, err);
}

static copse_status read_leaves(cp_reader *r, cp_tree_set *g, copse_error *err) {
    size_t n;
    CP_TRY(cp_reader_count(r, "stat", CP_F64, &n, err));
    if (n % g->width || n / g->width > g->nodes) return cp_reader_bad(r, err, "%zu numbers, %zu a leaf", n, g->width);
    CP_TRY(cp_reader_array(r, "stat", CP_F64, n, &g->stat, err));
    g->leaves = n / g->width;
    g->cap_stat = n;
    return COPSE_OK;
}

static copse_status read_trees(cp_reader *r, cp_tree_set *g, copse_error *err) {
    size_t trees;
    CP_TRY(cp_reader_count(r, "root", CP_I32, &trees, err));
    if (trees > g->nodes) return cp_reader_bad(r, err, "%zu trees of %zu nodes", trees, g->nodes);
    CP_TRY(cp_reader_array(r, "root", CP_I32, trees, &g->root, err));
    g->trees = g->cap_root = trees;
    CP_TRY(cp_reader_array(r, "weight", CP_F64, trees, &g->weight, err));
    g->cap_weight = trees;
    return COPSE_OK;
}

static copse_status read_tree_set(cp_reader *r, cp_tree_set *g, copse_error *err) {
    cost c;
    CP_TRY(read_nodes(r, g, err));
    CP_TRY(read_leaves(r, g, err));
    CP_TRY(read_trees(r, g, err));
    const char *wrong = cp_tree_set_check(g);
    if (wrong) return cp_fail(err, COPSE_E_MODEL, "damaged: %s", wrong);
    CP_TRY(find_cost(g, &c, err));
    CP_TRY(cp_reader_claim(r, c.leaves, STEP, err));
    return cp_reader_claim(r, c.steps, STEP, err);
}

copse_status cp_tree_set_file_read(cp_reader *r, size_t dims, size_t width, cp_tree_set *out, copse_error *err) {
    *out = (cp_tree_set){.dims = dims, .width = width};
    CP_TRY(cp_reader_push(r, "grove", err));
    CP_NUMBER_RULES(r, number_rules);
    copse_status status = read_tree_set(r, out, err);
    cp_reader_pop(r);
    if (status) cp_tree_set_clear(out);
    return status;
}
