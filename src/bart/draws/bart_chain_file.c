/* A file may have been made by anyone: all of it is checked before it is used.  Only a residual that is off by as
 * little as rounding passes. */
#include "bart/draws/bart_chain_file.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "bart/core/bart_tree_file.h"
#include "bart/draws/bart_chain_state.h"
#include "bart/draws/bart_draws_file.h"
#include "base/mem.h"
#include "base/number_rule.h"
#include "num/math.h"

/* ---------------------------------------------------------------------------------------------------------- writing */

static copse_status write_trees(const cp_bart_tree *tree, size_t trees, cp_writer *w, copse_error *err) {
    for (size_t m = 0; m < trees; m++) {
        CP_TRY(cp_writer_push_nth(w, "tree", m, err));
        copse_status status = cp_bart_tree_file_write(&tree[m], w, err);
        cp_writer_pop(w);
        if (status) return status;
    }
    return COPSE_OK;
}

static copse_status write_draws(const cp_bart_draws *d, cp_writer *w, copse_error *err) {
    CP_TRY(cp_writer_push(w, "draws", err));
    copse_status status = cp_bart_draws_file_write(d, w, err);
    cp_writer_pop(w);
    return status;
}

static copse_status write_sum(const cp_bart_sum *s, const cp_bart_problem *b, cp_writer *w, copse_error *err) {
    size_t n = b->rows->n;
    CP_TRY(cp_writer_f64(w, "noise_var", s->noise_var, err));
    if (b->opt.sample_k) CP_TRY(cp_writer_f64(w, "leaf_var", s->leaf_var, err));
    CP_TRY(cp_writer_array(w, "residual", CP_F32, s->r, n, err));
    if (s->latent) CP_TRY(cp_writer_array(w, "latent", CP_F32, s->latent, n, err));
    if (b->opt.dart) {
        CP_TRY(cp_writer_f64(w, "theta", s->dart.theta, err));
        CP_TRY(cp_writer_array(w, "log_s", CP_F64, s->dart.log_s, s->dart.dims, err));
    }
    CP_TRY(write_trees(s->tree, b->opt.trees, w, err));
    return write_draws(&s->draws, w, err);
}

static copse_status write_variance(const cp_bart_variance *v, cp_writer *w, copse_error *err) {
    CP_TRY(cp_writer_i64(w, "tau", (int64_t)v->tau, err));
    CP_TRY(write_trees(v->tree, v->problem->opt.noise_trees, w, err));
    return write_draws(&v->draws, w, err);
}

static copse_status write_noise(const cp_bart_chain *c, cp_writer *w, copse_error *err) {
    if (!c->opt_variance) return COPSE_OK;
    CP_TRY(cp_writer_push(w, "noise", err));
    copse_status status = write_variance(c->opt_variance, w, err);
    cp_writer_pop(w);
    return status;
}

copse_status cp_bart_chain_file_write(const cp_bart_chain *c, cp_writer *w, copse_error *err) {
    CP_TRY(cp_writer_i64(w, "done", (int64_t)c->done, err));
    CP_TRY(cp_writer_i64(w, "at", (int64_t)c->at, err));
    CP_TRY(cp_writer_i64(w, "lifted", c->partial, err));
    CP_TRY(cp_bart_trace_write(&c->trace, c->problem, w, err));
    CP_TRY(write_noise(c, w, err));
    for (size_t k = 0; k < c->problem->sums; k++) {
        CP_TRY(cp_writer_push_nth(w, "sum", k, err));
        copse_status status = write_sum(&c->sum[k], c->problem, w, err);
        cp_writer_pop(w);
        if (status) return status;
    }
    return COPSE_OK;
}

/* ---------------------------------------------------------------------------------------------------------- reading */

/* Of the noise and of a leaf's value, in units of scale squared. */
#define LEAST_VARIANCE 1e-60

/* Targets are scaled to [-1/2, 1/2], latents are normals. */
static const cp_number_rule number_rules[] = {
    {.name = "sum.#.latent", .least = -1e6, .most = 1e6},
    {.name = "sum.#.residual", .least = -1e6, .most = 1e6},
    {.name = "sum.#.log_s", .least = -1e15, .most = 1e-6},
};

static copse_status read_floats(cp_reader *r, const char *name, size_t n, float *out, copse_error *err) {
    float *x;
    CP_TRY(cp_reader_array(r, name, CP_F32, n, &x, err));
    memcpy(out, x, n * sizeof *out);
    cp_mem_free(x);
    return COPSE_OK;
}

static copse_status read_dart(cp_bart_sum *s, cp_reader *r, copse_error *err) {
    cp_bart_dart *dart = &s->dart;
    double *log_s, all = 0;
    CP_TRY(cp_reader_f64(r, "theta", dart->theta_of[0], dart->theta_of[CP_BART_DART_THETAS - 1], &dart->theta, err));
    CP_TRY(cp_reader_array(r, "log_s", CP_F64, dart->dims, &log_s, err));
    memcpy(dart->log_s, log_s, dart->dims * sizeof *log_s);
    cp_mem_free(log_s);
    for (size_t d = 0; d < dart->dims; d++) all += cp_math_exp(dart->log_s[d]);
    if (!(fabs(all - 1) < 1e-6)) return cp_reader_bad(r, err, "the split probabilities of the columns do not sum to 1");
    cp_bart_dart_set_probs(dart, &s->split_probs);
    return COPSE_OK;
}

