/* The draws that make trees differ: their laws, their sums, and what weights of rows do to them. */
#include "check.h"
#include "ks.h"

#include "base/mem.h"
#include "greedy/greedy_weight.h"

enum { N = 20000 };

static void count_up(uint32_t *row, size_t n) {
    for (size_t i = 0; i < n; i++) row[i] = (uint32_t)i;
}

static double exp_cdf(double x, const void *rate) {
    return -expm1(-x * *(const double *)rate);
}

/* Scaling divides by the mean of N draws, whose relative error of some 1/sqrt(N) = .007 is within the bound of .019. */
static void exponential_weights_follow_their_law(void **state) {
    (void)state;
    uint32_t *row = malloc(N * sizeof *row);
    double *w = malloc(N * sizeof *w), sum = 0, rate = 1, wrong = 1.15;
    count_up(row, N);
    cp_greedy_weight_exponential(row, N, NULL, (cp_greedy_weight_draw){.seed = seed_of("exp"), .tree = 3}, w);
    for (size_t i = 0; i < N; i++) sum += w[i];
    assert_near(sum / N, 1, 1e-12);
    double bound = sqrt(log(2 / ALPHA) / (2.0 * N));
    assert_true(ks_one(w, N, exp_cdf, &rate) < bound);
    assert_true(ks_one(w, N, exp_cdf, &wrong) > bound); /* the test can tell */
    free(row);
    free(w);
}

/* The first of n = 4 rows in N trees: binomial(4, 1/4).  Ties only make the bound safer. */
static double binomial_cdf(double x, const void *p_slot) {
    double p = *(const double *)p_slot, sum = 0, term = pow(1 - p, 4);
    for (int k = 0; k <= (int)floor(x); k++) {
        sum += term;
        term *= (4 - k) * p / ((k + 1) * (1 - p));
    }
    return sum;
}

static double distance_of_counts(const double *v, size_t n, double p) {
    double most = 0;
    for (int k = 0; k <= 4; k++) {
        size_t below = 0;
        for (size_t i = 0; i < n; i++) below += v[i] <= k;
        most = fmax(most, fabs((double)below / (double)n - binomial_cdf(k, &p)));
    }
    return most;
}

static void bootstrap_counts_follow_their_law(void **state) {
    (void)state;
    static const uint32_t row[4] = {0, 1, 2, 3};
    double *first = malloc(N * sizeof *first), *both = malloc(N * sizeof *both);
    for (uint32_t m = 0; m < N; m++) {
        double w[4];
        cp_greedy_weight_bootstrap(row, 4, NULL, (cp_greedy_weight_draw){.seed = seed_of("bootstrap"), .tree = m}, w);
        assert_true(w[0] + w[1] + w[2] + w[3] == 4);
        first[m] = w[0];
        both[m] = w[1] + w[3];
    }
    double bound = sqrt(log(2 / ALPHA) / (2.0 * N));
    assert_true(distance_of_counts(first, N, 0.25) < bound);
    assert_true(distance_of_counts(both, N, 0.5) < bound);
    assert_true(distance_of_counts(first, N, 0.28) > bound);
    free(first);
    free(both);
}

/* All 10 ways to take 2 of 5, each with a tenth of the draws. */
static void samples_are_uniform_over_subsets(void **state) {
    (void)state;
    copse_error err;
    size_t seen[5][5] = {{0}}, ways = 0;
    for (uint64_t part = 0; part < N; part++) {
        uint32_t row[5] = {0, 1, 2, 3, 4};
        must(cp_greedy_weight_sample(row, 5, &(cp_greedy_sample){2, seed_of("subsets"), part}, &err), err);
        assert_true(row[0] < row[1] && row[2] < row[3] && row[3] < row[4]);
        seen[row[0]][row[1]]++;
    }
    double bound = sqrt(log(2 * 10 / ALPHA) / (2.0 * N)); /* Hoeffding's, for ten frequencies at once */
    for (size_t a = 0; a < 5; a++)
        for (size_t b = a + 1; b < 5; b++, ways++) assert_true(fabs((double)seen[a][b] / N - 0.1) < bound);
    assert_int_equal(ways, 10);
}

static void trees_and_parts_have_draws_of_their_own(void **state) {
    (void)state;
    uint32_t row[50];
    double w[4][50];
    count_up(row, 50);
    cp_greedy_weight_exponential(row, 50, NULL, (cp_greedy_weight_draw){1, 0, 0}, w[0]);
    cp_greedy_weight_exponential(row, 50, NULL, (cp_greedy_weight_draw){1, 1, 0}, w[1]);
    cp_greedy_weight_exponential(row, 50, NULL, (cp_greedy_weight_draw){1, 0, 1}, w[2]);
    cp_greedy_weight_exponential(row, 50, NULL, (cp_greedy_weight_draw){2, 0, 0}, w[3]);
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < a; b++)
            for (int i = 0; i < 50; i++) assert_true(w[a][i] != w[b][i]);
}

/* Own weights as they come: scaled to their number, rows of weight 0 left out. */
static void own_weights(const double *own, size_t n, cp_greedy_weight *out) {
    copse_error err;
    cp_rows rows = {.n = n, .weight = own};
    must(cp_greedy_weight_init(out, &rows, 0, &err), err);
}

static void weights_are_scaled_to_the_number_of_rows(void **state) {
    (void)state;
    const double huge[] = {1e300, 0, 2e300, 1e308, 5e-324}, ones[] = {1, 0, 2, 1e8, 0};
    cp_greedy_weight a, b;
    own_weights(huge, 5, &a);
    own_weights(ones, 5, &b);
    assert_int_equal(a.rows, 3);
    for (size_t i = 0; i < 5; i++) assert_rel(a.own[i], b.own[i], 1e-12);
    assert_near(a.own[0] + a.own[2] + a.own[3], 3, 1e-12);
    assert_true(a.own[1] == 0 && a.own[4] == 0);
    cp_greedy_weight_clear(&a);
    cp_greedy_weight_clear(&b);
}

static void draws_multiply_own_weights(void **state) {
    (void)state;
    const double own[] = {1, 2, 0, 5, 1e300 / 1e299}, rest[] = {1, 2, 5, 10};
    cp_greedy_weight_draw draw = {.seed = 7, .tree = 2};
    double with[5] = {0}, left[4], plain[4], sum = 0;
    cp_greedy_weight a, b;
    own_weights(own, 5, &a);
    own_weights(rest, 4, &b);
    cp_greedy_weight_exponential(a.row, a.rows, a.own, draw, with);
    cp_greedy_weight_exponential(b.row, b.rows, b.own, draw, left);
    cp_greedy_weight_exponential(b.row, b.rows, NULL, draw, plain);
    for (size_t i = 0; i < 4; i++) {
        assert_rel(with[a.row[i]], left[i], 1e-12); /* a row of weight 0 changes no draw of the others */
        assert_rel(left[i] / left[0], plain[i] / plain[0] * rest[i], 1e-12);
        sum += left[i];
    }
    assert_near(sum, 4, 1e-12);
    cp_greedy_weight_clear(&a);
    cp_greedy_weight_clear(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exponential_weights_follow_their_law),
        cmocka_unit_test(bootstrap_counts_follow_their_law),
        cmocka_unit_test(samples_are_uniform_over_subsets),
        cmocka_unit_test(trees_and_parts_have_draws_of_their_own),
        cmocka_unit_test(weights_are_scaled_to_the_number_of_rows),
        cmocka_unit_test(draws_multiply_own_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
