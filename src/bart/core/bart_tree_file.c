/* A file may have been made by anyone: links are checked before they are followed, rules before rows go down by them.
 *
 * Sections left, dim, cell and cut have one number for each node; for a leaf, dim is its slot and cut its mu. */
#include "bart/core/bart_tree_file.h"

#include <math.h>

#include "base/mem.h"
#include "base/number_rule.h"

typedef struct parts {
    size_t nodes;
    int32_t *left;
    uint32_t *dim, *cell;
    float *cut;
    double *sum_w; /* by slot */
} parts;

static void clear_parts(parts *p) {
    cp_mem_free(p->left);
    cp_mem_free(p->dim);
    cp_mem_free(p->cell);
    cp_mem_free(p->cut);
    cp_mem_free(p->sum_w);
}

static size_t leaves_of(const parts *p) {
    return p->nodes / 2 + 1;
}

/* ---------------------------------------------------------------------------------------------------------- writing */

static copse_status make_parts(parts *p, const cp_bart_tree *t, copse_error *err) {
    p->nodes = cp_bart_tree_nodes(t);
    CP_TRY(CP_RAW(p->left, p->nodes, err));
    CP_TRY(CP_RAW(p->dim, p->nodes, err));
    CP_TRY(CP_RAW(p->cell, p->nodes, err));
    CP_TRY(CP_RAW(p->cut, p->nodes, err));
    CP_TRY(CP_RAW(p->sum_w, leaves_of(p), err));
    for (size_t i = 0; i < p->nodes; i++) {
        const cp_bart_node *n = &t->node[i];
        int leaf = n->left == CP_NONE;
        p->left[i] = n->left;
        p->dim[i] = leaf ? n->slot : n->rule.dim;
        p->cell[i] = leaf ? 0 : n->rule.cell;
        p->cut[i] = leaf ? t->mu[n->slot] : n->cut;
    }
    for (size_t s = 0; s < leaves_of(p); s++) p->sum_w[s] = t->leaf[s].sum_w;
    return COPSE_OK;
}

copse_status cp_bart_tree_file_write(const cp_bart_tree *t, cp_writer *w, copse_error *err) {
    parts p = {0};
    copse_status status;
    CP_TRY_OUT(make_parts(&p, t, err));
    CP_TRY_OUT(cp_writer_array(w, "left", CP_I32, p.left, p.nodes, err));
    CP_TRY_OUT(cp_writer_array(w, "dim", CP_U32, p.dim, p.nodes, err));
    CP_TRY_OUT(cp_writer_array(w, "cell", CP_U32, p.cell, p.nodes, err));
    CP_TRY_OUT(cp_writer_array(w, "cut", CP_F32, p.cut, p.nodes, err));
    CP_TRY_OUT(cp_writer_array(w, "sum_w", CP_F64, p.sum_w, leaves_of(&p), err));
out:
    clear_parts(&p);
    return status;
}

/* ---------------------------------------------------------------------------------------------------------- reading */

/* `cut` holds the cut of a split, the mean of a leaf. */
static const cp_number_rule number_rules[] = {
    {.name = "cut", .least = -CP_NUMBER_FEATURE, .most = CP_NUMBER_FEATURE},
    {.name = "sum_w", .least = 0, .most = 1e60},
};

static copse_status read_parts(parts *p, size_t rows, cp_reader *r, copse_error *err) {
    CP_NUMBER_RULES(r, number_rules);
    CP_TRY(cp_reader_count(r, "left", CP_I32, &p->nodes, err));
    if (p->nodes % 2 != 1 || p->nodes / 2 >= rows || p->nodes / 2 >= CP_BART_MAX_LEAVES)
        return cp_reader_bad(r, err, "a tree over %zu rows has %zu nodes", rows, p->nodes);
    CP_TRY(cp_reader_array(r, "left", CP_I32, p->nodes, &p->left, err));
    CP_TRY(cp_reader_array(r, "dim", CP_U32, p->nodes, &p->dim, err));
    CP_TRY(cp_reader_array(r, "cell", CP_U32, p->nodes, &p->cell, err));
    CP_TRY(cp_reader_array(r, "cut", CP_F32, p->nodes, &p->cut, err));
    return cp_reader_array(r, "sum_w", CP_F64, leaves_of(p), &p->sum_w, err);
}

/* Checks that each pair has one parent at most, and that the root's children are the first pair. */
static copse_status link_nodes(cp_bart_tree *t, const parts *p, cp_reader *r, copse_error *err) {
    for (size_t i = 0; i < p->nodes; i++) t->node[i] = (cp_bart_node){.parent = CP_NONE, .left = (int16_t)p->left[i]};
    for (size_t i = 0; i < p->nodes; i++) {
        int32_t left = p->left[i];
        if (left == CP_NONE) continue;
        if (left < 1 || left % 2 == 0 || (size_t)left + 1 >= p->nodes || t->node[left].parent != CP_NONE)
            return cp_reader_bad(r, err, "the nodes of a tree are not linked as one");
        t->node[left].parent = t->node[left + 1].parent = (int16_t)i;
    }
    if (p->nodes > 1 && p->left[0] != 1)
        return cp_reader_bad(r, err, "the root's children are not the first pair of nodes");
    return COPSE_OK;
}

