#include "bart/draws/bart_variance.h"

#include <math.h>
#include <string.h>

#include "bart/core/bart_tree_check.h"
#include "bart/mh/bart_mh.h"
#include "base/mem.h"
#include "num/math.h"
#include "num/special.h"

/* tests/broken builds this file with known bugs, one at a time, to see that tests find them. */
#ifndef CP_BROKEN
#define CP_BROKEN(bug) 0
#endif

/* most_variance: of s^2(x) and its inverse, so that sums in floats are finite. */
static const double least_tau = 0.1, most_tau = 3, most_variance = 1e20;
enum { FIRST_TAU = 43 }; /* about 1: a small one would take long to grow */

static size_t trees_of(const cp_bart_variance *v) {
    return v->problem->opt.noise_trees;
}

static size_t rows_of(const cp_bart_variance *v) {
    return v->problem->rows->n;
}

/* -------------------------------------------------------------------------------------------------------- beginning */

static void fill_taus(cp_bart_variance *v) {
    double step = cp_math_log(most_tau / least_tau) / (CP_BART_VARIANCE_TAUS - 1);
    for (size_t i = 0; i < CP_BART_VARIANCE_TAUS; i++) {
        double tau = least_tau * cp_math_exp(step * (double)i), rate = (double)trees_of(v) / (tau * tau);
        v->log_prior[i] = -cp_math_log(tau);
        v->lambda[i] = (cp_bart_lambda){.shape = rate + 0.5, .rate = rate};
        v->log_constant[i] = (rate + 0.5) * cp_math_log(rate) - cp_special_log_gamma(rate + 0.5);
    }
}

static copse_status fill_counted(cp_bart_variance *v, copse_error *err) {
    const cp_bart_problem *b = v->problem;
    if (b->positive_rows == b->rows->n) return COPSE_OK;
    CP_TRY(CP_RAW(v->opt_counted, b->rows->n, err));
    for (size_t i = 0; i < b->rows->n; i++) v->opt_counted[i] = b->opt_weight[i] > 0;
    return COPSE_OK;
}

static copse_status init(cp_bart_variance *v, copse_error *err) {
    const cp_bart_problem *b = v->problem;
    size_t n = b->rows->n, trees = trees_of(v);
    fill_taus(v);
    CP_TRY(fill_counted(v, err));
    CP_TRY(CP_RAW(v->weight, n, err));
    CP_TRY(CP_RAW(v->square, n, err));
    CP_TRY(CP_NEW(v->tree, trees, err));
    CP_TRY(CP_NEW(v->slot, trees * n, err));
    CP_TRY(cp_bart_split_probs_init(&v->split_probs, b->columns.ranks.dims, 0, err));
    CP_TRY(cp_bart_draws_init(&v->draws, b->columns.ranks.dims, trees, err));
    CP_TRY(cp_bart_mh_sampler.make(&b->columns, &b->opt.sampler_opt, &v->sampler, err));
    cp_bart_view view = cp_bart_variance_view(v, NULL);
    for (size_t m = 0; m < trees; m++) CP_TRY(cp_bart_tree_init(&v->tree[m], &view, v->slot + m * n, err));
    cp_bart_variance_refresh(v, NULL);
    return COPSE_OK;
}

copse_status cp_bart_variance_init(cp_bart_variance *v, const cp_bart_problem *b, size_t chain, copse_error *err) {
    *v = (cp_bart_variance){.problem = b, .chain = chain, .tau = FIRST_TAU};
    copse_status status = init(v, err);
    if (status) cp_bart_variance_clear(v);
    return status;
}

void cp_bart_variance_clear(cp_bart_variance *v) {
    for (size_t m = 0; v->tree && m < trees_of(v); m++) cp_bart_tree_clear(&v->tree[m]);
    if (v->sampler) cp_bart_mh_sampler.free(v->sampler);
    cp_bart_draws_clear(&v->draws);
    cp_bart_split_probs_clear(&v->split_probs);
    cp_mem_free(v->tree);
    cp_mem_free(v->slot);
    cp_mem_free(v->weight);
    cp_mem_free(v->square);
    cp_mem_free(v->opt_counted);
    *v = (cp_bart_variance){0};
}

cp_bart_view cp_bart_variance_view(const cp_bart_variance *v, const cp_bart_parallel *opt_parallel) {
    const cp_bart_problem *b = v->problem;
    return (cp_bart_view){.columns = &b->columns,
                          .split_probs = &v->split_probs,
                          .log_split = b->log_split,
                          .log_stop = b->log_stop,
                          .r = b->opt.prior_only ? NULL : v->square,
                          .opt_weight = v->opt_counted,
                          .opt_lambda = &v->lambda[v->tau],
                          .opt_parallel = opt_parallel};
}

