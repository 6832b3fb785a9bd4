#include "auto/auto_pool.h"

#include <math.h>
#include <string.h>

#include "auto/auto_temper.h"
#include "base/mem.h"
#include "num/math.h"
#include "num/normal.h"

enum { STEPS = 100, EVALUATIONS = 16 };
#define SHRINK       50.0
#define PRIOR_ROWS   1.0  /* of each member, for its weight */
#define LEAST_WEIGHT .02  /* members below it are left out */
#define LEAST_BACK   1e-3 /* weight of the background */
#define MOST_LOG     1.61 /* factors are between 1/5 and 5 */

/* What is learnt from. */
typedef struct learning {
    cp_auto *a;
    const cp_auto_trials *t;
    size_t n, *fold; /* of each row */
    double *mean;    /* numbers: members x n */
    double *back;    /* n: density of the background, or prior of the class */
    double *density; /* (members + 1) x n: of each member at its own factor; then the background */
    double *probs;   /* classes: n x classes, of the pool */
    double *room;    /* classes: one row */
    double total;    /* of the weights of rows */
    size_t member;   /* whose factor is sought */
} learning;

static const cp_answer *answer_of(const learning *l, size_t m, size_t i, size_t *out_row) {
    size_t k = l->fold[i];
    *out_row = i - l->t->folds->start[k];
    return &l->t->answer[k * l->a->members + m];
}

static double weight_of(const learning *l, size_t i) {
    return l->t->rows->weight ? l->t->rows->weight[i] : 1;
}

/* ---------------------------------------------------------------------------------------------------- one member */

/* The density of row i's target by member m with factor s. */
static double member_density(const learning *l, size_t m, size_t i, double s) {
    size_t row;
    const cp_answer *from = answer_of(l, m, i, &row);
    if (l->a->task == COPSE_CLASS) {
        memcpy(l->room, from->probs + row * from->classes, from->classes * sizeof *l->room);
        cp_auto_temper(l->room, from->classes, s);
        return l->room[l->t->rows->label[i]];
    }
    double mean = l->mean[m * l->n + i], y = mean + (l->t->rows->y[i] - mean) / s;
    return cp_math_exp(cp_mixture_log_density(cp_answer_mixture(from, row), y)) / s;
}

static double member_score(const learning *l, double s) {
    double sum = 0;
    for (size_t i = 0; i < l->n; i++)
        sum += weight_of(l, i) * cp_math_log(.98 * member_density(l, l->member, i, s) + .02 * l->back[i]);
    return sum / l->total;
}

/* ------------------------------------------------------------------------------------------------------- the pool */

static void pool_probs(learning *l) {
    const cp_auto *a = l->a;
    for (size_t i = 0; i < l->n; i++) {
        double *to = l->probs + i * a->classes;
        for (size_t k = 0; k < a->classes; k++) to[k] = a->background * a->prior[k];
        for (size_t m = 0; m < a->members; m++) {
            size_t row;
            const cp_answer *from = answer_of(l, m, i, &row);
            if (!(a->member[m].weight > 0)) continue;
            memcpy(l->room, from->probs + row * from->classes, from->classes * sizeof *l->room);
            cp_auto_temper(l->room, from->classes, a->member[m].factor);
            for (size_t k = 0; k < from->classes; k++) to[k] += a->member[m].weight * l->room[k];
        }
    }
}

static double back_density(const cp_auto *a, double y) {
    double z = (y - a->centre) / a->width;
    return cp_math_exp(-z * z / 2) / (a->width * 2.5066282746310002);
}

static double pool_mean(const learning *l, size_t i) {
    double mean = l->a->background * l->a->centre;
    for (size_t m = 0; m < l->a->members; m++) mean += l->a->member[m].weight * l->mean[m * l->n + i];
    return mean;
}

/* The density of row i's target by the pool with factor s. */
static double pool_density(const learning *l, size_t i, double s) {
    const cp_auto *a = l->a;
    if (a->task == COPSE_CLASS) {
        memcpy(l->room, l->probs + i * a->classes, a->classes * sizeof *l->room);
        cp_auto_temper(l->room, a->classes, s);
        return l->room[l->t->rows->label[i]];
    }
    double mean = pool_mean(l, i), sum = 0;
    double y = mean + (l->t->rows->y[i] - mean) / s;
    for (size_t m = 0; m < a->members; m++) {
        const cp_auto_member *of = &a->member[m];
        size_t row;
        const cp_answer *from = answer_of(l, m, i, &row);
        if (!(of->weight > 0)) continue;
        double own = l->mean[m * l->n + i], at = own + (y - own) / of->factor;
        sum += of->weight * cp_math_exp(cp_mixture_log_density(cp_answer_mixture(from, row), at)) / of->factor;
    }
    return (sum + a->background * back_density(a, y)) / s;
}

static double pool_score(const learning *l, double s) {
    double sum = 0;
    for (size_t i = 0; i < l->n; i++) sum += weight_of(l, i) * cp_math_log(fmax(pool_density(l, i, s), 1e-300));
    return sum / l->total;
}

/* The factor of the greatest score, by golden sections of its logarithm, shrunk. */
static double find_factor(const learning *l, double (*score)(const learning *, double)) {
    const double golden = .6180339887498949;
    double low = -MOST_LOG, high = MOST_LOG, a = high - golden * (high - low), b = low + golden * (high - low);
    double fa = score(l, cp_math_exp(a)), fb = score(l, cp_math_exp(b));
    for (size_t i = 2; i < EVALUATIONS; i++) {
        if (fa >= fb) {
            high = b, b = a, fb = fa, a = high - golden * (high - low);
            fa = score(l, cp_math_exp(a));
        } else {
            low = a, a = b, fa = fb, b = low + golden * (high - low);
            fb = score(l, cp_math_exp(b));
        }
    }
    double n = (double)l->n;
    return cp_math_exp((low + high) / 2 * n / (n + SHRINK));
}

