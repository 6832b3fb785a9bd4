/* cut_scan - the plain version of the kernel, and the choice between it and AVX2. */
#include "kernel/cut_scan.h"

#include "kernel/cut_scan_avx2.h"

static size_t best_plain(const cp_cut_scan_list *l, double *quality, double *out_left) {
    size_t at = (size_t)-1;
    int64_t w = l->base.w, s = l->base.s;
    for (size_t i = 0; i < l->end; i++) {
        const cp_sum *a = &l->sum[l->key[i] & 0xffff];
        w += a->w;
        s += a->s;
        if (i < l->first || (l->key[i] ^ l->key[i + 1]) < 0x10000) continue;
        double wl = (double)(w & l->mask), q = cp_cut_scan_quality(wl, (double)s, l->weight, l->mean);
        if (!(q > *quality) || wl < l->least || l->weight - wl < l->least) continue;
        *quality = q;
        *out_left = wl;
        at = i;
    }
    return at;
}

cp_cut_scan_fn cp_cut_scan_find(cp_tier tier) {
    if (!cp_tier_runs(tier)) return NULL;
    return tier == CP_TIER_AVX2 ? cp_cut_scan_avx2() : best_plain;
}

cp_cut_scan_fn cp_cut_scan_best(void) {
    return cp_cut_scan_find(cp_tier_best());
}
