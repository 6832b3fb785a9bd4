/* A file may have been made by anyone: links are checked before they are followed, rules before rows are partitioned by
 * them, lists against the tree. */
#include "bayes/moves_file.h"

#include <string.h>

#include "base/mem.h"
#include "bayes/moves_rebuild.h"

/* ---------------------------------------------------------------------------------------------------------- writing */

copse_status cp_moves_file_write(const cp_moves_tree *t, cp_writer *w, copse_error *err) {
    copse_status status;
    size_t nodes = cp_moves_tree_nodes(t);
    int32_t *left = NULL;
    uint32_t *dim = NULL, *cell = NULL;
    CP_TRY_OUT(CP_RAW(left, nodes, err));
    CP_TRY_OUT(CP_RAW(dim, nodes, err));
    CP_TRY_OUT(CP_RAW(cell, nodes, err));
    for (size_t i = 0; i < nodes; i++) {
        int leaf = t->node[i].left == CP_NONE;
        left[i] = t->node[i].left;
        dim[i] = leaf ? 0 : t->node[i].rule.dim; /* an old rule of a leaf is not part of the state */
        cell[i] = leaf ? 0 : t->node[i].rule.cell;
    }
    CP_TRY_OUT(cp_writer_array(w, "left", CP_I32, left, nodes, err));
    CP_TRY_OUT(cp_writer_array(w, "dim", CP_U32, dim, nodes, err));
    CP_TRY_OUT(cp_writer_array(w, "cell", CP_U32, cell, nodes, err));
    CP_TRY_OUT(cp_writer_array(w, "growable", CP_I32, t->growable.node, t->growable.n, err));
    CP_TRY_OUT(cp_writer_array(w, "prunable", CP_I32, t->prunable.node, t->prunable.n, err));
out:
    cp_mem_free(left);
    cp_mem_free(dim);
    cp_mem_free(cell);
    return status;
}

/* ---------------------------------------------------------------------------------------------------------- reading */

typedef struct parts {
    size_t nodes;
    int32_t *left, *list;
    uint32_t *dim, *cell;
} parts;

static void clear_parts(parts *p) {
    cp_mem_free(p->left);
    cp_mem_free(p->list);
    cp_mem_free(p->dim);
    cp_mem_free(p->cell);
}

static copse_status read_parts(parts *p, size_t rows, cp_reader *r, copse_error *err) {
    CP_TRY(cp_reader_count(r, "left", CP_I32, &p->nodes, err));
    if (p->nodes % 2 != 1 || p->nodes / 2 >= rows)
        return cp_reader_bad(r, err, "a tree over %zu rows has %zu nodes", rows, p->nodes);
    CP_TRY(cp_reader_array(r, "left", CP_I32, p->nodes, &p->left, err));
    CP_TRY(cp_reader_array(r, "dim", CP_U32, p->nodes, &p->dim, err));
    return cp_reader_array(r, "cell", CP_U32, p->nodes, &p->cell, err);
}

/* Checks that each pair has one parent at most, and that the root's children are the first pair. */
static copse_status link_nodes(cp_moves_tree *t, const parts *p, cp_reader *r, copse_error *err) {
    for (size_t i = 0; i < p->nodes; i++)
        t->node[i] = (cp_moves_node){.parent = CP_NONE, .left = p->left[i], .list_index = CP_NONE};
    for (size_t i = 0; i < p->nodes; i++) {
        int32_t left = p->left[i];
        if (left == CP_NONE) continue;
        if (left < 1 || left % 2 == 0 || (size_t)left + 1 >= p->nodes || t->node[left].parent != CP_NONE)
            return cp_reader_bad(r, err, "the nodes of a tree are not linked as one");
        t->node[left].parent = t->node[left + 1].parent = (int32_t)i;
        t->node[i].rule = (cp_rule){.dim = p->dim[i], .cell = p->cell[i]};
    }
    if (p->nodes > 1 && p->left[0] != 1)
        return cp_reader_bad(r, err, "the root's children are not the first pair of nodes");
    return COPSE_OK;
}

/* Walks from the root and sets depths.  Each node but the root has at most one parent, so no node is visited twice. */
static copse_status set_depths(cp_moves_tree *t, const cp_ranks *ranks, cp_reader *r, copse_error *err) {
    size_t reached = 0;
    for (int32_t u = 0; u != CP_NONE; u = cp_moves_tree_next(t, u, 0), reached++) {
        cp_moves_node *n = &t->node[u];
        n->depth = u ? t->node[n->parent].depth + 1 : 0;
        if (n->left != CP_NONE && n->rule.dim >= ranks->dims)
            return cp_reader_bad(r, err, "a rule is about a column that does not exist");
    }
    if (reached != cp_moves_tree_nodes(t)) return cp_reader_bad(r, err, "a node is not reached from the root");
    return COPSE_OK;
}

/* Reads a list in the order of the file: exactly the nodes that belong to it, each once. */
static copse_status read_list(cp_moves_tree *t, cp_moves_list *l, const char *name, cp_reader *r, copse_error *err) {
    int32_t *node = NULL;
    copse_status status;
    CP_TRY_OUT(cp_reader_array(r, name, CP_I32, l->n, &node, err));
    for (size_t i = 0; i < l->n; i++) t->node[l->node[i]].list_index = -2; /* belongs here, not yet met */
    for (size_t i = 0; i < l->n; i++) {
        if (node[i] < 0 || (size_t)node[i] >= cp_moves_tree_nodes(t) || t->node[node[i]].list_index != -2) {
            status = cp_reader_bad(r, err, "the list '%s' is not of the tree", name);
            goto out;
        }
        t->node[node[i]].list_index = (int32_t)i;
    }
    if (l->n) memcpy(l->node, node, l->n * sizeof *node);
out:
    cp_mem_free(node);
    return status;
}

static copse_status read_lists(cp_moves_tree *t, cp_reader *r, copse_error *err) {
    for (int32_t u = 0; (size_t)u < cp_moves_tree_nodes(t); u++) {
        int32_t left = t->node[u].left;
        if (left != CP_NONE && cp_moves_tree_is_leaf(t, left) && cp_moves_tree_is_leaf(t, left + 1))
            cp_moves_tree_list_add(&t->prunable, t, u);
    }
    CP_TRY(read_list(t, &t->growable, "growable", r, err));
    return read_list(t, &t->prunable, "prunable", r, err);
}

static copse_status read_tree(cp_moves *k, cp_moves_tree *t, const parts *p, cp_reader *r, copse_error *err) {
    t->pairs = p->nodes / 2;
    CP_TRY(link_nodes(t, p, r, err));
    CP_TRY(set_depths(t, k->model->ranks, r, err));
    t->node[0].rows = (uint32_t)t->rows;
    if (!cp_moves_rebuild(k, t, 0)) return cp_reader_bad(r, err, "a node of a tree has no rows");
    cp_moves_rebuild_commit(k, t, 0);
    CP_TRY(read_lists(t, r, err));
    cp_moves_tree_sum(t, k->model);
    return COPSE_OK;
}

copse_status cp_moves_file_read(cp_moves *k, cp_moves_tree *t, cp_reader *r, copse_error *err) {
    parts p = {0};
    copse_status status;
    cp_moves_tree_reset(t, k->model);
    t->growable.n = 0;
    CP_TRY_OUT(read_parts(&p, t->rows, r, err));
    CP_TRY_OUT(cp_moves_reserve(k, t, p.nodes / 2, err));
    CP_TRY_OUT(read_tree(k, t, &p, r, err));
out:
    clear_parts(&p);
    if (status) cp_moves_tree_reset(t, k->model);
    return status;
}
