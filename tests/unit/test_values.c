#include "reading.h"

#include "num/rng.h"
#include "same_table.h"

/* Tables from memory are compared with the table that the CSV reader makes of the same values. */

enum { ROWS = 41, WIDEST = 8 };

static copse_error err;

static const struct {
    const char *name;
    copse_type type;
    size_t size;
} types[] = {
    {"f64", COPSE_F64, 8}, {"f32", COPSE_F32, 4}, {"i8", COPSE_I8, 1},     {"i16", COPSE_I16, 2},
    {"i32", COPSE_I32, 4}, {"i64", COPSE_I64, 8}, {"u8", COPSE_U8, 1},     {"u16", COPSE_U16, 2},
    {"u32", COPSE_U32, 4}, {"u64", COPSE_U64, 8}, {"bool", COPSE_BOOL, 1},
};

/* A random value of the type at `to`; its decimal is appended to `text`. */
static void put_value(cp_rng *r, copse_type type, void *to, char *text) {
    uint64_t bits = cp_rng_u64(r) >> cp_rng_below(r, 64);
    switch (type) {
        case COPSE_F64: {
            double x = (double)(int64_t)bits / 1048576;
            memcpy(to, &x, sizeof x);
            sprintf(text, "%.17g", x);
            return;
        }
        case COPSE_F32: {
            float x = (float)(int64_t)bits / 1024;
            memcpy(to, &x, sizeof x);
            sprintf(text, "%.17g", (double)x);
            return;
        }
        case COPSE_BOOL: bits &= 3; break;
        default: break;
    }
    memcpy(to, &bits, type == COPSE_BOOL ? 1 : types[type].size); /* little endian */
    switch (type) {
        case COPSE_I8: sprintf(text, "%d", (int8_t)bits); break;
        case COPSE_I16: sprintf(text, "%d", (int16_t)bits); break;
        case COPSE_I32: sprintf(text, "%d", (int32_t)bits); break;
        case COPSE_I64: sprintf(text, "%lld", (long long)bits); break;
        case COPSE_U8: sprintf(text, "%u", (uint8_t)bits); break;
        case COPSE_U16: sprintf(text, "%u", (uint16_t)bits); break;
        case COPSE_U32: sprintf(text, "%u", (uint32_t)bits); break;
        case COPSE_U64: sprintf(text, "%llu", (unsigned long long)bits); break;
        default: sprintf(text, "%d", bits != 0); break;
    }
}

/* Values `stride` bytes apart, from either end of a block, with or without a bitmap that begins at a bit `offset`. */
static void compare(size_t type, ptrdiff_t stride, int with_bitmap, size_t offset, cp_rng *r) {
    static char csv[ROWS * 64], cell[64];
    unsigned char valid[(ROWS + 64) / 8];
    size_t distance = stride ? (size_t)labs((long)stride) : types[type].size, n = 0;
    char *block = malloc(ROWS * distance + WIDEST + 1), *first = block + 1; /* not aligned */
    copse_table *t, *want;
    for (size_t i = 0; i < sizeof valid; i++) valid[i] = (unsigned char)cp_rng_below(r, 256);
    n += (size_t)sprintf(csv, "x,y\n");
    if (stride < 0) first += (ROWS - 1) * distance;
    for (size_t i = 0; i < ROWS; i++) {
        put_value(r, types[type].type, first + (stride < 0 ? -1 : 1) * (ptrdiff_t)(i * distance), cell);
        int there = !with_bitmap || valid[(offset + i) / 8] >> (offset + i) % 8 & 1;
        n += (size_t)sprintf(csv + n, "%s,0\n", there ? cell : "");
    }
    copse_values v = {.type = types[type].type, .data = first, .stride = stride};
    if (with_bitmap) {
        v.valid = valid;
        v.valid_offset = offset;
    }
    must(copse_table_new(ROWS, &t, &err), err);
    must(copse_table_add_values(t, "x", &v, &err), err);
    must(copse_table_add_numbers(t, "y", (double[ROWS]){0}, &err), err);
    want = read_text("t.csv", csv, NULL);
    must_equal(t, want);
    cp_table_free(t);
    cp_table_free(want);
    free(block);
}

static void every_type_stride_and_bitmap_is_as_in_csv(void **state) {
    (void)state;
    cp_rng r;
    cp_rng_init(&r, seed_of(__func__), CP_FOR_TEST, 0, 0);
    for (size_t type = 0; type < COUNT(types); type++) {
        const ptrdiff_t size = (ptrdiff_t)types[type].size, strides[] = {0, size, size + 3, 24, -size, -size - 3, -24};
        for (size_t k = 0; k < COUNT(strides); k++) {
            compare(type, strides[k], 0, 0, &r);
            for (size_t offset = 0; offset < 12; offset += 1 + offset % 3) compare(type, strides[k], 1, offset, &r);
        }
    }
}

