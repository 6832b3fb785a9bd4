#include "reading.h"

#include "arrow_make.h"
#include "same_table.h"

/* A table from an Arrow stream is compared with the table that the CSV reader makes of the same values. */

static copse_error err;

static copse_status read_arrow(arrow_source *src, copse_table **out) {
    arrow_made = arrow_released = 0;
    struct ArrowArrayStream stream = arrow_open(src);
    copse_status status = copse_table_from_arrow(&stream, out, &err);
    assert_null(stream.release);
    assert_int_equal(arrow_made, arrow_released);
    return status;
}

/* The cells as CSV; times are divided as the unit says. */
static copse_table *read_csv(const arrow_source *src, double times, double divided) {
    static char csv[1 << 14];
    int text = src->format[strlen(src->format) - 1] == 'u' && *src->format != 't' ? 1 : *src->format == 'U';
    size_t n = (size_t)sprintf(csv, "c,n\n");
    for (size_t i = 0; i < src->n; i++) {
        const char *cell = src->cell[i];
        if (!cell)
            n += (size_t)sprintf(csv + n, ",1\n");
        else if (text)
            n += (size_t)sprintf(csv + n, "\"%s\",1\n", cell);
        else if (times == 1 && divided == 1)
            n += (size_t)sprintf(csv + n, "%s,1\n", cell);
        else
            n += (size_t)sprintf(csv + n, "%.17g,1\n", strtod(cell, NULL) * times / divided);
    }
    copse_table *t = read_text("t.csv", csv, &(cp_read_options){.categorical = text ? "c" : NULL});
    cp_table_remove_last(t); /* n only keeps rows without c from being blank lines */
    return t;
}

static void compare(arrow_source src, double times, double divided) {
    copse_table *t, *want = read_csv(&src, times, divided);
    must(read_arrow(&src, &t), err);
    must_equal(t, want);
    cp_table_free(t);
    cp_table_free(want);
}

/* Whole, cut into batches, and with offsets in arrays and batches. */
static void compare_all(const char *format, const char *codes, const char *const *cell, size_t n, double times,
                        double divided) {
    for (size_t cut = 1; cut <= n; cut += cut < 4 ? 1 : n - 4)
        for (size_t offset = 0; offset < 18; offset += 1 + offset)
            for (size_t batch_offset = 0; batch_offset < 8; batch_offset += 3)
                compare((arrow_source){.format = format,
                                       .codes = codes,
                                       .cell = cell,
                                       .n = n,
                                       .cut = cut,
                                       .offset = offset,
                                       .batch_offset = batch_offset},
                        times, divided);
}

static const char *const bools[] = {"1", "0", NULL, "0", "1", "1", "1", "0", "0", NULL, NULL, "1"};
static const char *const naturals[] = {"0", "1", "127", NULL, "5", "64", "99", NULL, "3", "2", "1", "17"};
static const char *const wholes[] = {"0", "-1", "127", NULL, "-128", "64", "99", NULL, "-3", "2", "1", "17"};
static const char *const reals[] = {
    "0",     "-1.5", "0.25", NULL, "65504", "-0.0009765625", "5.9604644775390625e-08", NULL, "3", "6.103515625e-05",
    "-2048", "inf"};
static const char *const words[] = {"a",
                                    "b",
                                    "z",
                                    "a",
                                    NULL,
                                    "a text that does not fit into a view",
                                    "b",
                                    "twelve bytes",
                                    "thirteen byte",
                                    NULL,
                                    "a text that does not fit into a view",
                                    "é"};
static const char *const wide_naturals[] = {"18446744073709551615", "0", NULL, "9223372036854775808", "3"};
static const char *const wide_wholes[] = {"-9223372036854775808", "0", NULL, "9223372036854775807", "-3"};
static const char *const odd_times[] = {"1700000000123456789", "-1", NULL, "0", "999999999", "86400000000000"};
static const char *const days[] = {"19000", "-1", NULL, "0", "2147483647"};

static void every_type_is_as_in_csv(void **state) {
    (void)state;
    static const char *const whole_formats[] = {"c", "s", "i", "l"}, *const natural_formats[] = {"C", "S", "I", "L"};
    static const char *const real_formats[] = {"e", "f", "g"}, *const text_formats[] = {"u", "U", "vu"};
    compare_all("b", NULL, bools, COUNT(bools), 1, 1);
    for (size_t i = 0; i < 4; i++) compare_all(whole_formats[i], NULL, wholes, COUNT(wholes), 1, 1);
    for (size_t i = 0; i < 4; i++) compare_all(natural_formats[i], NULL, naturals, COUNT(naturals), 1, 1);
    for (size_t i = 0; i < 3; i++) compare_all(real_formats[i], NULL, reals, COUNT(reals), 1, 1);
    for (size_t i = 0; i < 3; i++) compare_all(text_formats[i], NULL, words, COUNT(words), 1, 1);
    compare_all("L", NULL, wide_naturals, COUNT(wide_naturals), 1, 1);
    compare_all("l", NULL, wide_wholes, COUNT(wide_wholes), 1, 1);
}

