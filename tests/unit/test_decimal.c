#include "check.h"

#include <locale.h>

#include "data/decimal.h"
#include "num/rng.h"

static int same_bits(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

/* Reads a text as a parser would see it: followed by its end and readable bytes.  The quick reader may decline, or stop
 * before an exponent; otherwise it must agree. */
static const char *read_text(const char *text, double *out, size_t *out_n) {
    static char buf[4096];
    size_t n = strlen(text);
    assert_true(n + 16 < sizeof buf);
    memcpy(buf, text, n);
    memset(buf + n, 0, 16);
    const char *end = cp_decimal_read(buf, out);
    double quick;
    const char *quick_end = cp_decimal_quick(buf, &quick);
    if (quick_end && quick_end == end && !same_bits(quick, *out)) fail_msg("'%s': quickly %.17g", text, quick);
    if (quick_end && quick_end > end) fail_msg("'%s': quickly too far", text);
    *out_n = end ? (size_t)(end - buf) : 0;
    return end;
}

static void must_equal_strtod(const char *text) {
    double x = 7;
    char *end;
    size_t n;
    double want = strtod(text, &end);
    const char *stop = read_text(text, &x, &n);
    if (!stop || n != (size_t)(end - text) || !same_bits(x, want))
        fail_msg("'%s': read %.17g from %zu bytes, strtod %.17g from %td", text, x, n, want, end - text);
}

static void edge_cases_equal_strtod(void **state) {
    (void)state;
    const char *texts[] = {
        "0", "-0", "0.0", "-0.0e5", "1", "+3", "-.5", "5.", ".5e1", "1e5", "1E+5", "1e-5", "00012.500", "12345678",
        "123456789", "1234567890123456", "12345678901234567", "9007199254740992", "9007199254740993",
        "9007199254740994", "9007199254740995", "18446744073709551615", "18446744073709551616", "9999999999999999999",
        "99999999999999999999", "1e22", "1e23", "1e27", "1e28", "1e-22", "1e-23", "1e-27", "1e-28",
        "123456789012345678e27", "1234567890123456789e-27", "2.2250738585072011e-308", "2.2250738585072014e-308",
        "4.9406564584124654e-324", "2.4703282292062327e-324", "2.4703282292062328e-324", "1e-400",
        "1.7976931348623157e308", "1.7976931348623158e308", "1.7976931348623159e308", "1e309", "1e999999999",
        "1e-999999999", "0e999999999999999999", "1e99999999999999999999999", "inf", "-inf", "+Inf", "INFINITY",
        "-infinity", "infinit", "infx",
        /* exactly half way between 1 and the next double, and a little to each side */
        "1.00000000000000011102230246251565404236316680908203125",
        "1.00000000000000011102230246251565404236316680908203124",
        "1.00000000000000011102230246251565404236316680908203126",
        "1.000000000000000111022302462515654042363166809082031250000000000000000000000000000000000000000000000001",
        "0.00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001",
        "100000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) must_equal_strtod(texts[i]);
}

static void a_number_stops_where_its_grammar_does(void **state) {
    (void)state;
    const struct {
        const char *text;
        size_t n; /* 0: no number */
    } cases[] = {{"", 0},    {"-", 0},     {"+", 0},   {".", 0},  {"-.", 0},      {"e5", 0},  {".e5", 0},
                 {"in", 0},  {"nan", 0},   {"abc", 0}, {" 1", 0}, {"--1", 0},     {"+-1", 0}, {"1e", 1},
                 {"1e+", 1}, {"1.e", 2},   {"1,5", 1}, {"1 ", 1}, {"1.2.3", 3},   {"12x", 2}, {"0x10", 1},
                 {"1_0", 1}, {"1e5.5", 3}, {"1/2", 1}, {"1:", 1}, {"infinite", 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double x;
        size_t n;
        read_text(cases[i].text, &x, &n);
        if (n != cases[i].n) fail_msg("'%s': read %zu bytes", cases[i].text, n);
    }
}

static void long_digit_strings_equal_strtod(void **state) {
    (void)state;
    char text[2048];
    for (int n = 1; n < 1200; n += 7) {
        memset(text, '0', (size_t)n);
        text[0] = '1';
        strcpy(text + n, ".5");
        must_equal_strtod(text);
        text[1 + n / 2] = '.';
        strcpy(text + n, "1e-3");
        if (n > 2) must_equal_strtod(text);
    }
    /* Half way between 1 and the next double, decided by a digit far behind. */
    memset(text, '0', 1500);
    memcpy(text, "1.00000000000000011102230246251565404236316680908203125", 55);
    text[1500] = '\0';
    must_equal_strtod(text);
    text[1499] = '1';
    must_equal_strtod(text);
    /* 2^-1074 / 2 has 751 digits: the tie between 0 and the least double; one more digit decides. */
    snprintf(text, sizeof text, "%.1075f", ldexp(1, -1074));
    must_equal_strtod(text);
    strcpy(text + strlen(text) - 1, "51");
    must_equal_strtod(text);
}

/* Random sign, digits, point and exponent. */
static void random_text(cp_rng *r, char *text) {
    static const int most[] = {3, 6, 12, 17, 19, 24, 40};
    int n = 1 + (int)cp_rng_below(r, (uint64_t)most[cp_rng_below(r, 7)]);
    int point = (int)cp_rng_below(r, 2 * (uint64_t)n + 1);
    if (cp_rng_below(r, 2)) *text++ = '-';
    for (int i = 0; i < n; i++) {
        if (i == point) *text++ = '.';
        *text++ = (char)('0' + cp_rng_below(r, 10));
    }
    *text = '\0';
    switch (cp_rng_below(r, 4)) {
        case 0: sprintf(text, "e%d", (int)cp_rng_below(r, 60) - 30); break;
        case 1: sprintf(text, "E%+d", (int)cp_rng_below(r, 700) - 350); break;
        default: break;
    }
}

static void a_million_random_texts_equal_strtod(void **state) {
    (void)state;
    cp_rng r;
    char text[128];
    cp_rng_init(&r, seed_of("decimal"), CP_FOR_TEST, 0, 0);
    for (int i = 0; i < 1000000; i++) {
        random_text(&r, text);
        must_equal_strtod(text);
    }
}

static void random_doubles_are_read_back(void **state) {
    (void)state;
    cp_rng r;
    char text[64];
    cp_rng_init(&r, seed_of("doubles"), CP_FOR_TEST, 0, 0);
    for (int i = 0; i < 200000; i++) {
        uint64_t bits = cp_rng_u64(&r);
        double x;
        memcpy(&x, &bits, sizeof x);
        if (!isfinite(x)) continue;
        sprintf(text, "%.17g", x);
        must_equal_strtod(text);
        sprintf(text, "%.17g", (cp_rng_unit(&r) - .5) * 2000); /* of everyday size */
        must_equal_strtod(text);
    }
}

/* Values between two neighbouring doubles: the hardest to round. */
static void half_way_points_equal_strtod(void **state) {
    (void)state;
    cp_rng r;
    char text[96];
    cp_rng_init(&r, seed_of("half way"), CP_FOR_TEST, 0, 0);
    for (int i = 0; i < 50000; i++) {
        /* m + 1/2 with 53 bits in m: the digits are exact, and then made slightly larger or smaller */
        uint64_t m = ((uint64_t)1 << 52) + (cp_rng_u64(&r) >> 12);
        sprintf(text, "%llu.5", (unsigned long long)m);
        must_equal_strtod(text);
        sprintf(text, "%llu.5000000000000000000000001", (unsigned long long)m);
        must_equal_strtod(text);
        sprintf(text, "%llu.4999999999999999999999999", (unsigned long long)m);
        must_equal_strtod(text);
        sprintf(text, "%llu5e-1", (unsigned long long)m);
        must_equal_strtod(text);
    }
}

static void a_comma_locale_changes_nothing(void **state) {
    (void)state;
    double x = 0;
    size_t n;
    const char *text = "2.2250738585072011e-308";
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8")) skip();
    read_text(text, &x, &n);
    setlocale(LC_NUMERIC, "C");
    assert_true(same_bits(x, strtod(text, NULL)));
}

/* Every pair of lengths and every byte between and behind: taken exactly if both are short, with their values. */
static void test_pairs_of_small_integers(void **state) {
    static const char digits[] = "90817263";
    (void)state;
    for (unsigned n = 0; n <= 8; n++)
        for (unsigned m = 0; m <= 8; m++)
            for (int c = 0; c < 256; c++) {
                char buf[48] = "";
                double a = -1, b = -1;
                int length = sprintf(buf, "%.*s,%.*s", (int)n, digits, (int)m, digits);
                buf[n] = (char)(c >= '0' && c <= '9' ? ',' : c);
                buf[length] = (char)c;
                int fits = n >= 1 && n <= 4 && m >= 1 && m <= 4;
                assert_int_equal(cp_decimal_pair(buf, n, m, &a, &b), fits);
                if (!fits) continue;
                buf[n] = buf[length] = '\0';
                assert_true(a == strtod(buf, NULL));
                assert_true(b == strtod(buf + n + 1, NULL));
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs_of_small_integers),          cmocka_unit_test(edge_cases_equal_strtod),
        cmocka_unit_test(a_number_stops_where_its_grammar_does), cmocka_unit_test(long_digit_strings_equal_strtod),
        cmocka_unit_test(a_million_random_texts_equal_strtod),   cmocka_unit_test(random_doubles_are_read_back),
        cmocka_unit_test(half_way_points_equal_strtod),          cmocka_unit_test(a_comma_locale_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
