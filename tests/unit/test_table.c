#include "check.h"

#include "base/mem.h"
#include "data/table_join.h"
#include "data/table_match.h"
#include "data/table_report.h"

/* Columns with the given names, numbers 0, 1, 2 ... in each. */
static copse_table *named(size_t rows, const char *const *names, size_t n) {
    copse_error err;
    copse_table *t;
    must(cp_table_new(rows, &t, &err), err);
    for (size_t j = 0; j < n; j++) {
        cp_column *c;
        must(cp_table_add(t, names[j], COPSE_NUMBER, &c, &err), err);
        for (size_t i = 0; i < rows; i++) c->number[i] = (double)i;
    }
    return t;
}

static void set_text(cp_column *c, size_t row, const char *text) {
    copse_error err;
    must(cp_dict_add(&c->levels, text, strlen(text), &c->code[row], &err), err);
}

/* a = 0 1 2 3, b = red - blue red (- is missing), lines 2 4 5 9 of "t.csv". */
static copse_table *small(void) {
    copse_error err;
    cp_column *c;
    copse_table *t = named(4, (const char *[]){"a"}, 1);
    must(cp_table_add(t, "b", COPSE_TEXT, &c, &err), err);
    set_text(c, 0, "red");
    set_text(c, 2, "blue");
    set_text(c, 3, "red");
    t->source = cp_mem_strdup("t.csv");
    must(CP_RAW(t->line, 4, &err), err);
    memcpy(t->line, (long[]){2, 4, 5, 9}, 4 * sizeof(long));
    assert_true(cp_table_check(t));
    return t;
}

static void a_new_column_is_missing_everywhere(void **state) {
    (void)state;
    copse_error err;
    copse_table *t;
    cp_column *c;
    must(cp_table_new(3, &t, &err), err);
    must(cp_table_add(t, "n", COPSE_NUMBER, &c, &err), err);
    for (size_t i = 0; i < 3; i++) assert_true(isnan(c->number[i]));
    must(cp_table_add(t, "s", COPSE_TEXT, &c, &err), err);
    for (size_t i = 0; i < 3; i++) assert_int_equal(c->code[i], CP_NONE);
    assert_int_equal(cp_table_find(t, "s"), 1);
    assert_int_equal(cp_table_find(t, "S"), (size_t)-1);
    assert_true(cp_table_check(t));
    cp_table_free(t);
    cp_table_free(NULL);
}

static void names_are_distinct_and_not_empty(void **state) {
    (void)state;
    copse_error err;
    copse_table *t = named(1, (const char *[]){"a"}, 1);
    cp_column *c;
    assert_int_equal(cp_table_add(t, "a", COPSE_TEXT, &c, &err), COPSE_E_USAGE);
    assert_string_equal(err.msg, "there are two columns 'a': give each its own name");
    assert_int_equal(cp_table_add(t, "", COPSE_TEXT, &c, &err), COPSE_E_USAGE);
    assert_int_equal(t->cols, 1);
    cp_table_free(t);
}

static void a_selection_has_the_rows_in_order_and_its_own_levels(void **state) {
    (void)state;
    copse_error err;
    copse_table *t = small(), *s;
    must(cp_table_select(t, (size_t[]){2, 1, 2}, 3, &s, &err), err);
    assert_true(cp_table_check(s));
    assert_int_equal(s->rows, 3);
    assert_true(s->col[0].number[0] == 2 && s->col[0].number[1] == 1 && s->col[0].number[2] == 2);
    assert_int_equal(s->col[1].levels.n, 1);
    assert_string_equal(cp_dict_text(&s->col[1].levels, 0), "blue");
    assert_int_equal(s->col[1].code[1], CP_NONE);
    assert_int_equal(s->line[0], 5);
    assert_string_equal(s->source, "t.csv");
    cp_table_free(s);
    assert_int_equal(cp_table_select(t, (size_t[]){4}, 1, &s, &err), COPSE_E_USAGE);
    assert_null(s);
    cp_table_free(t);
}

