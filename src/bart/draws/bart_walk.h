/* bart_walk - what the draws say about rows: a block of rows goes through all draws in order, and down a shape when it
 * begins, not once for each draw.
 *
 * What must be kept at a time is the slot of each row in each tree: trees x CP_BART_WALK_BLOCK bytes, and the rows'
 * columns. */
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
    size_t *run;   /* that each tree is in */
} cp_bart_walk;

/* The draws are borrowed.  One walk for each thread. */
copse_status cp_bart_walk_init(cp_bart_walk *w, const cp_bart_draws *d, copse_error *err);
void cp_bart_walk_clear(cp_bart_walk *w);
/* n <= CP_BART_WALK_BLOCK rows, row-major; the next draw is the first one. */
void cp_bart_walk_rows(cp_bart_walk *w, const float *x, size_t n);
/* The next draw will be this one. */
void cp_bart_walk_seek(cp_bart_walk *w, size_t draw);
/* The sums of the trees of the next draw, one for each row, and on to the one after it.  What is beyond the rows is
 * of no use, but room for it is needed. */
void cp_bart_walk_next(cp_bart_walk *w, float out[CP_BART_WALK_BLOCK]);

#endif
