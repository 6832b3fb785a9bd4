/* kern - the inner loops, in plain C and in AVX2, picked when the program starts to use them.
 *
 * A box is 2*d floats: d lower bounds, then d upper bounds.  All sums run in four lanes, lane i taking elements i,
 * i+4, i+8 ..., added up as (0+2)+(1+3): the plain version fixes that order, the AVX2 version keeps it, so both give
 * the same bits.  No fused multiply-add anywhere, for the same reason. */
#ifndef CP_KERN_H
#define CP_KERN_H

#include <stddef.h>

typedef struct cp_kern {
    const char *name;
    /* sum over d of the part of x that lies outside the box: sum max(x-u,0) + max(l-x,0). */
    double (*outside)(const float *box, const float *x, size_t d);
    /* the same against the box around two points. */
    double (*outside_pair)(const float *a, const float *b, const float *x, size_t d);
    /* sum of side lengths. */
    double (*extent)(const float *box, size_t d);
    /* grows the box to hold x. */
    void (*include)(float *box, const float *x, size_t d);
} cp_kern;

/* The fastest that this processor runs. */
const cp_kern *cp_kern_best(void);
/* By name (plain, avx2), NULL if unknown or not runnable here: for tests. */
const cp_kern *cp_kern_find(const char *name);

/* The box that holds nothing: +inf, -inf. */
void cp_kern_empty(float *box, size_t d);

#endif