/* Codes of each type of whole numbers; level 3 is missing, levels 1 and 4 are equal, level 5 is not used. */
static void codes_are_as_text_in_csv(void **state) {
    (void)state;
    enum { CODES = 1300, OFFSET = 3 };
    static const char *const level[] = {"red", "blue", "g,reen", NULL, "blue", "never", "12"};
    static unsigned char valid[(CODES + OFFSET) / 8 + 1];
    static char csv[CODES * 16], block[CODES * 8];
    static double number[CODES];
    cp_rng r;
    cp_rng_init(&r, seed_of(__func__), CP_FOR_TEST, 0, 0);
    for (size_t i = 0; i < sizeof valid; i++) valid[i] = (unsigned char)cp_rng_below(&r, 256);
    for (size_t type = COPSE_I8; type <= COPSE_U64; type++) {
        copse_table *t, *want;
        size_t n = (size_t)sprintf(csv, "c,n\n"), size = types[type].size;
        for (size_t i = 0; i < CODES; i++) {
            int64_t code = (int64_t)cp_rng_below(&r, 7);
            if (code == 5) code = type < COPSE_U8 ? -1 - (int64_t)i % 100 : 3;
            memcpy(block + i * size, &code, size);
            int there = code >= 0 && valid[(OFFSET + i) / 8] >> (OFFSET + i) % 8 & 1;
            n +=
                (size_t)sprintf(csv + n, "\"%s\",%g\n", there && level[code] ? level[code] : "", number[i] = (double)i);
        }
        const copse_values v = {.type = types[type].type, .data = block, .valid = valid, .valid_offset = OFFSET};
        must(copse_table_new(CODES, &t, &err), err);
        must(copse_table_add_codes(t, "c", &v, level, COUNT(level), &err), err);
        must(copse_table_add_numbers(t, "n", number, &err), err);
        want = read_text("t.csv", csv, &(cp_read_options){.categorical = "c"});
        must_equal(t, want);
        cp_table_free(t);
        cp_table_free(want);
    }
}

static void must_refuse_codes(const copse_values *v, const char *const *level, size_t n, copse_status status,
                              const char *part) {
    copse_table *t;
    must(copse_table_new(3, &t, &err), err);
    must(copse_table_add_numbers(t, "before", (double[]){1, 2, 3}, &err), err);
    assert_int_equal(copse_table_add_codes(t, "c", v, level, n, &err), status);
    if (!strstr(err.msg, part)) fail_msg("'%s' has no '%s'", err.msg, part);
    assert_int_equal(copse_table_cols(t), 1); /* as it was */
    assert_int_equal(copse_table_find(t, "c"), (size_t)-1);
    must(copse_table_add_numbers(t, "c", (double[]){1, 2, 3}, &err), err);
    assert_true(cp_table_check(t));
    cp_table_free(t);
}

static void wrong_values_are_refused_and_leave_the_table_as_it_was(void **state) {
    (void)state;
    static const char *const level[] = {"a", "b\xff", "c"};
    const int16_t high[] = {0, 2, 3}, bad[] = {0, -1, 1};
    const uint64_t huge[] = {0, 1ull << 63, 0};
    const double real[] = {0, 1, 2};
    must_refuse_codes(&(copse_values){.type = COPSE_I16, .data = high}, level, 3, COPSE_E_DATA,
                      "row 3 has the code 3, but there are 3 levels");
    assert_int_equal(err.row, 3);
    must_refuse_codes(&(copse_values){.type = COPSE_I16, .data = bad}, level, 3, COPSE_E_DATA,
                      "column 'c', row 3: the text is not UTF-8");
    must_refuse_codes(&(copse_values){.type = COPSE_U64, .data = huge}, level, 3, COPSE_E_DATA,
                      "row 2 has the code 9223372036854775808");
    must_refuse_codes(&(copse_values){.type = COPSE_F64, .data = real}, level, 3, COPSE_E_USAGE, "not floats");
    must_refuse_codes(&(copse_values){.type = COPSE_I16, .data = bad}, NULL, 3, COPSE_E_USAGE, "`levels` is missing");
    must_refuse_codes(&(copse_values){.type = COPSE_I16, .data = high}, NULL, 0, COPSE_E_DATA, "there are 0 levels");
    must_refuse_codes(&(copse_values){.type = COPSE_I16}, level, 3, COPSE_E_USAGE, "data is NULL");
    must_refuse_codes(&(copse_values){.type = (copse_type)99, .data = bad}, level, 3, COPSE_E_USAGE, "type 99");
    must_refuse_codes(NULL, level, 3, COPSE_E_USAGE, "NULL");
    copse_table *t;
    must(copse_table_new(0, &t, &err), err);
    must(copse_table_add_values(t, "empty", &(copse_values){0}, &err), err);
    must(copse_table_add_codes(t, "none", &(copse_values){.type = COPSE_I8}, NULL, 0, &err), err);
    assert_int_equal(copse_table_add_values(t, "x", &(copse_values){.type = (copse_type)-1}, &err), COPSE_E_USAGE);
    assert_int_equal(copse_table_add_values(t, "empty", &(copse_values){0}, &err), COPSE_E_USAGE);
    assert_int_equal(copse_table_add_values(t, NULL, &(copse_values){0}, &err), COPSE_E_USAGE);
    assert_int_equal(copse_table_add_values(NULL, "x", &(copse_values){0}, NULL), COPSE_E_USAGE);
    assert_int_equal(copse_table_cols(t), 2);
    cp_table_free(t);
}

