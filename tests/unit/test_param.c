#include "comma.h"

#include "base/mem.h"
#include "method/method.h"

static const cp_param table[] = {
    CP_OPTION_TREES("trees in the forest"),
    CP_OPTION_SEED,
    CP_OPTION_REAL("lifetime", "inf", 0, INFINITY, "lifetime"),
    CP_OPTION_REAL_AUTO("gamma", 0, 1e6, "discount"),
    CP_OPTION_REAL("shift", "0", -INFINITY, INFINITY, "any number"),
    {.name = "columns",
     .type = CP_PARAM_REAL,
     .initial = "sqrt",
     .min = 0.5,
     .max = 9,
     .choices = "sqrt all",
     .auto_ok = 1,
     .help = "numbers and words"},
    CP_OPTION_LIST("tune", "depth size noise", "words"),
    CP_OPTION_CHOICE("posterior", "exact", "exact fast", "posterior"),
    CP_OPTION_COUNTED("cuts", "uniform", "uniform grid:100", 2, 500, "words and a number"),
    CP_OPTION_FLAG("sparse", "yes or no"),
    CP_OPTION_REAL("noise-scale", "1", 0, 1, CP_OPTION_OF_NUMBERS("a scale")),
};
static const cp_method method = {.info = {.name = "toy", .tasks = COPSE_CLASS | COPSE_REGRESS},
                                 .params = table,
                                 .n_params = sizeof table / sizeof *table};

static copse_params *fresh(void) {
    copse_error err;
    copse_params *p = NULL;
    must(cp_param_new(&method, &p, &err), err);
    return p;
}

/* Setting must fail with this message and leave the option alone. */
static void refused(const char *name, const char *value, const char *msg) {
    copse_params *p = fresh();
    copse_error err = {0};
    assert_int_equal(cp_param_set(p, name, value, &err), COPSE_E_USAGE);
    assert_string_equal(err.msg, msg);
    for (size_t i = 0; i < method.n_params; i++) assert_string_equal(cp_param_text(p, table[i].name), table[i].initial);
    cp_param_free(p);
}

static void starts_with_the_defaults(void **state) {
    (void)state;
    copse_params *p = fresh();
    assert_int_equal(cp_param_int(p, "trees"), 100);
    assert_int_equal(cp_param_int(p, "seed"), 1);
    assert_true(isinf(cp_param_real(p, "lifetime")));
    assert_true(isnan(cp_param_real(p, "gamma")));
    assert_true(isnan(cp_param_real(p, "columns")) && cp_param_is(p, "columns", "sqrt"));
    assert_true(cp_param_is(p, "posterior", "exact"));
    assert_null(cp_param_text(p, "nothing"));
    cp_param_free(p);
}

static void takes_values_in_any_spelling_and_prints_one(void **state) {
    (void)state;
    static const struct {
        const char *name, *value, *text;
    } c[] = {
        {"trees", "7", "7"},
        {"cuts", "grid", "grid:100"},
        {"cuts", "grid:7", "grid:7"},
        {"cuts", "grid:+5e1", "grid:50"},
        {"cuts", "uniform", "uniform"},
        {"sparse", "yes", "yes"},
        {"sparse", "no", "no"},
        {"tune", "noise,depth", "depth,noise"},
        {"tune", "size", "size"},
        {"tune", "size,size", "size"},
        {"tune", "none", "none"},
        {"trees", "1e3", "1000"},
        {"trees", "+5.0", "5"},
        {"gamma", "0.10", "0.1"},
        {"gamma", "1e-1", "0.1"},
        {"gamma", "-0", "0"},
        {"lifetime", "Inf", "inf"},
        {"gamma", "auto", "auto"},
        {"posterior", "fast", "fast"},
        {"columns", "all", "all"},
        {"columns", "auto", "auto"},
        {"columns", "3.0", "3"},
        {"columns", "sqrt", "sqrt"},
        {"shift", "-1.5e300", "-1.5e+300"},
        {"seed", "9007199254740992", "9007199254740992"},
    };
    copse_params *p = fresh();
    copse_error err;
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        must(cp_param_set(p, c[i].name, c[i].value, &err), err);
        assert_string_equal(cp_param_text(p, c[i].name), c[i].text);
    }
    cp_param_free(p);
}

