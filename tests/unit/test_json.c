#include "comma.h"

#include <float.h>

#include "base/json.h"
#include "num/rng.h"

typedef struct sink {
    char text[1 << 16];
    size_t n, calls, fail_at_call;
} sink;

static copse_status collect(void *arg, const char *bytes, size_t n) {
    sink *s = arg;
    if (++s->calls == s->fail_at_call) return COPSE_E_SYSTEM;
    assert_true(s->n + n < sizeof s->text);
    memcpy(s->text + s->n, bytes, n);
    s->n += n;
    s->text[s->n] = '\0';
    return COPSE_OK;
}

static void objects_and_arrays_nest_with_commas(void **state) {
    (void)state;
    sink out = {.n = 0};
    cp_json j;
    copse_error err;
    cp_json_begin(&j, collect, &out);
    cp_json_object(&j, NULL);
    cp_json_text(&j, "a", "x");
    cp_json_array(&j, "b");
    cp_json_integer(&j, NULL, INT64_MIN);
    cp_json_object(&j, NULL);
    cp_json_close_object(&j);
    cp_json_array(&j, NULL);
    cp_json_bool(&j, NULL, 0);
    cp_json_bool(&j, NULL, 2);
    cp_json_close_array(&j);
    cp_json_close_array(&j);
    cp_json_text(&j, "c", NULL);
    cp_json_close_object(&j);
    cp_json_newline(&j);
    cp_json_object(&j, NULL);
    cp_json_close_object(&j);
    must(cp_json_end(&j, &err), err);
    assert_string_equal(out.text, "{\"a\":\"x\",\"b\":[-9223372036854775808,{},[false,true]],\"c\":null}\n{}");
}

static void text_is_escaped_and_made_valid_utf8(void **state) {
    (void)state;
    static const struct {
        const char *in, *out;
    } cases[] = {
        {"", "\"\""},
        {"a\"b\\c/", "\"a\\\"b\\\\c/\""},
        {"\b\f\n\r\t\x01\x1f\x7f", "\"\\b\\f\\n\\r\\t\\u0001\\u001f\\u007f\""},
        {"gr\xc3\xbcn \xe2\x82\xac \xf0\x9f\x8c\xb2", "\"gr\xc3\xbcn \xe2\x82\xac \xf0\x9f\x8c\xb2\""},
        {"gr\xfcn", "\"gr\xef\xbf\xbdn\""},                                           /* latin 1 */
        {"\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\""},                                 /* overlong */
        {"\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},                 /* a surrogate */
        {"\xf4\x90\x80\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""}, /* beyond U+10FFFF */
        {"\xe2\x82", "\"\xef\xbf\xbd\xef\xbf\xbd\""},                                 /* cut short */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sink out = {.n = 0};
        cp_json j;
        copse_error err;
        cp_json_begin(&j, collect, &out);
        cp_json_text(&j, NULL, cases[i].in);
        must(cp_json_end(&j, &err), err);
        assert_string_equal(out.text, cases[i].out);
    }
}

static void check_number(double value, const char *text) {
    char buf[CP_JSON_NUMBER];
    cp_json_format(value, buf);
    assert_string_equal(buf, text);
}

static void numbers_are_short_and_read_back(void **state) {
    (void)state;
    check_number(0, "0");
    check_number(1, "1");
    check_number(0.1, "0.1");
    check_number(-2.5, "-2.5");
    check_number(1e300, "1e+300");
    check_number(0.1 + 0.2, "0.30000000000000004");
    check_number(DBL_MAX, "1.7976931348623157e+308");
    check_number(INFINITY, "inf");
    check_number(-INFINITY, "-inf");
    cp_rng rng;
    cp_rng_init(&rng, seed_of("numbers_are_short_and_read_back"), CP_FOR_TEST, 0, 0);
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = cp_rng_u64(&rng);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) continue;
        char buf[CP_JSON_NUMBER];
        cp_json_format(value, buf);
        assert_true(strtod(buf, NULL) == value);
    }
}

static void what_json_has_no_word_for_is_null_or_text(void **state) {
    (void)state;
    sink out = {.n = 0};
    cp_json j;
    copse_error err;
    cp_json_begin(&j, collect, &out);
    cp_json_array(&j, NULL);
    cp_json_number(&j, NULL, 0.1);
    cp_json_number(&j, NULL, -INFINITY);
    cp_json_number(&j, NULL, NAN);
    cp_json_number(&j, NULL, INFINITY);
    cp_json_close_array(&j);
    must(cp_json_end(&j, &err), err);
    assert_string_equal(out.text, "[0.1,\"-inf\",null,\"inf\"]");
}

static void numbers_keep_their_point_in_any_locale(void **state) {
    (void)state;
    commas_for_points();
    check_number(0.5, "0.5");
    check_number(1.25e-30, "1.25e-30");
    points_again();
}

static void long_texts_pass_the_buffer_and_failures_stick(void **state) {
    (void)state;
    char *text = calloc(1, 10001);
    memset(text, 'x', 10000);
    for (size_t fail_at = 0; fail_at < 4; fail_at++) {
        sink out = {.fail_at_call = fail_at};
        cp_json j;
        copse_error err;
        cp_json_begin(&j, collect, &out);
        cp_json_text(&j, NULL, text);
        if (fail_at) {
            assert_int_equal(cp_json_end(&j, &err), COPSE_E_SYSTEM);
            assert_int_equal(out.calls, fail_at);
        } else {
            must(cp_json_end(&j, &err), err);
            assert_int_equal(out.n, 10002);
            assert_memory_equal(out.text + 1, text, 10000);
        }
    }
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_and_arrays_nest_with_commas),
        cmocka_unit_test(text_is_escaped_and_made_valid_utf8),
        cmocka_unit_test(numbers_are_short_and_read_back),
        cmocka_unit_test(what_json_has_no_word_for_is_null_or_text),
        cmocka_unit_test(numbers_keep_their_point_in_any_locale),
        cmocka_unit_test(long_texts_pass_the_buffer_and_failures_stick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
