#include "check.h"

#include "data/text.h"

static copse_error err;

static int is_text(const char *bytes, size_t n) {
    return cp_text_check("t", bytes, n, 1, &err) == COPSE_OK;
}

/* The bytes of a code point as the standard's table has them, with no regard to whether it is allowed. */
static size_t encode(unsigned c, size_t n, char *out) {
    static const unsigned lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    if (n == 1) {
        out[0] = (char)c;
        return 1;
    }
    for (size_t i = n; --i; c >>= 6) out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)(lead[n] | c);
    return n;
}

static void every_code_point_in_every_length_is_judged(void **state) {
    (void)state;
    char bytes[8];
    for (size_t n = 1; n <= 4; n++) {
        static const unsigned first[] = {0, 1, 0x80, 0x800, 0x10000}, end[] = {0, 0x80, 0x800, 0x10000, 0x200000};
        for (unsigned c = 0; c < end[n]; c++) {
            int allowed = c >= first[n] && c <= 0x10ffff && !(c >= 0xd800 && c <= 0xdfff);
            encode(c, n, bytes);
            if (is_text(bytes, n) != allowed) fail_msg("U+%04X in %zu bytes", c, n);
        }
    }
}

static void stray_and_missing_continuations_are_refused(void **state) {
    (void)state;
    const char *const bad[] = {"\x80",      "\xbf",      "\xc3",         "\xc3(",         "\xe2\x82",
                               "\xe2(\xac", "\xe2\x82(", "\xf0\x9f\x98", "\xf0\x9f\x98(", "\xf8\x88\x80\x80\x80",
                               "\xfe",      "\xff"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(is_text(bad[i], strlen(bad[i])));
    assert_false(is_text("\xe2\x82\xac", 2)); /* the third byte is there but not in the text */
}

/* Blocks are looked at as a whole: a bad byte must be found wherever it stands, and its line be right. */
static void a_bad_byte_is_found_anywhere(void **state) {
    (void)state;
    char bytes[300];
    for (size_t at = 0; at < 200; at++)
        for (int kind = 0; kind < 2; kind++) {
            memset(bytes, 'a', sizeof bytes);
            for (size_t i = 9; i < 200; i += 10) bytes[i] = '\n';
            memcpy(bytes + 120, "\xe2\x82\xac", 3); /* across no block, then across one */
            memcpy(bytes + 62, "\xc3\xa4\xc3\xa4", 4);
            assert_true(is_text(bytes, 200));
            bytes[at] = kind ? '\xff' : '\0';
            assert_false(is_text(bytes, 200));
            if (at < 62 || at > 122) assert_int_equal(err.row, 1 + (long)(at / 10));
            assert_non_null(strstr(err.msg, kind ? "UTF-8" : at < 62 || at > 122 ? "NUL" : "t:"));
        }
}

static void words_for_missing_are_known_in_any_case(void **state) {
    (void)state;
    cp_text_missing m;
    const char *const yes[] = {"", "NA", "na", "Na", "NaN", "nan", "-nan", "+NaN", "null", "NULL", "?", "n/a"};
    const char *const no[] = {"N", "nana", "n a", "nul", "nulls", "0", "-", "-na", "--nan", "N/A", "??"};
    must(cp_text_missing_init(&m, "?,n/a,,", &err), err);
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) assert_true(cp_text_missing_is(&m, yes[i], strlen(yes[i])));
    for (size_t i = 0; i < sizeof no / sizeof *no; i++) assert_false(cp_text_missing_is(&m, no[i], strlen(no[i])));
    cp_text_missing_clear(&m);
    must(cp_text_missing_init(&m, NULL, &err), err);
    assert_false(cp_text_missing_is(&m, "?", 1));
    cp_text_missing_clear(&m);
}

static void long_texts_are_cut_between_characters(void **state) {
    (void)state;
    char buf[CP_TEXT_SHOWN], text[64];
    assert_string_equal(cp_text_show("a\tb\n\x7f", 5, buf), "a?b??");
    memset(text, 'x', sizeof text);
    memcpy(text + 39, "\xe2\x82\xac", 3);
    assert_string_equal(cp_text_show(text, 60, buf), "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...");
    assert_int_equal(strlen(cp_text_show(text, 39, buf)), 39);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_point_in_every_length_is_judged),
        cmocka_unit_test(stray_and_missing_continuations_are_refused),
        cmocka_unit_test(a_bad_byte_is_found_anywhere),
        cmocka_unit_test(words_for_missing_are_known_in_any_case),
        cmocka_unit_test(long_texts_are_cut_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
