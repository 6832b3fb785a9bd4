#include "bart/draws/bart_noise.h"

#include <math.h>

#include "num/draw.h"
#include "num/math.h"
#include "num/special.h"

#ifndef CP_BROKEN
#define CP_BROKEN(bug) 0
#endif

static double weight_of(const cp_bart_problem *b, size_t row) {
    return b->opt_weight ? (double)b->opt_weight[row] : 1;
}

static double sum_squares(const cp_bart_chain *c, const cp_bart_sum *s) {
    const cp_bart_problem *b = c->problem;
    cp_leaf_pass_values x = {s->r, cp_bart_chain_state_weight(c), b->rows->n};
    return cp_bart_parallel_squares(&c->parallel, b->columns.leaf_pass, &x);
}

/* Uneven noise: what least_noise adds to the sum of squares, as in bart_variance.c. */
static double floor_squares(const cp_bart_chain *c) {
    double sum = 0;
    if (!c->opt_variance) return 0;
    for (size_t i = 0; i < c->problem->rows->n; i++) sum += (double)c->opt_variance->weight[i];
    return sum * c->problem->least_noise;
}

/* sigma^2 | trees ~ (nu lambda + sum of w r^2) / chi^2 with nu + n degrees of freedom; n: rows of weight above 0
 * [Chipman, George, McCulloch 2010, section 3.1]. */
static void draw_variance(const cp_bart_chain *c, cp_bart_sum *s, cp_rng *rng) {
    const cp_bart_problem *b = c->problem;
    double squares = b->hyper.nu * b->hyper.lambda, df = b->hyper.nu;
    if (!b->opt.prior_only) {
        squares += sum_squares(c, s) + floor_squares(c);
        df += (double)b->positive_rows;
    }
    if (CP_BROKEN(BROKEN_DF)) df += 2;
    s->noise_var = 0.5 * squares / cp_draw_gamma(rng, 0.5 * df);
}

/* Standard normals, which are drawn in pairs. */
typedef struct normals {
    cp_rng *rng;
    double pair[2];
    int left;
} normals;

static double next_normal(normals *n) {
    if (!n->left) cp_draw_normals(n->rng, n->pair);
    n->left = !n->left;
    return n->pair[n->left];
}

/* A standard normal given that it is above `low`.  For low < 0, at least every second normal is, so rejection is
 * fast. */
static double draw_above(normals *n, double low) {
    if (low >= 0) return cp_draw_normal_above(n->rng, low);
    double z;
    do z = next_normal(n);
    while (z <= low);
    return z;
}

/* Draws z given f and the label: e = z - offset - f is a standard normal, truncated so that z > 0 for label 1, z < 0
 * for label 0 [Chipman, George, McCulloch 2010, section 4; Albert and Chib 1993].  A row of weight w has w such z; the
 * leaf needs only their mean, which has variance 1/w. */
static void draw_latent(const cp_bart_problem *b, cp_bart_sum *s, size_t number, size_t from, size_t to, cp_rng *rng) {
    normals n = {.rng = rng};
    for (size_t i = from; i < to; i++) {
        double f = (double)s->latent[i] - (double)s->r[i], at = b->offset[number] + f, sum = 0;
        int in = cp_bart_problem_is_in(b, number, i);
        size_t times = (size_t)weight_of(b, i);
        for (size_t k = 0; k < times; k++) sum += in ? draw_above(&n, -at) : -draw_above(&n, at);
        double e = times ? sum / (double)times : 0;
        s->r[i] = (float)e;
        s->latent[i] = (float)(f + e);
    }
}

typedef struct latents {
    const cp_bart_chain *c;
    cp_bart_sum *s;
    uint64_t sweep;
    cp_rng *rng; /* of the first block of rows; every other block has a stream of its own */
} latents;