static void refuses_what_cannot_be(void **state) {
    (void)state;
    refused("columns", "sq", "`columns`: 'sq' is not a number (auto, sqrt, all, 0.5 to 9)");
    refused("columns", "sqrt all", "`columns`: 'sqrt all' is not a number (auto, sqrt, all, 0.5 to 9)");
    refused("columns", "", "`columns`: '' is not a number (auto, sqrt, all, 0.5 to 9)");
    refused("trees", "0", "`trees`: 0 is out of range (1 to 100000)");
    refused("trees", "100001", "`trees`: 100001 is out of range (1 to 100000)");
    refused("trees", "2.5", "`trees`: '2.5' is not a whole number (1 to 100000)");
    refused("trees", "many", "`trees`: 'many' is not a whole number (1 to 100000)");
    refused("trees", "", "`trees`: '' is not a whole number (1 to 100000)");
    refused("trees", "5x", "`trees`: '5x' is not a whole number (1 to 100000)");
    refused("trees", "auto", "`trees`: 'auto' is not a whole number (1 to 100000)");
    refused("trees", "inf", "`trees`: inf is out of range (1 to 100000)");
    refused("gamma", "-1", "`gamma`: -1 is out of range (auto, 0 to 1000000)");
    refused("lifetime", "nan", "`lifetime`: 'nan' is not a number (0 or more)");
    refused("shift", "left", "`shift`: 'left' is not a number");
    refused("posterior", "exakt", "`posterior`: 'exakt' is not one of: exact, fast; did you mean 'exact'?");
    refused("posterior", "none", "`posterior`: 'none' is not one of: exact, fast");
    refused("posterior", "", "`posterior`: '' is not one of: exact, fast");
    refused("cuts", "gird:7", "`cuts`: 'gird:7' is not one of: uniform, grid:N");
    refused("cuts", "gridded", "`cuts`: 'gridded' is not one of: uniform, grid:N");
    refused("cuts", "grid:1", "`cuts`: 'grid:1': what follows the colon is a whole number from 2 to 500");
    refused("cuts", "grid:2.5", "`cuts`: 'grid:2.5': what follows the colon is a whole number from 2 to 500");
    refused("cuts", "grid:", "`cuts`: 'grid:': what follows the colon is a whole number from 2 to 500");
    refused("cuts", "grid:7x", "`cuts`: 'grid:7x': what follows the colon is a whole number from 2 to 500");
    refused("sparse", "maybe", "`sparse`: 'maybe' is not one of: no, yes");
    refused("tress", "5", "method toy has no option `tress`; did you mean `trees`?");
    refused("leaves", "5", "method toy has no option `leaves`; 'copse methods toy' lists its options");
}

static void ranges_read_like_words(void **state) {
    (void)state;
    static const char *const expect[] = {"1 to 100000",
                                         "0 to 9007199254740992",
                                         "0 or more",
                                         "auto, 0 to 1000000",
                                         "",
                                         "auto, sqrt, all, 0.5 to 9",
                                         "none, or some of depth size noise",
                                         "exact fast",
                                         "uniform grid:N",
                                         "no yes",
                                         "0 to 1"};
    char buf[100];
    for (size_t i = 0; i < method.n_params; i++) {
        cp_param_range(&table[i], buf, sizeof buf);
        assert_string_equal(buf, expect[i]);
    }
}

/* What is said in vain is told only where it differs from what holds without it. */
static void a_default_in_another_spelling_is_not_given(void **state) {
    (void)state;
    static const cp_param half[] = {CP_OPTION_REAL("half", ".5", 0, 1, "a share")};
    static const cp_method one = {.info = {.name = "one"}, .params = half, .n_params = 1};
    copse_error err;
    copse_params *p = NULL;
    must(cp_param_new(&one, &p, &err), err);
    assert_false(cp_param_is_given(p, "half"));
    must(cp_param_set(p, "half", "0.50", &err), err);
    assert_false(cp_param_is_given(p, "half"));
    must(cp_param_set(p, "half", ".25", &err), err);
    assert_true(cp_param_is_given(p, "half"));
    cp_param_free(p);
}

