/* partition - the plain version of the kernel, and the choice between it and AVX2. */
#include "kernel/partition.h"

#include "kernel/partition_avx2.h"

/* Each key is written to both sides, and only one side advances: there is no branch to predict. */
static void partition_plain(uint32_t *key, size_t n, const uint8_t *side, uint32_t *right) {
    for (size_t i = 0, left = 0; i < n; i++) {
        uint32_t k = key[i];
        key[left] = right[i - left] = k;
        left += side[k & 0xffff];
    }
}

cp_partition_fn cp_partition_find(cp_tier tier) {
    if (!cp_tier_runs(tier)) return NULL;
    return tier == CP_TIER_AVX2 ? cp_partition_avx2() : partition_plain;
}

cp_partition_fn cp_partition_best(void) {
    return cp_partition_find(cp_tier_best());
}
