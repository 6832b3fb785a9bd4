#include "comma.h"

#include <unistd.h>

#include "base/mem.h"
#include "data/schema_encode.h"
#include "data/schema_file.h"
#include "data/schema_new.h"
#include "data/schema_target.h"
#include "io/read.h"
#include "kernel/key_block.h"
#include "kernel/sort.h"
#include "num/rng.h"

/* ------------------------------------------------------------------------------------------------- tables and logs */

static copse_table *table_of(size_t rows) {
    copse_table *t;
    copse_error err;
    must(cp_table_new(rows, &t, &err), err);
    return t;
}

static void numbers(copse_table *t, const char *name, const double *v) {
    cp_column *c;
    copse_error err;
    must(cp_table_add(t, name, COPSE_NUMBER, &c, &err), err);
    memcpy(c->number, v, t->rows * sizeof *v);
}

static void texts(copse_table *t, const char *name, const char *const *v) {
    cp_column *c;
    copse_error err;
    must(cp_table_add(t, name, COPSE_TEXT, &c, &err), err);
    for (size_t i = 0; i < t->rows; i++)
        if (v[i]) must(cp_dict_add(&c->levels, v[i], strlen(v[i]), &c->code[i], &err), err);
}

#define NUMBERS(t, name, ...) numbers(t, name, (const double[]){__VA_ARGS__})
#define TEXTS(t, name, ...)   texts(t, name, (const char *const[]){__VA_ARGS__})

typedef struct notes {
    char text[8192];
    int warnings;
} notes;

static void note(void *arg, copse_log_level level, const char *line) {
    notes *n = arg;
    strncat(n->text, line, sizeof n->text - strlen(n->text) - 2);
    strcat(n->text, "\n");
    n->warnings += level == COPSE_LOG_WARNING;
}

/* As a fit makes it: with the ranges of the file that roles->scale names. */
static copse_status schema_of(const copse_table *t, const copse_roles *roles, cp_encoding encoding,
                              const copse_run *run, cp_schema **out, copse_error *err) {
    cp_schema_spec spec = {.roles = roles, .encoding = encoding};
    *out = NULL;
    if (roles->scale && strcmp(roles->scale, CP_SCHEMA_NO_SCALE) != 0)
        CP_TRY(cp_read_file(roles->scale, NULL, &spec.opt_scale, err));
    copse_status status = cp_schema_new(t, &spec, run, out, err);
    cp_table_free(spec.opt_scale);
    return status;
}

/* A schema that must be made; what it says goes to opt_notes. */
static cp_schema *make(const copse_table *t, copse_roles roles, notes *opt_notes) {
    cp_schema *s;
    copse_error err;
    copse_run run = {.threads = 2, .log = opt_notes ? note : NULL, .arg = opt_notes};
    if (opt_notes) *opt_notes = (notes){.warnings = 0};
    must(schema_of(t, &roles, CP_ENCODE_UNIT, &run, &s, &err), err);
    assert_true(cp_schema_check(s));
    return s;
}

static void refuse(const copse_table *t, copse_roles roles, copse_status status, const char *message) {
    cp_schema *s;
    copse_error err;
    assert_int_equal(schema_of(t, &roles, CP_ENCODE_UNIT, NULL, &s, &err), status);
    assert_string_equal(err.msg, message);
    assert_null(s);
}

static void assert_floats(const float *got, const float *want, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (got[i] != want[i]) fail_msg("element %zu is %g instead of %g", i, (double)got[i], (double)want[i]);
}

#define FLOATS(got, ...) \
    assert_floats(got, (const float[]){__VA_ARGS__}, sizeof((const float[]){__VA_ARGS__}) / sizeof(float))

/* ------------------------------------------------------------------------------------------------------------- task */

static copse_task task_of(const double *y, size_t rows) {
    copse_table *t = table_of(rows);
    double x[64];
    for (size_t i = 0; i < rows; i++) x[i] = (double)i;
    numbers(t, "x", x);
    numbers(t, "y", y);
    cp_schema *s = make(t, (copse_roles){.target = "y"}, NULL);
    copse_task task = s->task;
    cp_schema_free(s);
    cp_table_free(t);
    return task;
}

static void task_comes_from_the_target(void **state) {
    (void)state;
    double twenty[42];
    for (int i = 0; i < 42; i++) twenty[i] = i % 20;
    assert_int_equal(task_of((const double[]){0, 1, 0, 1}, 4), COPSE_CLASS);
    assert_int_equal(task_of((const double[]){0, 1, 0, 1, 2}, 5), COPSE_REGRESS); /* 2 is there once */
    assert_int_equal(task_of((const double[]){.5, 1, .5, 1}, 4), COPSE_REGRESS);
    assert_int_equal(task_of((const double[]){-3, NAN, -3}, 3), COPSE_CLASS);
    assert_int_equal(task_of(twenty, 42), COPSE_CLASS);
    twenty[40] = twenty[41] = 20;
    assert_int_equal(task_of(twenty, 42), COPSE_REGRESS);
}

static void the_choice_is_said_and_can_be_overridden(void **state) {
    (void)state;
    notes said;
    copse_table *t = table_of(4);
    NUMBERS(t, "x", 1, 2, 3, 4);
    NUMBERS(t, "y", 0, 1, 0, 1);
    TEXTS(t, "z", "b", "a", "b", "a");
    cp_schema_free(make(t, (copse_roles){.target = "y"}, &said));
    assert_non_null(strstr(said.text, "target 'y' has few values, all whole numbers: classification (`task=regress`"));
    cp_schema_free(make(t, (copse_roles){.target = "x"}, &said));
    assert_non_null(strstr(said.text, "target 'x' is numbers: regression (`task=class` to override)"));
    cp_schema *s = make(t, (copse_roles){.target = "y", .task = COPSE_REGRESS}, &said);
    assert_int_equal(s->task, COPSE_REGRESS);
    assert_string_equal(said.text, "");
    cp_schema_free(s);
    s = make(t, (copse_roles){.target = "x", .task = COPSE_CLASS}, NULL);
    assert_int_equal(s->classes.n, 4);
    cp_schema_free(s);
    cp_table_free(t);
}

