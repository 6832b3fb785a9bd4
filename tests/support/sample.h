/* sample - what tests of methods share: options from text, and made-up rows. */
#ifndef SAMPLE_H
#define SAMPLE_H

#include "check.h"

#include "method/method.h"
#include "num/draw.h"

/* Options as "name=value name=value ...". */
static inline copse_params *options_of(const cp_method *method, const char *text) {
    copse_error err;
    copse_params *p = NULL;
    char buf[512], *save = NULL;
    must(cp_param_new(method, &p, &err), err);
    snprintf(buf, sizeof buf, "%s", text);
    for (char *word = strtok_r(buf, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        must(cp_param_set(p, word, value, &err), err);
    }
    return p;
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
