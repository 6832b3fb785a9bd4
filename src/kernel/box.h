/* box - distances to axis-aligned boxes, and boxes around rows: the inner loops of Mondrian trees.
 *
 * A box is 2*d floats: d lower bounds, then d upper bounds.  Sums run in four double lanes: lane i adds elements i,
 * i+4, i+8 ..., and the lanes are added as (0+2)+(1+3).  The plain version defines that order and the AVX2 version
 * keeps it, so both give the same bits.  Neither uses fused multiply-add, for the same reason. */
#ifndef CP_BOX_H
#define CP_BOX_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/tier.h"

typedef struct cp_box_kernel {
    /* How far x lies outside the box: sum over dimensions of max(x-u,0) + max(l-x,0). */
    double (*outside)(const float *box, const float *x, size_t d);
    /* The same for the box around rows row[0] ... row[n-1] (n >= 1) of the row-major matrix m. */
    double (*outside_rows)(const float *m, const int32_t *row, size_t n, const float *x, size_t d);
    /* Lays the terms that `outside` sums end to end and finds the dimension whose term contains the position *left.
     * Afterwards *left is the position within that term.  Returns d if the position is behind the last term. */
    size_t (*gap_at)(const float *box, const float *x, size_t d, double *left);
    /* Sum of the side lengths. */
    double (*extent)(const float *box, size_t d);
    /* Grows the box to hold x. */
    void (*include)(float *box, const float *x, size_t d);
    /* The box around rows row[0] ... row[n-1] (n >= 1) of the row-major matrix x. */
    void (*hull)(const float *x, size_t d, const int32_t *row, size_t n, float *out_box);
} cp_box_kernel;

const cp_box_kernel *cp_box_find(cp_tier tier);
const cp_box_kernel *cp_box_best(void);

#endif