static void roles_that_cannot_be_are_refused(void **state) {
    (void)state;
    copse_table *t = table_of(2), *none = table_of(0);
    NUMBERS(t, "age", 1, 2);
    TEXTS(t, "city", NULL, "Rome");
    NUMBERS(t, "gone", NAN, NAN);
    NUMBERS(t, "wild", -1e308, 1e308);
    NUMBERS(t, "inf", 1, INFINITY);
    NUMBERS(none, "age", 0);
    refuse(t, (copse_roles){.target = NULL}, COPSE_E_USAGE, "no target: name the column to predict (`target`)");
    refuse(t, (copse_roles){.target = "agee"}, COPSE_E_USAGE,
           "there is no column 'agee' in the table. Did you mean 'age'?");
    refuse(t, (copse_roles){.target = "age", .features = "citi"}, COPSE_E_USAGE,
           "there is no column 'citi' in the table. Did you mean 'city'?");
    refuse(none, (copse_roles){.target = "age"}, COPSE_E_DATA, "there are no rows to learn from");
    refuse(t, (copse_roles){.target = "age", .features = "age"}, COPSE_E_DATA, "no columns are left to predict from");
    refuse(t, (copse_roles){.target = "age", .features = "gone"}, COPSE_E_DATA, "no columns are left to predict from");
    refuse(t, (copse_roles){.target = "gone"}, COPSE_E_DATA, "every value of the target 'gone' is missing");
    refuse(t, (copse_roles){.target = "city", .task = COPSE_REGRESS}, COPSE_E_DATA,
           "row 2: regression needs numbers, but the target 'city' holds 'Rome': correct it, mark it as missing "
           "(`na='Rome'`), or classify (`task=class`)");
    refuse(t, (copse_roles){.target = "age", .features = "inf"}, COPSE_E_DATA,
           "row 2: column 'inf' is infinite there: correct it, or mark what is written there as missing (`na`, e.g. "
           "`na=inf,-inf`)");
    refuse(t, (copse_roles){.target = "age", .features = "wild"}, COPSE_E_DATA,
           "the range of column 'wild', -1e+308 to 1e+308, is too wide to compute with");
    cp_table_free(t);
    cp_table_free(none);
}

static void every_column_without_another_role_is_a_feature(void **state) {
    (void)state;
    notes said;
    copse_table *t = table_of(2);
    NUMBERS(t, "a", 1, 2);
    NUMBERS(t, "w", 1, 2);
    NUMBERS(t, "b", 1, 2);
    NUMBERS(t, "y", 1, 2.5);
    NUMBERS(t, "c", NAN, NAN);
    NUMBERS(t, "d", 1, 2);
    cp_schema *s = make(t, (copse_roles){.target = "y", .drop = "b,y", .weights = "w"}, &said);
    assert_int_equal(s->features, 2);
    assert_string_equal(s->feature[0].name, "a");
    assert_string_equal(s->feature[1].name, "d");
    assert_non_null(strstr(said.text, "column 'c' has no values: it is not used"));
    cp_schema_free(s);
    s = make(t, (copse_roles){.target = "y", .features = "b..d"}, &said);
    assert_int_equal(s->features, 2);
    assert_string_equal(s->feature[0].name, "b");
    assert_non_null(strstr(said.text, "'y' is the target: it is not used as a feature"));
    cp_schema_free(s);
    cp_table_free(t);
}

static void targets_with_little_to_learn_are_warned_of(void **state) {
    (void)state;
    notes said;
    copse_table *t = table_of(3);
    NUMBERS(t, "x", 1, 2, 3);
    NUMBERS(t, "flat", 2.5, NAN, 2.5);
    TEXTS(t, "one", "a", NULL, "a");
    cp_schema_free(make(t, (copse_roles){.target = "flat"}, &said));
    assert_int_equal(said.warnings, 1);
    cp_schema_free(make(t, (copse_roles){.target = "one"}, &said));
    assert_int_equal(said.warnings, 1);
    cp_schema_free(make(t, (copse_roles){.target = "x"}, &said));
    assert_int_equal(said.warnings, 0);
    cp_table_free(t);
}

/* --------------------------------------------------------------------------------------------------------- encoding */

static void numbers_are_scaled_and_missing_ones_filled(void **state) {
    (void)state;
    notes said;
    copse_error err;
    float z[8];
    copse_table *t = table_of(4), *later = table_of(2);
    NUMBERS(t, "x", 10, NAN, 20, 15);
    NUMBERS(t, "k", 7, 7, 7, 7);
    NUMBERS(t, "y", 1.5, 2, 3, 4);
    cp_schema *s = make(t, (copse_roles){.target = "y"}, &said);
    assert_true(s->feature[0].fill == 15);
    assert_non_null(strstr(said.text, "1 missing value in 'x' is replaced by the median 15\n"));
    must(cp_schema_encode(s, (cp_table_rows){t, 0, 4}, z, &err), err);
    FLOATS(z, 0, 0, .5f, 0, 1, 0, .5f, 0);
    NUMBERS(later, "k", 8, NAN); /* another order, other columns */
    TEXTS(later, "other", "?", "?");
    NUMBERS(later, "x", -10, 1e300);
    must(cp_schema_encode(s, (cp_table_rows){later, 0, 2}, z, &err), err);
    FLOATS(z, -2, 1, 1e37f, 0);
    must(cp_schema_encode(s, (cp_table_rows){later, 1, 1}, z, &err), err);
    FLOATS(z, 1e37f, 0);
    cp_schema_free(s);
    cp_table_free(t);
    cp_table_free(later);
}

static void few_levels_become_indicators(void **state) {
    (void)state;
    notes said;
    copse_error err;
    float z[15];
    char name[40];
    copse_table *t = table_of(5), *later = table_of(3);
    TEXTS(t, "colour", "red", "blue", "green", "blue", NULL);
    NUMBERS(t, "y", 1.5, 2, 3, 4, 5);
    cp_schema *s = make(t, (copse_roles){.target = "y"}, &said);
    assert_non_null(strstr(said.text, "1 missing value in 'colour' is replaced by the most frequent, 'blue'"));
    assert_int_equal(s->dims, 3); /* blue, then green before red */
    must(cp_schema_encode(s, (cp_table_rows){t, 0, 5}, z, &err), err);
    FLOATS(z, 0, 0, 1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0);
    cp_schema_dim_name(s, 2, name, sizeof name);
    assert_string_equal(name, "colour=red");
    TEXTS(later, "colour", "mauve", "red", "Red");
    must(cp_schema_encode(s, (cp_table_rows){later, 0, 3}, z, &err), err);
    FLOATS(z, 0, 0, 0, 0, 0, 1, 0, 0, 0);
    must(cp_schema_encode(s, (cp_table_rows){later, 0, 1}, z, &err),
         err); /* fewer rows than levels: looked up one by one */
    FLOATS(z, 0, 0, 0);
    cp_schema_free(s);
    cp_table_free(t);
    cp_table_free(later);
}

