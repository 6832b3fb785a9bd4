#include "reading.h"

static copse_error err;

typedef struct file {
    char bytes[4096];
    size_t n;
} file;

/* A .npy file of this version with this header and these data. */
static file npy(int version, const char *header, const void *data, size_t n) {
    file f = {0};
    size_t length = strlen(header), width = version == 1 ? 2 : 4;
    memcpy(f.bytes, "\x93NUMPY", 6);
    f.bytes[6] = (char)version;
    for (size_t i = 0; i < width; i++) f.bytes[8 + i] = (char)(length >> (8 * i) & 0xff);
    memcpy(f.bytes + 8 + width, header, length);
    if (n) memcpy(f.bytes + 8 + width + length, data, n);
    f.n = 8 + width + length + n;
    return f;
}

static void must_read_file(const file *f, const cp_read_options *opt, const char *want) {
    copse_table *t = read_bytes("t.npy", f->bytes, f->n, opt);
    assert_string_equal(shown(t), want);
    cp_table_free(t);
}

static void must_refuse_file(const file *f, const char *want) {
    copse_table *t;
    assert_int_equal(cp_read_bytes("t.npy", f->bytes, f->n, NULL, &t, &err), COPSE_E_DATA);
    assert_string_equal(err.msg, want);
    assert_null(t);
}

static void either_order_and_every_version_is_read(void **state) {
    (void)state;
    const double data[] = {1, 2, 3, 4, 5, NAN};
    for (int version = 1; version <= 3; version++) {
        file c = npy(version, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }  \n", data, sizeof data);
        must_read_file(&c, NULL, "x1=1,4;x2=2,5;target=3,-");
        file fortran = npy(version, "{\"shape\":(2,3),'fortran_order':True,'descr':'<f8'}", data, sizeof data);
        must_read_file(&fortran, NULL, "x1=1,2;x2=3,4;target=5,-");
    }
    file line = npy(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }", data, 24);
    must_read_file(&line, NULL, "x1=1,2,3");
    file column = npy(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 1), }", data, 24);
    must_read_file(&column, NULL, "target=1,2,3");
}

static void every_element_type_is_read(void **state) {
    (void)state;
    const struct {
        const char *descr;
        const char *data; /* two elements */
        size_t size;
        const char *want;
    } cases[] = {
        {"<f4", "\0\0\xc0\x3f\0\0\0\xc0", 4, "x1=1.5,-2"},
        {">f4", "\x3f\xc0\0\0\xc0\0\0\0", 4, "x1=1.5,-2"},
        {">f8", "\x3f\xf8\0\0\0\0\0\0\xc0\0\0\0\0\0\0\0", 8, "x1=1.5,-2"},
        {"|i1", "\x01\xff", 1, "x1=1,-1"},
        {"|u1", "\x01\xff", 1, "x1=1,255"},
        {"|b1", "\x01\0", 1, "x1=1,0"},
        {"<i2", "\x01\0\xfe\xff", 2, "x1=1,-2"},
        {">i2", "\0\x01\xff\xfe", 2, "x1=1,-2"},
        {"<u2", "\x01\0\xfe\xff", 2, "x1=1,65534"},
        {"<i4", "\x01\0\0\0\xfe\xff\xff\xff", 4, "x1=1,-2"},
        {">u4", "\0\0\0\x01\xff\xff\xff\xfe", 4, "x1=1,4294967294"},
        {"<i8", "\x01\0\0\0\0\0\0\0\xfe\xff\xff\xff\xff\xff\xff\xff", 8, "x1=1,-2"},
        {">i8", "\0\0\0\0\0\0\0\x01\xff\xff\xff\xff\xff\xff\xff\xfe", 8, "x1=1,-2"},
        {"<u8", "\x01\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0", 8, "x1=1,4294967296"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char header[128];
        sprintf(header, "{'descr': '%s', 'fortran_order': False, 'shape': (2,), }", cases[i].descr);
        file f = npy(1, header, cases[i].data, 2 * cases[i].size);
        must_read_file(&f, NULL, cases[i].want);
    }
}

/* More rows than are copied at a time, in both orders. */
static void every_cell_comes_to_its_place(void **state) {
    (void)state;
    enum { ROWS = 200, COLS = 3 };
    unsigned char cells[ROWS * COLS];
    char header[128];
    for (int fortran = 0; fortran < 2; fortran++) {
        for (size_t i = 0; i < ROWS; i++)
            for (size_t j = 0; j < COLS; j++)
                cells[fortran ? j * ROWS + i : i * COLS + j] = (unsigned char)((i * 7 + j * 101) % 256);
        sprintf(header, "{'descr': '|u1', 'fortran_order': %s, 'shape': (200, 3), }", fortran ? "True" : "False");
        file f = npy(1, header, cells, sizeof cells);
        copse_table *t = read_bytes("t.npy", f.bytes, f.n, NULL);
        for (size_t i = 0; i < ROWS; i++)
            for (size_t j = 0; j < COLS; j++) assert_true(t->col[j].number[i] == (double)((i * 7 + j * 101) % 256));
        cp_table_free(t);
    }
}

static void a_model_names_the_last_column(void **state) {
    (void)state;
    char x1[] = "x1", x2[] = "x2", target[] = "target";
    cp_feature feature[] = {{.name = x1, .kind = COPSE_NUMBER}, {.name = x2, .kind = COPSE_TEXT}};
    cp_schema schema = {.task = COPSE_REGRESS, .target = target, .features = 2, .feature = feature};
    const cp_read_options like = {.like = &schema};
    file without = npy(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2), }", "\1\2\3\4", 4);
    must_read_file(&without, &like, "x1=1,3;x2:2,4");
    file with = npy(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 3), }", "\1\2\3", 3);
    must_read_file(&with, &like, "x1=1;x2:2;target=3");
}

