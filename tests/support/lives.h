/* lives - models of samplers from their options to their end: made, saved, read, stopped, taken up, damaged. */
#ifndef LIVES_H
#define LIVES_H

#include "check.h"

#include <unistd.h>

#include "image.h"
#include "model/model_file.h"
#include "model/model_predict.h"

/* Options are "method name value name value". */
static inline copse_params *params_of(const char *options) {
    copse_params *p;
    copse_error err;
    char words[200], *next = words;
    snprintf(words, sizeof words, "%s", options);
    must(copse_params_new(strtok_r(next, " ", &next), &p, &err), err);
    for (char *name; (name = strtok_r(next, " ", &next));)
        must(copse_params_set(p, name, strtok_r(next, " ", &next), &err), err);
    return p;
}

static inline copse_table *made(const char *set, size_t rows) {
    copse_table *t;
    copse_error err;
    must(copse_synth(set, &(copse_synth_options){.rows = rows, .seed = 3}, &t, &err), err);
    return t;
}

static const copse_roles roles = {.target = "target"};

static inline copse_model *fitted(const copse_table *t, const char *options) {
    copse_model *m;
    copse_error err;
    copse_params *p = params_of(options);
    must(copse_fit(t, &roles, p, &(copse_run){.threads = 2}, &m, &err), err);
    copse_params_free(p);
    return m;
}

static inline copse_status write_image(const copse_model *m, image *out, copse_error *err) {
    cp_writer *w;
    *out = (image){0};
    CP_TRY(cp_writer_new(&w, err));
    copse_status status = cp_model_file_write(m, 0, w, err);
    if (!status) status = finish_image(w, out, err);
    cp_writer_free(w);
    return status;
}

static inline image image_of(const copse_model *m) {
    image out;
    copse_error err;
    must(write_image(m, &out, &err), err);
    return out;
}

static inline double figure_of(const copse_model *m, const char *name) {
    copse_figure figure[COPSE_MAX_FIGURES];
    size_t n = copse_model_figures(m, figure);
    for (size_t i = 0; i < n; i++)
        if (!strcmp(figure[i].name, name)) return figure[i].value;
    fail_msg("no figure %s", name);
    return 0;
}

/* ----------------------------------------------------------------------------------------------------- stopped fits */

typedef struct stopper {
    copse_flag stop;
    int calls;
} stopper;

static inline void on_progress(void *arg, const char *what, double done, double total) {
    stopper *s = arg;
    (void)what;
    (void)done;
    (void)total;
    if (--s->calls == 0) s->stop = 1;
}

static inline char *temporary(char path[64]) {
    snprintf(path, 64, "/tmp/copse-test-%ld.checkpoint", (long)getpid());
    return path;
}

/* Stopped again and again, a little later each time, and taken up. */
static inline copse_model *fitted_in_pieces(const copse_table *t, const char *options, size_t *out_pieces) {
    char path[64];
    copse_error err;
    copse_model *m = NULL;
    copse_params *p = params_of(options);
    temporary(path);
    for (*out_pieces = 0; !m; ++*out_pieces) {
        stopper s = {.calls = 1 + (int)*out_pieces};
        copse_run run = {.threads = 1, .progress = on_progress, .arg = &s, .stop = &s.stop, .checkpoint = path};
        if (*out_pieces) run.resume = path;
        copse_status status = copse_fit(t, &roles, p, &run, &m, &err);
        if (status && status != COPSE_E_STOPPED) fail_msg("%s", err.msg);
        assert_true(*out_pieces < 1000);
    }
    unlink(path);
    copse_params_free(p);
    return m;
}

static inline void assert_pieces_make_the_whole(const copse_table *t, const char *options) {
    size_t pieces;
    copse_model *whole = fitted(t, options), *parts = fitted_in_pieces(t, options, &pieces);
    assert_true(pieces > 1);
    assert_same_image(image_of(whole), image_of(parts));
    copse_model_free(whole);
    copse_model_free(parts);
}

/* Read back, it is sound and would be written alike. */
static inline copse_model *assert_comes_back(const copse_model *m) {
    copse_error err;
    copse_model *again;
    image in = image_of(m);
    assert_null(m->method->check(m->state));
    must(cp_model_file_read(in.bytes, in.n, &again, &err), err);
    assert_null(again->method->check(again->state));
    assert_same_image(in, image_of(again));
    return again;
}

