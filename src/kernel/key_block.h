/* key_block - rows as blocks of integer keys, so that walks down trees compare integers.
 *
 * The key of a float is cp_sort_from_float: an unsigned integer, in the order of the floats.  A key block holds
 * CP_KEY_BLOCK_ROWS rows, column after column; the keys of its rows in one column lie side by side. */
#ifndef CP_KEY_BLOCK_H
#define CP_KEY_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/tier.h"

enum { CP_KEY_BLOCK_ROWS = 8, CP_KEY_BLOCK_DIMS = 64 };

typedef struct cp_key_block_kernel {
    /* The keys of n numbers; x and out may be the same memory.  Returns 0 if a number is NaN. */
    int (*keys)(const float *x, size_t n, uint32_t *out);
    /* The key blocks of n rows, a row-major matrix of d <= CP_KEY_BLOCK_DIMS columns, one after the other.  The last
     * block may hold fewer rows, but takes the same space.  Stops at a block that has a NaN, and returns 0. */
    int (*from_rows)(const float *x, size_t n, size_t d, uint32_t *out);
    /* One column of all key blocks, from n numbers; `stride` keys lie between blocks.  The shift is subtracted from
     * each number, and the difference is clamped to +-limit.  Returns 0 if a number is NaN or infinite. */
    int (*from_column)(const double *x, double shift, double limit, size_t n, uint32_t *out, size_t stride);
} cp_key_block_kernel;

const cp_key_block_kernel *cp_key_block_find(cp_tier tier);
const cp_key_block_kernel *cp_key_block_best(void);

#endif
