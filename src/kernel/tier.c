/* tier - asks the processor which instruction sets it has. */
#include "kernel/tier.h"

#if CP_TIER_HAS_AVX2
#ifndef CP_TIER_NO_CPU_SUPPORTS
static int has_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt");
}
#else
#include <cpuid.h>

static int known; /* written once, before the program begins */

/* A compiler whose runtime does not know the processor: it is asked itself, whether it has AVX2 and popcnt and whether
 * the system saves the wide registers.  Once, because a virtual machine takes its time to answer. */
__attribute__((constructor)) static void ask(void) {
    enum { POPCNT = 1 << 23, OSXSAVE = 1 << 27, AVX = 1 << 28, AVX2 = 1 << 5, SSE_AND_AVX_STATE = 6 };
    const unsigned need = POPCNT | OSXSAVE | AVX;
    unsigned a, b, c, d, saved, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & need) != need) return;
    __asm__("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
    if ((saved & SSE_AND_AVX_STATE) != SSE_AND_AVX_STATE) return;
    known = __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & AVX2);
}

static int has_avx2(void) {
    return known;
}
#endif
#endif

int cp_tier_runs(cp_tier tier) {
#if CP_TIER_HAS_AVX2
    if (tier == CP_TIER_AVX2) return has_avx2();
#endif
    return tier == CP_TIER_PLAIN;
}

cp_tier cp_tier_best(void) {
    return cp_tier_runs(CP_TIER_AVX2) ? CP_TIER_AVX2 : CP_TIER_PLAIN;
}
