#include "comma.h"

#include "data/decimal.h"
#include "num/rng.h"

static int same_bits(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

/* A field may be declined; otherwise it is a number from end to end, whatever follows it. */
static void check_field(char *buf, size_t n, const char *end, double x) {
    for (size_t i = 0; i < 10 && n; i++) {
        const cp_text_scan *kern = cp_text_scan_find((cp_tier)(i % CP_TIERS));
        double field;
        memset(buf + n, ",5.-e"[i / 2], 16);
        if (!kern || !cp_decimal_field(kern, buf, n, &field)) continue;
        if (end != buf + n) fail_msg("'%.*s': a field, but no number", (int)n, buf);
        if (!same_bits(field, x)) fail_msg("'%.*s': as a field %.17g", (int)n, buf, field);
    }
}

/* Reads a text as a parser would see it: followed by its end and readable bytes. */
static const char *read_text(const char *text, double *out, size_t *out_n) {
    static char buf[4096];
    size_t n = strlen(text);
    assert_true(n + 16 < sizeof buf);
    memcpy(buf, text, n);
    memset(buf + n, 0, 16);
    const char *end = cp_decimal_read(buf, out);
    check_field(buf, n, end, end ? *out : 0);
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
    commas_for_points();
    read_text(text, &x, &n);
    points_again();
    assert_true(same_bits(x, strtod(text, NULL)));
}

/* Everything printf writes in up to 24 bytes of digits is taken at once: declining would be slow, and nothing else
 * would tell. */
static void common_forms_are_taken_as_fields(void **state) {
    (void)state;
    const char *forms[] = {"%.0f", "%.1f", "%.2f", "%.6f", "%.12f", "%g", "%.3e", "%.8E", "%.15g", "%.16e", "%.17g"};
    cp_rng r;
    cp_rng_init(&r, seed_of("fields"), CP_FOR_TEST, 0, 0);
    for (int i = 0; i < 20000; i++)
        for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
            char text[64] = "";
            double x = (cp_rng_unit(&r) - .5) * pow(10, (double)cp_rng_below(&r, 6)), read;
            size_t n = (size_t)snprintf(text, 48, forms[f], x);
            assert_true(cp_decimal_field(cp_text_scan_best(), text, n, &read));
            assert_true(same_bits(read, strtod(text, NULL)));
        }
}

/* One byte after another replaced by every other byte: what is not a number is not taken for one. */
static void no_strange_byte_is_taken_for_a_digit(void **state) {
    (void)state;
    const char *texts[] = {"7",
                           "-1.5",
                           "12345678",
                           "-1234.67",
                           "123456.789",
                           "-1.234e-05",
                           "1234567890123456",
                           "-0.12345678901234567",
                           "1.2345678901234567e-05",
                           "123456789012345678901234"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t k = 0; k < strlen(texts[i]); k++)
            for (int c = 1; c < 256; c++) {
                char text[64];
                double x;
                size_t n;
                strcpy(text, texts[i]);
                text[k] = (char)c;
                read_text(text, &x, &n);
            }
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
        cmocka_unit_test(common_forms_are_taken_as_fields),      cmocka_unit_test(no_strange_byte_is_taken_for_a_digit),
        cmocka_unit_test(test_pairs_of_small_integers),          cmocka_unit_test(edge_cases_equal_strtod),
        cmocka_unit_test(a_number_stops_where_its_grammar_does), cmocka_unit_test(long_digit_strings_equal_strtod),
        cmocka_unit_test(a_million_random_texts_equal_strtod),   cmocka_unit_test(random_doubles_are_read_back),
        cmocka_unit_test(half_way_points_equal_strtod),          cmocka_unit_test(a_comma_locale_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
