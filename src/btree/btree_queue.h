/* btree_queue - queues of blocks that share what they have in common.
 *
 * A queue is a value of two numbers: copy it, push and pop the copy, and the original is as it was.  Cells are never
 * changed once made, so particles with a common past hold common cells.
 *
 * First in, first out: a list `front` to pop from, and a list `back` to push to, newest first, turned over when front
 * runs out.  Least key first: `front` is a leftist heap; of equal keys the one pushed first comes first where they
 * meet, so the order depends on what was pushed and on nothing else.
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
    int32_t next;  /* of the list; the left heap */
    int32_t right; /* the right heap, which has the shorter way to an end */
    uint32_t rank; /* of a heap: length of that way */
} cp_btree_cell;

/* All cells of an island's queues. */
typedef struct cp_btree_cells {
    int by_key;
    cp_btree_cell *cell;
    size_t n, cap;
} cp_btree_cells;

static inline cp_btree_queue cp_btree_queue_empty(void) {
    return (cp_btree_queue){CP_NONE, CP_NONE};
}

/* On failure the queue is as it was.  first in, first out: the key is ignored. */
copse_status cp_btree_queue_push(cp_btree_cells *c, cp_btree_queue *q, int32_t block, double key, copse_error *err);
/* CP_NONE when empty. */
copse_status cp_btree_queue_pop(cp_btree_cells *c, cp_btree_queue *q, int32_t *out_block, copse_error *err);
void cp_btree_queue_clear(cp_btree_cells *c);

/* Forgets cells that no queue needs.  to[i] != CP_NONE marks those that queues begin with; afterwards it is the new
 * number of cell i, and blocks are still the old ones. */
void cp_btree_queue_mark(int32_t *to, cp_btree_queue q);
void cp_btree_queue_compact(cp_btree_cells *c, int32_t *to);
void cp_btree_queue_move(const int32_t *to, cp_btree_queue *q);

#endif
