/* dynamic - what the tests of dynamic trees share: small models straight on the method. */
#ifndef DYNAMIC_H
#define DYNAMIC_H

#include "sample.h"

#include "base/mem.h"
#include "dyntree/dyntree_step.h"

static inline copse_params *options(const char *text) {
    return options_of(&cp_dyntree_method, text);
}

static inline cp_dyntree *fit_trees(const cp_rows *rows, size_t n, const copse_params *p) {
    copse_error err;
    void *state = NULL;
    cp_rows part = cp_rows_part(rows, 0, n);
    must(cp_dyntree_method.fit(&part, p, NULL, &state, &err), err);
    return state;
}

static inline void learn_rows(cp_dyntree *f, const cp_rows *rows, size_t first, size_t n, const copse_params *p) {
    copse_error err;
    cp_rows part = cp_rows_part(rows, first, n);
    must(cp_dyntree_method.update(f, &part, p, NULL, NULL, &err), err);
}

static inline void assert_sound(const cp_dyntree *f) {
    const char *wrong = cp_dyntree_method.check(f);
    if (wrong) fail_msg("%s", wrong);
}

static inline unsigned char *bytes_of(const cp_dyntree *f, const copse_params *p, size_t *out_n) {
    copse_error err;
    cp_writer *w = NULL;
    const unsigned char *bytes;
    must(cp_writer_new(&w, &err), err);
    must(cp_dyntree_write(f, p, 0, w, &err), err);
    must(cp_writer_finish(w, &bytes, out_n, &err), err);
    unsigned char *copy = malloc(*out_n);
    memcpy(copy, bytes, *out_n);
    cp_writer_free(w);
    return copy;
}

static inline void assert_same_trees(const cp_dyntree *a, const cp_dyntree *b, const copse_params *p) {
    size_t n, m;
    unsigned char *x = bytes_of(a, p, &n), *y = bytes_of(b, p, &m);
    assert_int_equal(n, m);
    assert_memory_equal(x, y, n);
    free(x);
    free(y);
}

#endif
