/* online - what tests of methods that learn online share: small models straight on the method, which the options
 * name. */
#ifndef ONLINE_H
#define ONLINE_H

#include "image.h"
#include "sample.h"

/* The state is the caller's, to be freed by the method's `clear`. */
static inline void *fit_rows(const cp_rows *rows, size_t n, const copse_params *p) {
    copse_error err;
    void *state = NULL;
    cp_rows first = cp_rows_slice(rows, 0, n);
    must(p->method->fit(&first, p, NULL, &state, &err), err);
    return state;
}

static inline void learn_rows(void *state, const cp_rows *rows, size_t first, size_t n, const copse_params *p) {
    copse_error err;
    cp_rows part = cp_rows_slice(rows, first, n);
    must(p->method->update(state, &part, p, NULL, NULL, &err), err);
}

static inline void assert_sound(const void *state, const copse_params *p) {
    const char *wrong = p->method->check(state);
    if (wrong) fail_msg("%s: %s", p->method->info.name, wrong);
}

static inline image image_with(const void *state, const copse_params *p, unsigned flags) {
    copse_error err;
    cp_writer *w = NULL;
    image out;
    must(cp_writer_new(&w, &err), err);
    must(p->method->write(state, p, flags, w, &err), err);
    must(finish_image(w, &out, &err), err);
    cp_writer_free(w);
    return out;
}

/* Byte for byte, through the file. */
static inline void assert_same(const void *a, const void *b, const copse_params *p) {
    assert_same_image(image_with(a, p, 0), image_with(b, p, 0));
}

/* `rows` says of what kind the rows are that it has learnt. */
static inline copse_status read_image(image from, const cp_rows *rows, const copse_params *p, void **out,
                                      copse_error *err) {
    cp_reader *r;
    *out = NULL;
    CP_TRY(cp_reader_new(from.bytes, from.n, &r, err));
    copse_status status = p->method->read(r, p, (cp_rows_shape){rows->task, rows->dims, rows->classes}, out, err);
    cp_reader_free(r);
    return status;
}

static inline void *reread(const void *state, const cp_rows *rows, const copse_params *p, unsigned flags) {
    copse_error err;
    void *out;
    image in = image_with(state, p, flags);
    must(read_image(in, rows, p, &out, &err), err);
    assert_sound(out, p);
    free(in.bytes);
    return out;
}

static inline cp_answer ask(const void *state, const cp_rows *rows, const copse_params *p) {
    copse_error err;
    cp_answer out;
    must(cp_answer_init(&out, rows->task, rows->n, rows->classes, &err), err);
    must(p->method->predict(state, rows, p, &out, &err), err);
    return out;
}

#endif
