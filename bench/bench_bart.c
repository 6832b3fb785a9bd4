/* bench_bart - measures the time of a BART sweep by local moves.
 *
 * usage: bench_bart [rows] [columns] [trees] [sweeps] [growprune|cgm] [threads]
 *
 * Data: Friedman's first function with noise of variance 1; columns beyond five are irrelevant.  As many sweeps run
 * first as warm-up.  CPU time; with more than one thread, wall-clock time.  Without arguments: the two settings at
 * which peers were measured. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bart/draws/bart_chain.h"
#include "bart/mh/bart_mh.h"
#include "base/mem.h"
#include "num/draw.h"

static double now(size_t threads) {
    struct timespec t;
    clock_gettime(threads > 1 ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static copse_status make_rows(cp_rows *rows, float **x, double **y, copse_error *err) {
    cp_rng rng;
    CP_TRY(CP_RAW(*x, rows->n * rows->dims, err));
    CP_TRY(CP_RAW(*y, rows->n, err));
    cp_rng_init(&rng, 1, CP_FOR_TEST, 0, 0);
    for (size_t i = 0; i < rows->n; i++) {
        float *v = *x + i * rows->dims;
        double u[5] = {0};
        for (size_t d = 0; d < rows->dims; d++) {
            v[d] = (float)cp_rng_unit(&rng);
            if (d < 5) u[d] = (double)v[d];
        }
        (*y)[i] = 10 * sin(3.141592653589793 * u[0] * u[1]) + 20 * (u[2] - .5) * (u[2] - .5) + 10 * u[3] + 5 * u[4] +
                  cp_draw_normal(&rng);
    }
    rows->x = *x;
    rows->y = *y;
    return COPSE_OK;
}

enum { LEG = 8 }; /* sweeps per call, as in a fit */

typedef struct setting {
    size_t rows, columns, trees, sweeps;
    const char *sampler;
    size_t threads;
} setting;

static copse_status measure(const cp_bart_problem *b, const setting *s, copse_error *err) {
    const copse_run run = {.threads = (int)s->threads};
    cp_bart_chain *c = NULL;
    double best = INFINITY, leaves = 0;
    copse_status status;
    CP_TRY(cp_bart_chain_new(b, 0, &c, err));
    CP_TRY_OUT(cp_bart_chain_run(c, s->sweeps, &run, err));
    double all = now(s->threads);
    for (size_t i = 0, some; i < s->sweeps; i += some) {
        double start = now(s->threads);
        some = s->sweeps - i < LEG ? s->sweeps - i : LEG;
        CP_TRY_OUT(cp_bart_chain_run(c, some, &run, err));
        best = fmin(best, (now(s->threads) - start) / (double)some);
    }
    all = now(s->threads) - all;
    const cp_bart_trace *t = cp_bart_chain_trace(c);
    for (size_t i = 0; i < t->draws; i++) leaves += t->leaves[i] / (double)t->draws;
    printf("{\"case\": \"bart\", \"sampler\": \"%s\", \"rows\": %zu, \"columns\": %zu, \"trees\": %zu, ", s->sampler,
           b->rows->n, b->rows->dims, b->opt.trees);
    printf("\"threads\": %zu, \"least_ms\": %.3f, \"mean_ms\": %.3f, ", s->threads, 1e3 * best,
           1e3 * all / (double)s->sweeps);
    printf(
        "\"leaves_per_tree\": %.2f, \"accepted\": %.3f}\n", leaves / (double)b->opt.trees,
        (double)(t->tally.accepted[0] + t->tally.accepted[1]) / (double)(t->tally.proposed[0] + t->tally.proposed[1]));
out:
    cp_bart_chain_free(c);
    return status;
}

static copse_status run(const setting *s, copse_error *err) {
    cp_rows rows = {.task = COPSE_REGRESS, .n = s->rows, .dims = s->columns};
    const cp_bart_sampler_options cgm = {.move_prob = {.25, .25, .4, .1}}, growprune = {.move_prob = {.5, .5}};
    cp_bart_options opt = {.sampler = &cp_bart_mh_sampler,
                           .sampler_opt = strcmp(s->sampler, "cgm") ? growprune : cgm,
                           .trees = s->trees,
                           .burn_in = s->sweeps,
                           .samples = s->sweeps,
                           .thin = 1,
                           .split = {.95, 2},
                           .k = 2,
                           .nu = 3,
                           .q = .9,
                           .ols = 1};
    cp_bart_problem b = {0};
    float *x = NULL;
    double *y = NULL;
    copse_status status;
    CP_TRY_OUT(make_rows(&rows, &x, &y, err));
    CP_TRY_OUT(cp_bart_problem_init(&b, &rows, &opt, 1, NULL, err));
    CP_TRY_OUT(measure(&b, s, err));
out:
    cp_bart_problem_clear(&b);
    cp_mem_free(x);
    cp_mem_free(y);
    return status;
}

static size_t number(int argc, char **argv, int i, size_t unsaid) {
    return argc > i ? strtoul(argv[i], NULL, 10) : unsaid;
}

int main(int argc, char **argv) {
    static const setting usual[] = {{2000, 10, 200, 500, "growprune", 1},
                                    {2000, 10, 200, 500, "cgm", 1},
                                    {50000, 50, 200, 60, "growprune", 1},
                                    {50000, 50, 200, 60, "cgm", 1},
                                    {50000, 50, 200, 60, "growprune", 2}};
    const setting said = {number(argc, argv, 1, 2000), number(argc, argv, 2, 10),        number(argc, argv, 3, 200),
                          number(argc, argv, 4, 200),  argc > 5 ? argv[5] : "growprune", number(argc, argv, 6, 1)};
    copse_error err = {.msg = "rows, columns, trees, sweeps and threads are numbers above 0"};
    int fails = !said.rows || !said.columns || !said.trees || !said.sweeps || !said.threads;
    if (argc > 1)
        fails = fails || run(&said, &err);
    else
        for (size_t i = 0; i < sizeof usual / sizeof *usual && !fails; i++) fails = run(&usual[i], &err) != COPSE_OK;
    if (fails) fprintf(stderr, "bench_bart: %s\n", err.msg);
    return fails;
}
