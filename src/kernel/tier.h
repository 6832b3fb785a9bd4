/* tier - the instruction sets that kernels are compiled for, and which of them this processor runs.
 *
 * A kernel K has a plain C version in K.c, which defines its result, and an AVX2 version in K_avx2.c, which gives the
 * same bits faster.  cp_K_find(tier) is one version, for tests; it is NULL if this processor cannot run it.
 * cp_K_best() is the fastest that this processor runs. */
#ifndef CP_TIER_H
#define CP_TIER_H

typedef enum cp_tier { CP_TIER_PLAIN, CP_TIER_AVX2, CP_TIERS } cp_tier;

#if defined(__x86_64__) && defined(__GNUC__)
#define CP_TIER_HAS_AVX2 1
/* Before a function: compile it for AVX2.  Every processor with AVX2 has popcnt. */
#define CP_TIER_FOR_AVX2 __attribute__((target("avx2,popcnt")))
#else
#define CP_TIER_HAS_AVX2 0
#endif

/* 1 if this processor runs the tier, else 0. */
int cp_tier_runs(cp_tier tier);
/* The fastest tier that this processor runs. */
cp_tier cp_tier_best(void);

#endif
