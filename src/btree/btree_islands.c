#include "btree/btree_islands.h"

#include <math.h>
#include <stdio.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "bayes/bayes_options.h"
#include "btree/btree_replicas.h"
#include "btree/btree_smc_file.h"
#include "btree/btree_tune.h"
#include "num/math.h"

typedef struct sampling {
    cp_btree_replicas replicas;
    cp_btree_smc_options opt;
    int tuned;
    int by_evidence; /* islands are weighted by their estimates of p(y | x), not equally */
} sampling;

/* ---------------------------------------------------------------------------------------------------------- options */

static size_t columns_of(const copse_params *p, size_t dims) {
    double k = cp_param_real(p, "columns");
    if (isnan(k)) k = ceil(sqrt((double)dims));
    return k < (double)dims ? (size_t)k : dims;
}

static copse_status set_options(cp_btree_replicas *c, const cp_rows *rows, const copse_params *p, copse_error *err) {
    sampling *s = (sampling *)c;
    size_t particles = (size_t)cp_param_int(p, "particles");
    size_t islands = (size_t)cp_param_int(p, "islands");
    c->n = islands;
    s->tuned = !cp_param_is(p, "tune", "none");
    s->by_evidence = cp_param_is(p, "island-weights", "evidence");
    s->opt = (cp_btree_smc_options){
        .proposal = (cp_btree_proposal)cp_param_int(p, "proposal"),
        .expansion = (cp_btree_expansion)cp_param_int(p, "expansion"),
        .resampling = cp_bayes_options_resampling(p),
        .ess_threshold = cp_param_real(p, "ess-threshold"),
        .particles = (particles + islands - 1) / islands,
        .max_stages = (size_t)cp_param_int(p, "max-stages"),
        .columns = columns_of(p, rows->dims),
    };
    if (islands > particles)
        return cp_fail(err, COPSE_E_USAGE,
                       "`islands=%zu`: %zu particle%s cannot be on so many; raise `particles`, or lower `islands`",
                       islands, particles, particles == 1 ? "" : "s");
    return COPSE_OK;
}

/* ---------------------------------------------------------------------------------------------------------- islands */

static const sampling *sampling_of(const cp_btree_replicas *c) {
    return (const sampling *)c;
}

static copse_status make_island(const void *job, size_t i, void **out, copse_error *err) {
    const sampling *s = job;
    cp_btree_smc *island;
    copse_status status = cp_btree_smc_new(&s->replicas.problem, &s->opt, i, &island, err);
    *out = status ? NULL : island;
    return status;
}

static void free_island(void *member) {
    cp_btree_smc_free(member);
}

static copse_status finish_island(void *member, size_t i, cp_tree_set *tree_set, cp_btree *b, copse_error *err) {
    CP_TRY(cp_btree_smc_finish(member, tree_set, &b->island[i], err));
    b->island[i].log_marginal = cp_btree_own_units(b, b->island[i].log_marginal);
    return COPSE_OK;
}

/* Relative to the largest, so that no exponential overflows. */
static double weight_of(const cp_btree_replicas *c, const cp_btree *b, size_t i) {
    double top = -INFINITY;
    if (!sampling_of(c)->by_evidence) return 1;
    for (size_t k = 0; k < c->n; k++) top = fmax(top, b->island[k].log_marginal);
    return cp_math_exp(b->island[i].log_marginal - top);
}

static copse_status write_island(void *member, cp_writer *w, copse_error *err) {
    return cp_btree_smc_file_write(member, w, err);
}

static copse_status read_island(cp_reader *r, const void *job, size_t i, void **out, copse_error *err) {
    const sampling *s = job;
    cp_btree_smc *island;
    copse_status status = cp_btree_smc_file_read(r, &s->replicas.problem, &s->opt, i, &island, err);
    *out = status ? NULL : island;
    return status;
}

static copse_status make_record(const cp_btree_replicas *c, cp_btree *b, copse_error *err) {
    CP_TRY(CP_NEW(b->island, c->n, err));
    b->islands = c->n;
    b->tuned = sampling_of(c)->tuned;
    return COPSE_OK;
}

static copse_status tune(cp_btree_replicas *c, const copse_params *p, const copse_run *run, copse_error *err) {
    cp_btree_tuning t = {
        .problem = &c->problem, .opt = &sampling_of(c)->opt, .islands = c->n, .run = run, .hyper = &c->hyper};
    if (!sampling_of(c)->tuned) return COPSE_OK;
    if (c->problem.leaf.prior_only)
        return cp_fail(err, COPSE_E_USAGE, "`tune` looks at how likely the targets are, `prior-only` does not");
    CP_TRY(cp_btree_tune_params(p, c->problem.rows->task, t.is_tuned, err));
    return cp_btree_tune(&t, err);
}

static const cp_btree_replica_kind island_kind = {
    .runs = {.name = "island", .make = make_island, .read = read_island, .write = write_island, .free = free_island},
    .job_size = sizeof(sampling),
    .set_options = set_options,
    .tune = tune,
    .make_record = make_record,
    .finish = finish_island,
    .weight = weight_of,
};

/* --------------------------------------------------------------------------------------------------------- sampling */

static copse_status begin(const cp_rows *rows, const copse_params *p, const copse_run *run, void **out_job,
                          copse_error *err) {
    return cp_btree_replicas_start(&island_kind, &(cp_btree_replicas_input){rows, p, run, NULL}, out_job, err);
}

static copse_status resume(cp_reader *r, const cp_rows *rows, const copse_params *p, const copse_run *run,
                           void **out_job, copse_error *err) {
    return cp_btree_replicas_start(&island_kind, &(cp_btree_replicas_input){rows, p, run, r}, out_job, err);
}

/* One call of `advance`. */
typedef struct advance_job {
    sampling *s;
    size_t stages;
    const copse_run *run;
} advance_job;

/* Where an island reports its progress. */
typedef struct island_progress {
    const advance_job *job;
    size_t island;
} island_progress;

static void report_progress(void *arg, const char *what, double done, double total) {
    const island_progress *p = arg;
    char text[80];
    snprintf(text, sizeof text, "island %zu of %zu: %s", p->island + 1, p->job->s->replicas.n, what);
    cp_log_progress(p->job->run, text, done, total);
}

/* Worker 0 is the caller's thread: only it may report progress. */
static copse_status advance_island(void *arg, size_t i, size_t worker, copse_error *err) {
    const advance_job *j = arg;
    island_progress p = {j, i};
    copse_run run = {.stop = j->run ? j->run->stop : NULL, .progress = worker ? NULL : report_progress, .arg = &p};
    return cp_btree_smc_run(j->s->replicas.runs.member[i], j->stages, &run, err);
}

static copse_status advance(void *job, size_t amount, const copse_run *run, int *out_done, copse_error *err) {
    advance_job j = {.s = job, .stages = amount, .run = run};
    size_t n = j.s->replicas.n, done = 0;
    CP_TRY(cp_parallel_for(run, cp_parallel_workers(run, n), n, NULL, advance_island, &j, err));
    for (size_t i = 0; i < n; i++) done += cp_btree_smc_done(j.s->replicas.runs.member[i]) != 0;
    *out_done = done == n;
    return COPSE_OK;
}

const cp_sampler cp_btree_islands = {
    .begin = begin,
    .advance = advance,
    .finish = cp_btree_replicas_finish,
    .clear = cp_btree_replicas_free,
    .write = cp_btree_replicas_write,
    .read = resume,
};