static copse_status read_leaf(cp_bart_tree *t, const parts *p, int16_t u, cp_reader *r, copse_error *err) {
    uint32_t slot = p->dim[u];
    if (slot >= leaves_of(p) || t->leaf[slot].node != CP_NONE)
        return cp_reader_bad(r, err, "the leaves of a tree do not have one slot each");
    if (!isfinite(p->cut[u])) return cp_reader_bad(r, err, "a leaf's mean is not a number");
    t->node[u].slot = (uint16_t)slot;
    t->leaf[slot].node = u;
    t->mu[slot] = p->cut[u];
    return COPSE_OK;
}

static copse_status read_rule(cp_bart_tree *t, const cp_bart_columns *c, const parts *p, int16_t u, cp_reader *r,
                              copse_error *err) {
    cp_bart_node *n = &t->node[u];
    n->rule = (cp_rule){.dim = p->dim[u], .cell = p->cell[u]};
    n->cut = p->cut[u];
    if (n->rule.dim >= c->ranks.dims) return cp_reader_bad(r, err, "a rule is about a column that does not exist");
    size_t values = cp_ranks_count(&c->ranks, n->rule.dim);
    if (n->rule.cell >= values || n->rule.cell + 1 == values || !cp_bart_columns_has(c, n->rule, n->cut))
        return cp_reader_bad(r, err, "a rule cuts where its column does not vary");
    if (n->depth + 1 >= CP_BART_MAX_DEPTHS) return cp_reader_bad(r, err, "a tree is too deep");
    return COPSE_OK;
}

/* Walks from the root and sets depths.  Each node but the root has at most one parent, so no node is visited twice. */
static copse_status read_nodes(cp_bart_tree *t, const cp_bart_columns *c, const parts *p, cp_reader *r,
                               copse_error *err) {
    size_t reached = 0;
    for (size_t s = 0; s < leaves_of(p); s++) t->leaf[s] = (cp_bart_leaf){.node = CP_NONE};
    for (int16_t u = 0; u != CP_NONE; u = cp_bart_tree_next(t, u, 0), reached++) {
        if (u) t->node[u].depth = (uint16_t)(t->node[t->node[u].parent].depth + 1);
        if (cp_bart_tree_is_leaf(t, u))
            CP_TRY(read_leaf(t, p, u, r, err));
        else
            CP_TRY(read_rule(t, c, p, u, r, err));
    }
    if (reached != p->nodes) return cp_reader_bad(r, err, "a node is not reached from the root");
    return COPSE_OK;
}

static copse_status place_rows(cp_bart_tree *t, const cp_bart_view *v, const parts *p, cp_reader *r, copse_error *err) {
    const cp_bart_columns *c = v->columns;
    double sum_w[CP_BART_MAX_LEAVES] = {0}, total = 0;
    for (size_t i = 0; i < c->ranks.rows; i++) {
        const cp_bart_node *n = t->node;
        while (n->left != CP_NONE) n = &t->node[n->left + (cp_bart_columns_code(c, n->rule.dim)[i] > n->rule.cell)];
        t->slot[i] = (uint8_t)n->slot;
        t->leaf[n->slot].rows++;
        sum_w[n->slot] += v->opt_weight ? (double)v->opt_weight[i] : 1;
    }
    for (size_t s = 0; s < leaves_of(p); s++) total += sum_w[s];
    for (size_t s = 0; s < leaves_of(p); s++) {
        cp_bart_leaf *l = &t->leaf[s];
        if (!l->rows) return cp_reader_bad(r, err, "a leaf of a tree has no rows");
        if (!(p->sum_w[s] >= 0 && fabs(p->sum_w[s] - sum_w[s]) <= (v->opt_weight ? 1e-5 * total : 0)))
            return cp_reader_bad(r, err, "a leaf's weights do not add up");
        l->sum_w = p->sum_w[s];
        l->open = (uint32_t)cp_bart_tree_is_open(t, v, (uint8_t)s);
    }
    return COPSE_OK;
}

copse_status cp_bart_tree_file_read(cp_bart_tree *t, const cp_bart_view *v, cp_reader *r, copse_error *err) {
    parts p = {0};
    copse_status status;
    cp_bart_tree_reset(t, v);
    CP_TRY_OUT(read_parts(&p, v->columns->ranks.rows, r, err));
    CP_TRY_OUT(cp_bart_tree_reserve(t, leaves_of(&p), err));
    t->pairs = p.nodes / 2;
    CP_TRY_OUT(link_nodes(t, &p, r, err));
    CP_TRY_OUT(read_nodes(t, v->columns, &p, r, err));
    CP_TRY_OUT(place_rows(t, v, &p, r, err));
out:
    clear_parts(&p);
    if (status) cp_bart_tree_reset(t, v);
    return status;
}