static void all_is_the_same_where_points_are_commas(void **state) {
    commas_for_points();
    a_default_in_another_spelling_is_not_given(state);
    takes_values_in_any_spelling_and_prints_one(state);
    refuses_what_cannot_be(state);
    ranges_read_like_words(state);
    points_again();
}

static void copies_are_equal_and_apart(void **state) {
    (void)state;
    copse_error err;
    copse_params *p = fresh(), *q = NULL;
    must(cp_param_set(p, "gamma", "0.30000000000000004", &err), err);
    must(cp_param_copy(p, &q, &err), err);
    assert_true(cp_param_real(q, "gamma") == 0.1 + 0.2);
    must(cp_param_set(p, "gamma", "1", &err), err);
    assert_true(cp_param_real(q, "gamma") == 0.1 + 0.2);
    cp_param_free(p);
    cp_param_free(q);
}

/* Names and values as a file would hold them. */
static copse_status read_back(const char *const *name, size_t n, const char *const *value, size_t n_values,
                              copse_params **out, copse_error *err) {
    cp_writer *w = NULL;
    cp_reader *r = NULL;
    const unsigned char *bytes;
    size_t size;
    must(cp_writer_new(&w, err), *err);
    must(cp_writer_texts(w, "option_names", name, n, err), *err);
    must(cp_writer_texts(w, "option_values", value, n_values, err), *err);
    must(cp_writer_finish(w, &bytes, &size, err), *err);
    must(cp_reader_new(bytes, size, &r, err), *err);
    copse_status status = cp_param_read(r, &method, out, err);
    cp_reader_free(r);
    cp_writer_free(w);
    return status;
}

static void a_file_gives_back_the_same_values(void **state) {
    (void)state;
    copse_error err = {0};
    copse_params *p = fresh(), *q = NULL;
    must(cp_param_set(p, "gamma", "0.1", &err), err);
    must(cp_param_set(p, "shift", "-1.7976931348623157e308", &err), err);
    must(cp_param_set(p, "lifetime", "4.9406564584124654e-324", &err), err);
    must(cp_param_set(p, "posterior", "fast", &err), err);
    must(cp_param_set(p, "seed", "9007199254740991", &err), err);
    cp_writer *w = NULL;
    cp_reader *r = NULL;
    const unsigned char *bytes;
    size_t size;
    must(cp_writer_new(&w, &err), err);
    must(cp_param_write(p, w, &err), err);
    must(cp_writer_finish(w, &bytes, &size, &err), err);
    must(cp_reader_new(bytes, size, &r, &err), err);
    must(cp_param_read(r, &method, &q, &err), err);
    for (size_t i = 0; i < method.n_params; i++) {
        assert_memory_equal(&p->value[i], &q->value[i], sizeof(double));
        assert_string_equal(p->text[i], q->text[i]);
    }
    cp_reader_free(r);
    cp_writer_free(w);
    cp_param_free(p);
    cp_param_free(q);
}

static void a_file_with_impossible_options_is_a_bad_model(void **state) {
    (void)state;
    static const char *const name[] = {"trees", "gamma"}, *const other[] = {"trees", "branches"};
    static const char *const fine[] = {"7", "auto"}, *const wrong[] = {"7", "-1"};
    copse_error err = {0};
    copse_params *p = NULL;
    must(read_back(name, 2, fine, 2, &p, &err), err);
    assert_int_equal(cp_param_int(p, "trees"), 7);
    assert_int_equal(cp_param_int(p, "seed"), 1);
    cp_param_free(p);
    assert_int_equal(read_back(name, 2, wrong, 2, &p, &err), COPSE_E_MODEL);
    assert_null(p);
    assert_int_equal(read_back(other, 2, fine, 2, &p, &err), COPSE_E_MODEL);
    assert_int_equal(read_back(name, 2, fine, 1, &p, &err), COPSE_E_MODEL);
}

