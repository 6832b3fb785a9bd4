#include "bart/model/bart_report.h"

#include "bart/model/bart_model.h"

static void json_moves(const char *key, const uint64_t count[CP_BART_MOVES], cp_json *j) {
    static const char *const names[CP_BART_MOVES] = {[CP_BART_GROW] = "grow",
                                                     [CP_BART_PRUNE] = "prune",
                                                     [CP_BART_CHANGE] = "change",
                                                     [CP_BART_SWAP] = "swap",
                                                     [CP_BART_REGROW] = "regrow"};
    cp_json_object(j, key);
    for (int i = 0; i < CP_BART_MOVES; i++) cp_json_integer(j, names[i], (int64_t)count[i]);
    cp_json_close_object(j);
}

static void json_numbers(const char *opt_key, const double *x, size_t n, cp_json *j) {
    cp_json_array(j, opt_key);
    for (size_t i = 0; i < n; i++) cp_json_number(j, NULL, x[i]);
    cp_json_close_array(j);
}

/* One series as an array of numbers, several as an array of arrays. */
static void json_series(const cp_bart_model *b, size_t chain, cp_bart_series kind, const char *key, cp_json *j) {
    size_t n = cp_bart_model_series(b, kind), all = cp_bart_model_draw_count(b);
    const double *x = b->series[kind];
    if (!n) return;
    x += chain * b->samples;
    if (n == 1) {
        json_numbers(key, x, b->samples, j);
        return;
    }
    cp_json_array(j, key);
    for (size_t k = 0; k < n; k++) json_numbers(NULL, x + k * all, b->samples, j);
    cp_json_close_array(j);
}

void cp_bart_report(const void *state, cp_json *j) {
    const cp_bart_model *b = state;
    cp_json_array(j, "chains");
    for (size_t c = 0; c < b->chains; c++) {
        cp_json_object(j, NULL);
        json_moves("proposed", b->tally[c].proposed, j);
        json_moves("accepted", b->tally[c].accepted, j);
        json_series(b, c, CP_BART_SIGMA, "sigma", j);
        json_series(b, c, CP_BART_LOG_LIKELIHOOD, "log_likelihood", j);
        json_series(b, c, CP_BART_LEAF_COUNT, "leaves", j);
        json_series(b, c, CP_BART_FITTED, "fitted", j);
        json_series(b, c, CP_BART_NOISE, "noise", j);
        cp_json_close_object(j);
    }
    cp_json_close_array(j);
}
