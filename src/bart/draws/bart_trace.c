#include "bart/draws/bart_trace.h"

#include <math.h>
#include <string.h>

#include "bart/draws/bart_noise.h"
#include "base/mem.h"
#include "base/number_rule.h"
#include "num/special.h"

copse_status cp_bart_trace_init(cp_bart_trace *t, const cp_bart_problem *b, copse_error *err) {
    *t = (cp_bart_trace){.capacity = b->opt.samples};
    CP_TRY(CP_NEW(t->sigma, b->sums * t->capacity, err));
    CP_TRY(CP_NEW(t->log_likelihood, b->sums * t->capacity, err));
    CP_TRY(CP_NEW(t->leaves, b->sums * t->capacity, err));
    if (b->opt.noise_trees) CP_TRY(CP_NEW(t->opt_noise, CP_BART_TRACE_ROWS * t->capacity, err));
    return CP_NEW(t->fitted, CP_BART_TRACE_ROWS * t->capacity, err);
}

void cp_bart_trace_clear(cp_bart_trace *t) {
    cp_mem_free(t->sigma);
    cp_mem_free(t->log_likelihood);
    cp_mem_free(t->leaves);
    cp_mem_free(t->fitted);
    cp_mem_free(t->opt_noise);
    *t = (cp_bart_trace){0};
}

/* ----------------------------------------------------------------------------------------------------------- adding */

static double fitted(const cp_bart_chain *c, size_t row) {
    const cp_bart_problem *b = c->problem;
    double own = 0, sum = 0;
    if (b->rows->task == COPSE_REGRESS) return b->centre + b->scale * ((double)b->y[row] - (double)c->sum->r[row]);
    for (size_t k = 0; k < b->sums; k++) {
        const cp_bart_sum *s = &c->sum[k];
        double p = cp_special_normal_cdf(b->offset[k] + (double)s->latent[row] - (double)s->r[row]);
        sum += p;
        if (b->sums == 1 || cp_bart_problem_is_in(b, k, row)) own = p;
    }
    return b->sums == 1 ? own : own / fmax(sum, 1e-300);
}

static size_t count_leaves(const cp_bart_sum *s, size_t trees) {
    size_t leaves = 0;
    for (size_t m = 0; m < trees; m++) leaves += cp_bart_tree_leaves(&s->tree[m]);
    return leaves;
}

/* sd of the noise: of an average row, or of this one. */
static double sigma_of(const cp_bart_chain *c, const cp_bart_sum *s) {
    double noise_var = s->noise_var;
    if (c->opt_variance) noise_var *= cp_bart_variance_mean(c->opt_variance);
    return s->latent ? 1 : c->problem->scale * sqrt(noise_var);
}

static double noise_at(const cp_bart_chain *c, size_t row) {
    const cp_bart_problem *b = c->problem;
    double weight = b->opt_weight ? (double)b->opt_weight[row] : 1, least = 1e-30;
    double variance = weight > 0 ? weight / fmax((double)c->opt_variance->weight[row], least) : 1;
    return b->scale * sqrt(c->sum->noise_var * variance);
}

static size_t traced_row(const cp_bart_problem *b, size_t k) {
    return (2 * k + 1) * b->rows->n / ((size_t)2 * CP_BART_TRACE_ROWS);
}

void cp_bart_trace_add(cp_bart_trace *t, const cp_bart_chain *c) {
    const cp_bart_problem *b = c->problem;
    size_t i = t->draws++;
    for (size_t k = 0; k < b->sums; k++) {
        const cp_bart_sum *s = &c->sum[k];
        t->sigma[k * t->capacity + i] = sigma_of(c, s);
        t->log_likelihood[k * t->capacity + i] = cp_bart_noise_log_likelihood(c, s);
        t->leaves[k * t->capacity + i] = (double)count_leaves(s, b->opt.trees);
    }
    for (size_t k = 0; k < CP_BART_TRACE_ROWS; k++) t->fitted[k * t->capacity + i] = fitted(c, traced_row(b, k));
    for (size_t k = 0; t->opt_noise && k < CP_BART_TRACE_ROWS; k++)
        t->opt_noise[k * t->capacity + i] = noise_at(c, traced_row(b, k));
}

/* ------------------------------------------------------------------------------------------------------------ files */

/* Writes t->draws numbers of each series, without the unused capacity. */
static copse_status write_series(const cp_bart_trace *t, const char *name, const double *x, size_t series, cp_writer *w,
                                 copse_error *err) {
    double *packed;
    CP_TRY(CP_RAW(packed, series * t->draws, err));
    for (size_t k = 0; k < series; k++) memcpy(packed + k * t->draws, x + k * t->capacity, t->draws * sizeof *x);
    copse_status status = cp_writer_array(w, name, CP_F64, packed, series * t->draws, err);
    cp_mem_free(packed);
    return status;
}

