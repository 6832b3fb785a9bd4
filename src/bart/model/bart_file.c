#include "bart/model/bart_file.h"

#include "bart/draws/bart_draws_file.h"
#include "bart/model/bart_model.h"
#include "base/mem.h"
#include "base/number_rule.h"

static const char *const series_name[CP_BART_SERIES_KINDS] = {[CP_BART_SIGMA] = "sigma",
                                                              [CP_BART_LOG_LIKELIHOOD] = "log_likelihood",
                                                              [CP_BART_LEAF_COUNT] = "leaves",
                                                              [CP_BART_FITTED] = "fitted",
                                                              [CP_BART_NOISE] = "noise_at"};

enum { HYPER = 3 };

/* ---------------------------------------------------------------------------------------------------------- writing */

static copse_status write_tally(const cp_bart_model *b, cp_writer *w, copse_error *err) {
    int64_t *count;
    CP_TRY(CP_RAW(count, 2 * b->chains * CP_BART_MOVES, err));
    for (size_t i = 0; i < b->chains * CP_BART_MOVES; i++) {
        count[2 * i] = (int64_t)b->tally[i / CP_BART_MOVES].proposed[i % CP_BART_MOVES];
        count[2 * i + 1] = (int64_t)b->tally[i / CP_BART_MOVES].accepted[i % CP_BART_MOVES];
    }
    copse_status status = cp_writer_array(w, "moves", CP_I64, count, 2 * b->chains * CP_BART_MOVES, err);
    cp_mem_free(count);
    return status;
}

static copse_status write_sum(const cp_bart_model *b, size_t k, cp_writer *w, copse_error *err) {
    CP_TRY(k < b->sums ? cp_writer_push_nth(w, "sum", k, err) : cp_writer_push(w, "noise", err));
    copse_status status = cp_bart_draws_file_write(&b->draws[k], w, err);
    cp_writer_pop(w);
    cp_writer_claim(w, b->draws[k].runs + cp_bart_model_trees(b, k) + 2, sizeof(size_t));
    return status;
}

copse_status cp_bart_file_write(const void *state, const copse_params *p, unsigned flags, cp_writer *w,
                                copse_error *err) {
    const cp_bart_model *b = state;
    const double hyper[HYPER] = {b->hyper.leaf_var, b->hyper.nu, b->hyper.lambda};
    (void)p;
    (void)flags;
    CP_TRY(cp_writer_i64(w, "rows", (int64_t)b->rows, err));
    CP_TRY(cp_writer_f64(w, "centre", b->centre, err));
    CP_TRY(cp_writer_f64(w, "scale", b->scale, err));
    CP_TRY(cp_writer_array(w, "hyper", CP_F64, hyper, HYPER, err));
    if (b->offset) CP_TRY(cp_writer_array(w, "offset", CP_F64, b->offset, b->sums, err));
    CP_TRY(write_tally(b, w, err));
    for (int i = 0; i < CP_BART_SERIES_KINDS; i++) {
        size_t n = cp_bart_model_series(b, (cp_bart_series)i) * cp_bart_model_draw_count(b);
        if (n) CP_TRY(cp_writer_array(w, series_name[i], CP_F64, b->series[i], n, err));
    }
    cp_writer_claim(w, cp_bart_model_draw_sums(b), sizeof *b->draws);
    cp_writer_claim(w, b->chains, sizeof *b->tally);
    for (size_t k = 0; k < cp_bart_model_draw_sums(b); k++) CP_TRY(write_sum(b, k, w, err));
    return COPSE_OK;
}

/* ---------------------------------------------------------------------------------------------------------- reading */

static copse_status read_hyper(cp_bart_model *b, cp_reader *r, copse_error *err) {
    double *v;
    CP_TRY(cp_reader_finite(r, "hyper", HYPER, &v, err));
    b->hyper = (cp_bart_hyper){.leaf_var = v[0], .nu = v[1], .lambda = v[2]};
    cp_mem_free(v);
    int sound = b->hyper.leaf_var > 0 && b->hyper.nu > 0 && b->hyper.lambda > 0;
    return sound ? COPSE_OK : cp_reader_bad(r, err, "an impossible prior");
}

static copse_status read_tally(cp_bart_model *b, cp_reader *r, copse_error *err) {
    int64_t *count;
    int sound = 1;
    CP_TRY(cp_reader_array(r, "moves", CP_I64, 2 * b->chains * CP_BART_MOVES, &count, err));
    for (size_t i = 0; i < b->chains * CP_BART_MOVES; i++) {
        cp_bart_tally *t = &b->tally[i / CP_BART_MOVES];
        sound = sound && count[2 * i + 1] >= 0 && count[2 * i + 1] <= count[2 * i];
        t->proposed[i % CP_BART_MOVES] = (uint64_t)count[2 * i];
        t->accepted[i % CP_BART_MOVES] = (uint64_t)count[2 * i + 1];
    }
    cp_mem_free(count);
    return sound ? COPSE_OK : cp_reader_bad(r, err, "more moves accepted than there were");
}

static copse_status read_offset(cp_bart_model *b, cp_reader *r, copse_error *err) {
    double *v;
    int sound = 1;
    if (!b->offset) return COPSE_OK;
    CP_TRY(cp_reader_finite(r, "offset", b->sums, &v, err));
    for (size_t k = 0; k < b->sums; k++) {
        sound = sound && fabs(v[k]) < 100;
        b->offset[k] = v[k];
    }
    cp_mem_free(v);
    return sound ? COPSE_OK : cp_reader_bad(r, err, "an impossible offset");
}