static void many_levels_become_ranks(void **state) {
    (void)state;
    notes said;
    copse_error err;
    enum { LEVELS = 40, ROWS = LEVELS * (LEVELS + 1) / 2 };
    char name[LEVELS][8];
    const char *v[ROWS];
    double y[ROWS];
    static float z[ROWS];
    size_t row = 0;
    for (size_t k = 0; k < LEVELS; k++) { /* level k occurs k+1 times, rarest first */
        snprintf(name[k], sizeof name[k], "L%zu", k);
        for (size_t i = 0; i <= k; i++, row++) {
            v[row] = name[k];
            y[row] = (double)row + .5;
        }
    }
    copse_table *t = table_of(ROWS), *later = table_of(2);
    texts(t, "city", v);
    numbers(t, "y", y);
    cp_schema *s = make(t, (copse_roles){.target = "y"}, &said);
    assert_int_equal(s->dims, 1);
    assert_non_null(strstr(said.text, "'city' has 40 levels: coded by frequency"));
    must(cp_schema_encode(s, (cp_table_rows){t, 0, ROWS}, z, &err), err);
    assert_true(z[0] == 39.0f / 40);
    assert_true(z[ROWS - 1] == 0);
    TEXTS(later, "city", "unseen", NULL);
    must(cp_schema_encode(s, (cp_table_rows){later, 0, 2}, z, &err), err);
    FLOATS(z, 1, 0);
    cp_schema_free(s);
    must(schema_of(t, &(copse_roles){.target = "y"}, CP_ENCODE_PLAIN, NULL, &s, &err), err);
    must(cp_schema_encode(s, (cp_table_rows){later, 0, 2}, z, &err), err);
    FLOATS(z, 40, 0);
    cp_schema_free(s);
    cp_table_free(t);
    cp_table_free(later);
}

static void scaling_can_be_turned_off(void **state) {
    (void)state;
    copse_error err;
    float z[3];
    copse_table *t = table_of(3);
    NUMBERS(t, "x", 1e9, 1e9 + 1, 1e9 + 5);
    NUMBERS(t, "y", 1.5, 2, 3);
    cp_schema *s = make(t, (copse_roles){.target = "y", .scale = "none"}, NULL);
    must(cp_schema_encode(s, (cp_table_rows){t, 0, 3}, z, &err), err);
    FLOATS(z, 1e9f, 1e9f, 1e9f);
    cp_schema_free(s);
    /* a method that does not scale still keeps the resolution of large numbers */
    must(schema_of(t, &(copse_roles){.target = "y"}, CP_ENCODE_PLAIN, NULL, &s, &err), err);
    must(cp_schema_encode(s, (cp_table_rows){t, 0, 3}, z, &err), err);
    FLOATS(z, -1, 0, 4);
    cp_schema_free(s);
    cp_table_free(t);
}

static cp_schema *make_raw(const copse_table *t, notes *said) {
    cp_schema *s;
    copse_error err;
    *said = (notes){.warnings = 0};
    must(schema_of(t, &(copse_roles){.target = "y"}, CP_ENCODE_RAW, &(copse_run){.log = note, .arg = said}, &s, &err),
         err);
    assert_true(cp_schema_check(s));
    return s;
}

static void assert_raw(float got, float want) {
    if (got != want && !(isnan(got) && isnan(want))) fail_msg("%g instead of %g", (double)got, (double)want);
}

static void raw_columns_keep_levels_and_missing_values(void **state) {
    (void)state;
    notes said;
    copse_error err;
    float z[12];
    char name[40];
    copse_table *t = table_of(4), *later = table_of(3);
    NUMBERS(t, "x", 1.5, NAN, -2, 7);
    TEXTS(t, "c", "red", "blue", NULL, "red");
    NUMBERS(t, "k", 3, 3, 3, 3);
    NUMBERS(t, "y", 1.5, 2, 3, 4);
    cp_schema *s = make_raw(t, &said);
    assert_non_null(strstr(said.text, "2 missing values in 2 columns: the method takes them as they are\n"));
    assert_null(strstr(said.text, "replaced"));
    assert_int_equal(s->dims, 3);
    assert_true(s->levels[0] == 0 && s->levels[1] == 2 && s->levels[2] == 0);
    assert_int_equal(s->feature[0].absent, 1);
    cp_schema_dim_name(s, 1, name, sizeof name);
    assert_string_equal(name, "c");
    must(cp_schema_encode(s, (cp_table_rows){t, 0, 4}, z, &err), err);
    const float want[12] = {1.5f, 0, 3, NAN, 1, 3, -2, NAN, 3, 7, 0, 3};
    for (size_t i = 0; i < 12; i++) assert_raw(z[i], want[i]);
    TEXTS(later, "c", "mauve", NULL, "blue");
    TEXTS(later, "x", NULL, NULL, NULL); /* nothing known: a column without kind */
    NUMBERS(later, "k", 1e300, -1e308, NAN);
    must(cp_schema_encode(s, (cp_table_rows){later, 0, 3}, z, &err), err);
    const float then[9] = {NAN, 2, 1e37f, NAN, NAN, -1e37f, NAN, 1, NAN};
    for (size_t i = 0; i < 9; i++) assert_raw(z[i], then[i]);
    later->col[2].number[1] = INFINITY;
    assert_int_equal(cp_schema_encode(s, (cp_table_rows){later, 0, 3}, z, &err), COPSE_E_DATA);
    assert_int_equal(err.row, 2);
    cp_schema_free(s);
    cp_table_free(t);
    cp_table_free(later);
}

static void one_missing_value_is_said_in_the_singular(void **state) {
    (void)state;
    notes said;
    copse_table *t = table_of(3);
    NUMBERS(t, "x", 1, NAN, 2);
    NUMBERS(t, "y", 1.5, 2, 3);
    cp_schema *s = make_raw(t, &said);
    assert_non_null(strstr(said.text, "1 missing value in 'x': the method takes it as it is\n"));
    assert_null(s->levels); /* all are numbers */
    cp_schema_free(s);
    cp_table_free(t);
}

static double shift_of(const double *x) {
    notes said;
    copse_table *t = table_of(4);
    numbers(t, "x", x);
    NUMBERS(t, "y", 1.5, 2, 3, 4);
    cp_schema *s = make_raw(t, &said);
    double shift = s->shift[0];
    assert_true(s->span[0] == 1);
    cp_schema_free(s);
    cp_table_free(t);
    return shift;
}

#define SHIFT_OF(...) shift_of((const double[]){__VA_ARGS__})

