/* forest - what the Mondrian tests share: small forests straight on the method, with made-up rows. */
#ifndef FOREST_H
#define FOREST_H

#include "sample.h"

#include "base/mem.h"
#include "mondrian/mondrian.h"
#include "mondrian/mondrian_extend.h"
#include "mondrian/mondrian_grow.h"
#include "mondrian/mondrian_hnsp.h"

static inline copse_params *options(const char *text) {
    return options_of(&cp_mondrian_method, text);
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

#endif