static void times_are_seconds(void **state) {
    (void)state;
    static const struct {
        const char *format;
        double divided;
    } wide[] = {{"tdm", 1e3},  {"tss:", 1},  {"tsm:UTC", 1e3}, {"tsu:Europe/Berlin", 1e6},
                {"tsn:", 1e9}, {"ttu", 1e6}, {"ttn", 1e9},     {"tDs", 1},
                {"tDm", 1e3},  {"tDu", 1e6}, {"tDn", 1e9}};
    for (size_t i = 0; i < COUNT(wide); i++)
        compare_all(wide[i].format, NULL, odd_times, COUNT(odd_times), 1, wide[i].divided);
    compare_all("tdD", NULL, days, COUNT(days), 86400, 1);
    compare_all("tts", NULL, days, COUNT(days), 1, 1);
    compare_all("ttm", NULL, days, COUNT(days), 1, 1e3);
}

static void dictionaries_are_what_their_values_are(void **state) {
    (void)state;
    static const char *const codes[] = {"c", "C", "s", "S", "i", "I", "l", "L"};
    for (size_t i = 0; i < COUNT(codes); i++) {
        compare_all("u", codes[i], words, COUNT(words), 1, 1);
        compare_all("U", codes[i], words, COUNT(words), 1, 1);
        compare_all("vu", codes[i], words, COUNT(words), 1, 1);
        compare_all("l", codes[i], wholes, COUNT(wholes), 1, 1);
        compare_all("tsm:", codes[i], odd_times, COUNT(odd_times), 1, 1e3);
    }
}

/* A row that is null as a whole is missing in every column, and leaves no level behind. */
static int next_with_null_rows(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    static const char *const rows[] = {NULL, "1", "1", NULL, "1"};
    if (arrow_next(stream, out) || !out->release) return 0;
    arrow_source *src = stream->private_data;
    out->buffers[0] = arrow_bitmap(rows, src->batch_offset, src->n);
    return 0;
}

static void rows_that_are_null_are_missing(void **state) {
    (void)state;
    static const char *const word[] = {"first", "b", "b", "c", "first"}, *const number[] = {"1", "2", "3", "4", "5"};
    static const char *const formats[] = {"u", "l", "u", "l"}, *const codes[] = {NULL, NULL, "i", "i"};
    for (size_t k = 0; k < 4; k++) {
        arrow_source src = {.format = formats[k],
                            .codes = codes[k],
                            .cell = k % 2 ? number : word,
                            .n = 5,
                            .cut = 5,
                            .offset = 3,
                            .batch_offset = 4};
        struct ArrowArrayStream stream = arrow_open(&src);
        copse_table *t;
        stream.get_next = next_with_null_rows;
        must(copse_table_from_arrow(&stream, &t, &err), err);
        assert_true(cp_table_check(t));
        assert_string_equal(shown(t), k % 2 ? "c=-,2,3,-,5" : "c:-,b,b,-,first");
        cp_table_free(t);
    }
}

static void streams_may_be_empty_and_columns_nameless(void **state) {
    (void)state;
    copse_table *t;
    arrow_source src = {.format = "n", .cell = words, .n = 3, .cut = 2, .name = ""};
    must(read_arrow(&src, &t), err);
    assert_string_equal(shown(t), "x1=-,-,-");
    cp_table_free(t);
    src = (arrow_source){.format = "u"};
    must(read_arrow(&src, &t), err);
    assert_int_equal(t->rows, 0);
    assert_int_equal(t->cols, 1);
    assert_int_equal(t->col[0].kind, COPSE_TEXT);
    cp_table_free(t);
}

/* Unlike in CSV, an empty text is a text: Arrow has another mark for what is missing. */
static void an_empty_text_is_not_missing(void **state) {
    (void)state;
    static const char *const cell[] = {"", NULL, "b"}, *const formats[] = {"u", "U", "vu"};
    for (size_t k = 0; k < 6; k++) {
        copse_table *t;
        arrow_source src = {.format = formats[k % 3], .codes = k < 3 ? NULL : "i", .cell = cell, .n = 3, .cut = 2};
        must(read_arrow(&src, &t), err);
        assert_string_equal(copse_table_text(t, 0, 0), "");
        assert_null(copse_table_text(t, 1, 0));
        cp_table_free(t);
    }
}

static void must_refuse_source(arrow_source src, copse_status status, const char *part) {
    copse_table *t;
    assert_int_equal(read_arrow(&src, &t), status);
    assert_null(t);
    if (!strstr(err.msg, part)) fail_msg("'%s' has no '%s'", err.msg, part);
}

