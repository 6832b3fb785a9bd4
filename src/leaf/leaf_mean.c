/* With W = sum w and S = sum w r over the rows, v = leaf_var and s = noise_var,
 *
 *      p(r) / p(r | mu = 0) = sqrt(s / (s + v W)) exp(v S^2 / (2 s (s + v W)))
 *      mu | r ~ N(v S / (s + v W), s v / (s + v W)) */
#include "leaf/leaf_mean.h"

#include <math.h>

#include "num/draw.h"
#include "num/math.h"

static const cp_leaf_kind mean;

void cp_leaf_mean_init(cp_leaf *m, const cp_leaf_residual *of, double leaf_var, double noise_var) {
    *m = (cp_leaf){.kind = &mean,
                   .width = 2,
                   .rows = of->rows,
                   .r = of->r,
                   .opt_weight = of->opt_weight,
                   .leaf_var = leaf_var,
                   .noise_var = noise_var};
}

static double weight_of(const cp_leaf *m, size_t row) {
    return m->opt_weight ? (double)m->opt_weight[row] : 1;
}

static void add(const cp_leaf *m, double *stat, size_t row) {
    double w = weight_of(m, row);
    stat[0] += w;
    stat[1] += w * (double)m->r[row];
}

static void gather(const cp_leaf *m, const uint32_t *rows, size_t n, double *out_stat) {
    out_stat[0] = out_stat[1] = 0;
    for (size_t i = 0; i < n; i++) add(m, out_stat, rows[i]);
}

double cp_leaf_mean_log(double leaf_var, double noise_var, double sum_w, double sum_wr) {
    double all = noise_var + leaf_var * sum_w;
    return 0.5 * (leaf_var * sum_wr * sum_wr / (noise_var * all) - cp_math_log1p(leaf_var * sum_w / noise_var));
}

static double log_marginal(const cp_leaf *m, const double *stat) {
    return cp_leaf_mean_log(m->leaf_var, m->noise_var, stat[0], stat[1]);
}

static void scan(const cp_leaf *m, const cp_leaf_cuts *cuts, const double *whole, void *tmp, double *out_log) {
    const uint32_t *rows = cuts->row, *end = cuts->end;
    const size_t gaps = cuts->n;
    double left[2] = {0};
    size_t i = 0;
    (void)tmp;
    for (size_t g = 0; g < gaps; g++) {
        for (; i < end[g]; i++) add(m, left, rows[i]);
        const double right[2] = {whole[0] - left[0], whole[1] - left[1]};
        out_log[g] = log_marginal(m, left) + log_marginal(m, right);
    }
}

static void draw(const cp_leaf *m, const double *stat, cp_rng *rng, double *out) {
    double all = m->noise_var + m->leaf_var * stat[0];
    out[0] = m->leaf_var * stat[1] / all + sqrt(m->noise_var * m->leaf_var / all) * cp_draw_normal(rng);
}

static double draw_target(const cp_leaf *m, const double *parameters, cp_rng *rng) {
    return parameters[0] + sqrt(m->noise_var) * cp_draw_normal(rng);
}

static const cp_leaf_kind mean = {
    .name = "mean",
    .add = add,
    .gather = gather,
    .log_marginal = log_marginal,
    .scan = scan,
    .draw = draw,
    .draw_target = draw_target,
};
