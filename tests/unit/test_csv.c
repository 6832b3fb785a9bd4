#include "reading.h"

#include "io/csv.h"
#include "num/rng.h"

static void plain_tables_are_read(void **state) {
    (void)state;
    must_read("t.csv", "a,b\n1,2\n3,4\n", NULL, "a=1,3;b=2,4");
    must_read("t.csv", "a,b\n1,2\n3,4", NULL, "a=1,3;b=2,4");
    must_read("t.csv", "a,b\r\n1,x\r\n3,y\r\n", NULL, "a=1,3;b:x,y");
    must_read("t.csv", "a,b\r1,2\r3,4\r", NULL, "a=1,3;b=2,4");
    must_read("t.csv",
              "\xef\xbb\xbf"
              "a,b\n1,2\n",
              NULL, "a=1;b=2");
    must_read("t.csv", "\n\n a , b \n\n 1 , x y \n  \n\n3,z\n\n", NULL, "a=1,3;b:x y,z");
    must_read("t.csv", "a\n1\n2\n", NULL, "a=1,2");
    must_read("t.csv", "a\n\"\"\n2\n", NULL, "a=-,2");
}

static void the_delimiter_is_sniffed(void **state) {
    (void)state;
    must_read("t", "a;b\n1,5;x\n2,5;y\n", NULL, "a:1,5,2,5;b:x,y");
    must_read("t", "a\tb\n1\t\n\t2\n", NULL, "a=1,-;b=-,2");
    must_read("t", "a|b|c\n1|2|x,y\n", NULL, "a=1;b=2;c:x,y");
    must_read("t", "\"a;b\",c\n1,2\n", NULL, "a;b=1;c=2");
    must_read("t.tsv", "a,b\tc\n1,5\t2\n", NULL, "a,b:1,5;c=2");
    must_read("t.csv", "a b\n1 2\n", &(cp_read_options){.delimiter = ' '}, "a=1;b=2");
    must_read("t.csv", "a:b\n1:2\n", &(cp_read_options){.delimiter = ':'}, "a=1;b=2");
    must_read("t", "a;b,c\n\t\n1;2\n", NULL, "a=1;b,c=2"); /* a blank line has no fields, whatever it is blank with */
    must_read("t", "a\tb,c\n\t\n1\t2\n", NULL, "a=-,1;b,c=-,2"); /* between tabs there are two */
}

static void delimiters_that_numbers_hold_are_refused(void **state) {
    (void)state;
    static const char none[] = "\"\n\r059.+-eEinx";
    for (const char *d = none; *d; d++)
        must_refuse("t.csv", "a\n1\n", &(cp_read_options){.delimiter = *d}, COPSE_E_USAGE,
                    "the delimiter cannot be a quote, a line end, a letter, a digit, or one of . + -");
}

static void quotes_hold_anything(void **state) {
    (void)state;
    must_read("t.csv", "a,b\n\"x,y\",1\n\"he said \"\"no\"\"\",2\n\"two\nlines\",\"3\"\n \" p \" , \"\" \n", NULL,
              "a:x,y,he said \"no\",two\nlines, p ;b=1,2,3,-");
    must_read("t.csv", "a,b\nx\"y,5\" pipe\n", NULL, "a:x\"y;b:5\" pipe");
    must_read("t.csv", "\"a\"\"b\",\"c\n\"\n\"1\",\"\"\"\"\n", NULL, "a\"b=1;c\n:\"");
}

static void missing_values_are_kept(void **state) {
    (void)state;
    const cp_read_options more = {.na = "?,-999,none"};
    must_read("t.csv", "a,b,c\n,NA,nan\nNaN,x,-nan\n1,null,NULL\nna,Nan,2\n", NULL, "a=-,-,1,-;b:-,x,-,-;c=-,-,-,2");
    must_read("t.csv", "a,b\n?,1\n2,x\n", NULL, "a:?,2;b:1,x");
    must_read("t.csv", "a,b\n?,-999\n2,\"none\"\nNA,3\n", &more, "a=-,2,-;b=-,-,3");
    must_read("t.csv", "a,b\n,1\nNA,2\n", NULL, "a=-,-;b=1,2");
}

