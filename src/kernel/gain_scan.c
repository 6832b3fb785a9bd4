/* gain_scan - the plain version of the kernel, and the choice between it and AVX2. */
#include "kernel/gain_scan.h"

#include "kernel/gain_scan_avx2.h"

static size_t best_plain(const cp_gain_scan *g, double *score) {
    size_t at = (size_t)-1;
    for (size_t b = g->first; b < g->end; b++) {
        double q = cp_gain_scan_score(g, (double)g->slope[b], (double)g->curve[b]);
        if (!(q > *score)) continue;
        *score = q;
        at = b;
    }
    return at;
}

cp_gain_scan_fn cp_gain_scan_find(cp_tier tier) {
    if (!cp_tier_runs(tier)) return NULL;
    return tier == CP_TIER_AVX2 ? cp_gain_scan_avx2() : best_plain;
}

cp_gain_scan_fn cp_gain_scan_best(void) {
    return cp_gain_scan_find(cp_tier_best());
}
