/* tiny - data sets so small that all their trees can be listed: what tests of samplers of trees share. */
#ifndef TINY_H
#define TINY_H

#include "check.h"
#include "ref/ref_btree.h"

typedef struct tiny {
    const char *name;
    size_t n, dims, classes;
    float x[2 * REF_BTREE_ROWS];
    int32_t label[REF_BTREE_ROWS];
    double y[REF_BTREE_ROWS];
} tiny;

/* The first TINY_SMALL have so few trees that even the ways of two particles can be listed. */
enum { TINY_SMALL = 5 };
static const tiny tinies[] = {
    {"one row", 1, 1, 2, {0.5f}, {1}, {0.3}},
    {"two rows", 2, 1, 2, {0, 1}, {0, 1}, {-0.4, 1.1}},
    {"all rows alike", 4, 2, 2, {1, 2, 1, 2, 1, 2, 1, 2}, {0, 0, 1, 0}, {0.2, -1.2, 1.4, -0.1}},
    {"three rows, two alike", 3, 1, 3, {2, 2, 5}, {0, 2, 1}, {-0.5, 0.1, 1.3}},
    {"three rows, two columns", 3, 2, 2, {0, 3, 1, 0, 3, 1}, {0, 1, 1}, {-0.9, 0.2, 0.8}},
    {"four rows", 4, 1, 2, {0, 1, 3, 3.5f}, {0, 0, 1, 1}, {-1, -0.7, 0.6, 1.2}},
    {"four rows, ties", 4, 2, 3, {0, 1, 0, 2, 1, 2, 4, 1}, {0, 1, 1, 2}, {0.2, -1.2, 1.4, -0.1}},
    {"five rows, a constant column", 5, 2, 2, {0, 7, 1, 7, 2, 7, 4, 7, 8, 7}, {1, 0, 0, 1, 1}, {-2, 0.5, 0.6, 0.4, 1}},
    {"five rows, far from 0",
     5,
     1,
     2,
     {1e6f, 1e6f + 1, 1e6f + 1, 1e6f + 4, 1e6f + 5},
     {0, 1, 0, 1, 1},
     {1, -1, 0, 0, 2}},
    {"six rows", 6, 1, 3, {-3, -1, 0, 2, 2, 6}, {0, 0, 1, 1, 2, 2}, {-1.2, -0.8, 0.9, 1.1, 0.7, -0.6}},
    {"five rows, two columns", 5, 2, 2, {0, 4, 1, 1, 1, 3, 3, 0, 4, 4}, {0, 1, 0, 1, 0}, {-1.5, 0.3, -1, 1.2, 1}},
};

/* The problem as the reference wants it. */
static inline ref_btree tiny_reference(const tiny *t, int numbers) {
    return (ref_btree){.n = t->n,
                       .dims = t->dims,
                       .x = t->x,
                       .alpha_split = 0.8,
                       .beta_split = 0.5,
                       .classes = numbers ? 0 : t->classes,
                       .label = t->label,
                       .alpha = 1.5,
                       .y = t->y,
                       .kappa = 0.8,
                       .nu = 5,
                       .lambda = 0.9};
}

/* Places to predict at: in gaps, on values, outside. */
enum { TINY_PLACES = 4 };
static inline void tiny_place(const tiny *t, size_t place, float *out) {
    for (size_t d = 0; d < t->dims; d++) {
        float first = t->x[d], last = t->x[(t->n - 1) * t->dims + d];
        const float at[TINY_PLACES] = {first, 0.7f * first + 0.3f * last, last + 1, 0.2f * first + 0.8f * last};
        out[d] = at[(place + d) % TINY_PLACES];
    }
}

#endif
