#include "check.h"

#include <unistd.h>

#include "base/codec.h"
#include "base/mem.h"
#include "model/model_digest.h"
#include "model/model_file.h"
#include "model/model_position.h"

static copse_error err;
static const char hash[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

static copse_model *small_model(void) {
    copse_table *t;
    copse_model *m;
    must(copse_synth("moons", &(copse_synth_options){.rows = 20}, &t, &err), err);
    must(copse_fit(t, &(copse_roles){.target = "target"}, NULL, NULL, &m, &err), err);
    copse_table_free(t);
    return m;
}

static copse_position position(const char *token) {
    copse_position p = {.rows = 5000000000, .bytes = 123456789012, .line = 5000000003, .token = token};
    strcpy(p.hash, hash);
    return p;
}

static void image_of(const copse_model *m, cp_writer **w, const unsigned char **bytes, size_t *n) {
    must(cp_writer_new(w, &err), err);
    must(cp_model_file_write(m, 0, *w, &err), err);
    must(cp_writer_finish(*w, bytes, n, &err), err);
}

static void assert_position(const copse_model *m, const char *token) {
    copse_position p;
    assert_true(copse_model_position(m, &p));
    assert_int_equal(p.rows, 5000000000);
    assert_int_equal(p.bytes, 123456789012);
    assert_int_equal(p.line, 5000000003);
    assert_string_equal(p.hash, hash);
    if (token)
        assert_string_equal(p.token, token);
    else
        assert_null(p.token);
}

static void a_position_is_saved_and_no_part_of_the_digest(void **state) {
    (void)state;
    static const char *const tokens[] = {NULL, "", "monday, part 2"};
    char before[CP_SHA256_HEX], after[CP_SHA256_HEX];
    copse_position none;
    copse_model *m = small_model(), *back;
    must(cp_model_digest(m, before, &err), err);
    assert_false(copse_model_position(m, &none));
    for (size_t i = 0; i < COUNT(tokens); i++) {
        cp_writer *w;
        const unsigned char *bytes;
        size_t n;
        copse_position p = position(tokens[i]);
        must(copse_model_set_position(m, &p, &err), err);
        image_of(m, &w, &bytes, &n);
        must(cp_model_file_read(bytes, n, &back, &err), err);
        cp_writer_free(w);
        assert_position(back, tokens[i]);
        must(cp_model_digest(back, after, &err), err);
        assert_string_equal(before, after);
        copse_model_free(back);
    }
    copse_model_free(m);
}

static void a_token_may_be_the_models_own(void **state) {
    (void)state;
    copse_model *m = small_model();
    copse_position p = position("mine");
    must(copse_model_set_position(m, &p, &err), err);
    assert_true(copse_model_position(m, &p));
    must(copse_model_set_position(m, &p, &err), err);
    assert_position(m, "mine");
    copse_model_free(m);
}

static void misuse_is_a_status(void **state) {
    (void)state;
    char longest[CP_MODEL_POSITION_TOKEN + 2];
    copse_model *m = small_model();
    copse_position p = position(NULL);
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    p.token = longest;
    assert_int_equal(copse_model_set_position(m, &p, &err), COPSE_E_USAGE);
    longest[sizeof longest - 2] = '\0';
    must(copse_model_set_position(m, &p, &err), err);
    p = position(NULL);
    p.hash[63] = '\0';
    assert_int_equal(copse_model_set_position(m, &p, NULL), COPSE_E_USAGE);
    p = position(NULL);
    p.hash[64] = 'a';
    assert_int_equal(copse_model_set_position(m, &p, NULL), COPSE_E_USAGE);
    p = position(NULL);
    p.rows = UINT64_MAX;
    assert_int_equal(copse_model_set_position(m, &p, NULL), COPSE_E_USAGE);
    assert_int_equal(copse_model_set_position(NULL, &p, NULL), COPSE_E_USAGE);
    assert_int_equal(copse_model_set_position(m, NULL, NULL), COPSE_E_USAGE);
    assert_false(copse_model_position(NULL, &p));
    assert_false(copse_model_position(m, NULL));
    copse_model_free(m);
}

/* Sections that no copse would write, in a model that is right otherwise. */
static void must_refuse(int64_t rows, const char *bad_hash, const char *opt_token) {
    cp_writer *w;
    const unsigned char *bytes;
    size_t n;
    copse_model *m = small_model(), *back;
    must(cp_writer_new(&w, &err), err);
    must(cp_model_file_write(m, 0, w, &err), err);
    must(cp_writer_i64(w, "position.rows", rows, &err), err);
    must(cp_writer_i64(w, "position.bytes", 1, &err), err);
    must(cp_writer_i64(w, "position.line", 1, &err), err);
    must(cp_writer_text(w, "position.hash", bad_hash, &err), err);
    if (opt_token) must(cp_writer_text(w, "position.token", opt_token, &err), err);
    must(cp_writer_finish(w, &bytes, &n, &err), err);
    assert_int_equal(cp_model_file_read(bytes, n, &back, &err), COPSE_E_MODEL);
    assert_null(back);
    cp_writer_free(w);
    copse_model_free(m);
}

static void a_forged_position_is_refused(void **state) {
    (void)state;
    char longest[CP_MODEL_POSITION_TOKEN + 2];
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    must_refuse(-1, hash, NULL);
    must_refuse(1, "abc", NULL);
    must_refuse(1, "BA7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", NULL);
    must_refuse(1, hash, longest);
}

static void every_failed_allocation_is_clean(void **state) {
    (void)state;
    copse_model *m = small_model();
    copse_position first = position("first"), p = position("second");
    must(copse_model_set_position(m, &first, &err), err);
    for (long k = 0;; k++) {
        cp_mem_fail_after(k);
        copse_status status = copse_model_set_position(m, &p, NULL);
        cp_mem_fail_after(-1);
        if (!status) break;
        assert_int_equal(status, COPSE_E_MEMORY);
        assert_position(m, "first");
    }
    assert_position(m, "second");
    copse_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_position_is_saved_and_no_part_of_the_digest),
        cmocka_unit_test(a_token_may_be_the_models_own),
        cmocka_unit_test(misuse_is_a_status),
        cmocka_unit_test(a_forged_position_is_refused),
        cmocka_unit_test(every_failed_allocation_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
