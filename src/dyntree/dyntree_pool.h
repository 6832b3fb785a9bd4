/* dyntree_pool - nodes of trees that share subtrees, with reference counts, and the lists of rows of their leaves.
 *
 * A tree is the id of its root.  A node is stored once, however many trees hold it, and counts its holders: copying a
 * tree raises one count.  A tree that has to change a node with other holders changes a copy of it.
 *
 * Lists of rows are in one array, in blocks of 4, 8, 16 ... numbers; a freed block is used for the next list of its
 * size.  Memory is reserved first, and taking what is reserved cannot fail: a change of many trees happens as a whole
 * or not at all. */
#ifndef CP_DYNTREE_POOL_H
#define CP_DYNTREE_POOL_H

#include "base/fail.h"

typedef struct cp_dyntree_node {
    int32_t left, right; /* CP_NONE at a leaf; a free node's left is the next free one */
    int32_t dim;         /* split: x[dim] <= cut goes left */
    float cut;
    uint32_t refs;          /* splits and particles that hold it; 0: the node is free */
    uint32_t rows;          /* rows under it */
    uint32_t leaves, depth; /* leaves under it, 1 for a leaf; splits above it */
    uint32_t height;        /* splits on the longest path down from it */
    uint32_t seen;          /* the number of the last sweep over many trees that visited it */
    union {
        size_t list;   /* leaf: start of its list of rows */
        size_t summed; /* split: its rows when statistic and log_tree were last computed, 0: never */
    } of;
    double log_tree; /* log of (prior x marginal likelihood) of the subtree */
    /* Written and read by the sweep in `seen`. */
    union {
        double log; /* leaf: log p(y) of the row */
        struct {
            int32_t leaf, above;
        } to;         /* split: the leaf that the row falls into, and its parent */
        int32_t next; /* leaf: the first particle of its list; a node that is being freed: the next of them */
    } memo;
} cp_dyntree_node;

enum { CP_DYNTREE_POOL_BLOCKS = 32 };

typedef struct cp_dyntree_pool {
    cp_dyntree_node *node;
    double *stat; /* width for each node: the leaf model's statistic of the rows in it */
    size_t width;
    size_t nodes, live, cap_node, cap_stat;   /* nodes: with free ones; live: without */
    int32_t free;                             /* the first free node, or CP_NONE */
    uint32_t *list;                           /* all lists of rows, and free blocks */
    size_t used, cap_list;                    /* used: end of the last block, free or not */
    size_t free_list[CP_DYNTREE_POOL_BLOCKS]; /* for each size: 1 + the start of a free block; 0: none */
    uint32_t sweep;                           /* the number of the last sweep */
} cp_dyntree_pool;

void cp_dyntree_pool_init(cp_dyntree_pool *p, size_t width);
void cp_dyntree_pool_clear(cp_dyntree_pool *p);

/* Reserves so many more nodes, and so many numbers of lists: a sum of cp_dyntree_pool_slots. */
copse_status cp_dyntree_pool_reserve(cp_dyntree_pool *p, size_t nodes, size_t slots, copse_error *err);
/* Numbers that the list of a leaf takes. */
size_t cp_dyntree_pool_slots(size_t rows);

/* Takes a node from what is reserved: one holder, no children, all else 0 but the statistic, which is undefined. */
int32_t cp_dyntree_pool_take(cp_dyntree_pool *p);
/* Takes a leaf with a list of so many rows, to be filled. */
int32_t cp_dyntree_pool_take_leaf(cp_dyntree_pool *p, size_t rows);
/* Appends a row to a leaf's list. */
void cp_dyntree_pool_append(cp_dyntree_pool *p, int32_t leaf, uint32_t row);

/* Drops one holder.  Without holders the node is freed, and drops its children. */
void cp_dyntree_pool_release(cp_dyntree_pool *p, int32_t node);

/* All nodes under the roots, each once and before its children; returns how many.  tmp has room for p->nodes. */
size_t cp_dyntree_pool_order(const cp_dyntree_pool *p, const int32_t *root, size_t roots, uint32_t *tmp, int32_t *out);

static inline int cp_dyntree_pool_is_leaf(const cp_dyntree_node *n) {
    return n->left == CP_NONE;
}

static inline uint32_t *cp_dyntree_pool_list(const cp_dyntree_pool *p, int32_t leaf) {
    return p->list + p->node[leaf].of.list;
}

static inline double *cp_dyntree_pool_stat(const cp_dyntree_pool *p, int32_t node) {
    return p->stat + (size_t)node * p->width;
}

/* The leaf that x falls into. */
static inline int32_t cp_dyntree_pool_find(const cp_dyntree_pool *p, int32_t root, const float *x) {
    const cp_dyntree_node *n = &p->node[root];
    while (!cp_dyntree_pool_is_leaf(n)) {
        root = x[n->dim] <= n->cut ? n->left : n->right;
        n = &p->node[root];
    }
    return root;
}

#endif
