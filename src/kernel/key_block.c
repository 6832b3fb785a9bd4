/* key_block - the plain version of the kernels that make keys, and the choice between it and AVX2. */
#include "kernel/key_block.h"

#include <math.h>
#include <string.h>

#include "kernel/key_block_avx2.h"
#include "kernel/sort.h"

static int keys_plain(const float *x, size_t n, uint32_t *out) {
    int has_nan = 0;
    for (size_t i = 0; i < n; i++) {
        float v = x[i];
        has_nan |= v != v;
        uint32_t key = cp_sort_from_float(v);
        memcpy(&out[i], &key, sizeof key); /* out[i] may be x[i] */
    }
    return !has_nan;
}

static int from_rows_plain(const float *x, size_t n, size_t d, uint32_t *out) {
    int has_nan = 0;
    for (size_t i = 0; i < n && !has_nan; i++, x += d)
        for (size_t k = 0; k < d; k++) {
            has_nan |= x[k] != x[k];
            out[(i - i % CP_KEY_BLOCK_ROWS) * d + k * CP_KEY_BLOCK_ROWS + i % CP_KEY_BLOCK_ROWS] =
                cp_sort_from_float(x[k]);
        }
    return !has_nan;
}

static int from_column_plain(const double *x, double shift, double limit, size_t n, uint32_t *out, size_t stride) {
    int fine = 1;
    for (size_t i = 0; i < n; i++) {
        double z = x[i] - shift;
        fine &= isfinite(x[i]) != 0;
        z = z > limit ? limit : z;
        z = z < -limit ? -limit : z;
        out[i / CP_KEY_BLOCK_ROWS * stride + i % CP_KEY_BLOCK_ROWS] = cp_sort_from_float((float)z);
    }
    return fine;
}

static const cp_key_block_kernel plain = {
    .keys = keys_plain,
    .from_rows = from_rows_plain,
    .from_column = from_column_plain,
};

const cp_key_block_kernel *cp_key_block_find(cp_tier tier) {
    if (!cp_tier_runs(tier)) return NULL;
    return tier == CP_TIER_AVX2 ? cp_key_block_avx2() : &plain;
}

const cp_key_block_kernel *cp_key_block_best(void) {
    return cp_key_block_find(cp_tier_best());
}