static inline copse_status fit_with(const copse_table *t, const char *options, const char *checkpoint,
                                    const char *resume, copse_model **out) {
    copse_params *p = params_of(options);
    copse_run run = {.threads = 1, .checkpoint = checkpoint, .resume = resume};
    copse_error err;
    copse_status status = copse_fit(t, &roles, p, &run, out, &err);
    copse_params_free(p);
    return status;
}

/* A byte anywhere, of any value: refused, or a fit that goes on to a sound model. */
static inline void damage_checkpoints(const char *set, const char *options, int rounds) {
    char path[64];
    copse_table *t = made(set, 30);
    cp_rng rng;
    copse_model *m;
    static unsigned char bytes[1 << 18];
    temporary(path);
    cp_rng_init(&rng, seed_of("damaged checkpoints"), CP_FOR_TEST, 0, 0);
    unlink(path); /* a damaged one is not overwritten */
    assert_int_equal(fit_with(t, options, path, NULL, &m), COPSE_OK);
    copse_model_free(m);
    FILE *f = fopen(path, "rb");
    size_t n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    assert_true(n > 100 && n < sizeof bytes);
    for (int round = 0; round < rounds; round++) {
        size_t at = (size_t)cp_rng_below(&rng, n);
        unsigned char was = bytes[at];
        bytes[at] ^= (unsigned char)(1 + cp_rng_below(&rng, 255));
        f = fopen(path, "wb");
        fwrite(bytes, 1, n, f);
        fclose(f);
        bytes[at] = was;
        copse_status status = fit_with(t, options, NULL, path, &m);
        assert_true(status == COPSE_E_MODEL || status == COPSE_OK);
        if (!status) assert_null(m->method->check(m->state));
        copse_model_free(m);
    }
    unlink(path);
    copse_table_free(t);
}

static inline copse_status whole_life(const copse_table *t, const char *options, const char *path, copse_error *err) {
    copse_model *m = NULL, *again = NULL;
    copse_params *p = NULL;
    copse_prediction *answer = NULL;
    copse_posterior *posterior = NULL;
    image in = {0};
    copse_run run = {.threads = 1, .checkpoint = path};
    copse_status status = COPSE_OK;
    char words[200], *next = words;
    snprintf(words, sizeof words, "%s", options);
    CP_TRY_OUT(copse_params_new(strtok_r(next, " ", &next), &p, err));
    for (char *name; (name = strtok_r(next, " ", &next));)
        CP_TRY_OUT(copse_params_set(p, name, strtok_r(next, " ", &next), err));
    CP_TRY_OUT(copse_fit(t, &roles, p, &run, &m, err));
    copse_model_free(m);
    m = NULL;
    run = (copse_run){.threads = 1, .resume = path};
    CP_TRY_OUT(copse_fit(t, &roles, p, &run, &m, err));
    CP_TRY_OUT(write_image(m, &in, err));
    CP_TRY_OUT(cp_model_file_read(in.bytes, in.n, &again, err));
    CP_TRY_OUT(copse_predict(again, t, &(copse_predict_options){.n = 3}, &run, &answer, err));
    CP_TRY_OUT(copse_posterior_new(again, NULL, &posterior, err));
out:
    free(in.bytes);
    copse_posterior_free(posterior);
    copse_prediction_free(answer);
    copse_model_free(again);
    copse_model_free(m);
    copse_params_free(p);
    return status;
}

/* For every early allocation, then for some, that it fails: a clean status each time, until it is never reached. */
static inline void run_out_of_memory(const char *set, const char *options) {
    char path[64];
    copse_table *t = made(set, 8);
    temporary(path);
    for (long k = 0;; k += 1 + k / 200) {
        copse_error err = {0};
        cp_mem_fail_after(k);
        copse_status status = whole_life(t, options, path, &err);
        cp_mem_fail_after(-1);
        if (!status) {
            assert_true(k > 100);
            break;
        }
        assert_int_equal(status, COPSE_E_MEMORY);
    }
    unlink(path);
    copse_table_free(t);
}

#endif
