/* The plain scan against the definition, and every faster one against the plain, bit for bit. */
#include "check.h"

#include "kernel/gain_scan.h"
#include "num/rng.h"

enum { MOST = 260 };

typedef struct setting {
    int64_t slope[MOST + CP_GAIN_SCAN_PAD], curve[MOST + CP_GAIN_SCAN_PAD];
    cp_gain_scan scan;
} setting;

static int64_t whole(cp_rng *rng, int64_t below) {
    return (int64_t)cp_rng_below(rng, (uint64_t)below);
}

/* n bins, some of them empty; sometimes rows that are left of every cut. */
static void make(setting *s, size_t n, cp_rng *rng) {
    int64_t slope = 0, curve = 0, base_slope = whole(rng, 2) ? whole(rng, 1 << 20) : 0, base_curve = whole(rng, 1000);
    for (size_t b = 0; b < n; b++) {
        if (whole(rng, 3)) {
            slope += whole(rng, (int64_t)1 << 30) - (1 << 29);
            curve += 1 + whole(rng, 1 << 20);
        }
        s->slope[b] = slope;
        s->curve[b] = curve;
    }
    for (size_t b = n; b < n + CP_GAIN_SCAN_PAD; b++) s->slope[b] = s->curve[b] = -1;
    s->scan = (cp_gain_scan){.slope = s->slope,
                             .curve = s->curve,
                             .first = (size_t)whole(rng, 4),
                             .end = n,
                             .base_slope = (double)base_slope,
                             .base_curve = (double)base_curve,
                             .all_slope = (double)(slope + base_slope),
                             .all_curve = (double)(curve + base_curve + 7),
                             .l2 = whole(rng, 2) ? 0 : 3.5};
    while (s->scan.first < s->scan.end && s->curve[s->scan.first] + base_curve == 0) s->scan.first++;
}

static size_t by_definition(const cp_gain_scan *g, double *score) {
    size_t at = (size_t)-1;
    for (size_t b = g->first; b < g->end; b++) {
        double sl = g->base_slope + (double)g->slope[b], hl = g->base_curve + (double)g->curve[b] + g->l2;
        double sr = g->all_slope - sl, hr = g->all_curve - (g->base_curve + (double)g->curve[b]) + g->l2;
        double q = (sl * sl * hr + sr * sr * hl) / (hl * hr);
        assert_true(fabs(q - sl * sl / hl - sr * sr / hr) <= 1e-12 * q);
        if (!(q > *score)) continue;
        *score = q;
        at = b;
    }
    return at;
}

static void all_are_the_definition(void **state) {
    (void)state;
    setting s;
    cp_rng rng;
    size_t found = 0;
    cp_rng_init(&rng, seed_of("all_are_the_definition"), CP_FOR_TEST, 0, 0);
    for (size_t i = 0; i < 4000; i++) {
        make(&s, 1 + i % 255, &rng);
        double start = i % 5 ? 0 : 1e11, a = start;
        size_t at = by_definition(&s.scan, &a);
        found += at != (size_t)-1;
        for (cp_tier tier = CP_TIER_PLAIN; tier < CP_TIERS; tier++) {
            double b = start;
            if (!cp_gain_scan_find(tier)) continue;
            assert_int_equal(cp_gain_scan_find(tier)(&s.scan, &b), at);
            assert_memory_equal(&a, &b, sizeof a);
        }
    }
    assert_in_range(found, 2000, 3999); /* both outcomes were met */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_are_the_definition)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