static void types_are_found_from_all_rows(void **state) {
    (void)state;
    must_read("t.csv", "a,b,c,d\n1,+1e3,-.5,inf\n2,x,5.,-Infinity\n", NULL, "a=1,2;b:+1e3,x;c=-0.5,5;d=inf,-inf");
    must_read("t.csv", "a,b\n1,NA\n2,x\nz,y\n", NULL, "a:1,2,z;b:-,x,y"); /* text after numbers, and after none */
    must_read("t.csv", "a,b\n0x1A,1_000\n1e,1e5x\n", NULL, "a:0x1A,1e;b:1_000,1e5x");
}

static void headers_may_be_absent_or_leave_names_out(void **state) {
    (void)state;
    must_read("t.csv", "1,x\n2,y\n", &(cp_read_options){.no_header = 1}, "x1=1,2;x2:x,y");
    must_read("t.csv", ",b,\n1,2,3\n", NULL, "x1=1;b=2;x3=3");
}

static void lists_choose_types(void **state) {
    (void)state;
    must_read("t.csv", "a1,a2,b\n01,1,2\n2,NA,3\n", &(cp_read_options){.categorical = "a*"}, "a1:01,2;a2:1,-;b=2,3");
    must_refuse("t.csv", "a,b\n1,2\n\"x\ny\",3\nz,4\n", &(cp_read_options){.numeric = "a"}, COPSE_E_DATA,
                "t.csv:3:1: column 'a' should be a number, found 'x?y'. Correct it, leave it empty if it is missing, "
                "or name it among the words for missing (`na`)");
    must_refuse("t.csv", "a,b\n1,2\n", &(cp_read_options){.numeric = "a", .categorical = "a..b"}, COPSE_E_USAGE,
                "column 'a' is asked for as a category and as a number: choose one");
    must_refuse("t.csv", "age,b\n1,2\n", &(cp_read_options){.categorical = "agee"}, COPSE_E_USAGE,
                "there is no column 'agee' in t.csv. Did you mean 'age'?");
}

static void a_model_chooses_types(void **state) {
    (void)state;
    char age[] = "age", zip[] = "zip", target[] = "y";
    cp_feature feature[] = {{.name = age, .kind = COPSE_NUMBER}, {.name = zip, .kind = COPSE_TEXT}};
    cp_schema schema = {.task = COPSE_REGRESS, .target = target, .features = 2, .feature = feature};
    const cp_read_options like = {.like = &schema};
    must_read("t.csv", "zip,age,other,y\n010,1,u,2\n", &like, "zip:010;age=1;other:u;y=2");
    const cp_read_options but = {.like = &schema, .numeric = "zip", .categorical = "age"}; /* it has the last word */
    must_read("t.csv", "zip,age\n010,1\n", &but, "zip:010;age=1");
    copse_error err =
        must_refuse("x.csv", "zip,age\n1,2\n\n3,abc\n", &like, COPSE_E_DATA,
                    "x.csv:4:2: column 'age' should be a number, found 'abc'. Correct it, leave it empty if it is "
                    "missing, or name it among the words for missing (`na`)");
    assert_int_equal(err.row, 4);
    assert_int_equal(err.col, 2);
    schema.task = COPSE_CLASS;
    must_read("t.csv", "y,age\n1,2\n", &like, "y:1;age=2");
    schema.classes_numeric = 1;
    must_read("t.csv", "y,age\n1,2\n", &like, "y=1;age=2");
}