static void draw_blocks(void *arg, size_t from, size_t to) {
    const latents *l = arg;
    const cp_bart_problem *b = l->c->problem;
    size_t number = (size_t)(l->s - l->c->sum);
    for (size_t i = from; i < to; i++) {
        size_t first = i * CP_BART_PARALLEL_BLOCK, left = b->rows->n - first;
        cp_rng own, *rng = i ? &own : l->rng;
        if (i)
            cp_rng_init(&own, b->seed, CP_FOR_LATENT, (uint32_t)(l->c->number * b->sums + number), l->sweep << 24 | i);
        draw_latent(b, l->s, number, first, first + (left < CP_BART_PARALLEL_BLOCK ? left : CP_BART_PARALLEL_BLOCK),
                    rng);
    }
}

static void draw_latents(const cp_bart_chain *c, cp_bart_sum *s, uint64_t sweep, cp_rng *rng) {
    latents l = {c, s, sweep, rng};
    size_t blocks = (c->problem->rows->n + CP_BART_PARALLEL_BLOCK - 1) / CP_BART_PARALLEL_BLOCK;
    cp_thread_team_pass(c->parallel.opt_team, blocks, draw_blocks, &l);
}

void cp_bart_noise_draw(const cp_bart_chain *c, cp_bart_sum *s, uint64_t sweep, cp_rng *rng) {
    const cp_bart_problem *b = c->problem;
    if (b->rows->task == COPSE_REGRESS)
        draw_variance(c, s, rng);
    else if (!b->opt.prior_only)
        draw_latents(c, s, sweep, rng);
}

void cp_bart_noise_draw_leaf_var(const cp_bart_chain *c, cp_bart_sum *s, cp_rng *rng) {
    const double nu = 3;
    double squares = nu * c->problem->hyper.leaf_var, df = nu;
    for (size_t m = 0; m < c->problem->opt.trees; m++) {
        const cp_bart_tree *t = &s->tree[m];
        for (size_t k = 0; k < cp_bart_tree_leaves(t); k++) squares += (double)t->mu[k] * (double)t->mu[k];
        df += (double)cp_bart_tree_leaves(t);
    }
    s->leaf_var = 0.5 * squares / cp_draw_gamma(rng, 0.5 * df);
}

/* log Phi(x); below -37, where Phi underflows, by the leading terms of its asymptotic series. */
static double log_cdf(double x) {
    if (x > -37) return cp_math_log(cp_special_normal_cdf(x));
    return -0.5 * x * x - cp_math_log(-x) - 0.918938533204672741780 - 1 / (x * x);
}

static double log_numbers(const cp_bart_chain *c, const cp_bart_sum *s) {
    const cp_bart_problem *b = c->problem;
    double n = (double)b->positive_rows, logs = 0;
    const float *weight = cp_bart_chain_state_weight(c);
    for (size_t i = 0; i < b->rows->n && weight; i++)
        if (weight[i] > 0) logs += cp_math_log((double)weight[i]);
    return 0.5 * logs - n * (0.918938533204672741780 + cp_math_log(b->scale) + 0.5 * cp_math_log(s->noise_var)) -
           0.5 * sum_squares(c, s) / s->noise_var;
}

typedef struct labels {
    const cp_bart_chain *c;
    const cp_bart_sum *s;
} labels;

static double log_labels(void *arg, size_t from, size_t to) {
    const labels *l = arg;
    const cp_bart_problem *b = l->c->problem;
    size_t number = (size_t)(l->s - l->c->sum);
    double sum = 0;
    for (size_t i = from; i < to; i++) {
        double at = b->offset[number] + (double)l->s->latent[i] - (double)l->s->r[i];
        sum += weight_of(b, i) * log_cdf(cp_bart_problem_is_in(b, number, i) ? at : -at);
    }
    return sum;
}

double cp_bart_noise_log_likelihood(const cp_bart_chain *c, const cp_bart_sum *s) {
    labels l = {c, s};
    if (c->problem->rows->task == COPSE_REGRESS) return log_numbers(c, s);
    return cp_bart_parallel_sum(&c->parallel, c->problem->rows->n, log_labels, &l);
}
