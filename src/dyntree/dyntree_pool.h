/* dyntree_pool - nodes of trees that share what they have in common, and the lists of rows in their leaves.
 *
 * A tree is the number of its root.  A node is kept once, however many trees hold it, and counts its holders: to copy a
 * tree is to count one more.  Who wants to change a node that others hold too makes a copy for himself.
 *
 * Lists of rows lie in one array, in blocks of 4, 8, 16 ... numbers; a block that is given back waits for the next list
 * of its size.  Room is reserved first, and what is reserved can be taken without failing: so that a change of many
 * trees happens as a whole or not at all. */
#ifndef CP_DYNTREE_POOL_H
#define CP_DYNTREE_POOL_H

#include "base/fail.h"

typedef struct cp_dyntree_node {
    int32_t left, right; /* CP_NONE at a leaf; a free node's left is the next free one */
    int32_t dim;         /* split: x[dim] <= cut goes left */
    float cut;
    uint32_t refs;          /* splits and particles that hold it; 0: the node is free */
    uint32_t rows;          /* in it */
    uint32_t leaves, depth; /* leaves below it, itself if it is one; splits above it */
    uint32_t height;        /* splits on the longest way down from it */
    uint32_t seen;          /* for sweeps over many trees: the number of the last sweep that came by */
    union {
        size_t list;   /* leaf: where its list of rows begins */
        size_t summed; /* split: its rows when statistic and log_tree were last computed, 0: never */
    } of;
    double log_tree; /* log of (prior x marginal likelihood) of the tree that it is the root of */
    /* What the sweep in `seen` has noted of the node. */
    union {
        double log; /* leaf: log p(y) of the row */
        struct {
            int32_t leaf, above;
        } to;         /* split: the leaf where the row ends, and its parent */
        int32_t next; /* leaf: the first of its particles; of nodes that are let go: the next one */
    } memo;
} cp_dyntree_node;

enum { CP_DYNTREE_POOL_BLOCKS = 32 };

typedef struct cp_dyntree_pool {
    cp_dyntree_node *node;
    double *stat; /* width for each node: the leaf model's statistic of the rows in it */
    size_t width;
    size_t nodes, live, cap_node, cap_stat;   /* made so far, free ones among them; not free */
    int32_t free;                             /* the first free node, CP_NONE: there is none */
    uint32_t *list;                           /* all lists of rows, and free blocks */
    size_t used, cap_list;                    /* used: up to here are blocks, free or not */
    size_t free_list[CP_DYNTREE_POOL_BLOCKS]; /* 1 + where a free block begins; 0: none */
    uint32_t sweep;                           /* the number of the last one */
} cp_dyntree_pool;

void cp_dyntree_pool_init(cp_dyntree_pool *p, size_t width);
void cp_dyntree_pool_clear(cp_dyntree_pool *p);

/* Room for so many more nodes, and for lists of so many numbers: sums of cp_dyntree_pool_slots. */
copse_status cp_dyntree_pool_reserve(cp_dyntree_pool *p, size_t nodes, size_t slots, copse_error *err);
/* What the list of a leaf takes. */
size_t cp_dyntree_pool_slots(size_t rows);

/* From what is reserved: a node with one holder, all else 0 but its statistic, which is anything; a leaf, with room for
 * its list; one row more in a list. */
int32_t cp_dyntree_pool_take(cp_dyntree_pool *p);
int32_t cp_dyntree_pool_take_leaf(cp_dyntree_pool *p, size_t rows);
void cp_dyntree_pool_append(cp_dyntree_pool *p, int32_t leaf, uint32_t row);

/* One holder less; without any, the node is freed and lets go of its children. */
void cp_dyntree_pool_release(cp_dyntree_pool *p, int32_t node);

/* All nodes that the roots lead to, each once and before its children; returns how many.  tmp has room for p->nodes. */
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
