/* Given gamma2 and the ratio noise / gamma1, the best mean and gamma1 have closed forms: with the evidence of
 * mondrian_gauss.h for each tree m,
 *     mean   = sum_m (up_m / spread_m) / sum_m (1 / spread_m)
 *     gamma1 = sum_m [quad_m + (up_m - mean)^2 / spread_m] / (trees rows).
 * The search is over the logarithms of gamma2 and of the ratio, by the simplex of Nelder and Mead. */
#include "mondrian/mondrian_hyper.h"

#include <math.h>

#include "base/log.h"
#include "base/parallel.h"
#include "num/math.h"

typedef struct search {
    cp_mondrian *f;
    const copse_run *run;
    cp_mondrian_gauss_layout *layout;     /* one per tree */
    cp_mondrian_gauss_evidence *evidence; /* one per tree */
    double gamma2, ratio;                 /* where the objective is evaluated */
    double low[2], high[2];               /* limits of (log gamma2, log ratio) */
    cp_mondrian_hyper best;
    double best_value;
} search;

static copse_status init_layout(void *arg, size_t m, size_t worker, copse_error *err) {
    (void)worker;
    search *g = arg;
    return cp_mondrian_gauss_init(&g->layout[m], &g->f->tree[m], &g->f->space, err);
}

static copse_status pass_up(void *arg, size_t m, size_t worker, copse_error *err) {
    (void)worker;
    (void)err;
    search *g = arg;
    g->evidence[m] = cp_mondrian_gauss_up(&g->layout[m], g->gamma2, g->ratio);
    return COPSE_OK;
}

/* Minus the log marginal likelihood per row at (log gamma2, log ratio), with the best mean and gamma1.  Keeps the best
 * hyperparameters so far. */
static copse_status evaluate(search *g, const double at[2], double *out, copse_error *err) {
    size_t trees = g->f->trees;
    g->gamma2 = cp_math_exp(at[0]);
    g->ratio = cp_math_exp(at[1]);
    CP_TRY(cp_parallel_for(g->run, cp_parallel_workers(g->run, trees), trees, NULL, pass_up, g, err));
    double weight = 0, mean = 0, quad = 0, value = 0, rows = g->evidence[0].rows;
    for (size_t m = 0; m < trees; m++) {
        weight += 1 / g->evidence[m].spread;
        mean += g->evidence[m].up / g->evidence[m].spread;
    }
    mean /= weight;
    for (size_t m = 0; m < trees; m++) {
        double off = g->evidence[m].up - mean;
        quad += g->evidence[m].quad + off * off / g->evidence[m].spread;
    }
    double floor = g->f->hyper.floor;
    double gamma1 = fmax(quad / ((double)trees * rows), floor);
    for (size_t m = 0; m < trees; m++)
        value -= cp_mondrian_gauss_log_marginal(&g->evidence[m], gamma1, mean) / ((double)trees * rows);
    if (value < g->best_value) {
        g->best_value = value;
        g->best = (cp_mondrian_hyper){mean, gamma1, g->gamma2, gamma1 * g->ratio, floor};
    }
    *out = value;
    return COPSE_OK;
}

typedef struct vertex {
    double at[2], value;
} vertex;

static void sort_vertices(vertex c[3]) {
    for (int i = 1; i < 3; i++)
        for (int k = i; k > 0 && c[k].value < c[k - 1].value; k--) {
            vertex swap = c[k];
            c[k] = c[k - 1];
            c[k - 1] = swap;
        }
}

/* The point on the line from the worst vertex through the middle of the others: the middle plus `step` times the
 * distance of the two. */
static copse_status try_point(search *g, const vertex c[3], double step, vertex *out, copse_error *err) {
    for (int k = 0; k < 2; k++) {
        double mid = 0.5 * (c[0].at[k] + c[1].at[k]);
        out->at[k] = fmin(g->high[k], fmax(g->low[k], mid + step * (mid - c[2].at[k])));
    }
    return evaluate(g, out->at, &out->value, err);
}

static copse_status simplex_step(search *g, vertex c[3], copse_error *err) {
    vertex reflected, other;
    CP_TRY(try_point(g, c, 1, &reflected, err));
    if (reflected.value < c[0].value) {
        CP_TRY(try_point(g, c, 2, &other, err));
        c[2] = other.value < reflected.value ? other : reflected;
        return COPSE_OK;
    }
    if (reflected.value < c[1].value) {
        c[2] = reflected;
        return COPSE_OK;
    }
    CP_TRY(try_point(g, c, reflected.value < c[2].value ? 0.5 : -0.5, &other, err));
    if (other.value < fmin(reflected.value, c[2].value)) {
        c[2] = other;
        return COPSE_OK;
    }
    for (int i = 1; i < 3; i++) {
        for (int k = 0; k < 2; k++) c[i].at[k] = 0.5 * (c[i].at[k] + c[0].at[k]);
        CP_TRY(evaluate(g, c[i].at, &c[i].value, err));
    }
    return COPSE_OK;
}

static copse_status minimise(search *g, copse_error *err) {
    enum { STEPS = 60 };
    const cp_mondrian_hyper *h = &g->f->hyper;
    const double start[2] = {cp_math_log(h->gamma2),
                             cp_math_log(0.1)}; /* start with a noise of gamma1 / 10: real data are noisy */
    vertex c[3];
    g->low[0] = start[0] - 12;
    g->low[1] = cp_math_log(1e-6);
    g->high[0] = start[0] + 12;
    g->high[1] = cp_math_log(1e3);
    for (int i = 0; i < 3; i++) {
        c[i] = (vertex){.at = {start[0] + (i == 1 ? 2 : 0), start[1] + (i == 2 ? 2 : 0)}};
        CP_TRY(evaluate(g, c[i].at, &c[i].value, err));
    }
    for (int step = 0; step < STEPS; step++) {
        sort_vertices(c);
        if (c[2].value - c[0].value < 1e-7) break;
        cp_log_progress(g->run, "fitting variances", step, STEPS);
        CP_TRY(simplex_step(g, c, err));
    }
    return COPSE_OK;
}

copse_status cp_mondrian_hyper_fit(cp_mondrian *f, const copse_run *run, copse_error *err) {
    search g = {.f = f, .run = run, .best_value = INFINITY, .best = f->hyper};
    copse_status status = COPSE_OK;
    CP_TRY_OUT(CP_NEW(g.layout, f->trees, err));
    CP_TRY_OUT(CP_NEW(g.evidence, f->trees, err));
    CP_TRY_OUT(cp_parallel_for(run, cp_parallel_workers(run, f->trees), f->trees, NULL, init_layout, &g, err));
    CP_TRY_OUT(minimise(&g, err));
    f->hyper = g.best;
out:
    for (size_t m = 0; g.layout && m < f->trees; m++) cp_mondrian_gauss_clear(&g.layout[m]);
    cp_mem_free(g.layout);
    cp_mem_free(g.evidence);
    return status;
}