/* What people know as numbers stays what it is; what floats would blur is counted from its middle. */
static void raw_numbers_are_moved_only_where_floats_are_too_coarse(void **state) {
    (void)state;
    assert_true(SHIFT_OF(0, 0, 0, 0) == 0);
    assert_true(SHIFT_OF(1998, 2003, 2026, NAN) == 0);                                   /* years */
    assert_true(SHIFT_OF(-122.23, -122.25, -122.26, -122.1) == 0);                       /* short decimals */
    assert_true(SHIFT_OF(37.1234, 37.1235, 37.1299, 37.2) == 0);                         /* longer ones */
    assert_true(SHIFT_OF(10000000, 10000001, 10000002, 10000003) == 0);                  /* whole numbers below 2^24 */
    assert_true(SHIFT_OF(1e12, 2e12, 3e12, 4e12) == 0);                                  /* large and wide */
    assert_true(SHIFT_OF(1e9, 1.1e9, 1.01e9, 1.02e9) == 0);                              /* round */
    assert_true(SHIFT_OF(-.123456789012, .2345678901234, 1e-20, 1e-30) == 0);            /* about 0 */
    assert_true(SHIFT_OF(1763000000, 1763000001, 1763000003, 1763000004) == 1763000002); /* seconds since 1970 */
    assert_true(SHIFT_OF(1763e9, 1763e9 + 1, 1763e9 + 2, 1763e9 + 9) == 1763e9 + 2);
    assert_true(SHIFT_OF(1e-5 + 1e9, 2e-5 + 1e9, 3e-5 + 1e9, 3e-5 + 1e9) > 1e9);
}

/* The floats differ wherever the numbers did. */
static void time_stamps_keep_their_seconds(void **state) {
    (void)state;
    enum { ROWS = 86400 };
    notes said;
    copse_error err;
    static double x[ROWS], y[ROWS];
    static float z[ROWS];
    for (size_t i = 0; i < ROWS; i++) x[i] = 1.763e9 + (double)i, y[i] = (double)i + .5;
    copse_table *t = table_of(ROWS);
    numbers(t, "x", x);
    numbers(t, "y", y);
    cp_schema *s = make_raw(t, &said);
    must(cp_schema_encode(s, (cp_table_rows){t, 0, ROWS}, z, &err), err);
    for (size_t i = 0; i < ROWS; i++) assert_true((double)z[i] + s->shift[0] == x[i]);
    cp_schema_free(s);
    cp_table_free(t);
}

