#include "reading.h"

static void columns_are_the_union_of_keys(void **state) {
    (void)state;
    must_read("t.ndjson", "{\"a\":1,\"b\":\"x\"}\n\n {\"c\" : -2.5e1 , \"a\":null } \r\n{}\n{\"b\":\"y\"}", NULL,
              "a=1,-,-,-;b:x,-,-,y;c=-,-25,-,-");
    must_read("t", "\xef\xbb\xbf{\"a\":1}\n", NULL, "a=1");
}

static void types_are_those_of_the_values(void **state) {
    (void)state;
    must_read("t.jsonl", "{\"a\":true,\"b\":1,\"c\":\"1\",\"d\":null}\n{\"a\":false,\"b\":\"x\",\"c\":\"2\"}\n", NULL,
              "a:true,false;b:1,x;c:1,2;d=-,-");
    must_read("t.jsonl", "{\"a\":NaN,\"b\":\"NA\"}\n{\"a\":-Infinity,\"b\":3}\n{\"a\":\"?\",\"b\":\"\"}\n",
              &(cp_read_options){.na = "?"}, "a=-,-inf,-;b=-,3,-");
    must_read("t.jsonl", "{\"a\":1}\n{\"a\":\"2\"}\n", &(cp_read_options){.numeric = "a"}, "a=1,2");
    must_read("t.jsonl", "{\"a\":1}\n{\"a\":2.50}\n", &(cp_read_options){.categorical = "a"}, "a:1,2.50");
}

static void escapes_are_characters(void **state) {
    (void)state;
    must_read("t.ndjson", "{\"k\\u0041\\\"\":\"\\\\\\/\\b\\f\\n\\r\\t\\u00e4\\u20AC\\ud83d\\ude00.\"}\n", NULL,
              "kA\":\\/\b\f\n\r\t\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80.");
}

