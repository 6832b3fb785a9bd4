#include "bart/draws/bart_problem.h"

#include <math.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/number_rule.h"
#include "leaf/leaf_nig.h"
#include "num/lsq.h"
#include "num/special.h"

enum { LEAST_ROWS = 5 };

static double weight_of(const cp_bart_problem *b, size_t row) {
    return b->opt_weight ? (double)b->opt_weight[row] : 1;
}

/* ---------------------------------------------------------------------------------------------------------- weights */

enum { MOST_REPEATS = 10000 };

/* A label of weight w stands for w latent normals, so the weight must be a whole number. */
static copse_status check_counts(const cp_rows *rows, copse_error *err) {
    for (size_t i = 0; i < rows->n; i++) {
        double w = rows->weight[i];
        if (w != floor(w) || w > MOST_REPEATS)
            return cp_fail(err, COPSE_E_DATA,
                           "row %zu: with classes a weight is how often the row counts, a whole number up to %d, and "
                           "not %g; scale the weights and round them, or leave them out",
                           i + 1, (int)MOST_REPEATS, w);
    }
    return COPSE_OK;
}

/* Regression weights are divided by their mean: sigma is then that of a row of average weight, whatever their unit. */
static copse_status take_weights(cp_bart_problem *b, copse_error *err) {
    const cp_rows *rows = b->rows;
    double mean = 0;
    b->positive_rows = rows->n;
    if (!rows->weight) return COPSE_OK;
    if (rows->task == COPSE_CLASS) CP_TRY(check_counts(rows, err));
    CP_TRY(CP_RAW(b->opt_weight, rows->n, err));
    b->positive_rows = 0;
    for (size_t i = 0; i < rows->n; i++) mean += rows->weight[i] / (double)rows->n;
    for (size_t i = 0; i < rows->n; i++) {
        b->opt_weight[i] = (float)(rows->task == COPSE_REGRESS ? rows->weight[i] / mean : rows->weight[i]);
        b->positive_rows += b->opt_weight[i] > 0;
    }
    return COPSE_OK;
}

/* ------------------------------------------------------------------------------------------- the scale of the noise */

/* Least squares needs to estimate the noise to a few per cent only.  So it uses no more rows, evenly spread, than take
 * about 10^9 operations, and is skipped for more columns than would take as much with four rows for each column. */
enum { MOST_COLUMNS = 512 };

static size_t step_of(const cp_rows *rows) {
    double d = (double)rows->dims + 1, enough = fmax(4 * d, 1e9 / (d * d));
    return (size_t)fmax(1, floor((double)rows->n / enough));
}

/* The column minus its weighted mean, times the square root of the weight. */
static void fill_column(const cp_bart_problem *b, size_t dim, size_t step, size_t n, double *out) {
    const float *x = b->rows->x + dim;
    double sum = 0, weight = 0;
    for (size_t i = 0; i < n; i++) {
        double w = weight_of(b, i * step);
        sum += w * (double)x[i * step * b->rows->dims];
        weight += w;
    }
    for (size_t i = 0; i < n; i++)
        out[i] = sqrt(weight_of(b, i * step)) * ((double)x[i * step * b->rows->dims] - sum / weight);
}

/* The residual standard deviation of least squares; NaN if there are too few rows for the columns. */
static copse_status find_residual_sd(const cp_bart_problem *b, double *out, copse_error *err) {
    size_t dims = b->rows->dims, step = step_of(b->rows), n = (b->rows->n + step - 1) / step, positive_rows = 0;
    double *column = NULL, *y = NULL, squares = 0;
    copse_status status;
    *out = NAN;
    if (dims > MOST_COLUMNS || n <= dims + 1) return COPSE_OK;
    CP_TRY_OUT(CP_RAW(column, n * (dims + 1), err));
    CP_TRY_OUT(CP_RAW(y, n, err));
    for (size_t i = 0; i < n; i++) {
        double root = sqrt(weight_of(b, i * step));
        positive_rows += root > 0;
        column[i] = root;
        y[i] = root * (double)b->y[i * step];
    }
    for (size_t d = 0; d < dims; d++) fill_column(b, d, step, n, column + (d + 1) * n);
    size_t rank = cp_lsq_reduce(column, n, dims + 1, 1e-7, y);
    for (size_t i = 0; i < n; i++) squares += y[i] * y[i];
    if (positive_rows > rank) *out = sqrt(squares / (double)(positive_rows - rank));
out:
    cp_mem_free(column);
    cp_mem_free(y);
    return status;
}

static double sd_of(const cp_bart_problem *b) {
    double sum = 0, weight = 0, squares = 0;
    for (size_t i = 0; i < b->rows->n; i++) {
        sum += weight_of(b, i) * (double)b->y[i];
        weight += weight_of(b, i);
    }
    for (size_t i = 0; i < b->rows->n; i++) {
        double off = (double)b->y[i] - sum / weight;
        squares += weight_of(b, i) * off * off;
    }
    return sqrt(squares / (double)(b->positive_rows - 1));
}

/* sigma_hat is at least 1e-3 sd: with almost no noise, nearly every MH move would be rejected. */
static copse_status find_sigma_hat(cp_bart_problem *b, copse_error *err) {
    double sd = sd_of(b), left = NAN;
    if (b->opt.ols) CP_TRY(find_residual_sd(b, &left, err));
    b->sigma_hat = fmax(isnan(left) ? sd : left, 1e-3 * sd);
    if (!(b->sigma_hat > 0)) b->sigma_hat = 1; /* all targets are equal */
    b->least_noise = 1e-6 * b->sigma_hat * b->sigma_hat;
    return COPSE_OK;
}

