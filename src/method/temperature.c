#include "method/temperature.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "num/math.h"

enum { GRID = 17, STEPS = 14, MIX_STEPS = 24 };
static const double most_mix = .5, prior = .5; /* sd of log power */
static const double impossible = -1e300;       /* its exponential, with any power, is 0 */

copse_status cp_temperature_init(cp_temperature *t, const cp_rows *rows, copse_error *err) {
    double total = 0;
    *t = (cp_temperature){.power = 1, .classes = rows->classes};
    CP_TRY(CP_NEW(t->share, rows->classes, err));
    for (size_t i = 0; i < rows->n; i++) {
        double weight = rows->weight ? rows->weight[i] : 1;
        t->share[rows->label[i]] += weight;
        total += weight;
    }
    for (size_t k = 0; k < t->classes; k++) t->share[k] = (t->share[k] + .5) / (total + .5 * (double)t->classes);
    cp_temperature_add_up(t);
    t->mix = fmin(most_mix, fmax(.5 / (total + 1), 1e-12));
    return COPSE_OK;
}

void cp_temperature_add_up(cp_temperature *t) {
    t->total = 0;
    for (size_t k = 0; k < t->classes; k++) t->total += t->share[k];
}

void cp_temperature_clear(cp_temperature *t) {
    cp_mem_free(t->share);
    *t = (cp_temperature){0};
}

void cp_temperature_apply(const cp_temperature *t, double *probs) {
    double most = 0, sum = 0;
    if (!t->share) return;
    for (size_t k = 0; k < t->classes; k++) most = fmax(most, probs[k]);
    if (!(most > 0)) return;
    if (t->power != 1)
        for (size_t k = 0; k < t->classes; k++)
            probs[k] = probs[k] > 0 ? cp_math_exp(t->power * cp_math_log(probs[k] / most)) : 0;
    for (size_t k = 0; k < t->classes; k++) sum += probs[k];
    for (size_t k = 0; k < t->classes; k++)
        probs[k] = (1 - t->mix) * probs[k] / sum + t->mix * (t->share[k] / t->total);
}

/* ---------------------------------------------------------------------------------------------------------- fitting */

/* A class that occurs among rows of one prediction. */
typedef struct seen {
    size_t row, label;
    double weight;
} seen;

typedef struct fitting {
    const cp_temperature_unseen *u;
    const double *share;
    size_t classes;
    double *log_prob;  /* of u->probs, less the largest of the row */
    seen *seen;        /* by row */
    double *true_prob; /* of each `seen`, for the power that is tried */
    size_t n;
    double least_mix, mix; /* mix: the best for that power */
} fitting;

static double log_loss(const fitting *f, double mix) {
    double loss = 0;
    for (size_t i = 0; i < f->n; i++)
        loss -= f->seen[i].weight * cp_math_log((1 - mix) * f->true_prob[i] + mix * f->share[f->seen[i].label]);
    return loss;
}

/* The log loss is convex in mix: halves the range in which its slope changes its sign. */
static double best_mix(const fitting *f) {
    double low = f->least_mix, high = most_mix;
    for (int step = 0; step < MIX_STEPS; step++) {
        double mix = step == 0 ? low : sqrt(low * high), slope = 0;
        for (size_t i = 0; i < f->n; i++) {
            double p = f->true_prob[i], share = f->share[f->seen[i].label];
            slope += f->seen[i].weight * (p - share) / ((1 - mix) * p + mix * share);
        }
        if (slope < 0)
            low = mix;
        else if (step == 0)
            return low;
        else
            high = mix;
    }
    return low;
}

