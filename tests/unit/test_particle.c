#include "check.h"
#include "ks.h"

#include "bayes/particle.h"

static const cp_resampling schemes[] = {CP_RESAMPLE_MULTINOMIAL, CP_RESAMPLE_SYSTEMATIC, CP_RESAMPLE_RESIDUAL,
                                        CP_RESAMPLE_STRATIFIED};

static void mean_of_weights(void **state) {
    (void)state;
    const double far[] = {-1000 + log(1), -1000 + log(2), -INFINITY, -1000 + log(5)};
    assert_near(cp_particle_log_mean(far, 4), -1000 + log(2), 1e-15);
    assert_true(cp_particle_log_mean(far + 2, 1) == -INFINITY);
    const double one[] = {700};
    assert_true(cp_particle_log_mean(one, 1) == 700);
}

static void effective_size_from_one_to_all(void **state) {
    (void)state;
    double w[50];
    for (size_t i = 0; i < COUNT(w); i++) w[i] = -3000;
    assert_near(cp_particle_ess(w, COUNT(w)), 50, 1e-14);
    w[7] = -1000;
    assert_near(cp_particle_ess(w, COUNT(w)), 1, 1e-14);
    for (size_t i = 0; i < COUNT(w); i++) w[i] = i % 5 ? -INFINITY : 800;
    assert_near(cp_particle_ess(w, COUNT(w)), 10, 1e-14);
    const double three[] = {log(1), log(2), log(3)};
    assert_near(cp_particle_ess(three, 3), 36.0 / 14, 1e-14);
    const double none[] = {-INFINITY, -INFINITY};
    assert_true(cp_particle_ess(none, 2) == 0);
}

/* ---------------------------------------------------------------------------------------------------------- copies */

enum { MOST = 64, REPEATS = 20000 };

typedef struct weights {
    double log_w[MOST];
    double share[MOST]; /* of the sum */
    size_t n;
} weights;

/* Of very different sizes; every fourth is nothing, and so is the last. */
static weights uneven(size_t n) {
    weights w = {.n = n};
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double each = (i % 4 == 3 || i + 1 == n) && n > 1 ? 0 : pow(1.7, (double)(i * 5 % 7));
        w.log_w[i] = each > 0 ? log(each) - 900 : -INFINITY;
        w.share[i] = each;
        sum += each;
    }
    for (size_t i = 0; i < n; i++) w.share[i] /= sum;
    return w;
}

/* Copies of each particle; parents must rise and have weight. */
static void resample(cp_resampling scheme, const weights *w, cp_rng *rng, double *out_copies) {
    double tmp[2 * MOST];
    uint32_t parent[MOST];
    cp_particle_resample(scheme, w->log_w, w->n, rng, tmp, parent);
    for (size_t j = 0; j < w->n; j++) out_copies[j] = 0;
    for (size_t i = 0; i < w->n; i++) {
        assert_true(parent[i] < w->n);
        assert_true(i == 0 || parent[i] >= parent[i - 1]);
        assert_true(w->share[parent[i]] > 0);
        out_copies[parent[i]]++;
    }
}

/* Copies of particle j are between 0 and n, so n times Hoeffding's bound for the mean of REPEATS of them; returns the
 * largest distance from n w_j as a share of the bound. */
static double distance(cp_resampling scheme, const weights *w, const weights *judged) {
    double copies[MOST], mean[MOST] = {0}, most = 0, n = (double)w->n;
    cp_rng rng;
    cp_rng_init(&rng, seed_of("copies"), CP_FOR_TEST, (uint32_t)scheme, w->n);
    for (size_t i = 0; i < REPEATS; i++) {
        resample(scheme, w, &rng, copies);
        for (size_t j = 0; j < w->n; j++) mean[j] += copies[j] / REPEATS;
    }
    for (size_t j = 0; j < w->n; j++)
        most = fmax(most, fabs(mean[j] - n * judged->share[j]) / (n * share_bound(REPEATS)));
    return most;
}

