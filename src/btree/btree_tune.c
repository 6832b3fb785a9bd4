#include "btree/btree_tune.h"

#include <math.h>
#include <stdio.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/parallel.h"

enum { ROUNDS = 4, GRID = 16 };

/* A hyperparameter that can be tuned. */
typedef struct tunable {
    const char *name;
    double grid[GRID]; /* rising; a 0 that is not the first ends it */
} tunable;

static const tunable tunables[CP_BTREE_TUNE_PARAMS] = {
    {"alpha", {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100}},
    {"alpha-split", {0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99}},
    {"beta-split", {0, 0.1, 0.2, 0.3, 0.5, 0.8, 1, 1.5, 2, 3}},
};

static double *value_of(cp_btree_hyper *h, size_t which) {
    return which == 0 ? &h->alpha : which == 1 ? &h->split.alpha : &h->split.beta;
}

/* -------------------------------------------------------------------------------------------------------- estimates */

typedef struct tuning_fit {
    cp_btree_tuning *t;
    double *log_marginal; /* of each island */
} tuning_fit;

static copse_status fit_island(void *arg, size_t i, size_t worker, copse_error *err) {
    const tuning_fit *r = arg;
    const cp_btree_tuning *t = r->t;
    cp_btree_smc *s;
    copse_run silent = {.stop = t->run ? t->run->stop : NULL};
    (void)worker;
    CP_TRY(cp_btree_smc_new(t->problem, t->opt, i, &s, err));
    copse_status status = cp_btree_smc_run(s, 0, &silent, err);
    if (!status) r->log_marginal[i] = cp_btree_smc_log_marginal(s);
    cp_btree_smc_free(s);
    return status;
}

static copse_status estimate(cp_btree_tuning *t, const cp_btree_hyper *h, double *out, copse_error *err) {
    tuning_fit r = {.t = t};
    cp_log_progress(t->run, "tuning: fits", (double)t->fits, 0);
    t->fits++;
    CP_TRY(cp_btree_problem_set(t->problem, h, err));
    CP_TRY(CP_NEW(r.log_marginal, t->islands, err));
    copse_status status =
        cp_parallel_for(t->run, cp_parallel_workers(t->run, t->islands), t->islands, NULL, fit_island, &r, err);
    *out = cp_particle_log_mean(r.log_marginal, t->islands);
    cp_mem_free(r.log_marginal);
    return status;
}

/* ----------------------------------------------------------------------------------------------------------- search */

/* The next value of the grid above (or below) v; v itself if there is none. */
static double step(const tunable *k, double v, int up) {
    double best = v;
    for (size_t i = 0; i < GRID && (i == 0 || k->grid[i] > 0); i++) {
        double x = k->grid[i];
        if (up ? x > v * (1 + 1e-9) && best == v : x < v * (1 - 1e-9)) best = x;
    }
    return best;
}

/* Moves one hyperparameter in one direction for as long as the estimate rises. */
static copse_status ascend(cp_btree_tuning *t, size_t which, int up, double *best, int *moved, copse_error *err) {
    for (;;) {
        cp_btree_hyper next = *t->hyper;
        double *v = value_of(&next, which), before = *v, found;
        *v = step(&tunables[which], before, up);
        if (*v == before) return COPSE_OK;
        CP_TRY(estimate(t, &next, &found, err));
        if (!(found > *best)) return COPSE_OK;
        *best = found;
        *t->hyper = next;
        *moved = 1;
    }
}

static copse_status search(cp_btree_tuning *t, double *best, copse_error *err) {
    int moved = 1;
    for (int round = 0; moved && round < ROUNDS; round++) {
        moved = 0;
        for (size_t k = 0; k < CP_BTREE_TUNE_PARAMS; k++) {
            int risen = 0;
            if (!t->is_tuned[k]) continue;
            CP_TRY(ascend(t, k, 1, best, &risen, err));
            if (!risen) CP_TRY(ascend(t, k, 0, best, &risen, err));
            moved |= risen;
        }
    }
    return COPSE_OK;
}

static void report(const cp_btree_tuning *t, double gain) {
    char what[100] = "";
    for (size_t k = 0, n = 0; k < CP_BTREE_TUNE_PARAMS; k++)
        if (t->is_tuned[k])
            n += (size_t)snprintf(what + n, sizeof what - n, "%s%s %g", n ? ", " : "", tunables[k].name,
                                  *value_of(t->hyper, k));
    cp_log_info(t->run, "tuned: %s, after %zu fits; log_marginal rose by %.4g", what, t->fits, gain);
}

copse_status cp_btree_tune(cp_btree_tuning *t, copse_error *err) {
    double first, best;
    CP_TRY(estimate(t, t->hyper, &first, err));
    best = first;
    CP_TRY(search(t, &best, err));
    CP_TRY(cp_btree_problem_set(t->problem, t->hyper, err));
    report(t, best - first);
    return COPSE_OK;
}

copse_status cp_btree_tune_params(const copse_params *p, copse_task task, int out[CP_BTREE_TUNE_PARAMS],
                                  copse_error *err) {
    for (size_t k = 0; k < CP_BTREE_TUNE_PARAMS; k++) out[k] = cp_param_has(p, "tune", tunables[k].name);
    if (out[0] && task == COPSE_REGRESS)
        return cp_fail(err, COPSE_E_USAGE, "`tune=alpha` is about classes; numbers have no alpha");
    return COPSE_OK;
}
