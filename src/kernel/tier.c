/* tier - asks the processor which instruction sets it has. */
#include "kernel/tier.h"

int cp_tier_runs(cp_tier tier) {
#if CP_TIER_HAS_AVX2
    if (tier == CP_TIER_AVX2) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt");
#endif
    return tier == CP_TIER_PLAIN;
}

cp_tier cp_tier_best(void) {
    return cp_tier_runs(CP_TIER_AVX2) ? CP_TIER_AVX2 : CP_TIER_PLAIN;
}
