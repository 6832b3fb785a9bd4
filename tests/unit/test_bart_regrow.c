/* Particle Gibbs on trees of a few hundred rows: what it leaves is a tree, whatever is asked and whatever fails. */
#include "bart/pg/bart_pg.h"
#include "bart_world.h"

static const cp_bart_sampler_options settings[] = {
    {.particles = 10, .proposal = CP_BART_PG_PRIOR, .ess_threshold = 1},
    {.particles = 3,
     .proposal = CP_BART_PG_MIXED,
     .lookahead = CP_BART_PG_LOOKAHEAD_LEVELS,
     .columns = 2,
     .ess_threshold = 0.5},
    {.particles = 5,
     .proposal = CP_BART_PG_OPTIMAL,
     .lookahead = CP_BART_PG_LOOKAHEAD_LEVELS,
     .ess_threshold = 0.5,
     .descend_prob = 0.6},
    {.move_prob = {0.25, 0.25, 0.4, 0.1},
     .particles = 4,
     .proposal = CP_BART_PG_PRIOR,
     .ess_threshold = 0,
     .descend_prob = 0.9,
     .mh_moves = 3},
};

static void trees_stay_whole(void **state) {
    (void)state;
    copse_error err;
    uint64_t changed = 0;
    for (size_t k = 0; k < COUNT(settings) * COUNT(bart_shapes); k++) {
        const bart_shape *shape = &bart_shapes[k / COUNT(settings)];
        bart_world w;
        void *sampler;
        cp_rng rng;
        cp_bart_tally tally = {0};
        cp_rng_init(&rng, seed_of("whole"), CP_FOR_TEST, (uint32_t)k, 0);
        bart_world_init(&w, shape, &rng);
        w.view.noise_var = k % 3 ? 0.8 : 0.01;
        must(cp_bart_pg_sampler.make(&w.columns, &settings[k % COUNT(settings)], &sampler, &err), err);
        for (int step = 0; step < 20; step++) {
            bart_world_sum(&w);
            must(cp_bart_pg_sampler.step(sampler, &w.view, &w.tree, &rng, &tally, &err), err);
            bart_world_holds(&w);
        }
        changed += tally.accepted[CP_BART_REGROW];
        assert_true(tally.accepted[CP_BART_REGROW] <= tally.proposed[CP_BART_REGROW]);
        cp_bart_pg_sampler.free(sampler);
        bart_world_clear(&w);
    }
    print_message("%llu steps changed a tree\n", (unsigned long long)changed);
    assert_true(changed > 20);
}

/* Particles meet the greatest number of leaves there may be, and stop. */
static void trees_end_at_the_most_leaves(void **state) {
    (void)state;
    const bart_shape shape = {.rows = 2000, .dims = 2, .prior = {0.9, 0}};
    copse_error err;
    for (int proposal = 0; proposal < 3; proposal++) {
        const cp_bart_sampler_options opt = {
            .particles = 3, .proposal = (cp_bart_pg_proposal)proposal, .columns = 1, .ess_threshold = 1};
        bart_world w;
        void *sampler;
        cp_rng rng;
        cp_bart_tally tally = {0};
        cp_rng_init(&rng, seed_of("most leaves"), CP_FOR_TEST, (uint32_t)proposal, 0);
        bart_world_init(&w, &shape, &rng);
        while (cp_bart_tree_leaves(&w.tree) < CP_BART_MAX_LEAVES) bart_world_shake(&w, 0, &rng);
        must(cp_bart_pg_sampler.make(&w.columns, &opt, &sampler, &err), err);
        for (int step = 0; step < 3; step++) {
            bart_world_sum(&w);
            must(cp_bart_pg_sampler.step(sampler, &w.view, &w.tree, &rng, &tally, &err), err);
            bart_world_holds(&w);
        }
        cp_bart_pg_sampler.free(sampler);
        bart_world_clear(&w);
    }
}

static void without_memory_the_tree_stays(void **state) {
    (void)state;
    copse_error err;
    bart_world w;
    cp_rng rng;
    cp_rng_init(&rng, seed_of("no memory"), CP_FOR_TEST, 0, 0);
    bart_world_init(&w, &bart_shapes[0], &rng);
    const cp_bart_sampler_options *opt = &settings[3];
    copse_status status = COPSE_E_MEMORY;
    long failing = 0;
    for (; status; failing++) {
        void *sampler = NULL;
        cp_bart_tally tally = {0};
        cp_mem_fail_after(failing);
        status = cp_bart_pg_sampler.make(&w.columns, opt, &sampler, &err);
        for (int step = 0; step < 5 && !status; step++)
            status = cp_bart_pg_sampler.step(sampler, &w.view, &w.tree, &rng, &tally, &err);
        cp_mem_fail_after(-1);
        assert_true(status == COPSE_OK || status == COPSE_E_MEMORY);
        bart_world_sum(&w);
        bart_world_holds(&w);
        if (sampler) cp_bart_pg_sampler.free(sampler);
    }
    assert_true(failing > 10);
    bart_world_clear(&w);
}

static void nothing_is_allocated_when_warm(void **state) {
    (void)state;
    copse_error err;
    bart_world w;
    void *sampler;
    cp_rng rng;
    cp_bart_tally tally = {0};
    bart_world_init(&w, &bart_shapes[0], (cp_rng_init(&rng, seed_of("warm"), CP_FOR_TEST, 0, 0), &rng));
    must(cp_bart_pg_sampler.make(&w.columns, &settings[2], &sampler, &err), err);
    for (int step = 0; step < 200; step++)
        must(cp_bart_pg_sampler.step(sampler, &w.view, &w.tree, &rng, &tally, &err), err);
    size_t before = cp_mem_count();
    for (int step = 0; step < 50; step++)
        must(cp_bart_pg_sampler.step(sampler, &w.view, &w.tree, &rng, &tally, &err), err);
    assert_in_range(cp_mem_count() - before, 0, 2); /* a tree larger than any before may still need room */
    cp_bart_pg_sampler.free(sampler);
    bart_world_clear(&w);
}

static void what_cannot_be_is_refused(void **state) {
    (void)state;
    static const cp_bart_sampler_options bad[] = {
        {.particles = 1},
        {.particles = 10, .proposal = CP_BART_PG_MIXED},
    };
    bart_world w;
    cp_rng rng;
    cp_rng_init(&rng, seed_of("refused"), CP_FOR_TEST, 0, 0);
    bart_world_init(&w, &bart_shapes[0], &rng);
    for (size_t i = 0; i < COUNT(bad); i++) {
        copse_error err;
        void *sampler;
        assert_int_equal(cp_bart_pg_sampler.make(&w.columns, &bad[i], &sampler, &err), COPSE_E_USAGE);
        assert_null(sampler);
    }
    bart_world_clear(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_stay_whole),
        cmocka_unit_test(trees_end_at_the_most_leaves),
        cmocka_unit_test(without_memory_the_tree_stays),
        cmocka_unit_test(nothing_is_allocated_when_warm),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