static void copies_are_as_many_as_the_weight_asks_for(void **state) {
    (void)state;
    const size_t sizes[] = {1, 2, 5, 12};
    for (size_t s = 0; s < COUNT(schemes); s++)
        for (size_t k = 0; k < COUNT(sizes); k++) {
            weights w = uneven(sizes[k]), wrong = w;
            assert_true(distance(schemes[s], &w, &w) < 1);
            wrong.share[0] += 0.04;
            assert_true(distance(schemes[s], &w, &wrong) > 1);
        }
}

/* How far copies may be from n w_j. */
static void check_reach(cp_resampling scheme, double below, double above) {
    cp_rng rng;
    for (size_t n = 1; n <= MOST; n++) {
        weights w = uneven(n);
        double copies[MOST];
        cp_rng_init(&rng, seed_of("reach"), CP_FOR_TEST, (uint32_t)scheme, n);
        for (size_t i = 0; i < 200; i++) {
            resample(scheme, &w, &rng, copies);
            for (size_t j = 0; j < n; j++) {
                double wanted = (double)n * w.share[j];
                assert_true(copies[j] > wanted - below - 1e-9 && copies[j] < wanted + above + 1e-9);
            }
        }
    }
}

static void schemes_differ_in_how_far_copies_stray(void **state) {
    (void)state;
    check_reach(CP_RESAMPLE_SYSTEMATIC, 1, 1);          /* floor or ceiling */
    check_reach(CP_RESAMPLE_STRATIFIED, 2, 2);          /* the strata at both ends are hit or not */
    check_reach(CP_RESAMPLE_RESIDUAL, 1, (double)MOST); /* never below the floor */
}

/* Two particles, weights 1/4 and 3/4: all outcomes with their probabilities. */
static void two_particles_exactly(void **state) {
    (void)state;
    const weights w = {.log_w = {log(1), log(3)}, .share = {0.25, 0.75}, .n = 2};
    const double none[] = {9.0 / 16, 0.5, 0.5, 0.5}, both[] = {1.0 / 16, 0, 0, 0}; /* copies of the first */
    for (size_t s = 0; s < COUNT(schemes); s++) {
        double copies[2], count[3] = {0};
        cp_rng rng;
        cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, (uint32_t)s, 0);
        for (size_t i = 0; i < REPEATS; i++) {
            resample(schemes[s], &w, &rng, copies);
            count[(size_t)copies[0]]++;
        }
        assert_true(fabs(count[0] / REPEATS - none[s]) < share_bound(REPEATS));
        assert_true(fabs(count[2] / REPEATS - both[s]) < share_bound(REPEATS));
        if (both[s] == 0) assert_true(count[2] == 0);
    }
}

static void equal_weights_keep_everyone(void **state) {
    (void)state;
    weights w = {.n = MOST};
    double copies[MOST];
    cp_rng rng;
    cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, 0, 0);
    for (size_t i = 0; i < MOST; i++) {
        w.log_w[i] = -1e4;
        w.share[i] = 1.0 / MOST;
    }
    for (size_t i = 0; i < 500; i++)
        for (size_t s = 1; s < COUNT(schemes); s++) {
            resample(schemes[s], &w, &rng, copies);
            for (size_t j = 0; j < MOST; j++) assert_true(copies[j] == 1);
        }
}

static void one_heavy_particle_takes_all(void **state) {
    (void)state;
    double copies[MOST];
    cp_rng rng;
    cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, 0, 0);
    for (size_t heavy = 0; heavy < MOST; heavy += 21) {
        weights w = {.n = MOST};
        for (size_t i = 0; i < MOST; i++) {
            w.log_w[i] = i % 2 ? -INFINITY : -2000;
            w.share[i] = i % 2 ? 0 : DBL_MIN;
        }
        w.log_w[heavy] = -100;
        w.share[heavy] = 1;
        for (size_t s = 0; s < COUNT(schemes); s++) {
            resample(schemes[s], &w, &rng, copies);
            assert_true(copies[heavy] == MOST);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mean_of_weights),
        cmocka_unit_test(effective_size_from_one_to_all),
        cmocka_unit_test(copies_are_as_many_as_the_weight_asks_for),
        cmocka_unit_test(schemes_differ_in_how_far_copies_stray),
        cmocka_unit_test(two_particles_exactly),
        cmocka_unit_test(equal_weights_keep_everyone),
        cmocka_unit_test(one_heavy_particle_takes_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