static void a_model_brings_its_words_for_missing(void **state) {
    (void)state;
    char age[] = "age", target[] = "y";
    cp_feature feature[] = {{.name = age, .kind = COPSE_NUMBER}};
    cp_schema schema = {.task = COPSE_REGRESS, .target = target, .features = 1, .feature = feature};
    copse_error err;
    int32_t id;
    must(cp_dict_add(&schema.missing, "?", 1, &id, &err), err);
    must(cp_dict_add(&schema.missing, "-999", 4, &id, &err), err);
    const cp_read_options like = {.na = "none,?", .like = &schema};
    copse_table *t = read_text("t.csv", "age,y\n?,1\n-999,2\nnone,3\n4,-999\n", &like);
    assert_string_equal(shown(t), "age=-,-,-,4;y=1,2,3,-");
    assert_int_equal(t->missing.n, 3); /* so that a model made of this table has them all */
    assert_int_equal(cp_dict_find(&t->missing, "-999", 4), 2);
    cp_table_free(t);
    must_read("t.ndjson", "{\"age\":\"?\",\"y\":-999}\n{\"age\":2,\"y\":3}\n", &like, "age=-,2;y=-,3");
    must_read("t.svm", "-999 1:none 2:1\n4 1:2 2:?\n", &like, "target=-,4;x1=-,2;x2=1,-");
    const char text[] = "age,y\n?,1\n";
    fail_every_allocation("t.csv", text, strlen(text), &like);
    cp_dict_clear(&schema.missing);
}

