/* btree_queue - persistent queues of blocks.
 *
 * A queue is a value of two numbers.  It can be copied; to push to or pop from the copy does not change the original.
 * Cells never change once made, so particles with a common past share cells.
 *
 * First in, first out: `front` is a list to pop from, `back` a list to push to, newest first, which is reversed when
 * front runs out.  Least key first: `front` is a leftist heap.  When cells with equal keys meet, the one pushed first
 * stays ahead, so the order depends only on what was pushed.
 *
 *   Q1  a cell points to cells of lower number only.
 *   Q2  front is CP_NONE only in an empty queue. */
#ifndef CP_BTREE_QUEUE_H
#define CP_BTREE_QUEUE_H

#include "base/fail.h"

typedef struct cp_btree_queue {
    int32_t front, back;
} cp_btree_queue;

typedef struct cp_btree_cell {
    double key;
    int32_t block;
    int32_t next;  /* in a list: the next cell; in a heap: the left child */
    int32_t right; /* in a heap: the right child, whose path to an empty place is the shorter */
    uint32_t rank; /* in a heap: the length of that path */
} cp_btree_cell;

/* All cells of an island's queues. */
typedef struct cp_btree_cells {
    int by_key; /* least key first; else first in, first out */
    cp_btree_cell *cell;
    size_t n, cap;
} cp_btree_cells;

static inline cp_btree_queue cp_btree_queue_empty(void) {
    return (cp_btree_queue){CP_NONE, CP_NONE};
}

/* On failure the queue is unchanged.  The key is ignored unless the cells are by_key. */
copse_status cp_btree_queue_push(cp_btree_cells *c, cp_btree_queue *q, int32_t block, double key, copse_error *err);
/* *out_block is CP_NONE if the queue is empty. */
copse_status cp_btree_queue_pop(cp_btree_cells *c, cp_btree_queue *q, int32_t *out_block, copse_error *err);
void cp_btree_queue_clear(cp_btree_cells *c);

/* Compacting drops cells that no queue needs.  First, every queue marks its first cells in `to`, which is CP_NONE
 * elsewhere.  compact sets to[i] to the new number of cell i.  Then every queue is moved.  The blocks in the cells keep
 * their old numbers. */
void cp_btree_queue_mark(int32_t *to, cp_btree_queue q);
void cp_btree_queue_compact(cp_btree_cells *c, int32_t *to);
void cp_btree_queue_move(const int32_t *to, cp_btree_queue *q);

#endif