static void survives_every_failed_allocation(void **state) {
    (void)state;
    for (long k = 0;; k++) {
        copse_params *p = NULL, *q = NULL;
        copse_error err = {0};
        cp_mem_fail_after(k);
        copse_status s = cp_param_new(&method, &p, &err);
        if (!s) s = cp_param_copy(p, &q, &err);
        if (!s) s = cp_param_set(q, "trees", "3", &err);
        cp_mem_fail_after(-1);
        cp_param_free(p);
        cp_param_free(q);
        if (!s) break;
        assert_int_equal(s, COPSE_E_MEMORY);
    }
}

static void lists_know_their_words(void **state) {
    (void)state;
    copse_params *p = fresh();
    copse_error err;
    assert_false(cp_param_has(p, "tune", "depth"));
    must(cp_param_set(p, "tune", "noise,depth", &err), err);
    assert_true(cp_param_has(p, "tune", "depth") && cp_param_has(p, "tune", "noise"));
    assert_false(cp_param_has(p, "tune", "size"));
    must(cp_param_set(p, "tune", "none", &err), err);
    assert_false(cp_param_has(p, "tune", "noise"));
    cp_param_free(p);
#define WORDS "(none, or some of depth size noise), with commas between them"
    refused("tune", "dept", "`tune`: 'dept' is not among its words " WORDS);
    refused("tune", "size,", "`tune`: '' is not among its words " WORDS);
    refused("tune", "", "`tune`: '' is not among its words " WORDS);
    refused("tune", "size,none", "`tune`: 'none' is not among its words " WORDS);
#undef WORDS
}

static copse_option_info info_of(const char *name) {
    copse_option_info o = {0};
    for (size_t i = 0; i < method.n_params; i++)
        if (!strcmp(table[i].name, name)) cp_param_info(&method, i, &o);
    assert_string_equal(o.name, name);
    return o;
}

static void options_are_data(void **state) {
    (void)state;
    copse_option_info o = info_of("trees");
    assert_int_equal(o.kind, COPSE_OPTION_INT);
    assert_true(o.min == 1 && o.max == 100000 && o.initial_number == 100 && o.n_choices == 0);
    assert_int_equal(o.tasks, COPSE_CLASS | COPSE_REGRESS);
    o = info_of("noise-scale");
    assert_int_equal(o.tasks, COPSE_REGRESS);
    assert_string_equal(o.help, "numbers: a scale");
    o = info_of("lifetime");
    assert_true(o.kind == COPSE_OPTION_REAL && isinf(o.max) && isinf(o.initial_number));
    o = info_of("columns");
    assert_int_equal(o.n_choices, 3);
    assert_string_equal(o.choice[0], "auto");
    assert_string_equal(o.choice[2], "all");
    assert_true(isnan(o.initial_number) && o.min == .5);
    o = info_of("tune");
    assert_true(o.kind == COPSE_OPTION_LIST && o.n_choices == 3 && o.initial_number == 0 && isnan(o.max));
    o = info_of("posterior");
    assert_true(o.kind == COPSE_OPTION_CHOICE && o.n_choices == 2 && o.initial_number == 0 && isnan(o.min));
    o = info_of("cuts");
    assert_string_equal(o.choice[1], "grid");
    assert_true(isnan(o.count[0]) && o.count[1] == 100 && o.min == 2 && o.max == 500);
    o = info_of("sparse");
    assert_true(o.kind == COPSE_OPTION_FLAG && o.initial_number == 0 && o.n_choices == 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_with_the_defaults),
        cmocka_unit_test(options_are_data),
        cmocka_unit_test(lists_know_their_words),
        cmocka_unit_test(takes_values_in_any_spelling_and_prints_one),
        cmocka_unit_test(refuses_what_cannot_be),
        cmocka_unit_test(ranges_read_like_words),
        cmocka_unit_test(a_default_in_another_spelling_is_not_given),
        cmocka_unit_test(all_is_the_same_where_points_are_commas),
        cmocka_unit_test(copies_are_equal_and_apart),
        cmocka_unit_test(survives_every_failed_allocation),
        cmocka_unit_test(a_file_gives_back_the_same_values),
        cmocka_unit_test(a_file_with_impossible_options_is_a_bad_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