static copse_status read_sum(cp_bart_model *b, size_t k, cp_reader *r, copse_error *err) {
    cp_bart_draws *d = &b->draws[k];
    cp_bart_draws_clear(d);
    CP_TRY(k < b->sums ? cp_reader_push_nth(r, "sum", k, err) : cp_reader_push(r, "noise", err));
    copse_status status = cp_bart_draws_file_read(r, b->dims, cp_bart_model_trees(b, k), d, err);
    if (!status && d->draws != cp_bart_model_draw_count(b)) status = cp_reader_bad(r, err, "%zu draws", d->draws);
    cp_reader_pop(r);
    return status ? status : cp_reader_claim(r, d->runs + cp_bart_model_trees(b, k) + 2, sizeof(size_t), err);
}

static const char *check_series(const cp_bart_model *b) {
    size_t draws = cp_bart_model_draw_count(b);
    for (size_t i = 0; b->task == COPSE_REGRESS && i < draws; i++)
        if (!cp_bart_trace_possible_noise(b->series[CP_BART_SIGMA][i], b->scale)) return "a draw of impossible noise";
    for (size_t i = 0; i < b->sums * draws; i++)
        if (!cp_bart_trace_possible_leaves(b->series[CP_BART_LEAF_COUNT][i], b->trees))
            return "a draw of an impossible number of leaves";
    return NULL;
}

static const cp_number_rule number_rules[] = {
    {.name = "hyper", .least = 1e-200, .most = 1e60},
    {.name = "offset", .least = -100, .most = 100},
    {.name = "sigma", .least = 1e-110, .most = 1e91},
    {.name = "log_likelihood", .least = -CP_NUMBER_LOG, .most = CP_NUMBER_LOG},
    {.name = "leaves", .least = 0, .most = CP_NUMBER_COUNT},
    {.name = "noise_at", .least = 0, .most = 1e91},
    {.name = "fitted", .least = -CP_NUMBER_LOG, .most = CP_NUMBER_LOG},
};

static copse_status read_model(cp_bart_model *b, cp_reader *r, copse_error *err) {
    int64_t rows;
    CP_NUMBER_RULES(r, number_rules);
    CP_TRY(cp_reader_i64(r, "rows", 1, INT32_MAX, &rows, err));
    b->rows = (size_t)rows;
    CP_TRY(cp_reader_f64(r, "centre", -CP_NUMBER_TARGET, CP_NUMBER_TARGET, &b->centre, err));
    CP_TRY(cp_reader_f64(r, "scale", CP_NUMBER_LEAST_SCALE, CP_NUMBER_MOST_SCALE, &b->scale, err));
    CP_TRY(read_hyper(b, r, err));
    CP_TRY(read_offset(b, r, err));
    CP_TRY(read_tally(b, r, err));
    for (int i = 0; i < CP_BART_SERIES_KINDS; i++) {
        size_t n = cp_bart_model_series(b, (cp_bart_series)i) * cp_bart_model_draw_count(b);
        if (n) CP_TRY(cp_reader_finite(r, series_name[i], n, &b->series[i], err));
    }
    for (size_t k = 0; k < cp_bart_model_draw_sums(b); k++) CP_TRY(read_sum(b, k, r, err));
    CP_TRY(cp_bart_model_finish(b, err));
    const char *wrong = check_series(b);
    return wrong ? cp_fail(err, COPSE_E_MODEL, "damaged: %s", wrong) : COPSE_OK;
}

/* The sizes come from options and schema; the file does not repeat them, so they cannot contradict each other. */
copse_status cp_bart_file_read(cp_reader *r, const copse_params *p, cp_rows_shape shape, void **out_state,
                               copse_error *err) {
    cp_bart_model *b, like = {.task = shape.task,
                              .classes = shape.classes,
                              .dims = shape.dims,
                              .trees = (size_t)cp_param_int(p, "trees"),
                              .sums = shape.classes > 2 ? shape.classes : 1,
                              .chains = (size_t)cp_param_int(p, "chains"),
                              .samples = (size_t)cp_param_int(p, "samples")};
    if (shape.task == COPSE_REGRESS && cp_reader_has(r, series_name[CP_BART_NOISE])) /* older files: even noise */
        like.noise_trees = (size_t)cp_param_int(p, "noise-trees");
    *out_state = NULL;
    CP_TRY(cp_reader_claim(r, cp_bart_model_draw_sums(&like), sizeof *b->draws, err));
    CP_TRY(cp_reader_claim(r, like.chains, sizeof *b->tally, err));
    CP_TRY(cp_bart_model_new(&like, &b, err));
    copse_status status = read_model(b, r, err);
    if (status)
        cp_bart_model_free(b);
    else
        *out_state = b;
    return status;
}

/* ------------------------------------------------------------------------------------------------------------ check */

const char *cp_bart_file_check(const void *state) {
    const cp_bart_model *b = state;
    for (size_t k = 0; k < cp_bart_model_draw_sums(b); k++) {
        const char *wrong = cp_bart_draws_check(&b->draws[k]);
        if (wrong) return wrong;
        if (b->draws[k].draws != cp_bart_model_draw_count(b)) return "draws are missing";
    }
    return check_series(b);
}