static void malformed_headers_are_refused(void **state) {
    (void)state;
    const struct {
        const char *header, *message;
    } cases[] = {
        {"", "t.npy: the .npy header is not one of a plain array. Write it again with numpy.save"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, ",
         "t.npy: the .npy header is not one of a plain array. Write it again with numpy.save"},
        {"{'descr': '<f8', 'fortran_order': False}",
         "t.npy: the .npy header is not one of a plain array. Write it again with numpy.save"},
        {"{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (2,)}",
         "t.npy: the .npy header is not one of a plain array. Write it again with numpy.save"},
        {"{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2,)}",
         "t.npy: the .npy header is not one of a plain array. Write it again with numpy.save"},
        {"{'descr': '<f8', 'fortran_order': Maybe, 'shape': (2,)}",
         "t.npy: the .npy header is not one of a plain array. Write it again with numpy.save"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (-2,)}",
         "t.npy: the .npy header is not one of a plain array. Write it again with numpy.save"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,)}",
         "t.npy: the .npy header is not one of a plain array. Write it again with numpy.save"},
        {"{'descr': '<c16', 'fortran_order': False, 'shape': (2,)}",
         "t.npy: elements of type '<c16' are not read: f4, f8, i1 to i8, u1 to u8 and b1 are. Convert with "
         "astype('f8')"},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (2,)}",
         "t.npy: elements of type '|O' are not read: f4, f8, i1 to i8, u1 to u8 and b1 are. Convert with astype('f8')"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': ()}",
         "t.npy: the array has 0 dimensions: a table has one or two. Use reshape"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1, 2)}",
         "t.npy: the array has 3 dimensions: a table has one or two. Use reshape"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (0, 2)}", "t.npy: the array is empty"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 0)}", "t.npy: the array is empty"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (3,)}",
         "t.npy: the data are cut off: there are fewer than the shape says. Write it again with numpy.save"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967297)}",
         "t.npy: the data are cut off: there are fewer than the shape says. Write it again with numpy.save"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2305843009213693953,)}",
         "t.npy: the data are cut off: there are fewer than the shape says. Write it again with numpy.save"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1,)}",
         "t.npy: there are more data than the shape says. Write it again with numpy.save"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        file f = npy(1, cases[i].header, "0123456789abcdef", 16);
        must_refuse_file(&f, cases[i].message);
    }
}

static void malformed_frames_are_refused(void **state) {
    (void)state;
    file f = npy(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (1,)}", "\1", 1), g = f;
    must_read_file(&f, NULL, "x1=1");
    f.bytes[6] = 4;
    must_refuse_file(&f, "t.npy: the .npy version is not 1, 2 or 3. Write it again with numpy.save");
    f.bytes[6] = 1;
    f.bytes[9] = 1;
    must_refuse_file(&f, "t.npy: the .npy header is cut off. Write it again with numpy.save");
    g.n = 9;
    must_refuse_file(&g, "t.npy: the .npy header is cut off. Write it again with numpy.save");
    g.n = 3;
    must_refuse_file(&g, "t.npy: this is not a .npy file. Write it again with numpy.save");
}

/* A file cut off anywhere is refused. */
static void every_prefix_is_refused(void **state) {
    (void)state;
    const double data[] = {1, 2, 3, 4};
    file f = npy(2, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }\n", data, sizeof data);
    size_t n = f.n;
    for (f.n = 0; f.n < n; f.n++) {
        copse_table *t;
        assert_int_equal(cp_read_bytes("t.npy", f.bytes, f.n, NULL, &t, &err), COPSE_E_DATA);
    }
    must_read_file(&f, NULL, "x1=1,3;target=2,4");
}

static void every_failed_allocation_is_clean(void **state) {
    (void)state;
    file f = npy(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2), }", "\1\2\3\4", 4);
    fail_every_allocation("t.npy", f.bytes, f.n, &(cp_read_options){.categorical = "x1"});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(either_order_and_every_version_is_read),
        cmocka_unit_test(every_element_type_is_read),
        cmocka_unit_test(every_cell_comes_to_its_place),
        cmocka_unit_test(a_model_names_the_last_column),
        cmocka_unit_test(malformed_headers_are_refused),
        cmocka_unit_test(malformed_frames_are_refused),
        cmocka_unit_test(every_prefix_is_refused),
        cmocka_unit_test(every_failed_allocation_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
