/* forest - what the Mondrian tests share: small forests straight on the method, with made-up rows. */
#ifndef FOREST_H
#define FOREST_H

#include "check.h"

#include "base/mem.h"
#include "mondrian/mondrian.h"
#include "mondrian/mondrian_extend.h"
#include "mondrian/mondrian_grow.h"
#include "mondrian/mondrian_hnsp.h"
#include "num/draw.h"

/* Options as "name=value name=value ...". */
static inline copse_params *options(const char *text) {
    copse_error err;
    copse_params *p = NULL;
    char buf[512], *save = NULL;
    must(cp_param_new(&cp_mondrian_method, &p, &err), err);
    snprintf(buf, sizeof buf, "%s", text);
    for (char *word = strtok_r(buf, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        must(cp_param_set(p, word, value, &err), err);
    }
    return p;
}

static inline cp_mondrian *fit_forest(const cp_rows *rows, const copse_params *p) {
    copse_error err;
    void *state = NULL;
    must(cp_mondrian_method.fit(rows, p, NULL, &state, &err), err);
    return state;
}

static inline void learn_rows(cp_mondrian *f, const cp_rows *rows, size_t first, size_t n, const copse_params *p) {
    copse_error err;
    cp_rows part = cp_rows_part(rows, first, n);
    must(cp_mondrian_method.update(f, &part, p, NULL, NULL, &err), err);
}

static inline void assert_sound(const cp_mondrian *f) {
    const char *wrong = cp_mondrian_method.check(f);
    if (wrong) fail_msg("%s", wrong);
}

/* n rows on a grid of `steps` values a side (0: continuous), classes 0 ... classes-1 that depend on x. */
typedef struct sample {
    float *x;
    int32_t *label;
    double *y;
    cp_rows rows;
} sample;

static inline sample make_sample(const char *name, size_t n, size_t dims, size_t classes, int steps) {
    sample s = {
        .x = malloc(n * dims * sizeof *s.x), .label = malloc(n * sizeof *s.label), .y = malloc(n * sizeof *s.y)};
    cp_rng rng;
    cp_rng_init(&rng, seed_of(name), CP_FOR_TEST, 0, 0);
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t d = 0; d < dims; d++) {
            double u = cp_rng_unit(&rng);
            if (steps) u = floor(u * steps) / steps;
            s.x[i * dims + d] = (float)u;
            sum += u;
        }
        s.y[i] = sin(4 * sum) + 0.3 * cp_draw_normal(&rng);
        double noisy = sum / (double)dims + 0.2 * (cp_rng_unit(&rng) - 0.5);
        s.label[i] = classes ? (int32_t)fmin((double)classes - 1, fmax(0, floor(noisy * (double)classes))) : 0;
    }
    s.rows = (cp_rows){.task = classes ? COPSE_CLASS : COPSE_REGRESS,
                       .n = n,
                       .dims = dims,
                       .classes = classes,
                       .x = s.x,
                       .label = classes ? s.label : NULL,
                       .y = classes ? NULL : s.y};
    return s;
}

static inline void free_sample(sample *s) {
    free(s->x);
    free(s->label);
    free(s->y);
}

#endif
