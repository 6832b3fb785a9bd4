/* interleave - the plain version of the kernel, and the choice between it and AVX2. */
#include "kernel/interleave.h"

#include <math.h>

#include "kernel/interleave_avx2.h"

static int interleave_plain(const double *const col[4], const double shift[4], double limit, size_t n, float *out,
                            size_t stride) {
    int infinite = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < 4; k++) {
            double z = col[k][i] - shift[k];
            infinite |= isinf(col[k][i]);
            z = z > limit ? limit : z;
            z = z < -limit ? -limit : z;
            out[i * stride + k] = (float)z;
        }
    return !infinite;
}

cp_interleave_fn cp_interleave_find(cp_tier tier) {
    if (!cp_tier_runs(tier)) return NULL;
    return tier == CP_TIER_AVX2 ? cp_interleave_avx2() : interleave_plain;
}

cp_interleave_fn cp_interleave_best(void) {
    return cp_interleave_find(cp_tier_best());
}
