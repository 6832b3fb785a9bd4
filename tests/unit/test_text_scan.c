#include "check.h"

#include "kernel/text_scan.h"
#include "num/rng.h"

static void field_ends_and_non_digits_are_found(void **state) {
    (void)state;
    cp_rng rng;
    cp_rng_init(&rng, seed_of("delimiters"), CP_FOR_TEST, 0, 0);
    for (cp_tier t = 0; t < CP_TIERS; t++) {
        const cp_text_scan *k = cp_text_scan_find(t);
        for (int round = 0; k && round < 5000; round++) {
            char *text = malloc(64), delimiter = (char)cp_rng_below(&rng, 256);
            uint64_t found = 0, strange = 0, other;
            for (unsigned i = 0; i < 64; i++) {
                uint64_t kind = cp_rng_below(&rng, 4);
                text[i] = (char)(kind == 0   ? (uint64_t)(unsigned char)delimiter
                                 : kind == 1 ? cp_rng_below(&rng, round % 2 ? 256 : 16)
                                             : '0' - 1 + cp_rng_below(&rng, 12));
                found |= (uint64_t)(text[i] == delimiter || strchr("\n\r", text[i])) << i; /* and its end, 0 */
                strange |= (uint64_t)(text[i] != delimiter && !strchr("0123456789", text[i])) << i;
                strange |= (uint64_t)(text[i] != delimiter && text[i] == 0) << i; /* strchr finds its end, too */
            }
            assert_true(k->ends(text, delimiter, &other) == found);
            assert_true(other == strange);
            free(text);
        }
    }
}

/* One digit after another. */
static int digits_one_by_one(const char *text, size_t n, uint64_t *w) {
    size_t digits = 0, point = n;
    *w = 0;
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '.' && point == n) {
            point = i;
        } else {
            if (text[i] < '0' || text[i] > '9') return -1;
            *w = *w * 10 + (uint64_t)(text[i] - '0');
            digits++;
        }
    }
    return digits ? (int)(n - point) : -1;
}

/* Any length, any place of the point, now and then a byte that does not belong there; and any bytes behind. */
static void digits_are_added_up(void **state) {
    (void)state;
    cp_rng rng;
    cp_rng_init(&rng, seed_of("digits"), CP_FOR_TEST, 0, 0);
    for (cp_tier t = 0; t < CP_TIERS; t++) {
        const cp_text_scan *k = cp_text_scan_find(t);
        for (int round = 0; k && round < 100000; round++) {
            char *text = malloc(16);
            size_t n = cp_rng_below(&rng, 17);
            uint64_t want, got;
            for (unsigned i = 0; i < 16; i++) text[i] = (char)('0' + cp_rng_below(&rng, 10));
            if (round % 3) text[cp_rng_below(&rng, 16)] = '.';
            if (round % 7 == 0) text[cp_rng_below(&rng, 16)] = "./"[round % 2];
            if (round % 5 == 0) text[cp_rng_below(&rng, 16)] = (char)cp_rng_below(&rng, 256);
            int point = digits_one_by_one(text, n, &want);
            assert_int_equal(k->digits(text, n, &got), point);
            if (point >= 0) assert_true(got == want);
            free(text);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(field_ends_and_non_digits_are_found),
        cmocka_unit_test(digits_are_added_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
