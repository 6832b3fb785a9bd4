#include "check.h"

#include "base/mem.h"
#include "num/converge.h"
#include "num/draw.h"
#include "num/special.h"

enum { CHAINS = 4 };

/* ------------------------------------------------------------------------ the paper's formulas, as they stand there */

typedef struct plain {
    size_t m, n;
    double x[16][600];
} plain;

static plain split(const double *x, size_t chains, size_t draws) {
    plain p = {.m = 2 * chains, .n = draws / 2};
    for (size_t c = 0; c < chains; c++)
        for (size_t k = 0; k < p.n; k++) {
            p.x[2 * c][k] = x[c * draws + k];
            p.x[2 * c + 1][k] = x[c * draws + (draws + 1) / 2 + k];
        }
    return p;
}

/* Ranks by counting. */
static plain scores(const plain *p) {
    plain z = {.m = p->m, .n = p->n};
    double all = (double)(p->m * p->n);
    for (size_t i = 0; i < p->m; i++)
        for (size_t k = 0; k < p->n; k++) {
            double below = 0, equal = 0;
            for (size_t a = 0; a < p->m; a++)
                for (size_t b = 0; b < p->n; b++) {
                    below += p->x[a][b] < p->x[i][k];
                    equal += p->x[a][b] == p->x[i][k];
                }
            z.x[i][k] = cp_special_normal_quantile((below + (equal + 1) / 2 - 3.0 / 8) / (all + 1.0 / 4));
        }
    return z;
}

static int rising(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double plain_quantile(const plain *p, double q) {
    size_t all = p->m * p->n;
    double *v = malloc(all * sizeof *v);
    for (size_t i = 0; i < all; i++) v[i] = p->x[i / p->n][i % p->n];
    qsort(v, all, sizeof *v, rising);
    double at = q * (double)(all - 1), low = v[(size_t)floor(at)], high = v[(size_t)ceil(at)];
    free(v);
    return low + (at - floor(at)) * (high - low);
}

static double mean_of(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i];
    return sum / (double)n;
}

static double covariance(const plain *p, size_t chain, size_t lag) {
    double mean = mean_of(p->x[chain], p->n), sum = 0;
    for (size_t k = lag; k < p->n; k++) sum += (p->x[chain][k] - mean) * (p->x[chain][k - lag] - mean);
    return sum / (double)p->n;
}

static void variances(const plain *p, double *within, double *plus) {
    double means[16], b = 0, n = (double)p->n;
    *within = 0;
    for (size_t i = 0; i < p->m; i++) {
        means[i] = mean_of(p->x[i], p->n);
        *within += covariance(p, i, 0) * n / (n - 1) / (double)p->m;
    }
    double grand = mean_of(means, p->m);
    for (size_t i = 0; i < p->m; i++) b += n * pow(means[i] - grand, 2) / (double)(p->m - 1);
    *plus = (n - 1) / n * *within + b / n;
}

static double plain_rhat(const plain *p) {
    double within, plus;
    variances(p, &within, &plus);
    return sqrt(plus / within);
}

static double plain_ess(const plain *p) {
    double within, plus, rho[600], all = (double)(p->m * p->n);
    variances(p, &within, &plus);
    if (plus == 0) return all;
    for (size_t t = 0; t < p->n; t++) {
        double c = 0;
        for (size_t i = 0; i < p->m; i++) c += covariance(p, i, t) / (double)p->m;
        rho[t] = t ? 1 - (within - c) / plus : 1;
    }
    size_t end = 0; /* of the pairs whose sum is positive */
    while (end + 5 < p->n && rho[end] + rho[end + 1] > 0) end += 2;
    double tau = -1 + fmax(0, rho[end]), least = INFINITY;
    for (size_t t = 0; t < end; t += 2) {
        least = fmin(least, rho[t] + rho[t + 1]);
        tau += 2 * least;
    }
    return all / fmax(tau, 1 / log10(all));
}

static cp_converge plainly(const double *x, size_t chains, size_t draws) {
    plain p = split(x, chains, draws), z = scores(&p), folded = p, low = p, high = p;
    double median = plain_quantile(&p, .5), q05 = plain_quantile(&p, .05), q95 = plain_quantile(&p, .95);
    for (size_t i = 0; i < p.m; i++)
        for (size_t k = 0; k < p.n; k++) {
            folded.x[i][k] = fabs(p.x[i][k] - median);
            low.x[i][k] = p.x[i][k] <= q05;
            high.x[i][k] = p.x[i][k] <= q95;
        }
    folded = scores(&folded);
    return (cp_converge){fmax(plain_rhat(&z), plain_rhat(&folded)), plain_ess(&z),
                         fmin(plain_ess(&low), plain_ess(&high))};
}

/* ------------------------------------------------------------------------------------------------------ comparisons */

