/* Particle Gibbs leaves a tree's conditional posterior as it is: by listing all that particles can do, for every
 * proposal, whatever undecided nodes count for, resampled always, at times or never, whole trees and parts of them. */
#include "pg_paths.h"

#define EXACT 1e-12

static const char *const proposals[] = {"prior", "mixed", "optimal"};

/* The kernel for one setting: nothing is lost, the posterior stays, and trees do change. */
static size_t check(bart_tiny *w, const cp_bart_sampler_options *opt) {
    pg_kernel k = pg_kernel_of(w, opt);
    double loss = pg_kernel_loss(&k), drift = pg_kernel_drift(&k, w->pi), left = 0;
    size_t paths = k.paths;
    assert_int_equal(k.mistold, 0);
    if (!(loss < EXACT && drift < EXACT))
        fail_msg("%s, %s, promise %d, %zu particles, threshold %g, below %g: lost %g, drift %g", w->of->name,
                 proposals[opt->proposal], (int)opt->lookahead, opt->particles, opt->ess_threshold, opt->descend_prob,
                 loss, drift);
    for (size_t s = 0; s < k.states; s++) left += 1 - k.p[s * k.states + s];
    if (k.states > 1) assert_true(left > 0.1);
    pg_kernel_clear(&k);
    return paths;
}

typedef struct range {
    size_t first, last; /* of tinies */
    size_t particles;
    double below;
} range;

static void check_range(range r) {
    static const double noise[] = {0.8, 0.05}, threshold[] = {1, 0.6, 0};
    for (size_t t = r.first; t <= r.last; t++) {
        size_t paths = 0;
        for (size_t i = r.particles > 2; i < COUNT(noise); i++) { /* three particles take long */
            bart_tiny w;
            bart_tiny_init(&w, &tinies[t], 0.7, noise[i]);
            for (size_t k = 0; k < 3 * 2 * COUNT(threshold); k++) {
                const cp_bart_sampler_options opt = {.particles = r.particles,
                                                     .proposal = (cp_bart_pg_proposal)(k % 3),
                                                     .lookahead = (cp_bart_pg_lookahead)(k / 3 % 2),
                                                     .columns = 1,
                                                     .ess_threshold = threshold[k / 6],
                                                     .descend_prob = r.below};
                paths += check(&w, &opt);
            }
            bart_tiny_clear(&w);
        }
        print_message("%s: %zu ways\n", tinies[t].name, paths);
    }
}

static void two_particles(void **state) {
    (void)state;
    check_range((range){0, 5, 2, 0});
}

static void three_particles(void **state) {
    (void)state;
    check_range((range){0, 4, 3, 0});
}

/* With two particles resampling by any scheme but the first leaves hardly a choice; three take long, so only few are
 * tried. */
static void all_ways_to_resample(void **state) {
    (void)state;
    for (int scheme = CP_RESAMPLE_SYSTEMATIC; scheme <= CP_RESAMPLE_STRATIFIED; scheme++)
        for (size_t t = 3; t < 6; t++) {
            bart_tiny w;
            size_t paths = 0;
            bart_tiny_init(&w, &tinies[t], 0.7, 0.3);
            for (int proposal = 0; proposal < 3; proposal++) {
                const cp_bart_sampler_options opt = {.particles = t < 5 && (t < 4 || proposal < 1) ? 3 : 2,
                                                     .proposal = (cp_bart_pg_proposal)proposal,
                                                     .columns = 1,
                                                     .resampling = (cp_resampling)scheme,
                                                     .ess_threshold = 1};
                paths += check(&w, &opt);
            }
            print_message("scheme %d, %s: %zu ways\n", scheme, w.of->name, paths);
            bart_tiny_clear(&w);
        }
}

static void parts_of_trees(void **state) {
    (void)state;
    check_range((range){0, 5, 2, 0.4});
}

static void columns_that_are_not_alike(void **state) {
    (void)state;
    bart_tiny w;
    double s[2] = {0.85, 0.15}, sum[2] = {0.85, 1};
    bart_tiny_init(&w, &tinies[4], 0.7, 0.1);
    w.split_probs = (cp_bart_split_probs){.dims = 2, .opt_s = s, .opt_sum = sum};
    for (size_t i = 0; i < w.all.n; i++)
        for (size_t k = 0; k < w.all.tree[i].nodes; k++) { /* of two rows, and of three, both columns vary */
            int dim = w.all.tree[i].node[k].dim;
            if (dim >= 0) w.pi[i] *= 2 * s[dim];
        }
    double total = 0;
    for (size_t i = 0; i < w.all.n; i++) total += w.pi[i];
    for (size_t i = 0; i < w.all.n; i++) w.pi[i] /= total;
    for (int proposal = 0; proposal < 3; proposal++) {
        const cp_bart_sampler_options opt = {.particles = 2,
                                             .proposal = (cp_bart_pg_proposal)proposal,
                                             .lookahead = CP_BART_PG_LOOKAHEAD_LEVELS,
                                             .columns = 1,
                                             .ess_threshold = 1};
        check(&w, &opt);
    }
    bart_tiny_clear(&w);
}

static void no_likelihood(void **state) {
    (void)state;
    bart_tiny w;
    bart_tiny_init(&w, &tinies[5], 0.7, 0.1);
    w.view.r = NULL;
    double total = 0;
    for (size_t i = 0; i < w.all.n; i++) total += w.pi[i] = exp(w.all.tree[i].log_prior);
    for (size_t i = 0; i < w.all.n; i++) w.pi[i] /= total;
    for (int proposal = 0; proposal < 3; proposal++) {
        const cp_bart_sampler_options opt = {
            .particles = 2, .proposal = (cp_bart_pg_proposal)proposal, .columns = 1, .ess_threshold = 0.5};
        check(&w, &opt);
    }
    bart_tiny_clear(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_particles),
        cmocka_unit_test(three_particles),
        cmocka_unit_test(all_ways_to_resample),
        cmocka_unit_test(parts_of_trees),
        cmocka_unit_test(columns_that_are_not_alike),
        cmocka_unit_test(no_likelihood),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
