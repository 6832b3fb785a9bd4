#include <math.h>

#include "bart/bart_chain_state.h"
#include "num/draw.h"
#include "num/special.h"

#ifndef CP_BROKEN
#define CP_BROKEN(bug) 0
#endif

static double weight_of(const cp_bart_problem *b, size_t row) {
    return b->opt_weight ? (double)b->opt_weight[row] : 1;
}

static double sum_squares(const cp_bart_problem *b, const cp_bart_sum *s) {
    cp_slots_values x = {s->r, b->opt_weight, b->rows->n};
    return b->columns.slots->squares(&x);
}

/* nu lambda + sum of w r^2 over chi-square with nu + n degrees of freedom, n the rows that say something. */
static void draw_variance(const cp_bart_problem *b, cp_bart_sum *s, cp_rng *rng) {
    double squares = b->hyper.nu * b->hyper.lambda, df = b->hyper.nu;
    if (!b->opt.prior_only) {
        squares += sum_squares(b, s);
        df += (double)b->informed;
    }
    if (CP_BROKEN(BROKEN_DF)) df += 2;
    s->noise_var = 0.5 * squares / cp_draw_gamma(rng, 0.5 * df);
}

/* Normals come in pairs. */
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

/* Given that it is above `low`: mostly a label is no surprise, and then the first or second normal is one. */
static double draw_above(normals *n, double low) {
    if (low >= 0) return cp_draw_normal_above(n->rng, low);
    double z;
    do z = next_normal(n);
    while (z <= low);
    return z;
}

/* e = z - offset - f is normal given the side of 0 on which z lies.  A row that counts w times has w of them, of which its
 * leaf need know the mean alone: one of variance 1/w. */
static void draw_latent(const cp_bart_problem *b, cp_bart_sum *s, size_t number, cp_rng *rng) {
    normals n = {.rng = rng};
    for (size_t i = 0; i < b->rows->n; i++) {
        double f = (double)s->latent[i] - (double)s->r[i], at = b->offset[number] + f, sum = 0;
        int in = cp_bart_problem_is_in(b, number, i);
        size_t times = (size_t)weight_of(b, i);
        for (size_t k = 0; k < times; k++) sum += in ? draw_above(&n, -at) : -draw_above(&n, at);
        double e = times ? sum / (double)times : 0;
        s->r[i] = (float)e;
        s->latent[i] = (float)(f + e);
    }
}

void cp_bart_noise_draw(const cp_bart_chain *c, cp_bart_sum *s, cp_rng *rng) {
    const cp_bart_problem *b = c->problem;
    if (b->rows->task == COPSE_REGRESS)
        draw_variance(b, s, rng);
    else if (!b->opt.prior_only)
        draw_latent(b, s, (size_t)(s - c->sum), rng);
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

/* log Phi(x); where Phi is no double any more, by the leading terms of its tail. */
static double log_cdf(double x) {
    if (x > -37) return log(cp_special_normal_cdf(x));
    return -0.5 * x * x - log(-x) - 0.918938533204672741780 - 1 / (x * x);
}

static double log_numbers(const cp_bart_problem *b, const cp_bart_sum *s) {
    double n = (double)b->informed, logs = 0;
    for (size_t i = 0; i < b->rows->n && b->opt_weight; i++)
        if (b->opt_weight[i] > 0) logs += log((double)b->opt_weight[i]);
    return 0.5 * logs - n * (0.918938533204672741780 + log(b->scale) + 0.5 * log(s->noise_var)) -
           0.5 * sum_squares(b, s) / s->noise_var;
}

double cp_bart_noise_log_likelihood(const cp_bart_chain *c, const cp_bart_sum *s) {
    const cp_bart_problem *b = c->problem;
    size_t number = (size_t)(s - c->sum);
    if (b->rows->task == COPSE_REGRESS) return log_numbers(b, s);
    double sum = 0;
    for (size_t i = 0; i < b->rows->n; i++) {
        double at = b->offset[number] + (double)s->latent[i] - (double)s->r[i];
        sum += weight_of(b, i) * log_cdf(cp_bart_problem_is_in(b, number, i) ? at : -at);
    }
    return sum;
}
