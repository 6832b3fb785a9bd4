/* Sequential Monte Carlo over trees estimates the evidence without bias, whatever proposal, expansion and resampling:
 * by listing all that one or two particles can do.  And predictions weighted by the evidence are unbiased too. */
#include "smc_paths.h"

#define EXACT 1e-12

static const char *const proposals[] = {"prior", "empirical", "optimal", "mixed"};
static const char *const expansions[] = {"node", "node-likelihood", "layer"};

typedef struct variant {
    cp_btree_smc_options opt;
    int numbers;
} variant;

/* Lists all ways and compares; returns them for a closer look. */
static smc_paths check(const tiny *t, const variant *v) {
    island_problem p;
    island_problem_init(&p, t, v->numbers);
    smc_paths all = smc_paths_all(&p, &v->opt);
    double error = smc_paths_error(&p, &all);
    assert_near(all.probability, 1, 1e-12);
    if (!(error < EXACT))
        fail_msg("%s, %s, %s, %s, %zu particles, threshold %g: E[Z] is off by %g (%zu ways)", t->name,
                 v->numbers ? "numbers" : "classes", proposals[v->opt.proposal], expansions[v->opt.expansion],
                 v->opt.particles, v->opt.ess_threshold, error, all.paths);
    island_problem_clear(&p);
    return all;
}

static void each_variant(const tiny *t, cp_btree_smc_options opt, size_t *paths, double *resamplings) {
    for (int numbers = 0; numbers < 2; numbers++)
        for (int proposal = 0; proposal < 4; proposal++)
            for (int expansion = 0; expansion < 3; expansion++) {
                variant v = {.opt = opt, .numbers = numbers};
                v.opt.proposal = (cp_btree_proposal)proposal;
                v.opt.expansion = (cp_btree_expansion)expansion;
                smc_paths all = check(t, &v);
                *paths += all.paths;
                *resamplings += all.resamplings;
            }
}

static const cp_btree_smc_options one = {
    .resampling = CP_RESAMPLE_SYSTEMATIC, .ess_threshold = 0.5, .particles = 1, .max_stages = 100, .columns = 1};

static void one_particle(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(tinies) && tinies[k].n <= 4; k++) {
        size_t paths = 0;
        double resamplings = 0;
        each_variant(&tinies[k], one, &paths, &resamplings);
        print_message("%s: %zu ways\n", tinies[k].name, paths);
        assert_true(resamplings == 0);
    }
}

static void two_particles(void **state, cp_resampling resampling, double threshold) {
    (void)state;
    for (size_t k = 0; k < TINY_SMALL; k++) {
        cp_btree_smc_options two = one;
        size_t paths = 0;
        double resamplings = 0;
        two.particles = 2;
        two.resampling = resampling;
        two.ess_threshold = threshold;
        each_variant(&tinies[k], two, &paths, &resamplings);
        print_message("%s: %zu ways, %.3g resamplings\n", tinies[k].name, paths, resamplings);
    }
}

static void two_particles_always_resampled(void **state) {
    two_particles(state, CP_RESAMPLE_SYSTEMATIC, 2);
}

static void two_particles_sometimes_resampled(void **state) {
    two_particles(state, CP_RESAMPLE_STRATIFIED, 0.95);
}

/* A reference with a prior that is a little different does not agree. */
static void another_prior_is_noticed(void **state) {
    (void)state;
    for (int numbers = 0; numbers < 2; numbers++) {
        island_problem p;
        island_problem_init(&p, &tinies[TINY_SMALL - 1], numbers);
        smc_paths all = smc_paths_all(&p, &one);
        double *const hyper[] = {&p.ref.alpha_split, &p.ref.beta_split, numbers ? &p.ref.kappa : &p.ref.alpha};
        assert_true(smc_paths_error(&p, &all) < EXACT);
        for (size_t i = 0; i < COUNT(hyper); i++) {
            double was = *hyper[i];
            *hyper[i] *= 1.001;
            island_judge(&p);
            assert_true(smc_paths_error(&p, &all) > 1e-6);
            *hyper[i] = was;
        }
        island_problem_clear(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_particle),
        cmocka_unit_test(two_particles_always_resampled),
        cmocka_unit_test(two_particles_sometimes_resampled),
        cmocka_unit_test(another_prior_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