/* ---------------------------------------------------------------------------------------------------------- targets */

/* Scales targets to [-1/2, 1/2].  If all targets are equal, the scale is 1e-6, the least spread of any method: the
 * model then predicts that number, as those of other methods do. */
static copse_status scale_targets(cp_bart_problem *b, copse_error *err) {
    const double *y = b->rows->y;
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < b->rows->n; i++)
        if (weight_of(b, i) > 0) {
            least = fmin(least, y[i]);
            most = fmax(most, y[i]);
        }
    b->centre = 0.5 * least + 0.5 * most;
    b->scale = most > least ? fmax(most - least, CP_NUMBER_LEAST_SCALE) : 1e-6;
    if (!isfinite(b->scale))
        return cp_fail(err, COPSE_E_DATA,
                       "targets from %g to %g are too far apart to compute with: divide them by 1e10", least, most);
    CP_TRY(CP_RAW(b->y, b->rows->n, err));
    for (size_t i = 0; i < b->rows->n; i++) /* a target of weight 0 may have any value */
        b->y[i] = weight_of(b, i) > 0 ? (float)((y[i] - b->centre) / b->scale) : 0;
    return COPSE_OK;
}

static void warn_of_labels(const cp_rows *rows, const copse_run *run) {
    for (size_t i = 0; i < rows->n; i++)
        if (rows->y[i] != 0 && rows->y[i] != 1) return;
    cp_log_warn(run,
                "all targets are 0 or 1: as classes (`task=class`) they would get probabilities, as numbers they get "
                "a mean that may be below 0 or above 1");
}

static copse_status set_regression(cp_bart_problem *b, const copse_run *run, copse_error *err) {
    double half = 0.5 / b->opt.k;
    CP_TRY(scale_targets(b, err));
    CP_TRY(find_sigma_hat(b, err));
    warn_of_labels(b->rows, run);
    b->hyper = (cp_bart_hyper){.leaf_var = half * half / (double)b->opt.trees,
                               .nu = b->opt.nu,
                               .lambda = cp_leaf_nig_lambda(b->opt.nu, b->sigma_hat, b->opt.q)};
    return COPSE_OK;
}

/* The offset of a class is the probit of its fraction of the rows.  A class without rows counts as half a row, a class
 * with all rows as half a row less, so that a fold of the data without some class can be fitted. */
static copse_status set_classes(cp_bart_problem *b, copse_error *err) {
    double three = 3 / b->opt.k, all = 0;
    b->opt.noise_trees = 0;
    b->hyper = (cp_bart_hyper){.leaf_var = three * three / (double)b->opt.trees, .nu = 1, .lambda = 1};
    if (b->rows->classes > 2) b->sums = b->rows->classes;
    CP_TRY(CP_NEW(b->offset, b->sums, err));
    for (size_t i = 0; i < b->rows->n; i++) all += weight_of(b, i);
    for (size_t k = 0; k < b->sums; k++) {
        double in = 0;
        for (size_t i = 0; i < b->rows->n; i++) in += cp_bart_problem_is_in(b, k, i) ? weight_of(b, i) : 0;
        b->offset[k] = cp_special_normal_quantile(fmin(fmax(in, 0.5), all - 0.5) / all);
    }
    return COPSE_OK;
}

/* ---------------------------------------------------------------------------------------------------------- problem */

static void fill_prior(cp_bart_problem *b) {
    for (size_t d = 0; d < CP_BART_MAX_DEPTHS; d++) {
        b->log_split[d] = cp_tree_prior_log_split(&b->opt.split, d);
        b->log_stop[d] = cp_tree_prior_log_stop(&b->opt.split, d);
    }
    b->log_split[CP_BART_MAX_DEPTHS - 1] = -INFINITY;
    b->log_stop[CP_BART_MAX_DEPTHS - 1] = 0;
}

static copse_status init(cp_bart_problem *b, const copse_run *run, copse_error *err) {
    const cp_rows *rows = b->rows;
    CP_TRY(take_weights(b, err));
    if (b->positive_rows < LEAST_ROWS)
        return cp_fail(err, COPSE_E_DATA,
                       "%zu row%s to learn from%s: bart needs %d at least; 'bcart' and 'smc' take fewer",
                       b->positive_rows, cp_plural(b->positive_rows), rows->weight ? " with a weight above 0" : "",
                       (int)LEAST_ROWS);
    fill_prior(b);
    CP_TRY(rows->task == COPSE_REGRESS ? set_regression(b, run, err) : set_classes(b, err));
    cp_bart_matrix x = {.x = rows->x, .rows = rows->n, .dims = rows->dims};
    return cp_bart_columns_init(&b->columns, &x, b->opt.cuts, b->opt.cuts_per_column, run, err);
}

copse_status cp_bart_problem_init(cp_bart_problem *b, const cp_rows *rows, const cp_bart_options *opt, uint64_t seed,
                                  const copse_run *run, copse_error *err) {
    *b = (cp_bart_problem){.rows = rows, .opt = *opt, .seed = seed, .sums = 1, .scale = 1};
    copse_status status = init(b, run, err);
    if (status) cp_bart_problem_clear(b);
    return status;
}

void cp_bart_problem_clear(cp_bart_problem *b) {
    cp_bart_columns_clear(&b->columns);
    cp_mem_free(b->y);
    cp_mem_free(b->offset);
    cp_mem_free(b->opt_weight);
    *b = (cp_bart_problem){0};
}
