#include "reading.h"

static void rows_are_filled_with_zeros(void **state) {
    (void)state;
    must_read("t.svm", "1 1:2 3:4\n-1 2:.5\n", NULL, "target=1,-1;x1=2,0;x2=0,0.5;x3=4,0");
    must_read("t", "+1 3:1 1:2 # why\n\n# nothing\n0\t2:nan \r\n2", NULL, "target=1,0,2;x1=2,0,0;x2=0,-,0;x3=1,0,0");
    must_read("t.svm", "1 1:2\r# nothing\r\r2 1:3\r", NULL, "target=1,2;x1=2,3"); /* as CSV, lines end with CR too */
    must_read("t.svm", "1 1:2\n2 1:3\n", &(cp_read_options){.categorical = "target"}, "target:1,2;x1=2,3");
}

static void a_model_brings_its_columns(void **state) {
    (void)state;
    char x3[] = "x3", other[] = "xy", target[] = "target";
    cp_feature feature[] = {{.name = x3, .kind = COPSE_NUMBER}, {.name = other, .kind = COPSE_NUMBER}};
    cp_schema schema = {.task = COPSE_REGRESS, .target = target, .features = 2, .feature = feature};
    must_read("t.svm", "1 1:2\n", &(cp_read_options){.like = &schema}, "target=1;x1=2;x2=0;x3=0");
}

static void malformed_lines_are_refused_with_their_place(void **state) {
    (void)state;
    const struct {
        const char *text, *message;
    } cases[] = {
        {"", "t.svm has no rows"},
        {"# only a comment\n", "t.svm has no rows"},
        {"cat 1:2\n", "t.svm:1:1: expected the label, a number, first, found 'cat'"},
        {"1 1:2\n1 1:2 x\n", "t.svm:2:3: expected index:value, found 'x'"},
        {"1 2\n", "t.svm:1:2: expected index:value, found '2'"},
        {"1 :2\n", "t.svm:1:2: expected index:value, found ':2'"},
        {"1 qid:3 1:2\n", "t.svm:1:2: expected index:value, found 'qid:3'"},
        {"1 1:\n", "t.svm:1:2: expected a number after the index, found '1:'"},
        {"1 1:a\n", "t.svm:1:2: expected a number after the index, found '1:a'"},
        {"1 1:2:3\n", "t.svm:1:2: expected a number after the index, found '1:2:3'"},
        {"1 0:2\n", "t.svm:1:2: indices start at 1 and end at 2147483647, found '0:2'"},
        {"1 -1:2\n", "t.svm:1:2: expected index:value, found '-1:2'"},
        {"1 99999999999999999999:1\n", "t.svm:1:2: expected index:value, found '99999999999999999999:1'"},
        {"1 2147483648:1\n", "t.svm:1:2: indices start at 1 and end at 2147483647, found '2147483648:1'"},
        {"1 1:2\n1 3:1 2:1 3:2\n", "t.svm:2:4: an index stands twice in this row, found '3:2'"},
        {"1 999999999:1\n",
         "t.svm: 1 row and 1000000000 columns are out of proportion to its 14 bytes: almost every cell would be "
         "empty. Number the columns without gaps, or leave out columns that are rarely set"},
        {"1 1000000:1\n",
         "t.svm: 1 row and 1000001 columns are out of proportion to its 12 bytes: almost every cell would be "
         "empty. Number the columns without gaps, or leave out columns that are rarely set"},
        {"1 1:\xff\n",
         "t.svm:1: the byte 0xff is not UTF-8 text. Convert the file first, perhaps with: iconv -f LATIN1 -t UTF-8"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        must_refuse("t.svm", cases[i].text, NULL, COPSE_E_DATA, cases[i].message);
}

/* A file that is large enough for its columns is read: 100,000 of them, a tenth set in each row. */
static void many_columns_are_read_if_the_file_is_large(void **state) {
    (void)state;
    enum { ROWS = 20, COLS = 100000 };
    char *text = malloc(ROWS * COLS * 2), *p = text;
    for (int i = 0; i < ROWS; i++) {
        p += sprintf(p, "%d", i % 2);
        for (int j = i % 10 + 1; j <= COLS; j += 10) p += sprintf(p, " %d:%d", j, i);
        *p++ = '\n';
    }
    copse_table *t = read_bytes("t.svm", text, (size_t)(p - text), NULL);
    free(text);
    assert_int_equal(t->rows, ROWS);
    assert_in_range(t->cols, COLS - 9, COLS + 1);
    assert_true(t->col[cp_table_find(t, "x14")].number[13] == 13);
    assert_true(t->col[cp_table_find(t, "x15")].number[13] == 0);
    assert_int_equal(t->line[13], 14);
    cp_table_free(t);
}

static void every_failed_allocation_is_clean(void **state) {
    (void)state;
    const char text[] = "1 1:2 3:4\n-1 2:.5\n";
    fail_every_allocation("t.svm", text, strlen(text), &(cp_read_options){.na = "none", .categorical = "x1"});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_filled_with_zeros),
        cmocka_unit_test(a_model_brings_its_columns),
        cmocka_unit_test(malformed_lines_are_refused_with_their_place),
        cmocka_unit_test(many_columns_are_read_if_the_file_is_large),
        cmocka_unit_test(every_failed_allocation_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