static void malformed_lines_are_refused_with_their_place(void **state) {
    (void)state;
    const struct {
        const char *text, *message;
    } cases[] = {
        {"", "t.ndjson has no rows"},
        {"\n \n", "t.ndjson has no rows"},
        {"{}\n", "t.ndjson has no rows"},
        {"[1]\n", "t.ndjson:1: expected an object {\"key\": value, ...} on one line, found '[1]'"},
        {"{\"a\":1}\n{\n", "t.ndjson:2: expected a key in quotes, found 'the end of the line'"},
        {"{\"a\":1}\n{\"a\":{\"b\":1}}\n",
         "t.ndjson:2: values must be numbers, strings, true, false or null: flatten objects and lists first, found "
         "'{\"b\":1}}'"},
        {"{\"a\":[]}\n",
         "t.ndjson:1: values must be numbers, strings, true, false or null: flatten objects and lists first, found "
         "'[]}'"},
        {"{a:1}\n", "t.ndjson:1: expected a key in quotes, found 'a:1}'"},
        {"{\"a\" 1}\n", "t.ndjson:1: expected ':' after the key, found '1}'"},
        {"{\"a\":}\n", "t.ndjson:1: expected a value, found '}'"},
        {"{\"a\":yes}\n", "t.ndjson:1: expected a value, found 'yes}'"},
        {"{\"a\":1 \"b\":2}\n", "t.ndjson:1: expected ',' or '}' after a value, found '\"b\":2}'"},
        {"{\"a\":1,}\n", "t.ndjson:1: expected a key in quotes, found '}'"},
        {"{\"a\":1}}\n", "t.ndjson:1: expected nothing after the object, found '}'"},
        {"{\"a\":1}{\"a\":2}\n", "t.ndjson:1: expected nothing after the object, found '{\"a\":2}'"},
        {"{\"a\":1,\"a\":2}\n", "t.ndjson:1: a key stands twice in this object, found '}'"},
        {"{\"\":1}\n", "t.ndjson:1: a key is empty: give it a name, found ':1}'"},
        {"{\"a\":\"x\n\"}\n", "t.ndjson:1: a string is not closed, found 'the end of the line'"},
        {"{\"a\":\"\\", "t.ndjson:1: this escape stands for no character, found '\\'"},
        {"{\"a\":\"\\x\"}\n", "t.ndjson:1: this escape stands for no character, found '\\x\"}'"},
        {"{\"a\":\"\\u12\"}\n", "t.ndjson:1: this escape stands for no character, found '\\u12\"}'"},
        {"{\"a\":\"\\u0000\"}\n", "t.ndjson:1: this escape stands for no character, found '\\u0000\"}'"},
        {"{\"a\":\"\\ud83d\"}\n", "t.ndjson:1: this escape stands for no character, found '\\ud83d\"}'"},
        {"{\"a\":\"\\ud83d\\u0041\"}\n", "t.ndjson:1: this escape stands for no character, found '\\ud83d\\u0041\"}'"},
        {"{\"a\":\"\\ud83d\\ue000\"}\n", "t.ndjson:1: this escape stands for no character, found '\\ud83d\\ue000\"}'"},
        {"{\"a\":\"\\ude00\"}\n", "t.ndjson:1: this escape stands for no character, found '\\ude00\"}'"},
        {"{\"a\":\"\xff\"}\n",
         "t.ndjson:1: the byte 0xff is not UTF-8 text. Convert the file first, perhaps with: iconv -f LATIN1 -t UTF-8"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        must_refuse("t.ndjson", cases[i].text, NULL, COPSE_E_DATA, cases[i].message);
}

static void a_list_of_objects_is_told_apart_from_csv(void **state) {
    (void)state;
    must_refuse("t.json", "[{\"a\":1}]\n", NULL, COPSE_E_DATA,
                "t.json:1: expected an object {\"key\": value, ...} on one line, found '[{\"a\":1}]'");
}

static void a_demanded_number_is_refused_as_text(void **state) {
    (void)state;
    copse_error err =
        must_refuse("t.ndjson", "{\"age\":1}\n{\"age\":\"old\"}\n", &(cp_read_options){.numeric = "age"}, COPSE_E_DATA,
                    "t.ndjson:2: column 'age' should be a number, found 'old'. Correct it, leave it empty if it is "
                    "missing, or name it among the words for missing (`na`)");
    assert_int_equal(err.row, 2);
}

/* Each row brings a new key: the table would be the square of the file. */
static void keys_out_of_proportion_are_refused(void **state) {
    (void)state;
    enum { ROWS = 20000 };
    char *text = malloc(ROWS * 16), *p = text;
    for (int i = 0; i < ROWS; i++) p += sprintf(p, "{\"k%d\":1}\n", i);
    copse_table *t;
    copse_error err;
    assert_int_equal(cp_read_bytes("t.ndjson", text, (size_t)(p - text), NULL, &t, &err), COPSE_E_DATA);
    assert_non_null(strstr(err.msg, "t.ndjson: 20000 rows and 20000 columns are out of proportion"));
    free(text);
}

static void every_failed_allocation_is_clean(void **state) {
    (void)state;
    const char text[] = "{\"a\":1,\"b\\n\":\"x\\t\"}\n{\"c\":true,\"a\":null}\n";
    fail_every_allocation("t.ndjson", text, strlen(text), &(cp_read_options){.na = "none", .categorical = "a"});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_the_union_of_keys),
        cmocka_unit_test(types_are_those_of_the_values),
        cmocka_unit_test(escapes_are_characters),
        cmocka_unit_test(malformed_lines_are_refused_with_their_place),
        cmocka_unit_test(a_list_of_objects_is_told_apart_from_csv),
        cmocka_unit_test(a_demanded_number_is_refused_as_text),
        cmocka_unit_test(keys_out_of_proportion_are_refused),
        cmocka_unit_test(every_failed_allocation_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
