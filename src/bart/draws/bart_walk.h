/* bart_walk - the sums of trees of all draws, for a block of rows.  The block goes through the draws in order; it goes
 * down a shape once, when its run begins, not once for each draw.
 *
 * A row by itself takes a way of its own, with the same result: one slot a tree.
 *
 * Memory: the slot of each row in each tree, trees x CP_BART_WALK_BLOCK bytes, and the rows by column. */
#ifndef CP_BART_WALK_H
#define CP_BART_WALK_H

#include "bart/draws/bart_draws.h"

enum { CP_BART_WALK_BLOCK = 64 }; /* rows */

typedef struct cp_bart_walk {
    const cp_bart_draws *d;
    size_t rows;   /* in the block, rounded up to whole vectors */
    size_t draw;   /* the next one */
    float *x;      /* dims x CP_BART_WALK_BLOCK, column after column; 0 where there is no row */
    uint8_t *slot; /* trees x CP_BART_WALK_BLOCK */
    size_t *run;   /* of each tree, the current run */
    /* A single row goes down without vectors: slot has one entry a tree, and this the number of its leaves. */
    int single;
    uint16_t *leaves;
} cp_bart_walk;

/* Borrows the draws.  One walk for each thread. */
copse_status cp_bart_walk_init(cp_bart_walk *w, const cp_bart_draws *d, copse_error *err);
void cp_bart_walk_clear(cp_bart_walk *w);
/* Takes n <= CP_BART_WALK_BLOCK rows, row-major; the next draw is draw 0. */
void cp_bart_walk_rows(cp_bart_walk *w, const float *x, size_t n);
/* Makes this draw the next one. */
void cp_bart_walk_seek(cp_bart_walk *w, size_t draw);
/* out[i]: the sum of the trees of the next draw at row i; then advances to the draw after it.  Entries beyond the rows
 * are written, too, and have no meaning. */
void cp_bart_walk_next(cp_bart_walk *w, float out[CP_BART_WALK_BLOCK]);

#endif
