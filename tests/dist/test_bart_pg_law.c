/* Particle Gibbs as users run it: trees that begin as draws from the posterior, listed and summed, are draws from it a
 * few steps later.  And with a wrong noise they are not. */
#include "bart/pg/bart_pg.h"
#include "bart_tiny.h"
#include "ks.h"
#include "num/draw.h"

enum { DRAWS = 10000, STEPS = 3 };

static size_t draw_index(const double *p, size_t n, cp_rng *rng) {
    double at = cp_rng_unit(rng);
    size_t i = 0;
    while (i + 1 < n && at >= p[i]) at -= p[i++];
    return i;
}

/* The largest distance of the cdf over numbers of trees from what it should be. */
static double distance(bart_tiny *w, const cp_bart_sampler_options *opt, const char *name) {
    copse_error err;
    void *sampler;
    double *count = calloc(w->all.n, sizeof *count), most = 0, sum = 0;
    must(cp_bart_pg_sampler.make(&w->columns, opt, &sampler, &err), err);
    for (uint32_t i = 0; i < DRAWS; i++) {
        cp_bart_tree tree;
        cp_bart_tally tally = {0};
        cp_rng rng;
        cp_rng_init(&rng, seed_of(name), CP_FOR_TEST, i, 0);
        must(cp_bart_tree_init(&tree, &w->view, w->slot, &err), err);
        bart_tiny_plant(w, draw_index(w->pi, w->all.n, &rng), &tree);
        for (int s = 0; s < STEPS; s++)
            must(cp_bart_pg_sampler.step(sampler, &w->view, &tree, &rng, &tally, &err), err);
        count[bart_tiny_find(w, &tree)]++;
        cp_bart_tree_clear(&tree);
    }
    for (size_t i = 0; i < w->all.n; i++) {
        sum += count[i] / DRAWS - w->pi[i];
        most = fmax(most, fabs(sum));
    }
    cp_bart_pg_sampler.free(sampler);
    free(count);
    return most;
}

static const cp_bart_sampler_options settings[] = {
    {.particles = 10, .proposal = CP_BART_PG_PRIOR, .ess_threshold = 1},
    {.particles = 4, .proposal = CP_BART_PG_PRIOR, .lookahead = CP_BART_PG_LOOKAHEAD_LEVELS, .ess_threshold = 0.5},
    {.particles = 5, .proposal = CP_BART_PG_MIXED, .columns = 1, .ess_threshold = 1},
    {.particles = 5, .proposal = CP_BART_PG_OPTIMAL, .ess_threshold = 0.7},
    {.particles = 5,
     .proposal = CP_BART_PG_OPTIMAL,
     .lookahead = CP_BART_PG_LOOKAHEAD_LEVELS,
     .ess_threshold = 0.5,
     .descend_prob = 0.5},
    {.particles = 8, .resampling = CP_RESAMPLE_SYSTEMATIC, .ess_threshold = 1},
    {.particles = 8, .resampling = CP_RESAMPLE_RESIDUAL, .ess_threshold = 1},
    {.particles = 8, .resampling = CP_RESAMPLE_STRATIFIED, .ess_threshold = 1},
    {.move_prob = {.25, .25, .4, .1},
     .particles = 3,
     .proposal = CP_BART_PG_MIXED,
     .columns = 1,
     .ess_threshold = 1,
     .descend_prob = 0.3,
     .mh_moves = 2},
};

static void draws_stay_draws(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(settings); i++) {
        bart_tiny w;
        char name[64];
        snprintf(name, sizeof name, "particle Gibbs, setting %zu", i);
        bart_tiny_init(&w, &tinies[COUNT(tinies) - 1], 0.9, 0.2);
        double d = distance(&w, &settings[i], name);
        print_message("%s: %g of %g\n", name, d, ks_bound_one(DRAWS));
        assert_true(d < ks_bound_one(DRAWS));
        w.view.noise_var = 0.6;
        assert_true(distance(&w, &settings[i], name) > ks_bound_one(DRAWS));
        bart_tiny_clear(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(draws_stay_draws)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
