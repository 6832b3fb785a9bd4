/* Greedy forests fitted on samples, and their images. */
#ifndef FITTED_H
#define FITTED_H

#include "sample.h"

#include "greedy/greedy.h"

static inline cp_greedy *fit(const cp_method *m, const cp_rows *rows, const copse_params *p, int threads) {
    copse_error err;
    void *state = NULL;
    must(m->fit(rows, p, &(copse_run){.threads = threads}, &state, &err), err);
    const char *wrong = m->check(state);
    if (wrong) fail_msg("%s: %s", m->info.name, wrong);
    return state;
}

static inline cp_greedy *fit_with(const cp_method *m, const cp_rows *rows, const char *text) {
    copse_params *p = options_of(m, text);
    cp_greedy *g = fit(m, rows, p, 2);
    cp_param_free(p);
    return g;
}

static inline unsigned char *image_of(const cp_method *m, const cp_greedy *g, const copse_params *p, size_t *out_n) {
    copse_error err;
    cp_writer *w = NULL;
    const unsigned char *bytes;
    must(cp_writer_new(&w, &err), err);
    must(m->write(g, p, 0, w, &err), err);
    must(cp_writer_finish(w, &bytes, out_n, &err), err);
    unsigned char *copy = malloc(*out_n);
    memcpy(copy, bytes, *out_n);
    cp_writer_free(w);
    return copy;
}

static inline void assert_same_model(const cp_method *m, const cp_greedy *a, const cp_greedy *b,
                                     const copse_params *p) {
    size_t na, nb;
    unsigned char *x = image_of(m, a, p, &na), *y = image_of(m, b, p, &nb);
    assert_int_equal(na, nb);
    assert_memory_equal(x, y, na);
    free(x);
    free(y);
}

#endif
