#include "dyntree/dyntree_move.h"

#include <string.h>

#include "base/mem.h"

/* Puts `fresh` in place of the node path[k] of a particle.  Nodes at the start of the path that have one holder belong
 * to this tree alone and are changed.  Below the first node with several holders all nodes are shared, and are copied.
 * Afterwards `path` is the path in the changed tree. */
static void replace(cp_dyntree *f, size_t particle, int32_t *path, size_t k, int32_t fresh) {
    cp_dyntree_pool *p = &f->pool;
    size_t own = 0;
    while (own < k && p->node[path[own]].refs == 1) own++;
    int32_t old = path[own], was = path[k];
    for (size_t j = k; j-- > own;) {
        int32_t id = cp_dyntree_pool_take(p);
        cp_dyntree_node *n = &p->node[id];
        *n = p->node[path[j]];
        n->refs = 1;
        int32_t *link = n->left == was ? &n->left : &n->right, other = n->left == was ? n->right : n->left;
        *link = fresh;
        p->node[other].refs++;
        was = path[j];
        path[j] = fresh = id;
    }
    if (own) {
        cp_dyntree_node *n = &p->node[path[own - 1]];
        *(n->left == old ? &n->left : &n->right) = fresh;
    } else {
        f->root[particle] = fresh;
    }
    cp_dyntree_pool_release(p, old);
    while (k-- > 0) cp_dyntree_shape_split(f, path[k]);
}

/* Writes the rows of a tree to out, leaf by leaf from the left; todo has room for its height and one. */
static void collect_rows(const cp_dyntree_pool *p, int32_t node, int32_t *todo, uint32_t *out) {
    size_t n = 0;
    todo[n++] = node;
    while (n) {
        const cp_dyntree_node *at = &p->node[todo[--n]];
        if (cp_dyntree_pool_is_leaf(at)) {
            memcpy(out, p->list + at->of.list, at->rows * sizeof *out);
            out += at->rows;
            continue;
        }
        todo[n++] = at->right;
        todo[n++] = at->left;
    }
}

/* A leaf with all rows under a split. */
static int32_t pruned(cp_dyntree *f, int32_t split, int32_t *todo) {
    cp_dyntree_pool *p = &f->pool;
    uint32_t rows = p->node[split].rows;
    int32_t id = cp_dyntree_pool_take_leaf(p, rows);
    p->node[id].depth = p->node[split].depth;
    p->node[id].rows = rows;
    collect_rows(p, split, todo, cp_dyntree_pool_list(p, id));
    cp_dyntree_refresh_leaf(f, id);
    return id;
}

/* A split of a leaf's rows by the cut, with two new leaves. */
static int32_t grown(cp_dyntree *f, int32_t leaf, const cp_dyntree_choice *c) {
    cp_dyntree_pool *p = &f->pool;
    int32_t id = cp_dyntree_pool_take(p);
    uint32_t rows = p->node[leaf].rows;
    const int32_t side[2] = {cp_dyntree_pool_take_leaf(p, c->left), cp_dyntree_pool_take_leaf(p, rows - c->left)};
    const uint32_t *from = cp_dyntree_pool_list(p, leaf);
    for (uint32_t k = 0; k < rows; k++) {
        int32_t to = side[!(cp_dyntree_row(f, from[k])[c->dim] <= c->cut)];
        cp_dyntree_pool_list(p, to)[p->node[to].rows++] = from[k];
    }
    for (int k = 0; k < 2; k++) {
        p->node[side[k]].depth = p->node[leaf].depth + 1;
        cp_dyntree_refresh_leaf(f, side[k]);
    }
    cp_dyntree_node *n = &p->node[id];
    n->left = side[0];
    n->right = side[1];
    n->dim = c->dim;
    n->cut = c->cut;
    n->depth = p->node[leaf].depth;
    cp_dyntree_shape_split(f, id);
    return id;
}

/* Finds the path of the row down to the change of the tree, and makes it. */
static void make_move(cp_dyntree *f, cp_dyntree_step_scratch *d, size_t particle, const float *x) {
    const cp_dyntree_choice *c = &d->choice[particle];
    int32_t end = c->move == CP_DYNTREE_GROW ? d->leaf[particle] : d->above[particle], id = f->root[particle];
    size_t k = 0;
    for (; id != end; k++) {
        const cp_dyntree_node *n = &f->pool.node[id];
        d->path[k] = id;
        id = x[n->dim] <= n->cut ? n->left : n->right;
    }
    d->path[k] = end;
    int32_t fresh = c->move == CP_DYNTREE_GROW ? grown(f, end, c) : pruned(f, end, d->todo);
    replace(f, particle, d->path, k, fresh);
}

/* An upper bound: nodes that are freed by earlier moves are used again. */
static copse_status reserve(cp_dyntree *f, const cp_dyntree_step_scratch *d, copse_error *err) {
    size_t nodes = 0, slots = 0;
    for (size_t i = 0; i < f->particles; i++) {
        const cp_dyntree_choice *c = &d->choice[i];
        const cp_dyntree_node *leaf = &f->pool.node[d->leaf[i]];
        if (c->move == CP_DYNTREE_STAY) continue;
        nodes += leaf->depth + 3;
        if (c->move == CP_DYNTREE_GROW) {
            slots += cp_dyntree_pool_slots(c->left) + cp_dyntree_pool_slots(leaf->rows - c->left);
            continue;
        }
        slots += cp_dyntree_pool_slots(f->pool.node[d->above[i]].rows);
    }
    return cp_dyntree_pool_reserve(&f->pool, nodes, slots, err);
}

/* The tree of a single leaf, if some particle has it, else CP_NONE.  All trees of a single leaf are the same node: a
 * tree that is pruned to its root shares it. */
static int32_t find_single_leaf(const cp_dyntree *f) {
    for (size_t i = 0; i < f->particles; i++)
        if (cp_dyntree_pool_is_leaf(&f->pool.node[f->root[i]])) return f->root[i];
    return CP_NONE;
}

static void share_tree(cp_dyntree *f, size_t particle, int32_t root) {
    f->pool.node[root].refs++;
    cp_dyntree_pool_release(&f->pool, f->root[particle]);
    f->root[particle] = root;
}

/* Particles that have the same tree and prune it have the same tree again. */
copse_status cp_dyntree_move_all(cp_dyntree *f, cp_dyntree_step_scratch *d, copse_error *err) {
    const float *x = cp_dyntree_row(f, f->learnt - 1);
    int32_t before = CP_NONE, after = CP_NONE; /* the last tree that was pruned */
    CP_TRY(reserve(f, d, err));
    int32_t single = find_single_leaf(f);
    if (single != CP_NONE) f->pool.node[single].refs++; /* kept alive, even if all particles that have it grow */
    for (size_t i = 0; i < f->particles; i++) {
        cp_dyntree_move move = d->choice[i].move;
        int32_t root = f->root[i];
        if (move == CP_DYNTREE_STAY) continue;
        if (move == CP_DYNTREE_PRUNE && (root == before || (root == d->above[i] && single != CP_NONE))) {
            share_tree(f, i, root == before ? after : single);
            continue;
        }
        make_move(f, d, i, x);
        if (move == CP_DYNTREE_GROW) continue;
        before = root;
        after = f->root[i];
        if (single == CP_NONE && cp_dyntree_pool_is_leaf(&f->pool.node[after])) f->pool.node[single = after].refs++;
    }
    if (single != CP_NONE) cp_dyntree_pool_release(&f->pool, single);
    f->moved = f->learnt;
    return COPSE_OK;
}