/* y_k = phi y_(k-1) + e_k, from its stationary law; rounded, if steps > 0, so that there are ties. */
static double *autoregression(const char *name, double phi, size_t chains, size_t draws, double step) {
    double *x = malloc(chains * draws * sizeof *x);
    for (size_t c = 0; c < chains; c++) {
        cp_rng rng;
        cp_rng_init(&rng, seed_of(name), CP_FOR_TEST, (uint32_t)c, 0);
        double y = cp_draw_normal(&rng) / sqrt(1 - phi * phi);
        for (size_t k = 0; k < draws; k++, y = phi * y + cp_draw_normal(&rng))
            x[c * draws + k] = step > 0 ? step * floor(y / step) : y;
    }
    return x;
}

static void the_formulas_of_the_paper_hold(void **state) {
    (void)state;
    static const double phis[] = {0, .5, .95, -.6};
    static const size_t lengths[] = {8, 9, 31, 200};
    for (size_t i = 0; i < COUNT(phis); i++)
        for (size_t k = 0; k < COUNT(lengths); k++)
            for (int ties = 0; ties < 2; ties++) {
                copse_error err;
                cp_converge c;
                double *x = autoregression("formulas", phis[i], CHAINS, lengths[k], ties ? .5 : 0);
                must(cp_converge_find(x, CHAINS, lengths[k], &c, &err), err);
                cp_converge p = plainly(x, CHAINS, lengths[k]);
                assert_near(c.rhat, p.rhat, 1e-12);
                assert_near(c.bulk, p.bulk, 1e-9);
                assert_near(c.tail, p.tail, 1e-9);
                free(x);
            }
}

/* n (1 - phi) / (1 + phi) draws' worth. */
static void draws_count_as_their_correlation_says(void **state) {
    (void)state;
    static const double phis[] = {0, .3, .7, .9};
    for (size_t i = 0; i < COUNT(phis); i++) {
        copse_error err;
        cp_converge c;
        double *x = autoregression("worth", phis[i], CHAINS, 20000, 0);
        must(cp_converge_find(x, CHAINS, 20000, &c, &err), err);
        double worth = CHAINS * 20000 * (1 - phis[i]) / (1 + phis[i]);
        assert_true(c.bulk > .8 * worth && c.bulk < 1.25 * worth);
        assert_true(c.rhat < 1.01);
        free(x);
    }
}

/* Chains that differ in place, in spread, or that drift. */
static void chains_that_disagree_are_found(void **state) {
    (void)state;
    for (int fault = 0; fault < 4; fault++) {
        copse_error err;
        cp_converge c;
        double *x = autoregression("disagree", 0, CHAINS, 500, 0);
        for (size_t k = 0; k < 500; k++) {
            if (fault == 1) x[k] += 1;
            if (fault == 2) x[k] *= 4;
            if (fault == 3)
                for (size_t i = 0; i < CHAINS; i++) x[i * 500 + k] += (double)k / 250;
        }
        must(cp_converge_find(x, CHAINS, 500, &c, &err), err);
        if (fault)
            assert_true(c.rhat > 1.05);
        else
            assert_true(c.rhat < 1.01);
        free(x);
    }
}

static void chains_that_stand_still(void **state) {
    (void)state;
    copse_error err;
    cp_converge c;
    double x[40];
    for (size_t i = 0; i < 40; i++) x[i] = 7;
    must(cp_converge_find(x, 2, 20, &c, &err), err);
    assert_true(c.rhat == 1 && c.bulk == 40 && c.tail == 40);
    for (size_t i = 20; i < 40; i++) x[i] = 8;
    must(cp_converge_find(x, 2, 20, &c, &err), err);
    assert_true(isinf(c.rhat) && c.bulk < 5);
}

static void a_few_draws_say_nothing(void **state) {
    (void)state;
    copse_error err;
    cp_converge c;
    double x[CP_CONVERGE_DRAWS - 1] = {0};
    must(cp_converge_find(x, 1, CP_CONVERGE_DRAWS - 1, &c, &err), err);
    assert_true(isnan(c.rhat) && isnan(c.bulk) && isnan(c.tail));
}

static void out_of_memory_is_a_status(void **state) {
    (void)state;
    double *x = autoregression("memory", 0, 2, 50, 0);
    for (long k = 0;; k++) {
        copse_error err = {0};
        cp_converge c;
        cp_mem_fail_after(k);
        copse_status status = cp_converge_find(x, 2, 50, &c, &err);
        cp_mem_fail_after(-1);
        if (!status) {
            assert_int_equal(k, 3);
            break;
        }
        assert_int_equal(status, COPSE_E_MEMORY);
    }
    free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_formulas_of_the_paper_hold), cmocka_unit_test(draws_count_as_their_correlation_says),
        cmocka_unit_test(chains_that_disagree_are_found), cmocka_unit_test(chains_that_stand_still),
        cmocka_unit_test(a_few_draws_say_nothing),        cmocka_unit_test(out_of_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