static void joined_pieces_keep_source_lines_levels_and_values(void **state) {
    (void)state;
    copse_error err;
    cp_column *c;
    copse_table *a = small(), *b, *t;
    must(cp_table_select(a, (size_t[]){1, 2}, 2, &b, &err), err);
    must(cp_table_add(b, "late", COPSE_TEXT, &c, &err), err);
    set_text(c, 1, "new");
    must(cp_table_join((const copse_table *[]){b, a}, 2, &t, &err), err);
    assert_true(cp_table_check(t));
    assert_string_equal(t->source, "t.csv");
    assert_int_equal(t->rows, 6);
    assert_int_equal(t->cols, 3);
    assert_memory_equal(t->line, ((long[]){4, 5, 2, 4, 5, 9}), 6 * sizeof(long));
    assert_memory_equal(t->col[0].number + 2, a->col[0].number, 4 * sizeof(double));
    assert_memory_equal(t->col[1].code, ((int32_t[]){CP_NONE, 0, 1, CP_NONE, 0, 1}), 6 * sizeof(int32_t));
    assert_string_equal(cp_dict_text(&t->col[1].levels, 1), "red");
    assert_int_equal(t->col[2].code[1], 0);
    assert_int_equal(t->col[2].code[5], CP_NONE);
    cp_table_free(t);
    must(cp_table_to_text(b, 0, &err), err);
    assert_int_equal(cp_table_join((const copse_table *[]){b, a}, 2, &t, &err), COPSE_E_DATA);
    assert_non_null(strstr(err.msg, "column 'a' holds both numbers and text"));
    assert_null(t);
    cp_table_free(b);
    cp_table_free(a);
}

static void every_failed_allocation_of_a_selection_is_clean(void **state) {
    (void)state;
    copse_table *t = small(), *s;
    size_t rows[] = {3, 2, 1, 0};
    long k = 0;
    for (;; k++) {
        cp_mem_fail_after(k);
        copse_status status = cp_table_select(t, rows, 4, &s, NULL);
        cp_mem_fail_after(-1);
        if (!status) break;
        assert_int_equal(status, COPSE_E_MEMORY);
        assert_null(s);
    }
    assert_true(k > 10);
    cp_table_free(s);
    cp_table_free(t);
}

static void every_failed_allocation_of_a_join_is_clean(void **state) {
    (void)state;
    copse_table *t = small(), *s;
    const copse_table *pieces[] = {t, t};
    long k = 0;
    for (;; k++) {
        cp_mem_fail_after(k);
        copse_status status = cp_table_join(pieces, 2, &s, NULL);
        cp_mem_fail_after(-1);
        if (!status) break;
        assert_int_equal(status, COPSE_E_MEMORY);
        assert_null(s);
    }
    assert_true(k > 10);
    cp_table_free(s);
    cp_table_free(t);
}

static void numbers_become_text_that_reads_back(void **state) {
    (void)state;
    copse_error err;
    copse_table *t = named(4, (const char *[]){"a"}, 1);
    memcpy(t->col[0].number, (double[]){.1, NAN, 3, .1}, 4 * sizeof(double));
    must(cp_table_to_text(t, 0, &err), err);
    assert_true(cp_table_check(t));
    assert_int_equal(t->col[0].levels.n, 2);
    assert_string_equal(cp_dict_text(&t->col[0].levels, 0), "0.1");
    assert_string_equal(cp_dict_text(&t->col[0].levels, 1), "3");
    assert_int_equal(t->col[0].code[1], CP_NONE);
    cp_table_free(t);
}

static void a_row_is_named_by_its_line(void **state) {
    (void)state;
    char buf[64];
    copse_table *t = small();
    assert_string_equal(cp_table_where(t, 3, buf, sizeof buf), "t.csv:9");
    cp_mem_free(t->line);
    t->line = NULL;
    assert_string_equal(cp_table_where(t, 3, buf, sizeof buf), "t.csv: row 4");
    cp_mem_free(t->source);
    t->source = NULL;
    assert_string_equal(cp_table_where(t, 3, buf, sizeof buf), "row 4");
    cp_table_free(t);
}