static void malformed_texts_are_refused_with_their_place(void **state) {
    (void)state;
    const struct {
        const char *text, *message;
    } cases[] = {
        {"", "t.csv is empty"},
        {"\n \n\r\n", "t.csv is empty"},
        {"\xef\xbb\xbf", "t.csv is empty"},
        {"a,b\n", "t.csv has a header but no rows below it"},
        {"a,b\n\n  \n", "t.csv has a header but no rows below it"},
        {"a,b,c\n1,2,3\n4,5\n",
         "t.csv:3: found 2 fields, the header has 3. Correct the row, put fields that hold the delimiter ',' in "
         "quotes, "
         "or name another delimiter (`delimiter`)"},
        {"a;b\n1;2\n1;2;3;\"4;5\"\n",
         "t.csv:3: found 4 fields, the header has 2. Correct the row, put fields that hold the delimiter ';' in "
         "quotes, "
         "or name another delimiter (`delimiter`)"},
        {"a,b\n\"x\n\ny\",1\n3\n",
         "t.csv:5: found 1 field, the header has 2. Correct the row, put fields that hold the delimiter ',' in quotes, "
         "or name another delimiter (`delimiter`)"},
        {"a,b\n1,\"x\n2,y\n", "t.csv:2: a quoted field is not closed: its second \" is missing"},
        {"a,b\n1,\"x\"\"", "t.csv:2: a quoted field is not closed: its second \" is missing"},
        {"a,b\n1,\"x\"y\n", "t.csv:2: there is text after a closing quote. Write a quote inside a quoted field twice"},
        {"a,b,a\n1,2,3\n",
         "t.csv:1:3: the header has the name 'a' twice, for columns 1 and 3. Rename one; if the file has no header "
         "line, say so (`no-header`)"},
        {"x2,\n1,2\n",
         "t.csv:1:2: the header has the name 'x2' twice, for columns 1 and 2. Rename one; if the file has no header "
         "line, say so (`no-header`)"},
        {"a,b\n1,\xff\n",
         "t.csv:2: the byte 0xff is not UTF-8 text. Convert the file first, perhaps with: iconv -f LATIN1 -t UTF-8"},
        {"a,b\n1,\xc3\n",
         "t.csv:2: the byte 0xc3 is not UTF-8 text. Convert the file first, perhaps with: iconv -f "
         "LATIN1 -t UTF-8"},
        {"\xff\xfe"
         "a",
         "t.csv: this is UTF-16 text. Convert it first: iconv -f UTF-16 -t UTF-8"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        must_refuse("t.csv", cases[i].text, NULL, COPSE_E_DATA, cases[i].message);
}

static void a_nul_byte_is_not_text(void **state) {
    (void)state;
    copse_table *t;
    copse_error err;
    assert_int_equal(cp_read_bytes("t.csv", "a,b\n1,\0\n", 8, NULL, &t, &err), COPSE_E_DATA);
    assert_string_equal(err.msg,
                        "t.csv:2: there is a NUL byte: this is not a text file. CSV, TSV, LIBSVM, NDJSON and .npy are "
                        "read, plain or packed by gzip or zstd");
    assert_int_equal(err.row, 2);
}

static void rows_know_their_lines(void **state) {
    (void)state;
    /* in one pass, and in two, as text comes after numbers */
    static const char *const last[] = {"3", "late"};
    for (int k = 0; k < 2; k++) {
        char text[64];
        snprintf(text, sizeof text, "\na,b\n1,\"x\n\ny\"\n\n2,z\n%s,\n", last[k]);
        copse_table *t = read_text("t.csv", text, NULL);
        assert_int_equal(t->line[0], 3);
        assert_int_equal(t->line[1], 7);
        assert_int_equal(t->line[2], 8);
        cp_table_free(t);
    }
}

/* Many empty columns and short rows: memory stays in proportion, and the last row may be ragged. */
static void wide_headers_over_short_rows_are_refused(void **state) {
    (void)state;
    enum { COLS = 3000, ROWS = 3000 };
    char *text = malloc(COLS + 2 * ROWS + 1), *p = text;
    memset(p, ',', COLS);
    p += COLS;
    for (int i = 0; i < ROWS; i++) {
        *p++ = '\n';
        *p++ = '1';
    }
    *p = '\0';
    copse_table *t;
    copse_error err;
    assert_int_equal(cp_read_bytes("t.csv", text, (size_t)(p - text), NULL, &t, &err), COPSE_E_DATA);
    assert_non_null(strstr(err.msg, "t.csv:2: found 1 field, the header has 3001."));
    free(text);
}

/* Whole rows of empty fields, then one that begins where the bound on rows is reached. */
static void a_ragged_row_at_the_very_end_is_seen(void **state) {
    (void)state;
    must_refuse("t.csv", "a,b,c,d,e\n,,,,\n,,,,\n1", NULL, COPSE_E_DATA,
                "t.csv:4: found 1 field, the header has 5. Correct the row, put fields that hold the delimiter ',' in "
                "quotes, or name another delimiter (`delimiter`)");
}

/* A field as it must be written to be read back. */
static size_t write_field(char *out, const char *s) {
    size_t n = 0;
    out[n++] = '"';
    for (; *s; s++) {
        if (*s == '"') out[n++] = '"';
        out[n++] = *s;
    }
    out[n++] = '"';
    return n;
}

static void ugly(cp_rng *r, char *out) {
    static const char *const pieces[] = {"\"", ",",  "\n", "\r\n",     ";",    " ", "x",
                                         "1",  "\t", "|",  "\xc3\xa4", "\"\"", "NA"};
    size_t n = 1 + cp_rng_below(r, 6);
    strcpy(out, "q"); /* neither empty nor a word for missing */
    while (n--) strcat(out, pieces[cp_rng_below(r, 13)]);
}

static void ugly_texts_come_back_as_written(void **state) {
    (void)state;
    enum { ROWS = 30, COLS = 4 };
    static char want[ROWS][COLS][64], text[1 << 16];
    cp_rng r;
    for (uint64_t repeat = 0; repeat < 300; repeat++) {
        cp_rng_init(&r, seed_of("ugly"), CP_FOR_TEST, 0, repeat);
        size_t n = (size_t)sprintf(text, "a,b,c,d\n");
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLS; j++) {
                ugly(&r, want[i][j]);
                n += write_field(text + n, want[i][j]);
                text[n++] = j + 1 < COLS ? ',' : '\n';
            }
        copse_table *t = read_bytes("t.csv", text, n, &(cp_read_options){.delimiter = ','});
        assert_int_equal(t->rows, ROWS);
        for (size_t i = 0; i < ROWS; i++)
            for (size_t j = 0; j < COLS; j++)
                assert_string_equal(cp_dict_text(&t->col[j].levels, (size_t)t->col[j].code[i]), want[i][j]);
        cp_table_free(t);
    }
}

/* A field as a number may be written; mostly small integers, which are read in runs. */
static int number_field(cp_rng *r, char *out) {
    static const char *const odd[] = {"", " 7", "7 ", "\"12\"", "NA", "-3", "+4", "1.5", ".5", "1e3", "-0", "007"};
    static const char *const more[] = {"-1.234e-05", "0.12345678901234567", "12345678901234567890", "-1234567890.5"};
    if (cp_rng_below(r, 25) == 0) return sprintf(out, "%s", odd[cp_rng_below(r, sizeof odd / sizeof *odd)]);
    if (cp_rng_below(r, 50) == 0) return sprintf(out, "%s", more[cp_rng_below(r, sizeof more / sizeof *more)]);
    int digits = cp_rng_below(r, 20) == 0 ? 1 + (int)cp_rng_below(r, 12) : 1 + (int)cp_rng_below(r, 4);
    for (int i = 0; i < digits; i++) out[i] = (char)('0' + cp_rng_below(r, 10));
    return digits;
}

/* What strtod makes of it. */
static double number_of(const char *text, size_t n) {
    char field[32] = "", *end;
    memcpy(field, text, n);
    char *from = field[0] == '"' ? field + 1 : field;
    double x = strtod(from, &end);
    return end == from ? NAN : x;
}

static void numbers_side_by_side_equal_strtod(void **state) {
    (void)state;
    enum { COLS = 150, ROWS = 40 };
    static char text[COLS * (ROWS + 1) * 24];
    static double want[ROWS][COLS];
    cp_rng r;
    cp_rng_init(&r, seed_of("side by side"), CP_FOR_TEST, 0, 0);
    for (size_t cols = 1; cols <= COLS; cols += cols < 40 ? 1 : 11) {
        size_t n = 0;
        for (size_t j = 0; j < cols; j++) n += (size_t)sprintf(text + n, "c%zu%c", j, j + 1 < cols ? ',' : '\n');
        for (size_t i = 0; i < ROWS; i++)
            for (size_t j = 0; j < cols; j++) {
                size_t length = (size_t)number_field(&r, text + n);
                if (cols == 1 && length == 0) length = (size_t)sprintf(text + n, "NA"); /* else a blank line */
                want[i][j] = number_of(text + n, length);
                n += length;
                text[n++] = j + 1 < cols ? ',' : '\n';
            }
        copse_table *t = NULL;
        copse_error err;
        must(cp_read_bytes("t.csv", text, n - cp_rng_below(&r, 2), NULL, &t, &err), err);
        assert_int_equal(t->rows, ROWS);
        for (size_t i = 0; i < ROWS; i++)
            for (size_t j = 0; j < cols; j++) {
                double x = t->col[j].number[i];
                assert_true(isnan(want[i][j]) ? isnan(x) : memcmp(&x, &want[i][j], sizeof x) == 0);
            }
        cp_table_free(t);
    }
}

static void every_failed_allocation_is_clean(void **state) {
    (void)state;
    const char text[] = "a,b,c\n1,x,\"p\"\"q\"\n2,y,NA\nz,w,\"\"\"\"\n";
    fail_every_allocation("t.csv", text, strlen(text), &(cp_read_options){.na = "?,none", .categorical = "b"});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_tables_are_read),
        cmocka_unit_test(the_delimiter_is_sniffed),
        cmocka_unit_test(delimiters_that_numbers_hold_are_refused),
        cmocka_unit_test(quotes_hold_anything),
        cmocka_unit_test(missing_values_are_kept),
        cmocka_unit_test(types_are_found_from_all_rows),
        cmocka_unit_test(headers_may_be_absent_or_leave_names_out),
        cmocka_unit_test(lists_choose_types),
        cmocka_unit_test(a_model_chooses_types),
        cmocka_unit_test(a_model_brings_its_words_for_missing),
        cmocka_unit_test(malformed_texts_are_refused_with_their_place),
        cmocka_unit_test(a_nul_byte_is_not_text),
        cmocka_unit_test(rows_know_their_lines),
        cmocka_unit_test(wide_headers_over_short_rows_are_refused),
        cmocka_unit_test(a_ragged_row_at_the_very_end_is_seen),
        cmocka_unit_test(ugly_texts_come_back_as_written),
        cmocka_unit_test(numbers_side_by_side_equal_strtod),
        cmocka_unit_test(every_failed_allocation_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
