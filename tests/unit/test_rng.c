#include "check.h"

#include "num/rng.h"

/* The published known answers of Philox 4x32-10, reached through our own words: the seed is the key; counter words 1 to
 * 3 are purpose, slot and step; word 0 counts blocks, so the stream is taken to where the published counter stands. */
static void blocks_equal_the_published_answers(void **state) {
    (void)state;
    static const struct {
        uint32_t counter[4], key[2], out[4];
    } known[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const uint32_t *c = known[i].counter, *k = known[i].key;
        cp_rng r;
        cp_rng_init(&r, k[0] | (uint64_t)k[1] << 32, (cp_purpose)(c[1] >> 24), c[1] & 0xffffff,
                    c[2] | (uint64_t)c[3] << 32);
        r.counter[0] = c[0];
        for (int w = 0; w < 4; w++) assert_int_equal(cp_rng_u32(&r), known[i].out[w]);
    }
}

static void blocks_follow_one_another(void **state) {
    (void)state;
    cp_rng all, second;
    cp_rng_init(&all, 9, CP_FOR_TEST, 1, 2);
    cp_rng_init(&second, 9, CP_FOR_TEST, 1, 2);
    second.counter[0] = 1;
    for (int i = 0; i < 4; i++) cp_rng_u32(&all);
    for (int i = 0; i < 4; i++) assert_int_equal(cp_rng_u32(&all), cp_rng_u32(&second));
}

/* Every stream of a batch goes on for several blocks as the same stream made alone; also a batch of few, and one whose
 * steps pass 2^32. */
static void a_sheaf_holds_the_streams_of_its_steps(void **state) {
    (void)state;
    static const uint64_t step[] = {0, 17, UINT32_MAX - 20, UINT32_MAX - 5, 1ull << 32, UINT64_MAX - 40};
    static const size_t sizes[] = {1, 3, 7, CP_RNG_BATCH};
    for (size_t k = 0; k < sizeof step / sizeof *step; k++)
        for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++) {
            cp_rng_batch batch;
            cp_rng_batch_init(&batch, 0x123456789abcdefull, CP_FOR_TEST, 0xffffff, step[k], sizes[n]);
            for (size_t i = 0; i < sizes[n]; i++) {
                cp_rng a = cp_rng_batch_get(&batch, i), b;
                cp_rng_init(&b, 0x123456789abcdefull, CP_FOR_TEST, 0xffffff, step[k] + i);
                for (int w = 0; w < 11; w++) assert_int_equal(cp_rng_u32(&a), cp_rng_u32(&b));
                for (int w = 0; w < 5; w++) assert_true(cp_rng_u64(&a) == cp_rng_u64(&b));
            }
        }
}

/* Two words make one of 64 bits, the first of them the low half, also across the end of a block. */
static void long_words_are_made_of_short_ones(void **state) {
    (void)state;
    cp_rng a, b;
    for (int skip = 0; skip < 4; skip++) {
        cp_rng_init(&a, 3, CP_FOR_TEST, 0, 0);
        cp_rng_init(&b, 3, CP_FOR_TEST, 0, 0);
        for (int i = 0; i < skip; i++) assert_int_equal(cp_rng_u32(&a), cp_rng_u32(&b));
        for (int i = 0; i < 9; i++) {
            uint64_t low = cp_rng_u32(&b), high = cp_rng_u32(&b);
            assert_true(cp_rng_u64(&a) == (low | high << 32));
        }
    }
}

/* Streams whose names differ in one part share no word among their first thousand: two random sets of a thousand 32-bit
 * words would share one with probability 2e-4, 64-bit words never in practice. */