static void write_file(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void refuse_scale(const copse_table *t, const char *path, const char *text, const char *message) {
    cp_schema *s;
    copse_error err;
    write_file(path, text);
    copse_roles roles = {.target = "y", .scale = path};
    assert_int_equal(schema_of(t, &roles, CP_ENCODE_UNIT, NULL, &s, &err), COPSE_E_DATA);
    if (!strstr(err.msg, message)) fail_msg("%s", err.msg);
}

static void ranges_can_come_from_a_file(void **state) {
    (void)state;
    copse_error err;
    notes said;
    float z[9];
    char path[] = "/tmp/copse-scale-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    copse_table *t = table_of(3);
    NUMBERS(t, "a", 1, 2, 3);
    NUMBERS(t, "b", 1, 2, 3);
    NUMBERS(t, "c", 1, 2, 3);
    NUMBERS(t, "y", 1.5, 2, 3);
    write_file(path, "name,min,max\nc,2,2\nunknown,0,1\na,-1,3\ncc,0,1\n");
    cp_schema *s = make(t, (copse_roles){.target = "y", .scale = path}, &said);
    must(cp_schema_encode(s, (cp_table_rows){t, 0, 3}, z, &err), err);
    FLOATS(z, .5f, 0, -1, .75f, .5f, 0, 1, 1, 1);
    assert_non_null(strstr(said.text, "'b' is not in /tmp/copse-scale-"));
    assert_int_equal(said.warnings, 2);
    assert_non_null(strstr(said.text, "'unknown' in /tmp/copse-scale-"));
    assert_non_null(strstr(said.text, " is not a feature: its range is not used. Did you mean 'c'?\n"));
    cp_schema_free(s);
    refuse_scale(t, path, "name,low,high\na,0,1\n", "there is no column 'min' in");
    refuse_scale(t, path, "name,min,max\na,0,1\na,0,1\n", ":3: the name is missing or a repetition");
    refuse_scale(t, path, "name,min,max\na,1,0\n", ":2: min and max must be numbers, min the smaller one");
    refuse_scale(t, path, "name,min,max\na,,0\n", ":2: min and max must be numbers, min the smaller one");
    refuse_scale(t, path, "name,min,max\na,0,inf\n", ":2: min and max must be numbers, min the smaller one");
    refuse_scale(t, path, "name,min,max\na,-1e308,1e308\n", ":2: min and max must be numbers, min the smaller one");
    unlink(path);
    copse_model *m;
    assert_int_equal(copse_fit(t, &(copse_roles){.target = "y", .scale = path}, NULL, NULL, &m, &err), COPSE_E_SYSTEM);
    cp_table_free(t);
}

static void refuse_encoding(const cp_schema *s, const copse_table *t, long row, long col, const char *message) {
    float z[8];
    copse_error err;
    assert_int_equal(cp_schema_encode(s, (cp_table_rows){t, 0, t->rows}, z, &err), COPSE_E_DATA);
    assert_string_equal(err.msg, message);
    assert_int_equal(err.row, row);
    assert_int_equal(err.col, col);
}

static void columns_that_do_not_fit_are_named(void **state) {
    (void)state;
    float z[8];
    copse_error err;
    copse_table *t = table_of(2), *u;
    NUMBERS(t, "x", 1, 2);
    TEXTS(t, "c", "a", "b");
    NUMBERS(t, "y", 1.5, 2);
    cp_schema *s = make(t, (copse_roles){.target = "y"}, NULL);
    u = table_of(2);
    NUMBERS(u, "X", 1, 2);
    TEXTS(u, "c", "a", "b");
    refuse_encoding(s, u, 0, 0, "there is no column 'x' in the table. Did you mean 'X'?");
    cp_table_free(u);
    u = table_of(2);
    TEXTS(u, "c", "a", "b");
    NUMBERS(u, "x", 1, -INFINITY);
    refuse_encoding(s, u, 2, 2,
                    "row 2: column 'x' is minus infinity there: correct it, or mark what is written there as missing "
                    "(`na`, e.g. `na=inf,-inf`)");
    cp_table_free(u);
    u = table_of(3);
    TEXTS(u, "x", "1", "two", "3");
    TEXTS(u, "c", "a", "b", "a");
    refuse_encoding(s, u, 2, 1,
                    "row 2: 'two' in column 'x' is no number, and the model was trained on numbers: correct it, or "
                    "mark it as missing (`na='two'`)");
    cp_table_free(u);
    u = table_of(2);
    TEXTS(u, "x", NULL, "two");
    TEXTS(u, "c", "a", "b");
    refuse_encoding(s, u, 2, 1,
                    "row 2: 'two' in column 'x' is no number, and the model was trained on numbers: correct it, or "
                    "mark it as missing (`na='two'`)");
    cp_table_free(u);
    u = table_of(2);
    NUMBERS(u, "x", 1, 2);
    NUMBERS(u, "c", 1, 2);
    refuse_encoding(s, u, 0, 0,
                    "column 'c' holds numbers, but the model was trained on text: read it as text (`categorical='c'`)");
    cp_table_free(u);
    u = table_of(2); /* nothing but missing values fits any kind */
    TEXTS(u, "x", NULL, NULL);
    NUMBERS(u, "c", NAN, NAN);
    must(cp_schema_encode(s, (cp_table_rows){u, 0, 2}, z, &err), err);
    FLOATS(z, .5f, 1, 0, .5f, 1, 0);
    cp_table_free(u);
    cp_schema_free(s);
    cp_table_free(t);
}

/* Whatever the table, training rows are encoded into [0,1], and any cutting into blocks gives the same numbers. */
static void training_rows_fill_the_unit_box(void **state) {
    (void)state;
    copse_error err;
    cp_rng rng;
    cp_rng_init(&rng, seed_of("training_rows_fill_the_unit_box"), CP_FOR_TEST, 0, 0);
    for (int repeat = 0; repeat < 30; repeat++) {
        size_t rows = 1 + cp_rng_below(&rng, 400), cols = 1 + cp_rng_below(&rng, 12);
        copse_table *t = table_of(rows);
        double *y = malloc(rows * sizeof *y);
        for (size_t i = 0; i < rows; i++) y[i] = cp_rng_unit(&rng);
        numbers(t, "y", y);
        for (size_t j = 0; j < cols; j++) {
            char name[24], text[16];
            cp_column *c;
            int32_t id;
            snprintf(name, sizeof name, "x%zu", j);
            int text_column = j % 3 == 2;
            uint64_t levels = 1 + cp_rng_below(&rng, 60);
            must(cp_table_add(t, name, text_column ? COPSE_TEXT : COPSE_NUMBER, &c, &err), err);
            for (size_t i = 0; i < rows; i++) {
                if (i && cp_rng_below(&rng, 10) == 0) continue; /* missing */
                if (!text_column) c->number[i] = (cp_rng_unit(&rng) - .5) * pow(10, (double)j * 3);
                if (!text_column) continue;
                int n = snprintf(text, sizeof text, "%d", (int)cp_rng_below(&rng, levels));
                must(cp_dict_add(&c->levels, text, (size_t)n, &id, &err), err);
                c->code[i] = id;
            }
        }
        cp_schema *s = make(t, (copse_roles){.target = "y"}, NULL);
        float *whole = malloc(rows * s->dims * sizeof *whole), *parts = malloc(rows * s->dims * sizeof *parts);
        must(cp_schema_encode(s, (cp_table_rows){t, 0, rows}, whole, &err), err);
        for (size_t i = 0; i < rows * s->dims; i++) assert_true(whole[i] >= 0 && whole[i] <= 1);
        for (size_t done = 0, n; done < rows; done += n) {
            n = 1 + cp_rng_below(&rng, 50);
            if (n > rows - done) n = rows - done;
            must(cp_schema_encode(s, (cp_table_rows){t, done, n}, parts + done * s->dims, &err), err);
        }
        assert_memory_equal(whole, parts, rows * s->dims * sizeof *whole);
        free(whole);
        free(parts);
        free(y);
        cp_schema_free(s);
        cp_table_free(t);
    }
}

/* Gangs hold the keys of what rows hold, of numbers, shifted or not, and of categories; but only where all is there. */
static void gangs_are_the_rows_as_keys(void **state) {
    (void)state;
    enum { ROWS = 2079, DIMS = 3 }; /* more than are encoded at a time, and an incomplete key block */
    static const char *const level[] = {"a", "b", "c"};
    static const double odd[] = {0, NAN, INFINITY};
    copse_error err;
    const char *word[ROWS];
    double number[ROWS];
    copse_table *t = table_of(ROWS);
    for (size_t i = 0; i < ROWS; i++) word[i] = level[i % 7 % 3];
    for (size_t i = 0; i < ROWS; i++) number[i] = 1e9 + (double)(i * 31 % 97);
    numbers(t, "far", number);
    texts(t, "word", word);
    for (size_t i = 0; i < ROWS; i++) number[i] = (double)(i % 13) - 5;
    numbers(t, "near", number);
    numbers(t, "y", number);
    cp_schema *s;
    must(schema_of(t, &(copse_roles){.target = "y"}, CP_ENCODE_RAW, NULL, &s, &err), err);
    assert_true(s->dims == DIMS && s->shift[0] != 0);
    float *x = malloc(ROWS * DIMS * sizeof *x);
    uint32_t *key = malloc((ROWS + CP_KEY_BLOCK_ROWS) * DIMS * sizeof *key);
    for (size_t first = 0; first < 20; first += 5)
        for (size_t o = 0; o < COUNT(odd); o++) {
            int whole;
            double known = t->col[2].number[1500];
            if (odd[o] != 0) t->col[2].number[1500] = odd[o];
            must(cp_schema_encode_keys(s, (cp_table_rows){t, first, ROWS - first}, key, &whole, &err), err);
            t->col[2].number[1500] = known;
            assert_int_equal(whole, odd[o] == 0);
            must(cp_schema_encode(s, (cp_table_rows){t, first, ROWS - first}, x, &err), err);
            for (size_t i = 0; whole && i < ROWS - first; i++)
                for (size_t d = 0; d < DIMS; d++)
                    assert_int_equal(
                        key[(i - i % CP_KEY_BLOCK_ROWS) * DIMS + d * CP_KEY_BLOCK_ROWS + i % CP_KEY_BLOCK_ROWS],
                        cp_sort_from_float(x[i * DIMS + d]));
        }
    int whole;
    t->col[1].code[3] = CP_NONE;
    must(cp_schema_encode_keys(s, (cp_table_rows){t, 0, ROWS}, key, &whole, &err), err);
    assert_false(whole);
    free(x);
    free(key);
    cp_schema_free(s);
    cp_table_free(t);
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void the_median_is_that_of_a_sorted_list(void **state) {
    (void)state;
    cp_rng rng;
    cp_rng_init(&rng, seed_of("the_median_is_that_of_a_sorted_list"), CP_FOR_TEST, 0, 0);
    for (size_t n = 1; n < 200; n++) {
        double v[200], y[200];
        for (size_t i = 0; i < n; i++) v[i] = n % 3 ? (double)cp_rng_below(&rng, 1 + n / 2) : cp_rng_unit(&rng);
        for (size_t i = 0; i < n; i++) y[i] = (double)i + .5;
        if (n % 7 == 0) qsort(v, n, sizeof *v, by_value);
        copse_table *t = table_of(n);
        numbers(t, "x", v);
        numbers(t, "y", y);
        cp_schema *s = make(t, (copse_roles){.target = "y"}, NULL);
        qsort(v, n, sizeof *v, by_value);
        assert_near(s->feature[0].fill, (v[(n - 1) / 2] + v[n / 2]) / 2, 1e-15);
        cp_schema_free(s);
        cp_table_free(t);
    }
}

/* ---------------------------------------------------------------------------------------------------------- targets */

static void classes_stand_in_order(void **state) {
    (void)state;
    copse_table *t = table_of(8);
    NUMBERS(t, "x", 1, 2, 3, 4, 5, 6, 7, 8);
    NUMBERS(t, "n", 10, 9, -0.0, 0, 10, 9, -2.5, -2.5);
    TEXTS(t, "c", "b", "a", "B", "10", "9", "b", "a", "\xc3\xa4");
    cp_schema *s = make(t, (copse_roles){.target = "n", .task = COPSE_CLASS}, NULL);
    static const char *const in_number_order[] = {"-2.5", "0", "9", "10"};
    assert_int_equal(s->classes.n, 4);
    for (size_t k = 0; k < 4; k++) assert_string_equal(cp_dict_text(&s->classes, k), in_number_order[k]);
    int32_t label[8];
    copse_error err;
    must(cp_schema_target_labels(s, (cp_table_rows){t, 0, 8}, label, NULL, &err), err);
    assert_int_equal(label[2], 1); /* -0 */
    assert_int_equal(label[3], 1);
    cp_schema_free(s);
    s = make(t, (copse_roles){.target = "c"}, NULL);
    static const char *const in_byte_order[] = {"10", "9", "B", "a", "b", "\xc3\xa4"};
    assert_int_equal(s->classes.n, 6);
    for (size_t k = 0; k < 6; k++) assert_string_equal(cp_dict_text(&s->classes, k), in_byte_order[k]);
    cp_schema_free(s);
    cp_table_free(t);
}

static void assert_labels(const int32_t *got, const int32_t *want, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (got[i] != want[i]) fail_msg("label %zu is %d instead of %d", i, got[i], want[i]);
}

static void labels_are_matched_by_value_or_text(void **state) {
    (void)state;
    copse_error err;
    int32_t label[5];
    unsigned char missing[5];
    copse_table *t = table_of(4), *u = table_of(5), *v = table_of(5);
    NUMBERS(t, "x", 1, 2, 3, 4);
    NUMBERS(t, "y", 2.5, 1, 2.5, 1);
    TEXTS(t, "c", "1", "b", "1", "b");
    NUMBERS(u, "y", 1, 2.5, 7, NAN, 1);
    NUMBERS(u, "c", 1, 2, 1, 1, 1);
    TEXTS(v, "y", "1.0", "2.50", "1x", NULL, " ");
    cp_schema *s = make(t, (copse_roles){.target = "y", .task = COPSE_CLASS}, NULL);
    must(cp_schema_target_labels(s, (cp_table_rows){u, 0, 5}, label, missing, &err), err);
    assert_labels(label, (const int32_t[]){0, 1, CP_NONE, CP_NONE, 0}, 5);
    assert_memory_equal(missing, ((const unsigned char[]){0, 0, 0, 1, 0}), 5);
    must(cp_schema_target_labels(s, (cp_table_rows){v, 0, 5}, label, missing, &err), err);
    assert_labels(label, (const int32_t[]){0, 1, CP_NONE, CP_NONE, CP_NONE}, 5);
    assert_int_equal(cp_schema_target_labels(s, (cp_table_rows){u, 0, 5}, label, NULL, &err), COPSE_E_DATA);
    assert_string_equal(err.msg, "row 4: the target 'y' is missing: fill it in or leave the row out");
    assert_int_equal(err.row, 4);
    cp_schema_free(s);
    s = make(t, (copse_roles){.target = "c"}, NULL); /* text classes met as numbers */
    must(cp_schema_target_labels(s, (cp_table_rows){u, 0, 5}, label, NULL, &err), err);
    assert_labels(label, (const int32_t[]){0, CP_NONE, 0, 0, 0}, 5);
    cp_schema_free(s);
    cp_table_free(t);
    cp_table_free(u);
    cp_table_free(v);
}

static void labels_are_matched_by_value_where_points_are_commas(void **state) {
    commas_for_points();
    labels_are_matched_by_value_or_text(state);
    points_again();
}

static void new_classes_are_appended_and_can_be_forgotten(void **state) {
    (void)state;
    copse_error err;
    int32_t label[5];
    unsigned char missing[5];
    copse_table *t = table_of(2), *u = table_of(5);
    NUMBERS(t, "x", 1, 2);
    TEXTS(t, "y", "b", "d");
    TEXTS(u, "y", "c", "b", NULL, "a", "c");
    cp_schema *s = make(t, (copse_roles){.target = "y"}, NULL);
    must(cp_schema_target_labels(s, (cp_table_rows){u, 0, 5}, label, missing, &err), err);
    assert_labels(label, (const int32_t[]){CP_NONE, 0, CP_NONE, CP_NONE, CP_NONE}, 5);
    assert_int_equal(s->classes.n, 2);
    assert_int_equal(cp_schema_target_add_labels(s, (cp_table_rows){u, 0, 5}, label, NULL, &err),
                     COPSE_E_DATA); /* a missing target */
    assert_int_equal(s->classes.n, 2);
    must(cp_schema_target_add_labels(s, (cp_table_rows){u, 0, 5}, label, missing, &err), err);
    assert_labels(label, (const int32_t[]){2, 0, CP_NONE, 3, 2}, 5);
    assert_string_equal(cp_dict_text(&s->classes, 3), "a");
    cp_schema_forget_classes(s, 2);
    assert_int_equal(s->classes.n, 2);
    assert_int_equal(cp_dict_find(&s->classes, "c", 1), CP_NONE);
    assert_int_equal(cp_dict_find(&s->classes, "d", 1), 1);
    must(cp_schema_target_add_labels(s, (cp_table_rows){u, 3, 1}, label, missing, &err), err);
    assert_int_equal(label[0], 2);
    cp_schema_free(s);
    cp_table_free(t);
    cp_table_free(u);
}

static void many_classes_survive_the_memo(void **state) {
    (void)state;
    copse_error err;
    enum { ROWS = 5000, CLASSES = 1500 };
    static double x[ROWS], y[ROWS];
    static int32_t label[ROWS];
    cp_rng rng;
    cp_rng_init(&rng, seed_of("many_classes_survive_the_memo"), CP_FOR_TEST, 0, 0);
    for (size_t i = 0; i < ROWS; i++) y[i] = i < CLASSES ? (double)i : (double)cp_rng_below(&rng, CLASSES);
    copse_table *t = table_of(ROWS);
    numbers(t, "x", x);
    numbers(t, "y", y);
    cp_schema *s = make(t, (copse_roles){.target = "y", .task = COPSE_CLASS}, NULL);
    assert_int_equal(s->classes.n, CLASSES);
    must(cp_schema_target_labels(s, (cp_table_rows){t, 0, ROWS}, label, NULL, &err), err);
    for (size_t i = 0; i < ROWS; i++) assert_int_equal(label[i], (int32_t)y[i]);
    cp_schema_free(s);
    cp_table_free(t);
}

static void regression_targets_come_as_they_are(void **state) {
    (void)state;
    copse_error err;
    double y[3];
    unsigned char missing[3];
    copse_table *t = table_of(3), *u = table_of(3), *v = table_of(3), *w = table_of(3);
    NUMBERS(t, "x", 1, 2, 3);
    NUMBERS(t, "y", 1.5, NAN, 1e9);
    NUMBERS(u, "y", 1, 2, INFINITY);
    TEXTS(v, "y", "1", "b", "c");
    NUMBERS(w, "z", 1, 2, 3);
    cp_schema *s = make(t, (copse_roles){.target = "y"}, NULL);
    must(cp_schema_target_numbers(s, (cp_table_rows){t, 0, 3}, y, missing, &err), err);
    assert_true(y[0] == 1.5 && y[1] == 0 && y[2] == 1e9);
    assert_memory_equal(missing, "\0\1\0", 3);
    must(cp_schema_target_numbers(s, (cp_table_rows){t, 2, 1}, y, NULL, &err), err);
    assert_true(y[0] == 1e9);
    assert_int_equal(cp_schema_target_numbers(s, (cp_table_rows){t, 0, 3}, y, NULL, &err), COPSE_E_DATA);
    assert_int_equal(err.row, 2);
    assert_int_equal(cp_schema_target_numbers(s, (cp_table_rows){u, 0, 3}, y, missing, &err), COPSE_E_DATA);
    assert_int_equal(err.row, 3);
    u->col[0].number[2] = -1e61;
    assert_int_equal(cp_schema_target_numbers(s, (cp_table_rows){u, 0, 3}, y, missing, &err), COPSE_E_DATA);
    assert_string_equal(err.msg, "row 3: the target 'y' is -1e+61, too large to compute with: use another unit");
    assert_int_equal(cp_schema_target_numbers(s, (cp_table_rows){v, 0, 3}, y, missing, &err), COPSE_E_DATA);
    assert_int_equal(cp_schema_target_numbers(s, (cp_table_rows){w, 0, 3}, y, missing, &err), COPSE_E_DATA);
    assert_string_equal(err.msg, "there is no column 'y' in the table. Its columns are z.");
    cp_schema_free(s);
    cp_table_free(t);
    cp_table_free(u);
    cp_table_free(v);
    cp_table_free(w);
}

/* ------------------------------------------------------------------------------------------------------- the file */

static copse_table *mixed_table(void) {
    copse_table *t = table_of(6);
    NUMBERS(t, "age", 30, 40, NAN, 50, 60, 35);
    TEXTS(t, "city", "Rome", "Oslo", "Rome", NULL, "K\xf6ln", "Oslo");
    NUMBERS(t, "constant", 1, 1, 1, 1, 1, 1);
    TEXTS(t, "y", "no", "yes", "no", "yes", "no", "perhaps");
    int32_t id;
    copse_error err;
    must(cp_dict_add(&t->missing, "?", 1, &id, &err), err);
    must(cp_dict_add(&t->missing, "-999", 4, &id, &err), err);
    return t;
}

static copse_status write_schema(const cp_schema *s, cp_writer **out, const unsigned char **bytes, size_t *n,
                                 copse_error *err) {
    CP_TRY(cp_writer_new(out, err));
    copse_status status = cp_schema_file_write(s, *out, err);
    if (!status) status = cp_writer_finish(*out, bytes, n, err);
    if (status) cp_writer_free(*out);
    return status;
}

static copse_status read_schema(const unsigned char *bytes, size_t n, cp_schema **out, copse_error *err) {
    cp_reader *r;
    CP_TRY(cp_reader_new(bytes, n, &r, err));
    copse_status status = cp_schema_file_read(r, out, err);
    cp_reader_free(r);
    return status;
}

static void a_schema_comes_back_from_a_file(void **state) {
    (void)state;
    copse_error err;
    cp_writer *w, *again;
    const unsigned char *bytes, *twin;
    size_t n, twin_n;
    copse_table *t = mixed_table();
    cp_schema *s = make(t, (copse_roles){.target = "y"}, NULL), *back;
    must(write_schema(s, &w, &bytes, &n, &err), err);
    must(read_schema(bytes, n, &back, &err), err);
    assert_true(cp_schema_check(back));
    float a[6 * 5], b[6 * 5];
    assert_int_equal(back->dims, 5);
    assert_int_equal(back->missing.n, 2);
    assert_string_equal(cp_dict_text(&back->missing, 1), "-999");
    must(cp_schema_encode(s, (cp_table_rows){t, 0, 6}, a, &err), err);
    must(cp_schema_encode(back, (cp_table_rows){t, 0, 6}, b, &err), err);
    assert_memory_equal(a, b, sizeof a);
    must(write_schema(back, &again, &twin, &twin_n, &err), err);
    assert_int_equal(n, twin_n);
    assert_memory_equal(bytes, twin, n);
    cp_writer_free(w);
    cp_writer_free(again);
    cp_schema_free(s);
    cp_schema_free(back);
    cp_table_free(t);
}

static void a_raw_schema_comes_back_from_a_file(void **state) {
    (void)state;
    notes said;
    copse_error err;
    cp_writer *w;
    const unsigned char *bytes;
    size_t n;
    copse_table *t = mixed_table();
    cp_schema *s = make_raw(t, &said), *back;
    must(write_schema(s, &w, &bytes, &n, &err), err);
    must(read_schema(bytes, n, &back, &err), err);
    float a[6 * 3], b[6 * 3];
    assert_int_equal(back->dims, 3);
    assert_true(back->raw && back->levels[1] == 3 && back->levels[2] == 0);
    assert_int_equal(back->feature[1].absent, 1);
    must(cp_schema_encode(s, (cp_table_rows){t, 0, 6}, a, &err), err);
    must(cp_schema_encode(back, (cp_table_rows){t, 0, 6}, b, &err), err);
    assert_memory_equal(a, b, sizeof a);
    cp_writer_free(w);
    cp_schema_free(s);
    cp_schema_free(back);
    cp_table_free(t);
}

/* Writes a schema that breaks a rule; it must not be read. */
static void refuse_broken(cp_schema *s, const char *message) {
    copse_error err;
    cp_writer *w;
    cp_schema *back;
    const unsigned char *bytes;
    size_t n;
    must(write_schema(s, &w, &bytes, &n, &err), err);
    assert_int_equal(read_schema(bytes, n, &back, &err), COPSE_E_MODEL);
    assert_string_equal(err.msg, message);
    assert_null(back);
    cp_writer_free(w);
}

static void schemas_that_contradict_themselves_are_not_read(void **state) {
    (void)state;
    static const char nonsense[] = "damaged: section 'schema.span': the schema contradicts itself";
    copse_table *t = mixed_table();
    cp_schema *s = make(t, (copse_roles){.target = "y"}, NULL);
    cp_feature *f = s->feature;
    char *name = f[0].name;
    f[0].name = f[1].name;
    refuse_broken(s, "damaged: section 'schema.name': 'city' occurs twice");
    f[0].name = s->target;
    refuse_broken(s, nonsense);
    f[0].name = name;
    s->task = COPSE_REGRESS;
    refuse_broken(s, nonsense);
    s->task = COPSE_TASK_NONE;
    refuse_broken(s, "damaged: section 'schema.task': 0 is out of range");
    s->task = COPSE_CLASS;
    f[0].fill = NAN;
    refuse_broken(s, "damaged: section 'schema.fill': element 0 is out of range");
    f[0].fill = 1;
    f[1].fill = 3;
    refuse_broken(s, nonsense);
    f[1].fill = 0;
    f[0].kind = COPSE_TEXT; /* without levels */
    refuse_broken(s, "damaged: section 'schema.shift': has 5 elements instead of 4");
    f[0].kind = (copse_kind)7;
    refuse_broken(s, "damaged: section 'schema.fill': kind 7 does not exist");
    f[0].kind = COPSE_NUMBER;
    s->span[0] = 0;
    refuse_broken(s, "damaged: section 'schema.span': element 0 is out of range");
    s->span[0] = INFINITY;
    refuse_broken(s, "damaged: section 'schema.span': element 0 is out of range");
    s->span[0] = 1;
    s->shift[1] = .5; /* an indicator */
    refuse_broken(s, nonsense);
    s->shift[1] = 0;
    s->dims--;
    refuse_broken(s, "damaged: section 'schema.shift': has 4 elements instead of 5");
    s->dims++;
    cp_schema_free(s);
    notes said;
    s = make_raw(t, &said);
    s->span[0] = 2;
    refuse_broken(s, nonsense);
    s->span[0] = 1;
    s->shift[1] = 1; /* codes */
    refuse_broken(s, nonsense);
    s->shift[1] = 0;
    s->feature[0].absent = (size_t)-1;
    refuse_broken(s, "damaged: section 'schema.absent': element 0 is out of range");
    cp_schema_free(s);
    cp_table_free(t);
}

static copse_status whole_life(const copse_table *t, cp_encoding encoding, copse_error *err) {
    cp_schema *s = NULL, *back = NULL;
    cp_writer *w = NULL;
    const unsigned char *bytes;
    size_t n;
    float z[6 * 5];
    int32_t label[6];
    copse_status status;
    CP_TRY_OUT(schema_of(t, &(copse_roles){.target = "y"}, encoding, NULL, &s, err));
    CP_TRY_OUT(cp_schema_encode(s, (cp_table_rows){t, 0, 6}, z, err));
    cp_schema_forget_classes(s, 1);
    status = cp_schema_target_add_labels(s, (cp_table_rows){t, 0, 6}, label, NULL, err);
    assert_int_equal(s->classes.n, status ? 1 : 3);
    if (status) goto out;
    CP_TRY_OUT(write_schema(s, &w, &bytes, &n, err));
    status = read_schema(bytes, n, &back, err);
    cp_writer_free(w);
out:
    cp_schema_free(s);
    cp_schema_free(back);
    return status;
}

static void fail_every_allocation(cp_encoding encoding) {
    copse_error err;
    copse_table *t = mixed_table();
    size_t before = cp_mem_count();
    must(whole_life(t, encoding, &err), err);
    long total = (long)(cp_mem_count() - before);
    assert_true(total > 30);
    for (long k = 0; k < total; k++) {
        cp_mem_fail_after(k);
        copse_status status = whole_life(t, encoding, &err);
        cp_mem_fail_after(-1);
        if (status != COPSE_E_MEMORY) fail_msg("allocation %ld of %ld: status %d", k, total, status);
    }
    cp_table_free(t);
}

static void every_failed_allocation_is_clean(void **state) {
    (void)state;
    fail_every_allocation(CP_ENCODE_UNIT);
    fail_every_allocation(CP_ENCODE_RAW);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(task_comes_from_the_target),
        cmocka_unit_test(the_choice_is_said_and_can_be_overridden),
        cmocka_unit_test(roles_that_cannot_be_are_refused),
        cmocka_unit_test(every_column_without_another_role_is_a_feature),
        cmocka_unit_test(targets_with_little_to_learn_are_warned_of),
        cmocka_unit_test(numbers_are_scaled_and_missing_ones_filled),
        cmocka_unit_test(few_levels_become_indicators),
        cmocka_unit_test(many_levels_become_ranks),
        cmocka_unit_test(scaling_can_be_turned_off),
        cmocka_unit_test(ranges_can_come_from_a_file),
        cmocka_unit_test(raw_columns_keep_levels_and_missing_values),
        cmocka_unit_test(one_missing_value_is_said_in_the_singular),
        cmocka_unit_test(raw_numbers_are_moved_only_where_floats_are_too_coarse),
        cmocka_unit_test(time_stamps_keep_their_seconds),
        cmocka_unit_test(columns_that_do_not_fit_are_named),
        cmocka_unit_test(training_rows_fill_the_unit_box),
        cmocka_unit_test(gangs_are_the_rows_as_keys),
        cmocka_unit_test(the_median_is_that_of_a_sorted_list),
        cmocka_unit_test(classes_stand_in_order),
        cmocka_unit_test(labels_are_matched_by_value_or_text),
        cmocka_unit_test(labels_are_matched_by_value_where_points_are_commas),
        cmocka_unit_test(new_classes_are_appended_and_can_be_forgotten),
        cmocka_unit_test(many_classes_survive_the_memo),
        cmocka_unit_test(regression_targets_come_as_they_are),
        cmocka_unit_test(a_schema_comes_back_from_a_file),
        cmocka_unit_test(a_raw_schema_comes_back_from_a_file),
        cmocka_unit_test(schemas_that_contradict_themselves_are_not_read),
        cmocka_unit_test(every_failed_allocation_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
