/* The oracle is rejection: the unconditional scheme, with its copies in random order, until place 0 has particle 0. */
#include "bart/pg/bart_pg_resample.h"
#include "check.h"
#include "num/rng.h"

enum { N = 5, DRAWS = 40000 };

static const cp_resampling schemes[] = {CP_RESAMPLE_MULTINOMIAL, CP_RESAMPLE_SYSTEMATIC, CP_RESAMPLE_RESIDUAL,
                                        CP_RESAMPLE_STRATIFIED};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

typedef struct copies {
    double mean[N]; /* of each particle, in places 1 ... N-1 */
    double same;    /* the share of draws in which places 1 and 2 agree */
} copies;

static void draw_once(cp_resampling scheme, const double *w, cp_rng *rng, uint32_t *parent) {
    double tmp[4 * N + 2], sum = 0;
    uint32_t order[N];
    for (size_t i = 0; i < N; i++) sum += w[i];
    cp_bart_pg_resample(scheme, w, N, sum, (cp_bart_pg_resample_scratch){tmp, order, parent}, rng);
}

static void shuffle(uint32_t *v, size_t n, cp_rng *rng) {
    for (size_t left = n; left > 1; left--) {
        size_t i = (size_t)cp_rng_below(rng, left);
        uint32_t swap = v[i];
        v[i] = v[left - 1];
        v[left - 1] = swap;
    }
}

static void count(copies *c, uint32_t *parent, cp_rng *rng) {
    shuffle(parent + 1, N - 1, rng);
    for (size_t i = 1; i < N; i++) c->mean[parent[i]] += 1.0 / DRAWS;
    c->same += (parent[1] == parent[2]) / (double)DRAWS;
}

static copies conditional(cp_resampling scheme, const double *w, uint64_t seed) {
    copies c = {0};
    cp_rng rng;
    cp_rng_init(&rng, seed, CP_FOR_TEST, 0, 0);
    for (int k = 0; k < DRAWS; k++) {
        uint32_t parent[N];
        draw_once(scheme, w, &rng, parent);
        assert_int_equal(parent[0], 0);
        count(&c, parent, &rng);
    }
    return c;
}

/* The unconditional schemes as their papers have them, on a line in random order. */
static void unconditional(cp_resampling scheme, const double *w, cp_rng *rng, uint32_t *parent) {
    uint32_t order[N];
    double sum = 0, end[N], at = 0, u = cp_rng_unit(rng);
    size_t made = 0;
    for (uint32_t i = 0; i < N; i++) {
        order[i] = i;
        sum += w[i];
    }
    shuffle(order, N, rng);
    for (size_t i = 0; i < N; i++) end[i] = (at += w[order[i]]) * N / sum;
    double rest[N], left = N;
    for (size_t i = 0; i < N && scheme == CP_RESAMPLE_RESIDUAL; i++) {
        size_t whole = (size_t)floor(w[i] * N / sum);
        rest[i] = w[i] * N / sum - (double)whole;
        left -= (double)whole;
        for (size_t k = 0; k < whole; k++) parent[made++] = (uint32_t)i;
    }
    for (size_t k = made; k < N; k++) {
        double point = (double)k + (scheme == CP_RESAMPLE_SYSTEMATIC ? u : cp_rng_unit(rng));
        if (scheme == CP_RESAMPLE_MULTINOMIAL) point = cp_rng_unit(rng) * N;
        size_t i = 0;
        if (scheme == CP_RESAMPLE_RESIDUAL) {
            for (point = cp_rng_unit(rng) * left; i + 1 < N && point >= rest[i]; i++) point -= rest[i];
            parent[k] = (uint32_t)i;
            continue;
        }
        while (i + 1 < N && point >= end[i]) i++;
        parent[k] = order[i];
    }
    shuffle(parent, N, rng);
}

static copies by_rejection(cp_resampling scheme, const double *w, uint64_t seed) {
    copies c = {0};
    cp_rng rng;
    cp_rng_init(&rng, seed, CP_FOR_TEST, 1, 0);
    for (int k = 0; k < DRAWS;) {
        uint32_t parent[N];
        unconditional(scheme, w, &rng, parent);
        if (parent[0] != 0) continue;
        count(&c, parent, &rng);
        k++;
    }
    return c;
}

/* Hoeffding: two means of DRAWS values in [0, N - 1] differ by more with a probability below 1e-6. */
static double apart(const copies *a, const copies *b) {
    double most = fabs(a->same - b->same) * (N - 1);
    for (size_t i = 0; i < N; i++) most = fmax(most, fabs(a->mean[i] - b->mean[i]));
    return most / ((N - 1) * sqrt(log(2 / 1e-6) / DRAWS));
}

/* No length n w / sum is whole: the residual scheme jumps there, on either side by rounding. */
static const double weights[][N] = {
    {1, 1.01, .99, 1.02, .98}, {.5, 2, .1, 1.4, 1}, {3, .21, .17, .25, 1.37}, {.05, 1.1, 1.9, 1.03, .92}};
enum { CASES = sizeof weights / sizeof *weights };

static void law_is_that_of_rejection(void **state) {
    (void)state;
    for (size_t s = 0; s < SCHEMES; s++)
        for (size_t k = 0; k < CASES; k++) {
            copies a = conditional(schemes[s], weights[k], 100 + k), b = by_rejection(schemes[s], weights[k], 200 + k);
            if (apart(&a, &b) > 1) fail_msg("scheme %zu, case %zu: apart by %g", s, k, apart(&a, &b));
        }
}

/* A weight that vanishes beside the others gives what a very small one gives. */
static void vanishing_weight_follows_the_limit(void **state) {
    (void)state;
    static const double tiny[] = {0, 1e-300, 1e-17, 1e-15};
    for (size_t s = 0; s < SCHEMES; s++)
        for (size_t k = 0; k < CASES; k++) {
            double w[N];
            memcpy(w, weights[k], sizeof w);
            w[0] = 1e-7;
            copies small = conditional(schemes[s], w, 300 + k);
            for (size_t i = 0; i < sizeof tiny / sizeof *tiny; i++) {
                w[0] = tiny[i];
                copies none = conditional(schemes[s], w, 400 + k);
                if (apart(&small, &none) > 1)
                    fail_msg("scheme %zu, case %zu, weight %g: apart by %g", s, k, tiny[i], apart(&small, &none));
                assert_true(none.mean[0] < 1e-3);
            }
        }
}

/* The comparison sees a weight that is wrong by a third. */
static void comparison_can_fail(void **state) {
    (void)state;
    for (size_t s = 0; s < SCHEMES; s++) {
        double w[N];
        memcpy(w, weights[1], sizeof w);
        w[1] *= 1.5;
        copies a = conditional(schemes[s], weights[1], 500), b = by_rejection(schemes[s], w, 501);
        assert_true(apart(&a, &b) > 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_is_that_of_rejection),
        cmocka_unit_test(vanishing_weight_follows_the_limit),
        cmocka_unit_test(comparison_can_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