/* ------------------------------------------------------------------------------------------------------- weights */

/* One step of EM: new weights from old ones; the last is the background's. */
static void step(const learning *l, double *w, double *share) {
    size_t of = l->a->members + 1;
    for (size_t m = 0; m < of; m++) share[m] = m + 1 < of ? PRIOR_ROWS : 0;
    for (size_t i = 0; i < l->n; i++) {
        double sum = 0;
        for (size_t m = 0; m < of; m++) sum += w[m] * l->density[m * l->n + i];
        for (size_t m = 0; m < of && sum > 0; m++)
            share[m] += weight_of(l, i) / l->total * (double)l->n * w[m] * l->density[m * l->n + i] / sum;
    }
    double total = 0;
    for (size_t m = 0; m < of; m++) total += share[m];
    for (size_t m = 0; m < of; m++) w[m] = share[m] / total;
}

/* Drops small weights, bounds the background's, and scales the others to sum to 1 with it. */
static void set_weights(cp_auto *a, const double *w) {
    double sum = 0, most = 0;
    a->background = fmax(w[a->members], LEAST_BACK);
    for (size_t m = 0; m < a->members; m++) most = fmax(most, w[m]);
    for (size_t m = 0; m < a->members; m++) sum += a->member[m].weight = w[m] < LEAST_WEIGHT && w[m] < most ? 0 : w[m];
    for (size_t m = 0; m < a->members; m++) a->member[m].weight *= (1 - a->background) / sum;
}

static copse_status find_weights(learning *l, copse_error *err) {
    cp_auto *a = l->a;
    size_t of = a->members + 1;
    double *w;
    CP_TRY(CP_RAW(w, 2 * of, err));
    for (size_t m = 0; m < of; m++) w[m] = m + 1 < of ? .99 / (double)a->members : .01;
    for (size_t i = 0; i < STEPS; i++) step(l, w, w + of);
    set_weights(a, w);
    cp_mem_free(w);
    return COPSE_OK;
}

/* ------------------------------------------------------------------------------------------------------------ learn */

static copse_status make_room(learning *l, copse_error *err) {
    const cp_auto *a = l->a;
    CP_TRY(CP_RAW(l->fold, l->n, err));
    CP_TRY(CP_RAW(l->back, l->n, err));
    CP_TRY(CP_RAW(l->density, (a->members + 1) * l->n, err));
    if (a->task == COPSE_REGRESS) return CP_RAW(l->mean, a->members * l->n, err);
    CP_TRY(CP_RAW(l->probs, a->classes * l->n, err));
    return CP_RAW(l->room, a->classes, err);
}

static void prepare(learning *l) {
    const cp_auto *a = l->a;
    const cp_auto_folds *f = l->t->folds;
    for (size_t k = 0; k < f->folds; k++)
        for (size_t i = f->start[k]; i < f->start[k + 1]; i++) l->fold[i] = k;
    for (size_t i = 0; i < l->n; i++) {
        l->total += weight_of(l, i);
        l->back[i] = a->task == COPSE_CLASS ? a->prior[l->t->rows->label[i]] : back_density(a, l->t->rows->y[i]);
        for (size_t m = 0; l->mean && m < a->members; m++) {
            size_t row;
            const cp_answer *from = answer_of(l, m, i, &row);
            l->mean[m * l->n + i] = cp_mixture_mean(cp_answer_mixture(from, row));
        }
    }
    memcpy(l->density + a->members * l->n, l->back, l->n * sizeof *l->back);
}

static void learn_members(learning *l) {
    for (size_t m = 0; m < l->a->members; m++) {
        cp_auto_member *of = &l->a->member[m];
        l->member = m;
        of->factor = find_factor(l, member_score);
        of->score = member_score(l, of->factor);
        for (size_t i = 0; i < l->n; i++) l->density[m * l->n + i] = member_density(l, m, i, of->factor);
    }
}

copse_status cp_auto_pool_learn(cp_auto *a, const cp_auto_trials *t, const copse_run *run, double *out_mean,
                                copse_error *err) {
    learning l = {.a = a, .t = t, .n = t->rows->n};
    copse_status status = make_room(&l, err);
    if (!status) {
        prepare(&l);
        learn_members(&l);
        status = cp_fail_if_stopped(run ? run->stop : NULL, err);
    }
    if (!status) status = find_weights(&l, err);
    if (!status) {
        if (l.probs) pool_probs(&l);
        a->factor = find_factor(&l, pool_score);
        a->scored = l.n;
        for (size_t i = 0; l.mean && i < l.n; i++) out_mean[i] = pool_mean(&l, i);
    }
    void *const all[] = {l.fold, l.mean, l.back, l.density, l.probs, l.room};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) cp_mem_free(all[i]);
    return status;
}

void cp_auto_pool_guess(cp_auto *a) {
    a->background = fmax(LEAST_BACK, .5 / (1 + (double)a->rows));
    a->factor = 1;
    for (size_t m = 0; m < a->members; m++) {
        a->member[m].weight = (1 - a->background) / (double)a->members;
        a->member[m].factor = 1;
        a->member[m].score = NAN;
    }
}