copse_status cp_bart_variance_reserve(cp_bart_variance *v, copse_error *err) {
    for (size_t m = 0; m < trees_of(v); m++) {
        size_t leaves = cp_bart_tree_leaves(&v->tree[m]) + 1;
        CP_TRY(cp_bart_tree_reserve(&v->tree[m], leaves < CP_BART_MAX_LEAVES ? leaves : CP_BART_MAX_LEAVES, err));
    }
    return COPSE_OK;
}

/* ----------------------------------------------------------------------------------------------------------- weight */

typedef struct pass {
    cp_bart_variance *v;
    const float *r;
    double noise_var;
} pass;

static double given_weight(const cp_bart_problem *b, size_t row) {
    return b->opt_weight ? (double)b->opt_weight[row] : 1;
}

enum { SOME = CP_LEAF_PASS_PIECE };

static size_t piece_end(size_t from, size_t to) {
    return to - from < SOME ? to : from + SOME;
}

/* The product of 1/lambda over all trees, tree after tree, for the rows of a piece. */
static void weigh_piece(cp_bart_variance *v, size_t from, size_t to) {
    double precision[SOME];
    for (size_t i = from; i < to; i++) precision[i - from] = 1;
    for (size_t m = 0; m < trees_of(v); m++) {
        const cp_bart_tree *t = &v->tree[m];
        double by[CP_BART_MAX_LEAVES];
        for (size_t s = 0; s < cp_bart_tree_leaves(t); s++) by[s] = cp_math_exp(-(double)t->mu[s]);
        for (size_t i = from; i < to; i++) precision[i - from] *= by[t->slot[i]];
    }
    for (size_t i = from; i < to; i++)
        v->weight[i] =
            (float)(given_weight(v->problem, i) * fmin(fmax(precision[i - from], 1 / most_variance), most_variance));
}

static void weigh_rows(void *arg, size_t from, size_t to) {
    const pass *p = arg;
    for (size_t end; from < to; from = end) {
        end = piece_end(from, to);
        weigh_piece(p->v, from, end);
    }
}

void cp_bart_variance_refresh(cp_bart_variance *v, const cp_bart_parallel *opt_parallel) {
    pass p = {.v = v};
    cp_bart_parallel_each(opt_parallel, rows_of(v), weigh_rows, &p);
}

/* --------------------------------------------------------------------------------------------------------- sampling */

static void square_rows(void *arg, size_t from, size_t to) {
    const pass *p = arg;
    const cp_bart_variance *v = p->v;
    for (size_t i = from; i < to; i++) {
        double r = (double)p->r[i], square = r * r + v->problem->least_noise;
        v->square[i] = (float)((double)v->weight[i] * square / (CP_BROKEN(BROKEN_SIGMA) ? 1 : p->noise_var));
    }
}

/* lambda, or 1/lambda, of each leaf. */
static void lambda_of(const cp_bart_tree *t, double sign, float out[CP_BART_MAX_LEAVES]) {
    for (size_t s = 0; s < cp_bart_tree_leaves(t); s++) out[s] = (float)cp_math_exp(sign * (double)t->mu[s]);
}

/* Takes tree m out of the square residuals and its predecessor, whose lambda is new, into them; one pass. */
static void take_out(cp_bart_variance *v, const cp_bart_parallel *opt_parallel, size_t m) {
    float out[CP_BART_MAX_LEAVES] = {0}, back[CP_BART_MAX_LEAVES] = {0};
    double sum[CP_BART_MAX_LEAVES];
    cp_bart_tree *t = &v->tree[m];
    size_t leaves = cp_bart_tree_leaves(t);
    const cp_leaf_pass_values x = {v->square, NULL, rows_of(v)};
    const cp_leaf_pass_shift remove = {t->slot, out, leaves};
    cp_leaf_pass_shift restore = remove;
    lambda_of(t, 1, out);
    if (m) {
        lambda_of(t - 1, -1, back);
        restore = (cp_leaf_pass_shift){t[-1].slot, back, cp_bart_tree_leaves(t - 1)};
    }
    cp_bart_parallel_scale(opt_parallel, v->problem->columns.leaf_pass, &x, m ? &restore : NULL, &remove, sum);
    for (size_t s = 0; s < leaves; s++) t->leaf[s].sum_wr = v->problem->opt.prior_only ? 0 : sum[s];
}

/* tau given all lambda: L of them, with sum of logs l and sum of inverses i, have log density
 * L log_constant - shape l - rate i, up to what does not depend on tau. */