static void other_types_are_refused_by_name(void **state) {
    (void)state;
    static const struct {
        const char *format, *name;
    } other[] = {{"z", " binary:"},
                 {"Z", " large_binary:"},
                 {"vz", " binary_view:"},
                 {"w:4", " fixed_size_binary:"},
                 {"d:10,2", " decimal:"},
                 {"tiM", " interval:"},
                 {"+l", " list:"},
                 {"+L", " large_list:"},
                 {"+vl", " list_view:"},
                 {"+vL", " large_list_view:"},
                 {"+w:3", " fixed_size_list:"},
                 {"+s", " struct:"},
                 {"+m", " map:"},
                 {"+ud:0,1", " dense_union:"},
                 {"+us:0", " sparse_union:"},
                 {"+r", " run_end_encoded:"},
                 {"?!", " '?!':"},
                 {"", " '':"}};
    for (size_t i = 0; i < COUNT(other); i++) {
        must_refuse_source((arrow_source){.format = other[i].format}, COPSE_E_DATA, other[i].name);
        must_refuse_source((arrow_source){.format = other[i].format}, COPSE_E_DATA, "column 'c' has the Arrow type");
    }
    must_refuse_source((arrow_source){.format = "u", .codes = "g"}, COPSE_E_DATA, "a dictionary that is not taken");
    must_refuse_source((arrow_source){.format = "+l", .codes = "i"}, COPSE_E_DATA, " list:");
}

static void failures_of_the_producer_and_malformed_arrays_are_refused(void **state) {
    (void)state;
    static const char *const bad[] = {"a", "b\xff"};
    const arrow_source good = {.format = "u", .cell = words, .n = COUNT(words), .cut = 4};
    for (int k = 1; k <= 5; k++) {
        arrow_source src = good;
        src.fail_at = k;
        must_refuse_source(src, COPSE_E_DATA, "failed: the disk is gone");
    }
    static const char *const wrong[] = {"",
                                        "an array is shorter than its record batch",
                                        "without length and offset",
                                        "a buffer is missing",
                                        "a buffer is missing",
                                        "it has 2 columns, not 1",
                                        "its dictionary is missing",
                                        "an offset is too large"};
    for (int spoil = SHORT_CHILD; spoil <= HUGE_OFFSET; spoil++)
        for (int k = 0; k < 3; k++) {
            arrow_source src = {.format = k == 1 ? "l" : "u",
                                .codes = k == 2 || spoil == NO_DICTIONARY ? "i" : NULL,
                                .cell = k == 1 ? wholes : words,
                                .n = COUNT(words),
                                .cut = 5,
                                .spoil = spoil};
            must_refuse_source(src, COPSE_E_DATA, wrong[spoil]);
        }
    must_refuse_source((arrow_source){.format = "u", .cell = bad, .n = 2, .cut = 1}, COPSE_E_DATA,
                       "column 'c', row 2: the text is not UTF-8");
    must_refuse_source((arrow_source){.format = "u", .codes = "i", .cell = bad, .n = 2, .cut = 1}, COPSE_E_DATA,
                       "column 'c', row 2: the text is not UTF-8");
}

static void misuse_is_refused(void **state) {
    (void)state;
    copse_table *t = (copse_table *)&err;
    arrow_source src = {.format = "l"};
    struct ArrowArrayStream stream = arrow_open(&src), released = stream;
    released.release = NULL;
    arrow_made = 1;
    arrow_released = 0;
    assert_int_equal(copse_table_from_arrow(NULL, &t, &err), COPSE_E_USAGE);
    assert_null(t);
    assert_int_equal(copse_table_from_arrow(&released, &t, &err), COPSE_E_USAGE);
    assert_int_equal(arrow_released, 0);
    assert_int_equal(copse_table_from_arrow(&stream, NULL, NULL), COPSE_E_USAGE);
    assert_int_equal(arrow_released, 1);
}

static void every_failed_allocation_is_clean(void **state) {
    (void)state;
    static const char *const formats[] = {"u", "l", "u", "l"}, *const codes[] = {NULL, NULL, "i", "i"};
    for (size_t i = 0; i < 4; i++)
        for (long k = 0;; k++) {
            arrow_source src = {
                .format = formats[i], .codes = codes[i], .cell = i % 2 ? wholes : words, .n = COUNT(words), .cut = 4};
            copse_table *t;
            size_t live = cp_mem_live();
            cp_mem_fail_after(k);
            copse_status status = read_arrow(&src, &t);
            cp_mem_fail_after(-1);
            cp_table_free(t);
            assert_int_equal(cp_mem_live(), live);
            if (!status) break;
            assert_int_equal(status, COPSE_E_MEMORY);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_is_as_in_csv),
        cmocka_unit_test(times_are_seconds),
        cmocka_unit_test(dictionaries_are_what_their_values_are),
        cmocka_unit_test(rows_that_are_null_are_missing),
        cmocka_unit_test(streams_may_be_empty_and_columns_nameless),
        cmocka_unit_test(an_empty_text_is_not_missing),
        cmocka_unit_test(other_types_are_refused_by_name),
        cmocka_unit_test(failures_of_the_producer_and_malformed_arrays_are_refused),
        cmocka_unit_test(misuse_is_refused),
        cmocka_unit_test(every_failed_allocation_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
