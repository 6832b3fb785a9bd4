#include "dyntree/dyntree_pool.h"

#include <string.h>

#include "base/mem.h"

void cp_dyntree_pool_init(cp_dyntree_pool *p, size_t width) {
    *p = (cp_dyntree_pool){.width = width, .free = CP_NONE};
}

void cp_dyntree_pool_clear(cp_dyntree_pool *p) {
    cp_mem_free(p->node);
    cp_mem_free(p->stat);
    cp_mem_free(p->list);
    *p = (cp_dyntree_pool){.free = CP_NONE};
}

/* ------------------------------------------------------------------------------------------------------------ lists */

/* The smallest block size c that holds the rows: 4 << c. */
static size_t block_of(size_t rows) {
    size_t c = 0;
    while (((size_t)4 << c) < rows) c++;
    return c;
}

size_t cp_dyntree_pool_slots(size_t rows) {
    return (size_t)4 << block_of(rows);
}

/* A free block begins with a link to the next one of its size: 1 + its start, or 0. */
static size_t take_block(cp_dyntree_pool *p, size_t rows) {
    size_t c = block_of(rows), at = p->free_list[c];
    if (at) {
        memcpy(&p->free_list[c], &p->list[--at], sizeof at);
        return at;
    }
    at = p->used;
    p->used += (size_t)4 << c;
    CP_BUG(p->used > p->cap_list);
    return at;
}

static void free_block(cp_dyntree_pool *p, size_t at, size_t rows) {
    size_t c = block_of(rows);
    memcpy(&p->list[at], &p->free_list[c], sizeof at);
    p->free_list[c] = at + 1;
}

void cp_dyntree_pool_append(cp_dyntree_pool *p, int32_t leaf, uint32_t row) {
    cp_dyntree_node *n = &p->node[leaf];
    if (block_of(n->rows) != block_of(n->rows + 1)) {
        size_t at = take_block(p, n->rows + 1);
        memcpy(p->list + at, p->list + n->of.list, n->rows * sizeof *p->list);
        free_block(p, n->of.list, n->rows);
        n->of.list = at;
    }
    p->list[n->of.list + n->rows++] = row;
}

/* ------------------------------------------------------------------------------------------------------------ nodes */

copse_status cp_dyntree_pool_reserve(cp_dyntree_pool *p, size_t nodes, size_t slots, copse_error *err) {
    size_t need = p->nodes + nodes;
    if (need > INT32_MAX)
        return cp_fail(err, COPSE_E_DATA,
                       "the particles have more than %d nodes; take fewer `particles`, or a larger `min-leaf`",
                       INT32_MAX);
    CP_TRY(CP_GROW(p->node, p->cap_node, need, err));
    if (need > p->cap_stat) CP_TRY(cp_mem_grow(&p->stat, &p->cap_stat, need, p->width * sizeof *p->stat, err));
    return CP_GROW(p->list, p->cap_list, p->used + slots, err);
}

int32_t cp_dyntree_pool_take(cp_dyntree_pool *p) {
    int32_t id = p->free;
    if (id == CP_NONE) {
        CP_BUG(p->nodes == p->cap_node || p->nodes == p->cap_stat);
        id = (int32_t)p->nodes++;
    } else {
        p->free = p->node[id].left;
    }
    p->live++;
    p->node[id] = (cp_dyntree_node){.left = CP_NONE, .right = CP_NONE, .dim = CP_NONE, .refs = 1};
    return id;
}

int32_t cp_dyntree_pool_take_leaf(cp_dyntree_pool *p, size_t rows) {
    int32_t id = cp_dyntree_pool_take(p);
    p->node[id].of.list = take_block(p, rows);
    p->node[id].leaves = 1;
    return id;
}

/* Without recursion, which deep trees would not allow: splits without holders are in a stack, linked by their memos. */
void cp_dyntree_pool_release(cp_dyntree_pool *p, int32_t node) {
    int32_t todo = CP_NONE, next[2] = {node, CP_NONE};
    for (;;) {
        for (int k = 0; k < 2; k++) {
            if (next[k] == CP_NONE || --p->node[next[k]].refs) continue;
            cp_dyntree_node *n = &p->node[next[k]];
            if (cp_dyntree_pool_is_leaf(n)) {
                free_block(p, n->of.list, n->rows);
                n->left = p->free;
                p->free = next[k];
                p->live--;
            } else {
                n->memo.next = todo;
                todo = next[k];
            }
        }
        if (todo == CP_NONE) return;
        cp_dyntree_node *n = &p->node[todo];
        int32_t freed = todo;
        next[0] = n->left;
        next[1] = n->right;
        todo = n->memo.next;
        n->left = p->free;
        p->free = freed;
        p->live--;
    }
}

/* A node is listed when the last of its holders has been: tmp counts those that have not. */
size_t cp_dyntree_pool_order(const cp_dyntree_pool *p, const int32_t *root, size_t roots, uint32_t *tmp, int32_t *out) {
    size_t n = 0;
    for (size_t i = 0; i < p->nodes; i++) tmp[i] = p->node[i].refs;
    for (size_t i = 0; i < roots; i++)
        if (!--tmp[root[i]]) out[n++] = root[i];
    for (size_t i = 0; i < n; i++) {
        const cp_dyntree_node *at = &p->node[out[i]];
        if (cp_dyntree_pool_is_leaf(at)) continue;
        if (!--tmp[at->left]) out[n++] = at->left;
        if (!--tmp[at->right]) out[n++] = at->right;
    }
    return n;
}