static void check_sees_each_broken_invariant(void **state) {
    (void)state;
    copse_table *t = small();
    t->col[1].code[3] = 2;
    assert_false(cp_table_check(t));
    t->col[1].code[3] = -2;
    assert_false(cp_table_check(t));
    t->col[1].code[3] = 0;
    assert_true(cp_table_check(t));
    t->col[1].code[0] = 1; /* level 1 before level 0 */
    assert_false(cp_table_check(t));
    t->col[1].code[0] = 0;
    t->col[1].kind = COPSE_NUMBER;
    assert_false(cp_table_check(t));
    t->col[1].kind = COPSE_TEXT;
    t->col[1].name[0] = 'a';
    assert_false(cp_table_check(t));
    t->col[1].name[0] = 'b';
    cp_table_free(t);
}

/* The hit columns as a string of 0 and 1. */
static const char *hits(const copse_table *t, const char *list) {
    static char text[64];
    unsigned char hit[64];
    copse_error err;
    must(cp_table_match(t, list, hit, &err), err);
    for (size_t j = 0; j < t->cols; j++) text[j] = (char)('0' + hit[j]);
    text[t->cols] = '\0';
    return text;
}

static void lists_take_names_ranges_and_wildcards(void **state) {
    (void)state;
    copse_table *t = named(1, (const char *[]){"x1", "x2", "x10", "age", "a,b", "a..c", "w*"}, 7);
    assert_string_equal(hits(t, "age"), "0001000");
    assert_string_equal(hits(t, " age , x1"), "1001000");
    assert_string_equal(hits(t, "x1..x10"), "1110000");
    assert_string_equal(hits(t, "age..x2"), "0111000");
    assert_string_equal(hits(t, "x*"), "1110000");
    assert_string_equal(hits(t, "x1*,age"), "1011000");
    assert_string_equal(hits(t, "*g*"), "0001000");
    assert_string_equal(hits(t, "*"), "1111111");
    assert_string_equal(hits(t, "a,b"), "0000100");
    assert_string_equal(hits(t, "a..c"), "0000010");
    assert_string_equal(hits(t, "w*"), "0000001");
    assert_string_equal(hits(t, "x*1*0"), "0010000");
    assert_string_equal(hits(t, ""), "0000000");
    assert_string_equal(hits(t, "x1,,x2,"), "1100000");
    cp_table_free(t);
}

static const char *complaint(const copse_table *t, const char *list) {
    static copse_error err;
    unsigned char hit[64];
    assert_int_equal(cp_table_match(t, list, hit, &err), COPSE_E_USAGE);
    return err.msg;
}

static void an_unknown_name_is_answered_with_the_nearest(void **state) {
    (void)state;
    copse_table *t = named(1, (const char *[]){"x1", "x2", "income", "weight"}, 4);
    assert_string_equal(complaint(t, "x1,incmoe"), "there is no column 'incmoe' in the table. Did you mean 'income'?");
    assert_string_equal(complaint(t, "Weight"), "there is no column 'Weight' in the table. Did you mean 'weight'?");
    t->source = cp_mem_strdup("t.csv");
    assert_string_equal(complaint(t, "x1..incom"), "there is no column 'incom' in t.csv. Did you mean 'income'?");
    assert_string_equal(complaint(t, "q*"),
                        "there is no column 'q*' in t.csv. Its columns are x1, x2, income, weight.");
    cp_table_free(t);
}

static void a_long_list_of_columns_is_cut_short(void **state) {
    (void)state;
    const char *names[] = {"c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9", "c10"};
    copse_table *t = named(1, names, 10);
    size_t col;
    copse_error err;
    assert_int_equal(cp_table_match_name(t, "zebra", COPSE_E_DATA, &col, &err), COPSE_E_DATA);
    assert_string_equal(err.msg,
                        "there is no column 'zebra' in the table. Its columns are c1, c2, c3, c4, c5, c6, c7, c8 and "
                        "2 more.");
    must(cp_table_match_name(t, "c4", COPSE_E_DATA, &col, &err), err);
    assert_int_equal(col, 3);
    cp_table_free(t);
}

static void keep_line(void *arg, copse_log_level level, const char *text) {
    (void)level;
    char *all = arg;
    strcat(strcat(all, text), "\n");
}