copse_status cp_bart_trace_write(const cp_bart_trace *t, const cp_bart_problem *b, cp_writer *w, copse_error *err) {
    int64_t count[2 * CP_BART_MOVES];
    for (int k = 0; k < CP_BART_MOVES; k++) {
        count[k] = (int64_t)t->tally.proposed[k];
        count[CP_BART_MOVES + k] = (int64_t)t->tally.accepted[k];
    }
    CP_TRY(cp_writer_i64(w, "kept", (int64_t)t->draws, err));
    CP_TRY(cp_writer_array(w, "moves", CP_I64, count, (size_t)2 * CP_BART_MOVES, err));
    CP_TRY(write_series(t, "sigma", t->sigma, b->sums, w, err));
    CP_TRY(write_series(t, "log_likelihood", t->log_likelihood, b->sums, w, err));
    CP_TRY(write_series(t, "leaves", t->leaves, b->sums, w, err));
    if (t->opt_noise) CP_TRY(write_series(t, "noise", t->opt_noise, CP_BART_TRACE_ROWS, w, err));
    return write_series(t, "fitted", t->fitted, CP_BART_TRACE_ROWS, w, err);
}

int cp_bart_trace_possible_noise(double sigma, double scale) {
    double noise = sigma / scale;
    return noise >= CP_BART_TRACE_LEAST_NOISE && noise <= CP_BART_TRACE_MOST_NOISE;
}

int cp_bart_trace_possible_leaves(double leaves, size_t trees) {
    return leaves >= (double)trees && leaves <= (double)trees * CP_BART_MAX_LEAVES && leaves == floor(leaves);
}

static const cp_number_rule number_rules[] = {
    {.name = "sigma", .least = 0, .most = 1e160},
    {.name = "log_likelihood", .least = -CP_NUMBER_LOG, .most = CP_NUMBER_LOG},
    {.name = "leaves", .least = 0, .most = CP_NUMBER_COUNT},
    {.name = "noise", .least = 0, .most = 1e160},
    {.name = "fitted", .least = -CP_NUMBER_LOG, .most = CP_NUMBER_LOG},
};

static copse_status read_series(const cp_bart_trace *t, const char *name, double *x, size_t series, cp_reader *r,
                                copse_error *err) {
    double *packed;
    CP_TRY(cp_reader_array(r, name, CP_F64, series * t->draws, &packed, err));
    for (size_t k = 0; k < series; k++) memcpy(x + k * t->capacity, packed + k * t->draws, t->draws * sizeof *x);
    cp_mem_free(packed);
    return COPSE_OK;
}

static copse_status read_moves(cp_bart_tally *t, cp_reader *r, copse_error *err) {
    int64_t *count;
    CP_TRY(cp_reader_array(r, "moves", CP_I64, (size_t)2 * CP_BART_MOVES, &count, err));
    int sound = 1;
    for (int k = 0; k < CP_BART_MOVES; k++) {
        sound = sound && count[CP_BART_MOVES + k] >= 0 && count[CP_BART_MOVES + k] <= count[k];
        t->proposed[k] = (uint64_t)count[k];
        t->accepted[k] = (uint64_t)count[CP_BART_MOVES + k];
    }
    cp_mem_free(count);
    return sound ? COPSE_OK : cp_reader_bad(r, err, "C4: more moves were accepted than proposed");
}

copse_status cp_bart_trace_read(cp_bart_trace *t, const cp_bart_problem *b, cp_reader *r, copse_error *err) {
    int64_t kept;
    CP_NUMBER_RULES(r, number_rules);
    CP_TRY(cp_reader_i64(r, "kept", 0, (int64_t)t->capacity, &kept, err));
    t->draws = (size_t)kept;
    CP_TRY(read_moves(&t->tally, r, err));
    CP_TRY(read_series(t, "sigma", t->sigma, b->sums, r, err));
    CP_TRY(read_series(t, "log_likelihood", t->log_likelihood, b->sums, r, err));
    CP_TRY(read_series(t, "leaves", t->leaves, b->sums, r, err));
    if (t->opt_noise) CP_TRY(read_series(t, "noise", t->opt_noise, CP_BART_TRACE_ROWS, r, err));
    CP_TRY(read_series(t, "fitted", t->fitted, CP_BART_TRACE_ROWS, r, err));
    for (size_t i = 0; i < b->sums * t->draws; i++) {
        size_t at = i / t->draws * t->capacity + i % t->draws;
        if (!cp_bart_trace_possible_noise(t->sigma[at], b->scale)) return cp_reader_bad(r, err, "an impossible noise");
        if (!cp_bart_trace_possible_leaves(t->leaves[at], b->opt.trees))
            return cp_reader_bad(r, err, "an impossible number of leaves");
    }
    return COPSE_OK;
}
