/* reading - what the tests of the readers share: text in, table or complaint out. */
#ifndef READING_H
#define READING_H

#include "check.h"

#include "base/mem.h"
#include "io/read.h"

static inline copse_table *read_bytes(const char *name, const char *bytes, size_t n, const cp_read_options *opt) {
    copse_error err;
    copse_table *t;
    must(cp_read_bytes(name, bytes, n, opt, &t, &err), err);
    assert_true(cp_table_check(t));
    return t;
}

static inline copse_table *read_text(const char *name, const char *text, const cp_read_options *opt) {
    return read_bytes(name, text, strlen(text), opt);
}

/* The whole table as one line: "a=1,2;b=x,-" ('-' is missing; text columns have a ':' for '='). */
static inline const char *shown(const copse_table *t) {
    static char all[8192];
    size_t n = 0;
    for (size_t j = 0; j < t->cols; j++) {
        const cp_column *c = &t->col[j];
        n += (size_t)sprintf(all + n, "%s%s%c", j ? ";" : "", c->name, c->kind == COPSE_TEXT ? ':' : '=');
        for (size_t i = 0; i < t->rows; i++) {
            if (i) all[n++] = ',';
            if (c->kind == COPSE_TEXT ? c->code[i] == CP_NONE : isnan(c->number[i]))
                all[n++] = '-';
            else if (c->kind == COPSE_TEXT)
                n += (size_t)sprintf(all + n, "%s", cp_dict_text(&c->levels, (size_t)c->code[i]));
            else
                n += (size_t)sprintf(all + n, "%.15g", c->number[i]);
        }
    }
    all[n] = '\0';
    return all;
}

static inline void must_read(const char *name, const char *text, const cp_read_options *opt, const char *want) {
    copse_table *t = read_text(name, text, opt);
    assert_string_equal(shown(t), want);
    cp_table_free(t);
}

/* Reading must fail with this status and this message; the error is returned for a look at its place. */
static inline copse_error must_refuse(const char *name, const char *text, const cp_read_options *opt,
                                      copse_status status, const char *want) {
    copse_error err = {0};
    copse_table *t = NULL;
    copse_status code = cp_read_bytes(name, text, strlen(text), opt, &t, &err);
    if (code != status || strcmp(err.msg, want))
        fail_msg("%s\n  status %d, message: %s\n  wanted %d: %s", text, (int)code, err.msg, (int)status, want);
    assert_null(t);
    return err;
}

/* For every k, the k-th allocation fails: a clean status each time until it is never reached. */
static inline void fail_every_allocation(const char *name, const char *bytes, size_t n, const cp_read_options *opt) {
    for (long k = 0;; k++) {
        copse_table *t = NULL;
        copse_error err;
        cp_mem_fail_after(k);
        copse_status status = cp_read_bytes(name, bytes, n, opt, &t, &err);
        cp_mem_fail_after(-1);
        if (!status) {
            assert_true(k > 3);
            assert_true(cp_table_check(t));
            cp_table_free(t);
            return;
        }
        assert_int_equal(status, COPSE_E_MEMORY);
        assert_null(t);
    }
}

#endif
