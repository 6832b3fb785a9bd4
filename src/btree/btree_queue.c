#include "btree/btree_queue.h"

#include "base/mem.h"

/* Merging walks down two right spines.  None is longer than log2 of the cells below it. */
enum { SPINES = 2 * 32 };

static int32_t new_cell(cp_btree_cells *c, cp_btree_cell cell) {
    c->cell[c->n] = cell;
    return (int32_t)c->n++;
}

static copse_status reserve(cp_btree_cells *c, size_t more, copse_error *err) {
    if (c->n + more > INT32_MAX) return cp_fail_memory(err);
    return CP_GROW(c->cell, c->cap, c->n + more, err);
}

static uint32_t rank_of(const cp_btree_cells *c, int32_t heap) {
    return heap == CP_NONE ? 0 : c->cell[heap].rank;
}

/* Of equal keys, that of a stays on top.  There is room for the new cells. */
static int32_t merge(cp_btree_cells *c, int32_t a, int32_t b) {
    if (a == CP_NONE) return b;
    if (b == CP_NONE) return a;
    int swap = c->cell[b].key < c->cell[a].key;
    cp_btree_cell top = c->cell[swap ? b : a];
    int32_t right = swap ? merge(c, a, top.right) : merge(c, top.right, b);
    int32_t left = top.next;
    int swap_children = rank_of(c, left) < rank_of(c, right);
    top.next = swap_children ? right : left;
    top.right = swap_children ? left : right;
    top.rank = rank_of(c, top.right) + 1;
    return new_cell(c, top);
}

copse_status cp_btree_queue_push(cp_btree_cells *c, cp_btree_queue *q, int32_t block, double key, copse_error *err) {
    CP_TRY(reserve(c, 1 + SPINES, err));
    cp_btree_cell cell = {.key = key, .block = block, .next = CP_NONE, .right = CP_NONE, .rank = 1};
    if (c->by_key) {
        q->front = merge(c, q->front, new_cell(c, cell));
    } else if (q->front == CP_NONE) {
        q->front = new_cell(c, cell);
    } else {
        cell.next = q->back;
        q->back = new_cell(c, cell);
    }
    return COPSE_OK;
}

static copse_status reverse_back(cp_btree_cells *c, cp_btree_queue *q, copse_error *err) {
    size_t n = 0;
    for (int32_t i = q->back; i != CP_NONE; i = c->cell[i].next) n++;
    CP_TRY(reserve(c, n, err));
    for (; q->back != CP_NONE; q->back = c->cell[q->back].next) {
        cp_btree_cell cell = c->cell[q->back];
        cell.next = q->front;
        q->front = new_cell(c, cell);
    }
    return COPSE_OK;
}

/* The back is reversed as soon as the front is empty, not at the next pop.  So copies of the queue made in between
 * share the reversed list, and none reverses it again. */
copse_status cp_btree_queue_pop(cp_btree_cells *c, cp_btree_queue *q, int32_t *out_block, copse_error *err) {
    *out_block = CP_NONE;
    if (q->front == CP_NONE) return COPSE_OK;
    cp_btree_queue rest = *q;
    cp_btree_cell top = c->cell[q->front];
    if (c->by_key) {
        CP_TRY(reserve(c, SPINES, err));
        rest.front = merge(c, top.next, top.right);
    } else {
        rest.front = top.next;
        if (rest.front == CP_NONE) CP_TRY(reverse_back(c, &rest, err));
    }
    *q = rest;
    *out_block = top.block;
    return COPSE_OK;
}

void cp_btree_queue_clear(cp_btree_cells *c) {
    cp_mem_free(c->cell);
    *c = (cp_btree_cells){0};
}

/* ------------------------------------------------------------------------------------------------------- compacting */

static void mark(int32_t *to, int32_t cell) {
    if (cell != CP_NONE) to[cell] = 0;
}

void cp_btree_queue_mark(int32_t *to, cp_btree_queue q) {
    mark(to, q.front);
    mark(to, q.back);
}

static int32_t moved(const int32_t *to, int32_t cell) {
    return cell == CP_NONE ? CP_NONE : to[cell];
}

void cp_btree_queue_move(const int32_t *to, cp_btree_queue *q) {
    q->front = moved(to, q->front);
    q->back = moved(to, q->back);
}

/* By Q1 one downward pass marks all needed cells, and one upward pass moves them. */
void cp_btree_queue_compact(cp_btree_cells *c, int32_t *to) {
    for (size_t i = c->n; i-- > 0;) {
        if (to[i] == CP_NONE) continue;
        mark(to, c->cell[i].next);
        mark(to, c->cell[i].right);
    }
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (to[i] == CP_NONE) continue;
        cp_btree_cell cell = c->cell[i];
        cell.next = moved(to, cell.next);
        cell.right = moved(to, cell.right);
        to[i] = (int32_t)n;
        c->cell[n++] = cell;
    }
    c->n = n;
}
