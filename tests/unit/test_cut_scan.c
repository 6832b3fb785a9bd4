/* The plain loop against the definition, and every faster one against the plain, bit for bit. */
#include "check.h"

#include "kernel/cut_scan.h"
#include "num/rng.h"

enum { MOST = 300, SHIFT = 40 };

typedef struct setting {
    uint32_t key[MOST + 1 + CP_CUT_SCAN_PAD];
    cp_sum sum[MOST];
    cp_cut_scan_list list;
} setting;

static int64_t whole(cp_rng *rng, int64_t below) {
    return (int64_t)cp_rng_below(rng, (uint64_t)below);
}

/* n rows with many or few ties, some already on the left, bounds on rows and weight. */
static void make(setting *s, size_t n, cp_rng *rng) {
    uint32_t ties = (uint32_t)whole(rng, 3), rank = 0;
    cp_sum all = {0, 0};
    for (size_t i = 0; i < n; i++) {
        s->sum[i] = (cp_sum){(int64_t)1 << SHIFT | (1 + whole(rng, 1 << 20)), whole(rng, 1 << 30) - (1 << 29)};
        all.w += s->sum[i].w;
        all.s += s->sum[i].s;
        if (ties == 0 || whole(rng, 1 << ties) == 0) rank++;
        s->key[i] = rank << 16 | (uint32_t)i;
    }
    for (size_t i = n; i > 1; i--) { /* positions in any order */
        size_t j = (size_t)whole(rng, (int64_t)i);
        uint32_t a = s->key[i - 1] & 0xffff, b = s->key[j] & 0xffff;
        s->key[i - 1] = (s->key[i - 1] & ~0xffffu) | b;
        s->key[j] = (s->key[j] & ~0xffffu) | a;
    }
    size_t min = 1 + (size_t)whole(rng, 4);
    s->list = (cp_cut_scan_list){.key = s->key,
                                 .sum = s->sum,
                                 .first = min - 1,
                                 .end = n > min ? n - min : 0,
                                 .mask = ((int64_t)1 << SHIFT) - 1,
                                 .weight = (double)(all.w & (((int64_t)1 << SHIFT) - 1)),
                                 .least = (double)whole(rng, 1 << 22)};
    s->list.mean = (double)all.s / s->list.weight;
}

/* Each cut by itself, from sums over all rows on its left. */
static size_t by_definition(const cp_cut_scan_list *l, double *quality) {
    size_t at = (size_t)-1;
    for (size_t i = l->first; i < l->end; i++) {
        int64_t w = 0, s = 0;
        for (size_t j = 0; j <= i; j++) {
            w += l->sum[l->key[j] & 0xffff].w & l->mask;
            s += l->sum[l->key[j] & 0xffff].s;
        }
        double d = (double)s - (double)w * l->mean, q = d * d / ((double)w * (l->weight - (double)w));
        if (l->key[i] >> 16 == l->key[i + 1] >> 16 || (double)w < l->least || l->weight - (double)w < l->least)
            continue;
        if (!(q > *quality)) continue;
        *quality = q;
        at = i;
    }
    return at;
}

static void plain_is_the_definition(void **state) {
    (void)state;
    setting s;
    cp_rng rng;
    size_t found = 0;
    cp_rng_init(&rng, seed_of("plain_is_the_definition"), CP_FOR_TEST, 0, 0);
    for (size_t i = 0; i < 2000; i++) {
        make(&s, 1 + i % 40, &rng);
        double a = -1, b = -1, left = 0;
        size_t at = by_definition(&s.list, &a);
        assert_int_equal(cp_cut_scan_find(CP_TIER_PLAIN)(&s.list, &b, &left), at);
        assert_memory_equal(&a, &b, sizeof a);
        found += at != (size_t)-1;
    }
    assert_in_range(found, 1000, 1999); /* both outcomes were met */
}

static void tiers_agree(void **state) {
    (void)state;
    setting s;
    cp_rng rng;
    if (!cp_cut_scan_find(CP_TIER_AVX2)) skip();
    cp_rng_init(&rng, seed_of("tiers_agree"), CP_FOR_TEST, 0, 0);
    for (size_t i = 0; i < 20000; i++) {
        make(&s, 1 + i % MOST, &rng);
        if (i % 7 == 0) /* equal qualities: the first must win in every tier */
            for (size_t j = 0; j < 1 + i % MOST; j++) s.sum[j].s = 0;
        if (i % 7 == 0) s.list.mean = 0;
        double a = i % 5 ? -1 : 1e9, b = a, left_a = 0, left_b = 0;
        size_t at = cp_cut_scan_find(CP_TIER_PLAIN)(&s.list, &a, &left_a);
        assert_int_equal(cp_cut_scan_find(CP_TIER_AVX2)(&s.list, &b, &left_b), at);
        assert_memory_equal(&a, &b, sizeof a);
        assert_memory_equal(&left_a, &left_b, sizeof left_a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_is_the_definition),
        cmocka_unit_test(tiers_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