static void every_failed_allocation_leaves_the_table_as_it_was(void **state) {
    (void)state;
    static const char *const level[] = {"a", "b"};
    const int32_t codes[] = {1, 0, 1};
    for (long k = 0;; k++) {
        copse_table *t;
        must(copse_table_new(3, &t, &err), err);
        cp_mem_fail_after(k);
        copse_status status =
            copse_table_add_codes(t, "c", &(copse_values){.type = COPSE_I32, .data = codes}, level, 2, &err);
        cp_mem_fail_after(-1);
        assert_int_equal(t->cols, status ? 0 : 1);
        assert_true(cp_table_check(t));
        cp_table_free(t);
        if (!status) break;
        assert_int_equal(status, COPSE_E_MEMORY);
    }
}

static void digest_of(const copse_table *t, char out[COPSE_DIGEST_SIZE]) {
    copse_model *m;
    must(copse_fit(t, &(copse_roles){.target = "y"}, NULL, NULL, &m, &err), err);
    must(copse_model_digest(m, NULL, out, &err), err);
    copse_model_free(m);
}

static void a_model_from_memory_has_the_digest_of_the_model_from_csv(void **state) {
    (void)state;
    enum { N = 200 };
    static const char *const level[] = {"spring", "summer", "autumn", "winter"};
    struct {
        float size;
        double y;
        int8_t season;
    } row[N];
    char *csv = malloc(N * 80), memory[COPSE_DIGEST_SIZE], file[COPSE_DIGEST_SIZE];
    cp_rng r;
    cp_rng_init(&r, seed_of(__func__), CP_FOR_TEST, 0, 0);
    size_t n = (size_t)sprintf(csv, "size,season,y\n");
    for (size_t i = 0; i < N; i++) {
        row[i].size = (float)cp_rng_below(&r, 1000) / 7;
        row[i].season = (int8_t)((int)cp_rng_below(&r, 5) - 1);
        row[i].y = row[i].size * row[i].season + 0.5;
        n += (size_t)sprintf(csv + n, "%.17g,%s,%.17g\n", (double)row[i].size,
                             row[i].season < 0 ? "" : level[row[i].season], row[i].y);
    }
    copse_table *t, *want = read_text("t.csv", csv, NULL);
    must(copse_table_new(N, &t, &err), err);
    must(copse_table_add_values(t, "size", &(copse_values){COPSE_F32, &row[0].size, sizeof *row, NULL, 0}, &err), err);
    must(copse_table_add_codes(t, "season", &(copse_values){COPSE_I8, &row[0].season, sizeof *row, NULL, 0}, level, 4,
                               &err),
         err);
    must(copse_table_add_values(t, "y", &(copse_values){COPSE_F64, &row[0].y, sizeof *row, NULL, 0}, &err), err);
    digest_of(t, memory);
    digest_of(want, file);
    assert_string_equal(memory, file);
    cp_table_free(t);
    cp_table_free(want);
    free(csv);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_stride_and_bitmap_is_as_in_csv),
        cmocka_unit_test(codes_are_as_text_in_csv),
        cmocka_unit_test(wrong_values_are_refused_and_leave_the_table_as_it_was),
        cmocka_unit_test(every_failed_allocation_leaves_the_table_as_it_was),
        cmocka_unit_test(a_model_from_memory_has_the_digest_of_the_model_from_csv),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
