#include "eval/importance.h"

#include <math.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "eval/perturb.h"
#include "eval/score.h"
#include "num/math.h"

/* Mean and standard deviation of v[0], v[stride], ...; the sd of a single value is NaN. */
static copse_importance spread(const double *v, size_t n, size_t stride) {
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) sum += v[i * stride];
    double mean = sum / (double)n;
    for (size_t i = 0; i < n; i++) squares += (v[i * stride] - mean) * (v[i * stride] - mean);
    return (copse_importance){mean, n > 1 ? sqrt(squares / (double)(n - 1)) : NAN};
}

/* -------------------------------------------------------------------------------------------------------- impurity */

/* One feature of the user may be several encoded columns. */
static double feature_sum(const cp_feature *f, const double *dims) {
    double sum = 0;
    for (size_t d = f->first; d < f->first + f->width; d++) sum += dims[d];
    return sum;
}

copse_status cp_importance_impurity(const copse_model *m, copse_importance *out, copse_error *err) {
    const cp_schema *s = m->schema;
    size_t trees = m->method->trees(m->state);
    double *dims = NULL, *share = NULL;
    copse_status status = COPSE_OK;
    if (!m->method->inspect.importance)
        return cp_fail(err, COPSE_E_USAGE, "method %s does not measure how much its splits lower the impurity",
                       m->method->info.name);
    CP_TRY_OUT(cp_model_refresh(m, NULL, err));
    CP_TRY_OUT(CP_RAW(dims, s->dims, err));
    CP_TRY_OUT(CP_RAW(share, trees * s->features, err));
    for (size_t t = 0; t < trees; t++) {
        m->method->inspect.importance(m->state, t, dims);
        for (size_t i = 0; i < s->features; i++) share[t * s->features + i] = feature_sum(&s->feature[i], dims);
    }
    for (size_t i = 0; i < s->features; i++) out[i] = spread(share + i, trees, s->features);
out:
    cp_mem_free(dims);
    cp_mem_free(share);
    return status;
}

/* ----------------------------------------------------------------------------------------------------- permutation */

/* Job 0 leaves the rows unchanged; job 1 + f * repeats + r shuffles feature f for the r-th time.  Each job has a row of
 * losses: that of the forest, then those of the trees. */
typedef struct permutation {
    cp_perturb perturb;
    cp_score_targets truth;
    size_t rows; /* with a target */
    const cp_importance_plan *plan;
    double *loss; /* jobs x (1 + trees) */
} permutation;

typedef struct sums {
    const permutation *s;
    double *loss; /* 1 + trees */
} sums;

static double row_loss(const cp_score_targets *truth, const cp_answer *a, size_t row, size_t i) {
    if (a->task == COPSE_CLASS) {
        double p = truth->label[row] == CP_NONE ? 0 : a->probs[i * a->classes + (size_t)truth->label[row]];
        return -cp_math_log(fmax(p, 1e-15));
    }
    double off = cp_mixture_mean(cp_answer_mixture(a, i)) - truth->y[row];
    return off * off;
}

static void add_losses(void *arg, int32_t tree_id, size_t first, const cp_answer *a) {
    const sums *to = arg;
    const cp_score_targets *truth = &to->s->truth;
    double *loss = &to->loss[tree_id + 1];
    for (size_t i = 0; i < a->rows; i++)
        if (!truth->missing[first + i]) *loss += row_loss(truth, a, first + i, i);
}

static void shuffle(size_t *order, size_t n, cp_rng *rng) {
    for (size_t i = 0; i < n; i++) order[i] = i;
    for (size_t i = n; i > 1; i--) {
        size_t k = (size_t)cp_rng_below(rng, i), swap = order[i - 1];
        order[i - 1] = order[k];
        order[k] = swap;
    }
}

static copse_status loss_job(void *arg, size_t job, size_t worker, copse_error *err) {
    (void)worker;
    const permutation *s = arg;
    const cp_schema *schema = s->perturb.m->schema;
    size_t columns = 1 + s->perturb.trees, *order = NULL;
    sums to = {.s = s, .loss = s->loss + job * columns};
    cp_perturb_change change = {0};
    if (job > 0) {
        size_t feature = (job - 1) / s->plan->repeats, repeat = (job - 1) % s->plan->repeats;
        cp_rng rng;
        CP_TRY(CP_RAW(order, s->perturb.n, err));
        cp_rng_init(&rng, s->plan->seed, CP_FOR_SHUFFLE, (uint32_t)feature, repeat);
        shuffle(order, s->perturb.n, &rng);
        change = (cp_perturb_change){.feature = &schema->feature[feature], .order = order};
    }
    copse_status status = cp_perturb_ask(&s->perturb, &change, add_losses, &to, err);
    for (size_t k = 0; k < columns; k++) {
        to.loss[k] /= (double)s->rows;
        if (schema->task == COPSE_REGRESS) to.loss[k] = sqrt(to.loss[k]);
    }
    cp_mem_free(order);
    return status;
}

/* Replaces the losses of one feature, v[r][k] for shuffle r and column k, by their increases over the unshuffled loss,
 * and summarises them. */
static copse_importance summarise(const permutation *s, double *v) {
    size_t columns = 1 + s->perturb.trees, repeats = s->plan->repeats;
    for (size_t r = 0; r < repeats; r++)
        for (size_t k = 0; k < columns; k++) v[r * columns + k] -= s->loss[k];
    copse_importance forest = spread(v, repeats, columns);
    if (!s->perturb.trees) return forest;
    for (size_t k = 0; k < columns; k++) v[k] = spread(v + k, repeats, columns).mean;
    forest.sd = spread(v + 1, s->perturb.trees, 1).sd;
    return forest;
}

static copse_status begin(permutation *s, const copse_model *m, const copse_table *data, const copse_run *run,
                          copse_error *err) {
    CP_TRY(cp_score_read_targets(m->schema, data, 0, data->rows, &s->truth, err));
    for (size_t i = 0; i < data->rows; i++) s->rows += !s->truth.missing[i];
    if (!s->rows)
        return cp_fail(err, COPSE_E_DATA, "no row has a value in the target column '%s': nothing to score",
                       m->schema->target);
    return cp_perturb_init(&s->perturb, m, data, run, err);
}

copse_status cp_importance_permute(const copse_model *m, const cp_importance_plan *plan, const copse_run *run,
                                   double *out_loss, copse_importance *out, copse_error *err) {
    permutation s = {.plan = plan};
    size_t jobs = 1 + m->schema->features * plan->repeats;
    copse_status status;
    CP_TRY_OUT(begin(&s, m, plan->data, run, err));
    size_t columns = 1 + s.perturb.trees;
    CP_TRY_OUT(CP_NEW(s.loss, jobs * columns, err));
    CP_TRY_OUT(cp_parallel_for(run, cp_parallel_workers(run, jobs), jobs, "shuffling columns", loss_job, &s, err));
    *out_loss = s.loss[0];
    for (size_t i = 0; i < m->schema->features; i++) out[i] = summarise(&s, s.loss + (1 + i * plan->repeats) * columns);
out:
    cp_perturb_clear(&s.perturb);
    cp_score_clear_targets(&s.truth);
    cp_mem_free(s.loss);
    return status;
}
