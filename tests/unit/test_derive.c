#include "check.h"

#include <time.h>

#include "data/derive.h"

static cp_dict levels_of(const char *const *text, size_t n) {
    cp_dict d = {0};
    int32_t id;
    for (size_t i = 0; i < n; i++) assert_int_equal(cp_dict_add(&d, text[i], strlen(text[i]), &id, NULL), COPSE_OK);
    return d;
}

static cp_derive_form form_of(const char *const *text, size_t n, int *out_ambiguous) {
    cp_dict d = levels_of(text, n);
    cp_derive_form form = cp_derive_find(&d, out_ambiguous);
    cp_dict_clear(&d);
    return form;
}

#define FORM(...) \
    form_of((const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), &(int){0})

static double value(cp_derive_form form, cp_derive_part part, const char *text) {
    double x = NAN;
    assert_true(cp_derive_value(form, part, text, &x));
    return x;
}

static void finds_amounts(void **state) {
    (void)state;
    assert_int_equal(FORM("$1,207.95", "$3"), CP_DERIVE_POINT);
    assert_int_equal(FORM("12 %", "7%"), CP_DERIVE_POINT);
    assert_int_equal(FORM("1,207", "12,000,000", "5"), CP_DERIVE_POINT);
    assert_int_equal(FORM("(1,207.95)", "3.00"), CP_DERIVE_POINT);
    assert_int_equal(FORM("1.207,95", "3,5", "12"), CP_DERIVE_COMMA);
    assert_int_equal(FORM("0,512", "0,956"), CP_DERIVE_COMMA);
    assert_int_equal(FORM("EUR 12", "EUR 1'000.50"), CP_DERIVE_POINT);
    assert_int_equal(FORM("-$5.10", "$-6", "$ 7"), CP_DERIVE_POINT);
}

static void leaves_other_text_alone(void **state) {
    (void)state;
    assert_int_equal(FORM("12", "13.5"), CP_DERIVE_NO_FORM);  /* plain numbers need no form */
    assert_int_equal(FORM("$12", "12 %"), CP_DERIVE_NO_FORM); /* two units */
    assert_int_equal(FORM("$12", "13"), CP_DERIVE_NO_FORM);   /* some without a unit */
    assert_int_equal(FORM("$12", "free"), CP_DERIVE_NO_FORM);
    assert_int_equal(FORM("1,20", "1,207.95"), CP_DERIVE_NO_FORM); /* neither form fits both */
    assert_int_equal(FORM("12,34,567"), CP_DERIVE_NO_FORM);
    assert_int_equal(FORM("SKU 007", "SKU 012"), CP_DERIVE_NO_FORM); /* leading zeros: names */
    assert_int_equal(FORM("1 234 56", "1 234 567"), CP_DERIVE_NO_FORM);
    assert_int_equal(FORM("$1234567890123456"), CP_DERIVE_NO_FORM); /* beyond a double's digits */
    assert_int_equal(FORM("$", "$1"), CP_DERIVE_NO_FORM);
    assert_int_equal(FORM("2024-02-30"), CP_DERIVE_NO_FORM);
    assert_int_equal(FORM("2023-02-29"), CP_DERIVE_NO_FORM);
    assert_int_equal(FORM("2024-01-31", "soon"), CP_DERIVE_NO_FORM);
    assert_int_equal(FORM("192.168.0.1"), CP_DERIVE_NO_FORM);
    assert_int_equal(FORM("25:00"), CP_DERIVE_NO_FORM);
    assert_int_equal(FORM("12:61"), CP_DERIVE_NO_FORM);
    assert_int_equal(FORM("13:00 PM"), CP_DERIVE_NO_FORM);
    assert_int_equal(FORM("2024-01-31junk"), CP_DERIVE_NO_FORM);
    assert_int_equal(FORM("Mayor 1 2024"), CP_DERIVE_NO_FORM);
}

static void reads_amounts(void **state) {
    (void)state;
    assert_true(value(CP_DERIVE_POINT, CP_DERIVE_AMOUNT, "$1,207.95") == 1207.95);
    assert_true(value(CP_DERIVE_POINT, CP_DERIVE_AMOUNT, "(1,207.95)") == -1207.95);
    assert_true(value(CP_DERIVE_POINT, CP_DERIVE_AMOUNT, "-12 %") == -12);
    assert_true(value(CP_DERIVE_POINT, CP_DERIVE_AMOUNT, "0.07") == .07);
    assert_true(value(CP_DERIVE_COMMA, CP_DERIVE_AMOUNT, "1.207,95") == 1207.95);
    assert_true(value(CP_DERIVE_COMMA, CP_DERIVE_AMOUNT, "12 345,6 \xe2\x82\xac") == 12345.6);
    assert_true(value(CP_DERIVE_POINT, CP_DERIVE_AMOUNT, "\xc2\xa3 3") == 3);
}

