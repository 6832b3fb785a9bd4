/* Unit rows from raw ones: against the encoding's definition, and through a file. */
#include "check.h"

#include "base/mem.h"
#include "data/recode.h"

/* A number, a category of two levels, one of 40. */
static const uint32_t levels[3] = {0, 2, 40};
static const float raw[4][3] = {{2, 0, 3}, {6, 1, 0}, {NAN, NAN, 39}, {4, 0, 1}};

static void make(cp_recode *r) {
    copse_error err;
    cp_recode_rows rows = {&raw[0][0], 4, 3, levels};
    must(cp_recode_init(r, &rows, &err), err);
}

/* Numbers over their range, the median where missing; a column per level; ranks over their number. */
static void rows_follow_the_definition(void **state) {
    (void)state;
    static const float want[4][4] = {
        {0, 1, 0, 3.0f / 40}, {1, 0, 1, 0}, {.5f, 1, 0, 39.0f / 40}, {.5f, 1, 0, 1.0f / 40}};
    static const float other[1][3] = {{8, 2, 40}}, wanted[4] = {1.5f, 0, 0, 1}; /* beyond the range; unseen levels */
    float got[4][4];
    cp_recode r;
    make(&r);
    assert_int_equal(cp_recode_dims(&r), 4);
    cp_recode_rows_to(&r, &raw[0][0], 4, &got[0][0]);
    for (size_t i = 0; i < 4; i++)
        for (size_t d = 0; d < 4; d++) assert_near((double)got[i][d], (double)want[i][d], 1e-7);
    cp_recode_rows_to(&r, &other[0][0], 1, got[0]);
    for (size_t d = 0; d < 4; d++) assert_near((double)got[0][d], (double)wanted[d], 1e-7);
    cp_recode_clear(&r);
}

static void a_constant_column_is_nought(void **state) {
    (void)state;
    static const float x[3] = {7, 7, NAN};
    float got[3];
    cp_recode r;
    copse_error err;
    cp_recode_rows rows = {x, 3, 1, NULL};
    must(cp_recode_init(&r, &rows, &err), err);
    cp_recode_rows_to(&r, x, 3, got);
    for (size_t i = 0; i < 3; i++) assert_true(got[i] == 0);
    cp_recode_clear(&r);
}

static void a_file_holds_it(void **state) {
    (void)state;
    copse_error err;
    cp_recode r, s;
    cp_writer *w;
    cp_reader *reader;
    const unsigned char *bytes;
    size_t n;
    float a[4][4], b[4][4];
    make(&r);
    must(cp_writer_new(&w, &err), err);
    must(cp_recode_write(&r, w, &err), err);
    must(cp_writer_finish(w, &bytes, &n, &err), err);
    must(cp_reader_new(bytes, n, &reader, &err), err);
    must(cp_recode_read(&s, reader, 3, levels, &err), err);
    cp_recode_rows_to(&r, &raw[0][0], 4, &a[0][0]);
    cp_recode_rows_to(&s, &raw[0][0], 4, &b[0][0]);
    assert_memory_equal(a, b, sizeof a);
    cp_reader_free(reader);
    cp_writer_free(w);
    cp_recode_clear(&r);
    cp_recode_clear(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_follow_the_definition),
        cmocka_unit_test(a_constant_column_is_nought),
        cmocka_unit_test(a_file_holds_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
