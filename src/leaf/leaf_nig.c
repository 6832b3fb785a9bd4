/* After n rows with sum S and sum of squares Q,
 *
 *      kappa_n = kappa + n,  mu_n = S / kappa_n,  nu_n = nu + n,  b_n = nu lambda + Q - S^2 / kappa_n
 *      mu | s2 ~ N(mu_n, s2 / kappa_n),  s2 ~ inverse gamma(nu_n / 2, b_n / 2)
 *      p(y) = (pi nu lambda)^(-n/2) sqrt(kappa / kappa_n) Gamma(nu_n/2) / Gamma(nu/2) (b_n / (nu lambda))^(-nu_n/2)
 *
 * The log of all factors but the last is a table at n.  Q - S^2/kappa_n loses digits only if kappa is small against n
 * and y far from 0; but y is standardised.  Rounding below 0 is raised to 0 (excess_of). */
#include "leaf/leaf_nig.h"

#include <math.h>

#include "base/mem.h"
#include "base/number_rule.h"
#include "num/draw.h"
#include "num/math.h"
#include "num/special.h"

static const cp_leaf_kind nig;

static const double log_pi = 1.144729885849400174143;

copse_status cp_leaf_nig_init(cp_leaf *m, const double *y, size_t rows, cp_leaf_nig_prior prior, copse_error *err) {
    const double kappa = prior.kappa, nu = prior.nu, lambda = prior.lambda;
    *m = (cp_leaf){.kind = &nig, .width = 3, .rows = rows, .y = y, .kappa = kappa, .nu = nu, .lambda = lambda};
    CP_TRY(CP_RAW(m->of_rows, rows + 1, err));
    /* log Gamma((nu + n)/2) - log Gamma(nu/2), summed in steps of 1/2 (Kahan): no large terms cancel. */
    double log_gammas = 0, lost = 0;
    for (size_t i = 0; i <= rows; i++) {
        double n = (double)i;
        m->of_rows[i] = log_gammas + 0.5 * (cp_math_log(kappa / (kappa + n)) - n * (log_pi + cp_math_log(nu * lambda)));
        double term = cp_special_log_gamma_half(0.5 * (nu + n)) - lost, next = log_gammas + term;
        lost = (next - log_gammas) - term;
        log_gammas = next;
    }
    return COPSE_OK;
}

/* nu lambda / s2 is chi-square with nu degrees of freedom, so nu lambda / sd^2 is its (1 - q)-quantile: found by
 * bisection of its logarithm in an interval that holds the log of every double. */
double cp_leaf_nig_lambda(double nu, double sd, double q) {
    double low = -740, high = 700;
    for (int i = 0; i < 100; i++) {
        double middle = 0.5 * (low + high);
        if (cp_special_gamma_lower(0.5 * nu, 0.5 * cp_math_exp(middle)) < 1 - q)
            low = middle;
        else
            high = middle;
    }
    return sd * sd * cp_math_exp(low) / nu;
}

static int all_equal(const double *y, size_t n) {
    size_t i = 1;
    while (i < n && y[i] == y[0]) i++;
    return i == n;
}

cp_leaf_units cp_leaf_nig_units(const double *y, size_t n, int passes) {
    double centre = 0, squares = 0;
    if (all_equal(y, n)) return (cp_leaf_units){.centre = y[0], .scale = n > 1 ? 1e-6 : 1};
    for (int pass = 0; pass < passes; pass++) {
        double left = 0;
        for (size_t i = 0; i < n; i++) left += (y[i] - centre) / (double)n;
        centre += left;
    }
    for (size_t i = 0; i < n; i++) squares += (y[i] - centre) * (y[i] - centre) / (double)n;
    return (cp_leaf_units){.centre = centre, .scale = fmax(sqrt(squares), CP_NUMBER_LEAST_SCALE)};
}

static void add(const cp_leaf *m, double *stat, size_t row) {
    double y = m->y[row];
    stat[0]++;
    stat[1] += y;
    stat[2] += y * y;
}

static void gather(const cp_leaf *m, const uint32_t *rows, size_t n, double *out_stat) {
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        double y = m->y[rows[i]];
        sum += y;
        squares += y * y;
    }
    out_stat[0] = (double)n;
    out_stat[1] = sum;
    out_stat[2] = squares;
}

/* b_n - nu lambda. */
static double excess_of(const cp_leaf *m, double n, double sum, double squares) {
    return fmax(0, squares - sum * sum / (m->kappa + n));
}

static double b_of(const cp_leaf *m, double n, double sum, double squares) {
    return m->nu * m->lambda + excess_of(m, n, sum, squares);
}

static double log_marginal_of(const cp_leaf *m, double n, double sum, double squares) {
    return m->of_rows[(size_t)n] -
           0.5 * (m->nu + n) * cp_math_log(1 + excess_of(m, n, sum, squares) / (m->nu * m->lambda));
}

static double log_marginal(const cp_leaf *m, const double *stat) {
    return stat[0] > 0 ? log_marginal_of(m, stat[0], stat[1], stat[2]) : 0;
}

static void scan(const cp_leaf *m, const cp_leaf_cuts *cuts, const double *whole, void *tmp, double *out_log) {
    const uint32_t *rows = cuts->row, *end = cuts->end;
    const size_t gaps = cuts->n;
    double sum = 0, squares = 0;
    size_t i = 0;
    (void)tmp;
    for (size_t g = 0; g < gaps; g++) {
        for (; i < end[g]; i++) {
            double y = m->y[rows[i]];
            sum += y;
            squares += y * y;
        }
        out_log[g] = log_marginal_of(m, (double)i, sum, squares) +
                     log_marginal_of(m, whole[0] - (double)i, whole[1] - sum, whole[2] - squares);
    }
}

static void draw(const cp_leaf *m, const double *stat, cp_rng *rng, double *out) {
    double kappa_n = m->kappa + stat[0];
    double s2 = 0.5 * b_of(m, stat[0], stat[1], stat[2]) / cp_draw_gamma(rng, 0.5 * (m->nu + stat[0]));
    out[0] = stat[1] / kappa_n + sqrt(s2 / kappa_n) * cp_draw_normal(rng);
    out[1] = s2;
}

static double draw_target(const cp_leaf *m, const double *parameters, cp_rng *rng) {
    (void)m;
    return parameters[0] + sqrt(parameters[1]) * cp_draw_normal(rng);
}

cp_component cp_leaf_nig_predict(const cp_leaf *m, const double *stat, double weight) {
    double kappa_n = m->kappa + stat[0], nu_n = m->nu + stat[0];
    double b = b_of(m, stat[0], stat[1], stat[2]);
    return (cp_component){
        .weight = weight, .loc = stat[1] / kappa_n, .scale = sqrt(b / nu_n * (1 + 1 / kappa_n)), .df = nu_n};
}

static const cp_leaf_kind nig = {
    .name = "nig",
    .add = add,
    .gather = gather,
    .log_marginal = log_marginal,
    .scan = scan,
    .draw = draw,
    .draw_target = draw_target,
};