static void draw_tau(cp_bart_variance *v, cp_rng *rng) {
    double leaves = 0, logs = 0, inverses = 0, density[CP_BART_VARIANCE_TAUS];
    for (size_t m = 0; m < trees_of(v); m++) {
        const cp_bart_tree *t = &v->tree[m];
        leaves += CP_BROKEN(BROKEN_LEAVES) ? 1 : (double)cp_bart_tree_leaves(t);
        for (size_t s = 0; s < cp_bart_tree_leaves(t); s++) {
            logs += (double)t->mu[s];
            inverses += cp_math_exp(-(double)t->mu[s]);
        }
    }
    for (size_t i = 0; i < CP_BART_VARIANCE_TAUS; i++)
        density[i] =
            v->log_prior[i] + leaves * v->log_constant[i] - v->lambda[i].shape * logs - v->lambda[i].rate * inverses;
    double all = cp_special_log_sum_exp(density, CP_BART_VARIANCE_TAUS), u = cp_rng_unit(rng);
    for (v->tau = 0; v->tau + 1 < CP_BART_VARIANCE_TAUS; v->tau++) {
        u -= cp_math_exp(density[v->tau] - all);
        if (u < 0) break;
    }
}

static cp_rng stream_of(const cp_bart_variance *v, uint64_t sweep, size_t part) {
    cp_rng rng;
    cp_rng_init(&rng, v->problem->seed, CP_FOR_VARIANCE, (uint32_t)v->chain,
                sweep * ((uint64_t)trees_of(v) + 1) + part);
    return rng;
}

static void sample_tree(cp_bart_variance *v, const cp_bart_parallel *opt_parallel, size_t m, uint64_t sweep) {
    cp_bart_view view = cp_bart_variance_view(v, opt_parallel);
    cp_rng rng = stream_of(v, sweep, m);
    cp_bart_tally uncounted = {0};
    copse_error err;
    take_out(v, opt_parallel, m);
    CP_BUG(cp_bart_mh_sampler.step(v->sampler, &view, &v->tree[m], &rng, &uncounted, &err) != COPSE_OK);
    cp_bart_tree_draw_mu(&v->tree[m], &view, &rng);
}

void cp_bart_variance_draw(cp_bart_variance *v, const cp_bart_parallel *opt_parallel, const float *r, double noise_var,
                           uint64_t sweep) {
    pass p = {.v = v, .r = r, .noise_var = noise_var};
    cp_bart_parallel_each(opt_parallel, rows_of(v), square_rows, &p);
    for (size_t m = 0; m < trees_of(v); m++) sample_tree(v, opt_parallel, m, sweep);
    cp_rng rng = stream_of(v, sweep, trees_of(v));
    draw_tau(v, &rng);
    cp_bart_variance_refresh(v, opt_parallel);
}

/* ---------------------------------------------------------------------------------------------------------- keeping */

double cp_bart_variance_mean(const cp_bart_variance *v) {
    const cp_bart_problem *b = v->problem;
    double sum = 0;
    for (size_t i = 0; i < b->rows->n; i++)
        sum += given_weight(b, i) > 0 ? given_weight(b, i) / (double)v->weight[i] : 0;
    return sum / (double)b->positive_rows;
}

/* Only the kept draw is shifted: s^2 and sigma^2 share a factor, which chains should not be compared by. */
copse_status cp_bart_variance_keep(cp_bart_variance *v, copse_error *err) {
    float mu[CP_BART_MAX_LEAVES], shift = (float)cp_math_log(cp_bart_variance_mean(v));
    memcpy(mu, v->tree->mu, sizeof mu);
    for (size_t s = 0; s < cp_bart_tree_leaves(v->tree); s++) v->tree->mu[s] -= shift;
    copse_status status = cp_bart_draws_add(&v->draws, v->tree, err);
    memcpy(v->tree->mu, mu, sizeof mu);
    return status;
}

const char *cp_bart_variance_check(const cp_bart_variance *v) {
    cp_bart_view view = cp_bart_variance_view(v, NULL);
    view.r = NULL; /* sum_wr is that of the tree's last step */
    if (v->tau >= CP_BART_VARIANCE_TAUS) return "C6: an impossible tau";
    for (size_t m = 0; m < trees_of(v); m++) {
        const cp_bart_tree *t = &v->tree[m];
        const char *bad = cp_bart_tree_check(t, &view);
        if (bad) return bad;
        for (size_t s = 0; s < cp_bart_tree_leaves(t); s++)
            if (!(fabsf(t->mu[s]) <= CP_BART_TREE_MOST_LOG_LAMBDA)) return "C6: an impossible variance of a leaf";
    }
    for (size_t i = 0; i < rows_of(v); i++)
        if (!(v->weight[i] >= 0 && (double)v->weight[i] <= 1e60)) return "C6: an impossible variance of a row";
    return NULL;
}