static void streams_with_different_names_differ(void **state) {
    (void)state;
    enum { STREAMS = 6, WORDS = 1000 };
    static uint64_t word[STREAMS][WORDS];
    cp_rng r[STREAMS];
    cp_rng_init(&r[0], 1, CP_FOR_TEST, 0, 0);
    cp_rng_init(&r[1], 2, CP_FOR_TEST, 0, 0);
    cp_rng_init(&r[2], 1, CP_FOR_GROW, 0, 0);
    cp_rng_init(&r[3], 1, CP_FOR_TEST, 1, 0);
    cp_rng_init(&r[4], 1, CP_FOR_TEST, 0, 1);
    cp_rng_init(&r[5], 1, CP_FOR_TEST, 0, 1ull << 32);
    for (int s = 0; s < STREAMS; s++)
        for (int i = 0; i < WORDS; i++) word[s][i] = cp_rng_u64(&r[s]);
    for (int s = 0; s < STREAMS; s++)
        for (int t = 0; t < s; t++)
            for (int i = 0; i < WORDS; i++)
                for (int j = 0; j < WORDS; j++) assert_true(word[s][i] != word[t][j]);
}

/* Neighbouring slots are uncorrelated: the mean of products of centred uniforms is within five standard errors of 0. */
static void neighbouring_streams_are_uncorrelated(void **state) {
    (void)state;
    enum { N = 200000 };
    cp_rng a, b;
    cp_rng_init(&a, seed_of(__func__), CP_FOR_TEST, 7, 0);
    cp_rng_init(&b, seed_of(__func__), CP_FOR_TEST, 8, 0);
    double sum = 0;
    for (int i = 0; i < N; i++) sum += (cp_rng_unit(&a) - 0.5) * (cp_rng_unit(&b) - 0.5);
    assert_true(fabs(sum / N) < 5 * (1.0 / 12) / sqrt(N));
}

static void units_are_uniform_and_never_at_the_ends(void **state) {
    (void)state;
    enum { N = 100000, CELLS = 1000 };
    static int count[CELLS];
    cp_rng r;
    cp_rng_init(&r, seed_of(__func__), CP_FOR_TEST, 0, 0);
    for (int i = 0; i < N; i++) {
        double u = cp_rng_unit(&r);
        assert_true(u > 0 && u < 1);
        count[(int)(u * CELLS)]++;
    }
    /* DKW at the cells' ends, alpha 1e-6. */
    double seen = 0, worst = 0;
    for (int c = 0; c < CELLS; c++) {
        seen += count[c];
        worst = fmax(worst, fabs(seen / N - (c + 1.0) / CELLS));
    }
    assert_true(worst < sqrt(log(2 / 1e-6) / (2.0 * N)));
}

/* 3 * 2^62 is where taking remainders of 64-bit words is worst: the lowest third would be twice as likely. */
static void below_is_unbiased_where_remainders_are_not(void **state) {
    (void)state;
    enum { N = 90000 };
    uint64_t n = 3ull << 62;
    cp_rng r;
    cp_rng_init(&r, seed_of(__func__), CP_FOR_TEST, 0, 0);
    int low = 0;
    for (int i = 0; i < N; i++) {
        uint64_t v = cp_rng_below(&r, n);
        assert_true(v < n);
        low += v < 1ull << 62;
    }
    assert_true(fabs(low - N / 3.0) < 5 * sqrt(N * 2.0 / 9));
    for (int i = 0; i < 100; i++) assert_int_equal(cp_rng_below(&r, 1), 0);
}

static void below_hits_every_value(void **state) {
    (void)state;
    enum { N = 70000 };
    cp_rng r;
    cp_rng_init(&r, seed_of(__func__), CP_FOR_TEST, 0, 0);
    int count[7] = {0};
    for (int i = 0; i < N; i++) count[cp_rng_below(&r, 7)]++;
    for (int k = 0; k < 7; k++) assert_true(abs(count[k] - N / 7) < 5 * sqrt(N * 6.0 / 49));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_equal_the_published_answers),
        cmocka_unit_test(blocks_follow_one_another),
        cmocka_unit_test(a_sheaf_holds_the_streams_of_its_steps),
        cmocka_unit_test(long_words_are_made_of_short_ones),
        cmocka_unit_test(streams_with_different_names_differ),
        cmocka_unit_test(neighbouring_streams_are_uncorrelated),
        cmocka_unit_test(units_are_uniform_and_never_at_the_ends),
        cmocka_unit_test(below_is_unbiased_where_remainders_are_not),
        cmocka_unit_test(below_hits_every_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