static copse_status read_trees(cp_bart_tree *tree, size_t trees, const cp_bart_view *v, cp_reader *r,
                               copse_error *err) {
    for (size_t m = 0; m < trees; m++) {
        CP_TRY(cp_reader_push_nth(r, "tree", m, err));
        copse_status status = cp_bart_tree_file_read(&tree[m], v, r, err);
        cp_reader_pop(r);
        if (status) return status;
    }
    return COPSE_OK;
}

static copse_status read_draws(cp_bart_draws *d, cp_reader *r, copse_error *err) {
    size_t dims = d->dims, trees = d->trees;
    cp_bart_draws_clear(d);
    CP_TRY(cp_reader_push(r, "draws", err));
    copse_status status = cp_bart_draws_file_read(r, dims, trees, d, err);
    cp_reader_pop(r);
    return status;
}

static copse_status read_variance(cp_bart_variance *v, cp_reader *r, copse_error *err) {
    cp_bart_view view = cp_bart_variance_view(v, NULL);
    int64_t tau;
    CP_TRY(cp_reader_i64(r, "tau", 0, CP_BART_VARIANCE_TAUS - 1, &tau, err));
    v->tau = (size_t)tau;
    CP_TRY(read_trees(v->tree, v->problem->opt.noise_trees, &view, r, err));
    CP_TRY(read_draws(&v->draws, r, err));
    const char *bad = cp_bart_variance_check(v);
    if (bad) return cp_reader_bad(r, err, "%s", bad);
    cp_bart_variance_refresh(v, NULL);
    return COPSE_OK;
}

static copse_status read_noise(cp_bart_chain *c, cp_reader *r, copse_error *err) {
    if (!c->opt_variance) return COPSE_OK;
    CP_TRY(cp_reader_push(r, "noise", err));
    copse_status status = read_variance(c->opt_variance, r, err);
    cp_reader_pop(r);
    return status;
}

static copse_status read_sum(cp_bart_chain *c, cp_bart_sum *s, cp_reader *r, copse_error *err) {
    const cp_bart_problem *b = c->problem;
    double least = s->latent ? 1 : LEAST_VARIANCE, most = s->latent ? 1 : 1e12;
    CP_TRY(cp_reader_f64(r, "noise_var", least, most, &s->noise_var, err));
    if (b->opt.sample_k) CP_TRY(cp_reader_f64(r, "leaf_var", LEAST_VARIANCE, 1e12, &s->leaf_var, err));
    if (s->latent) CP_TRY(read_floats(r, "latent", b->rows->n, s->latent, err));
    CP_TRY(read_floats(r, "residual", b->rows->n, s->r, err));
    if (b->opt.dart) CP_TRY(read_dart(s, r, err));
    cp_bart_view v = cp_bart_chain_state_view(c, s);
    CP_TRY(read_trees(s->tree, b->opt.trees, &v, r, err));
    return read_draws(&s->draws, r, err);
}

static copse_status read_place(cp_bart_chain *c, cp_reader *r, copse_error *err) {
    const cp_bart_problem *b = c->problem;
    int64_t done, at, partial;
    CP_TRY(cp_reader_i64(r, "done", 0, (int64_t)cp_bart_options_sweeps(&b->opt), &done, err));
    CP_TRY(cp_reader_i64(r, "at", 0, (int64_t)(b->sums * b->opt.trees) - 1, &at, err));
    CP_TRY(cp_reader_i64(r, "lifted", 0, 1, &partial, err));
    if (at && !partial) return cp_reader_bad(r, err, "a sweep has stopped where it cannot");
    c->done = (size_t)done;
    c->at = (size_t)at;
    c->partial = (int)partial;
    return COPSE_OK;
}

/* The residual is partial: sets the leaf sums of the tree that is left out. */
static void sum_partial(cp_bart_chain *c) {
    size_t trees = c->problem->opt.trees;
    cp_bart_sum *s = &c->sum[c->at / trees];
    cp_bart_tree *t = &s->tree[c->at % trees];
    size_t leaves = cp_bart_tree_leaves(t);
    memset(c->minus_mu, 0, sizeof c->minus_mu);
    cp_leaf_pass_values x = {s->r, cp_bart_chain_state_weight(c), c->problem->rows->n};
    cp_leaf_pass_shift nothing = {t->slot, c->minus_mu, leaves};
    c->problem->columns.leaf_pass->move(&x, NULL, &nothing, c->sum_by_slot);
    for (size_t k = 0; k < leaves; k++) t->leaf[k].sum_wr = c->problem->opt.prior_only ? 0 : c->sum_by_slot[k];
}

static copse_status read_chain(cp_bart_chain *c, cp_reader *r, copse_error *err) {
    CP_NUMBER_RULES(r, number_rules);
    CP_TRY(read_place(c, r, err));
    CP_TRY(cp_bart_trace_read(&c->trace, c->problem, r, err));
    CP_TRY(read_noise(c, r, err));
    for (size_t k = 0; k < c->problem->sums; k++) {
        CP_TRY(cp_reader_push_nth(r, "sum", k, err));
        copse_status status = read_sum(c, &c->sum[k], r, err);
        cp_reader_pop(r);
        if (status) return status;
    }
    if (c->partial) sum_partial(c);
    const char *bad = cp_bart_chain_state_check_trees(c);
    return bad ? cp_reader_bad(r, err, "%s", bad) : COPSE_OK;
}

copse_status cp_bart_chain_file_read(cp_reader *r, const cp_bart_problem *b, size_t chain, cp_bart_chain **out,
                                     copse_error *err) {
    cp_bart_chain *c;
    CP_TRY(cp_bart_chain_new(b, chain, &c, err));
    copse_status status = read_chain(c, r, err);
    if (status)
        cp_bart_chain_free(c);
    else
        *out = c;
    return status;
}
