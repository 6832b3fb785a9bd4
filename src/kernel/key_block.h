/* key_block - rows as blocks of integer keys, for forests that are walked by key.
 *
 * The key of a float is the unsigned integer of cp_sort_from_float, which has the same order: a walk then compares integers, whatever
 * the sign.  A key block holds CP_KEY_BLOCK_ROWS rows, column by column, the keys of its rows side by side. */
#ifndef CP_KEY_BLOCK_H
#define CP_KEY_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/tier.h"

enum { CP_KEY_BLOCK_ROWS = 8, CP_KEY_BLOCK_DIMS = 64 };

typedef struct cp_key_block_kernel {
    /* The keys of n numbers, which may lie in the same memory; 0 if one of them is NaN. */
    int (*keys)(const float *x, size_t n, uint32_t *out);
    /* The same of n rows of d <= CP_KEY_BLOCK_DIMS columns, turned about for passes that take a key block of rows at
     * a time: key block by key block, column by column, the keys of its rows side by side.  The last key block may be
     * incomplete; its room is not.  Stops at a key block in which something is NaN, and returns 0. */
    int (*from_rows)(const float *x, size_t n, size_t d, uint32_t *out);
    /* One column of such key blocks, the next one's `stride` later, from n numbers: each less the shift, but no
     * farther than `limit` from 0.  Returns 0 if one of them is NaN or infinite. */
    int (*from_column)(const double *x, double shift, double limit, size_t n, uint32_t *out, size_t stride);
} cp_key_block_kernel;

const cp_key_block_kernel *cp_key_block_find(cp_tier tier);
const cp_key_block_kernel *cp_key_block_best(void);

#endif