static void finds_times(void **state) {
    int ambiguous;
    (void)state;
    assert_int_equal(FORM("2024-01-31", "2023-12-01 12:30"), CP_DERIVE_YEAR_FIRST);
    assert_int_equal(FORM("2024/1/5", "2024-01-05T23:59:59.5Z"), CP_DERIVE_YEAR_FIRST);
    assert_int_equal(FORM("2024-01-05T23:59:59+02:00"), CP_DERIVE_YEAR_FIRST);
    assert_int_equal(FORM("01/31/2024", "02/01/2024"), CP_DERIVE_MONTH_FIRST);
    assert_int_equal(FORM("31/01/2024", "02/01/2024"), CP_DERIVE_DAY_FIRST);
    assert_int_equal(FORM("31.1.2024 5:07"), CP_DERIVE_DAY_FIRST);
    assert_int_equal(FORM("31 Jan 2024", "1-Sept-2023"), CP_DERIVE_MONTH_NAMED);
    assert_int_equal(FORM("January 5, 2024", "Sep 6 2024"), CP_DERIVE_MONTH_NAMED);
    assert_int_equal(FORM("Wed, 31 Jan 2024 12:00:00 +0000"), CP_DERIVE_MONTH_NAMED);
    assert_int_equal(FORM("12:30", "1:05 PM"), CP_DERIVE_CLOCK);
    assert_int_equal(form_of((const char *const[]){"01/02/2024"}, 1, &ambiguous), CP_DERIVE_MONTH_FIRST);
    assert_true(ambiguous);
    assert_int_equal(form_of((const char *const[]){"01.02.2024"}, 1, &ambiguous), CP_DERIVE_DAY_FIRST);
    assert_true(ambiguous);
}

static void reads_times(void **state) {
    (void)state;
    assert_true(value(CP_DERIVE_YEAR_FIRST, CP_DERIVE_TIME, "1970-01-01") == 0);
    assert_true(value(CP_DERIVE_YEAR_FIRST, CP_DERIVE_TIME, "1970-01-02 12:00") == 1.5);
    assert_true(value(CP_DERIVE_YEAR_FIRST, CP_DERIVE_TIME, "1970-01-02T12:00:00+06:00") == 1.25);
    assert_true(value(CP_DERIVE_YEAR_FIRST, CP_DERIVE_HOUR, "1970-01-02T12:30:00+06:00") == 12.5);
    assert_true(value(CP_DERIVE_MONTH_NAMED, CP_DERIVE_HOUR, "Jan 31, 2024 12:15 AM") == .25);
    assert_true(value(CP_DERIVE_CLOCK, CP_DERIVE_HOUR, "1:30 pm") == 13.5);
    assert_true(value(CP_DERIVE_YEAR_FIRST, CP_DERIVE_YEARDAY, "2024-12-31") == 366);
    assert_true(value(CP_DERIVE_DAY_FIRST, CP_DERIVE_MONTH, "31.1.2024") == 1);
}

/* Every day of 500 years against the C library's calendar. */
static void knows_the_calendar(void **state) {
    (void)state;
    for (long day = -73000; day < 110000; day++) {
        time_t t = (time_t)day * 86400;
        struct tm tm;
        char text[32];
        gmtime_r(&t, &tm);
        snprintf(text, sizeof text, "%04d-%02d-%02d", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday);
        assert_true(value(CP_DERIVE_YEAR_FIRST, CP_DERIVE_TIME, text) == (double)day);
        assert_true(value(CP_DERIVE_YEAR_FIRST, CP_DERIVE_WEEKDAY, text) == (tm.tm_wday + 6) % 7 + 1);
        assert_true(value(CP_DERIVE_YEAR_FIRST, CP_DERIVE_YEARDAY, text) == tm.tm_yday + 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_amounts), cmocka_unit_test(leaves_other_text_alone),
        cmocka_unit_test(reads_amounts), cmocka_unit_test(finds_times),
        cmocka_unit_test(reads_times),   cmocka_unit_test(knows_the_calendar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