static void the_report_names_kinds_missing_constant_and_duplicate_columns(void **state) {
    (void)state;
    copse_error err;
    cp_column *c;
    char said[4096] = "";
    copse_run run = {.log = keep_line, .arg = said};
    copse_table *t = small();
    must(cp_table_add(t, "a2", COPSE_NUMBER, &c, &err), err);
    memcpy(c->number, t->col[0].number, 4 * sizeof(double));
    must(cp_table_add(t, "b2", COPSE_TEXT, &c, &err), err);
    set_text(c, 0, "red");
    set_text(c, 2, "green"); /* the codes of b, but other levels */
    set_text(c, 3, "red");
    must(cp_table_add(t, "k", COPSE_NUMBER, &c, &err), err);
    for (size_t i = 0; i < 4; i++) c->number[i] = 7;
    cp_table_report(t, &run);
    assert_string_equal(said,
                        "t.csv: 4 rows, 5 columns: 3 of numbers, 2 of text\n"
                        "text: b (2 levels), b2 (2 levels)\n"
                        "missing values: b (1, 25%), b2 (1, 25%)\n"
                        "the same in every row: k (nothing can be learnt from it)\n"
                        "duplicate columns: a2 = a (one of each would do)\n");
    cp_table_free(t);
}

static void the_report_of_many_columns_stays_short(void **state) {
    (void)state;
    char said[4096] = "", name[16];
    copse_error err;
    cp_column *c;
    copse_table *t;
    copse_run run = {.log = keep_line, .arg = said};
    must(cp_table_new(2, &t, &err), err);
    for (int j = 0; j < 100; j++) {
        sprintf(name, "c%d", j);
        must(cp_table_add(t, name, COPSE_TEXT, &c, &err), err);
    }
    cp_table_report(t, &run);
    assert_non_null(strstr(said, "c7 (0 levels) and 92 more\n"));
    assert_null(strstr(said, "duplicate"));
    cp_table_free(t);
}

/* 19 numbers and a typing error in the column "t"; "u" has two words in 19 values, "v" three. */
static copse_table *nearly_numbers(void) {
    copse_error err;
    cp_column *c;
    char text[16];
    copse_table *t;
    must(cp_table_new(20, &t, &err), err);
    for (size_t words = 1; words <= 3; words++) {
        must(cp_table_add(t, (const char *[]){"t", "u", "v"}[words - 1], COPSE_TEXT, &c, &err), err);
        for (size_t i = words == 2; i < 20; i++) {
            snprintf(text, sizeof text, i < 20 - words ? "%zu.5" : "%zu.5o", i);
            set_text(c, i, text);
        }
    }
    return t;
}

static void the_report_warns_of_a_column_that_is_numbers_but_for_a_few(void **state) {
    (void)state;
    char said[4096] = "";
    copse_run run = {.log = keep_line, .arg = said};
    copse_table *t = nearly_numbers();
    cp_table_report(t, &run);
    assert_non_null(strstr(said,
                           "'t' is read as text because of '19.5o' (row 20): 19 of its 20 values are numbers; "
                           "correct it, or mark it as missing with `na`\n"));
    assert_null(strstr(said, "'u' is read")); /* 17 of 19 are below nine in ten */
    assert_null(strstr(said, "'v' is read"));
    t->col[0].asked = 1;
    said[0] = '\0';
    cp_table_report(t, &run);
    assert_null(strstr(said, "is read as text"));
    cp_table_free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_column_is_missing_everywhere),
        cmocka_unit_test(names_are_distinct_and_not_empty),
        cmocka_unit_test(a_selection_has_the_rows_in_order_and_its_own_levels),
        cmocka_unit_test(joined_pieces_keep_source_lines_levels_and_values),
        cmocka_unit_test(every_failed_allocation_of_a_selection_is_clean),
        cmocka_unit_test(every_failed_allocation_of_a_join_is_clean),
        cmocka_unit_test(numbers_become_text_that_reads_back),
        cmocka_unit_test(a_row_is_named_by_its_line),
        cmocka_unit_test(check_sees_each_broken_invariant),
        cmocka_unit_test(lists_take_names_ranges_and_wildcards),
        cmocka_unit_test(an_unknown_name_is_answered_with_the_nearest),
        cmocka_unit_test(a_long_list_of_columns_is_cut_short),
        cmocka_unit_test(the_report_names_kinds_missing_constant_and_duplicate_columns),
        cmocka_unit_test(the_report_of_many_columns_stays_short),
        cmocka_unit_test(the_report_warns_of_a_column_that_is_numbers_but_for_a_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