/* The loss with the best mix for a power, and the penalty of the power. */
static double loss_at(fitting *f, double log_power) {
    double power = cp_math_exp(log_power), sum = 0;
    for (size_t i = 0; i < f->n; i++) {
        const double *log_prob = f->log_prob + f->seen[i].row * f->classes;
        if (i == 0 || f->seen[i].row != f->seen[i - 1].row) {
            sum = 0;
            for (size_t k = 0; k < f->classes; k++) sum += cp_math_exp(power * log_prob[k]);
        }
        f->true_prob[i] = cp_math_exp(power * log_prob[f->seen[i].label]) / sum;
    }
    f->mix = best_mix(f);
    return log_loss(f, f->mix) + log_power * log_power / (2 * prior * prior);
}

/* Weights that sum to the number of rows that they are worth. */
static void scale_weights(fitting *f) {
    double sum = 0, squares = 0, of_row = 0;
    for (size_t i = 0; i < f->n; i++) {
        of_row = i > 0 && f->seen[i].row == f->seen[i - 1].row ? of_row : 0;
        sum += f->seen[i].weight;
        squares += f->seen[i].weight * (f->seen[i].weight + 2 * of_row);
        of_row += f->seen[i].weight;
    }
    double worth = sum / squares / f->u->copies;
    for (size_t i = 0; i < f->n; i++) f->seen[i].weight *= worth;
}

static copse_status prepare(fitting *f, copse_error *err) {
    size_t all = f->u->n * f->classes;
    CP_TRY(CP_RAW(f->log_prob, all, err));
    CP_TRY(CP_RAW(f->seen, all, err));
    for (size_t i = 0; i < f->u->n; i++) {
        const double *p = f->u->probs + i * f->classes;
        double most = 0;
        for (size_t k = 0; k < f->classes; k++) most = fmax(most, p[k]);
        if (!(most > 0)) continue;
        for (size_t k = 0; k < f->classes; k++) {
            double weight = f->u->weight[i * f->classes + k];
            f->log_prob[i * f->classes + k] = p[k] > 0 ? cp_math_log(p[k] / most) : impossible;
            if (weight > 0) f->seen[f->n++] = (seen){i, k, weight};
        }
    }
    if (f->n > 0) scale_weights(f);
    return CP_RAW(f->true_prob, f->n, err);
}

/* The least loss over a grid of powers, then by golden section about the best of them. */
static double best_log_power(fitting *f) {
    const double golden = .6180339887498949;
    double from = cp_math_log(CP_TEMPERATURE_LEAST_POWER), to = cp_math_log(CP_TEMPERATURE_MOST_POWER);
    double step = (to - from) / (GRID - 1), best = from, least = INFINITY;
    for (int i = 0; i < GRID; i++) {
        double loss = loss_at(f, from + i * step);
        if (loss >= least) continue;
        least = loss;
        best = from + i * step;
    }
    double low = fmax(from, best - step), high = fmin(to, best + step);
    double a = high - golden * (high - low), b = low + golden * (high - low);
    double at_a = loss_at(f, a), at_b = loss_at(f, b);
    for (int i = 0; i < STEPS; i++) {
        if (at_a < at_b) {
            high = b;
            b = a;
            at_b = at_a;
            a = high - golden * (high - low);
            at_a = loss_at(f, a);
        } else {
            low = a;
            a = b;
            at_a = at_b;
            b = low + golden * (high - low);
            at_b = loss_at(f, b);
        }
    }
    return .5 * (low + high);
}

copse_status cp_temperature_fit(cp_temperature *t, const cp_temperature_unseen *u, copse_error *err) {
    fitting f = {.u = u, .share = t->share, .classes = t->classes, .least_mix = t->mix};
    copse_status status = prepare(&f, err);
    if (!status && f.n > 0) {
        double log_power = best_log_power(&f);
        loss_at(&f, log_power);
        t->power = fmin(fmax(cp_math_exp(log_power), CP_TEMPERATURE_LEAST_POWER), CP_TEMPERATURE_MOST_POWER);
        t->mix = fmax(f.least_mix, f.mix * fmin(1, u->votes / u->trees));
    }
    cp_mem_free(f.log_prob);
    cp_mem_free(f.seen);
    cp_mem_free(f.true_prob);
    return status;
}
