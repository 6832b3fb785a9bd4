/* Chains: invariants, the same draws for any number of threads and in any number of sittings, memory that runs out, and
 * files that lie. */
#include "base/mem.h"
#include "base/parallel.h"
#include "btree/btree_chain.h"
#include "btree/btree_mcmc_file.h"
#include "sample.h"

static const cp_btree_hyper hyper = {.split = {.95, .5}, .alpha = 2, .kappa = .1, .nu = 3, .lambda = .1};
static const cp_btree_mcmc_options options = {.move = {.25, .25, .4, .1}, .burn_in = 150, .samples = 100, .thin = 7};
enum { SWEEPS = 150 + 100 * 7 };

typedef struct world {
    sample s;
    cp_btree_problem b;
} world;

static void init_world(world *w, const char *name, size_t classes) {
    copse_error err;
    w->s = make_sample(name, 120, 3, classes, classes ? 0 : 6);
    must(cp_btree_problem_init(&w->b, &w->s.rows, &hyper, seed_of(name), NULL, &err), err);
}

static void clear_world(world *w) {
    cp_btree_problem_clear(&w->b);
    free_sample(&w->s);
}

static cp_btree_chain *new_chain(const world *w, const cp_btree_mcmc_options *opt, size_t number) {
    copse_error err;
    cp_btree_chain *c = NULL;
    must(cp_btree_mcmc_new(&w->b, opt, number, &c, &err), err);
    return c;
}

static void must_hold(const cp_btree_chain *c) {
    const char *bad = cp_btree_chain_check(c);
    if (bad) fail_msg("%s", bad);
}

static void must_equal(const cp_btree_chain *a, const cp_btree_chain *b) {
    size_t n = a->trace.samples;
    assert_int_equal(a->done, b->done);
    assert_int_equal(n, b->trace.samples);
    assert_memory_equal(a->trace.log_post, b->trace.log_post, n * sizeof *a->trace.log_post);
    assert_memory_equal(a->trace.leaves, b->trace.leaves, n * sizeof *a->trace.leaves);
    assert_memory_equal(a->trace.proposed, b->trace.proposed, sizeof a->trace.proposed);
    assert_memory_equal(a->trace.accepted, b->trace.accepted, sizeof a->trace.accepted);
    assert_memory_equal(a->tree.row, b->tree.row, a->tree.rows * sizeof *a->tree.row);
    assert_int_equal(a->tree_set.nodes, b->tree_set.nodes);
    assert_int_equal(a->tree_set.leaves, b->tree_set.leaves);
    assert_int_equal(a->tree_set.trees, b->tree_set.trees);
    assert_memory_equal(a->tree_set.node, b->tree_set.node, a->tree_set.nodes * sizeof *a->tree_set.node);
    assert_memory_equal(a->tree_set.stat, b->tree_set.stat,
                        a->tree_set.leaves * a->tree_set.width * sizeof *a->tree_set.stat);
    assert_memory_equal(a->tree_set.root, b->tree_set.root, a->tree_set.trees * sizeof *a->tree_set.root);
    assert_memory_equal(a->tree_set.weight, b->tree_set.weight, a->tree_set.trees * sizeof *a->tree_set.weight);
}

/* Writes a chain and reads it, in place of it. */
static void through_a_file(cp_btree_chain **c, const world *w, const cp_btree_mcmc_options *opt, size_t number) {
    copse_error err;
    cp_writer *file = NULL;
    cp_reader *r = NULL;
    const unsigned char *bytes;
    size_t n;
    must(cp_writer_new(&file, &err), err);
    must(cp_btree_mcmc_file_write(*c, file, &err), err);
    must(cp_writer_finish(file, &bytes, &n, &err), err);
    cp_btree_mcmc_free(*c);
    *c = NULL;
    must(cp_reader_new(bytes, n, &r, &err), err);
    must(cp_btree_mcmc_file_read(r, &w->b, opt, number, c, &err), err);
    cp_reader_free(r);
    cp_writer_free(file);
}

/* ---------------------------------------------------------------------------------------------------------- running */

static void invariants_hold_after_every_iteration(void **state) {
    (void)state;
    for (size_t classes = 0; classes <= 3; classes += 3) {
        world w;
        copse_error err;
        init_world(&w, "chain invariants", classes);
        cp_btree_chain *c = new_chain(&w, &options, 0);
        must_hold(c);
        for (size_t i = 1; i <= SWEEPS; i++) {
            must(cp_btree_mcmc_run(c, 1, NULL, &err), err);
            assert_int_equal(cp_btree_mcmc_done(c), i);
            must_hold(c);
        }
        must(cp_btree_mcmc_run(c, 0, NULL, &err), err);
        assert_int_equal(cp_btree_mcmc_done(c), SWEEPS);
        assert_int_equal(c->trace.samples, options.samples);
        assert_true(c->tree_set.trees > 10);
        cp_btree_mcmc_free(c);
        clear_world(&w);
    }
}

/* What is kept is a tree of the rows: walked down, each row arrives at the leaf that has counted it. */
static void kept_trees_know_their_rows(void **state) {
    (void)state;
    world w;
    copse_error err;
    cp_tree_set tree_set;
    cp_btree_trace trace;
    cp_tree_set_walker walker;
    init_world(&w, "kept trees", 3);
    cp_btree_chain *c = new_chain(&w, &options, 0);
    must(cp_btree_mcmc_run(c, 0, NULL, &err), err);
    must(cp_tree_set_init(&tree_set, w.s.rows.dims, 3, &err), err);
    must(cp_btree_mcmc_finish(c, &tree_set, &trace, &err), err);
    cp_btree_mcmc_clear_trace(&trace);
    must(cp_btree_mcmc_finish(c, &tree_set, &trace, &err), err);
    must(cp_tree_set_finish(&tree_set, &err), err);
    assert_null(cp_tree_set_check(&tree_set));
    assert_int_equal(tree_set.trees, c->tree_set.trees);
    must(cp_tree_set_walker_init(&walker, &tree_set, &err), err);
    double *count = malloc(tree_set.leaves * 3 * sizeof *count);
    for (size_t t = 0; t < tree_set.trees; t++) {
        memset(count, 0, tree_set.leaves * 3 * sizeof *count);
        for (size_t i = 0; i < w.s.rows.n; i++) {
            cp_tree_set_walk(&walker, (int32_t)t, w.s.x + i * w.s.rows.dims);
            assert_int_equal(walker.arrivals, 1);
            count[3 * (size_t)walker.arrival[0].leaf + (size_t)w.s.label[i]]++;
        }
        /* Leaves that are equal are one, and then count as many rows as there are such leaves. */
        for (size_t l = 0; l < tree_set.leaves; l++) {
            const double *have = count + 3 * l, *said = tree_set.stat + 3 * l;
            double times = 0;
            for (int k = 0; k < 3; k++)
                if (said[k] > 0) times = have[k] / said[k];
            assert_true(times == floor(times));
            for (int k = 0; k < 3; k++) assert_true(have[k] == times * said[k]);
        }
    }
    free(count);
    cp_tree_set_walker_clear(&walker);
    cp_tree_set_clear(&tree_set);
    cp_btree_mcmc_clear_trace(&trace);
    cp_btree_mcmc_free(c);
    clear_world(&w);
}

typedef struct team {
    cp_btree_chain *chain[7];
} team;

static copse_status run_one(void *arg, size_t i, size_t worker, copse_error *err) {
    (void)worker;
    return cp_btree_mcmc_run(((team *)arg)->chain[i], 0, NULL, err);
}

static void threads_change_nothing(void **state) {
    (void)state;
    world w;
    copse_error err;
    team t[3];
    const int threads[3] = {1, 2, 7};
    init_world(&w, "threads", 0);
    for (int i = 0; i < 3; i++) {
        copse_run run = {.threads = threads[i]};
        for (size_t k = 0; k < 7; k++) t[i].chain[k] = new_chain(&w, &options, k);
        must(cp_parallel_for(&run, (size_t)threads[i], 7, NULL, run_one, &t[i], &err), err);
    }
    for (size_t k = 0; k < 7; k++) {
        must_equal(t[0].chain[k], t[1].chain[k]);
        must_equal(t[0].chain[k], t[2].chain[k]);
        if (k) assert_true(t[0].chain[k]->trace.log_post[99] != t[0].chain[0]->trace.log_post[99]);
    }
    for (int i = 0; i < 3; i++)
        for (size_t k = 0; k < 7; k++) cp_btree_mcmc_free(t[i].chain[k]);
    clear_world(&w);
}

static void sittings_change_nothing(void **state) {
    (void)state;
    for (size_t classes = 0; classes <= 3; classes += 3) {
        world w;
        copse_error err;
        cp_rng rng;
        init_world(&w, "sittings", classes);
        cp_rng_init(&rng, seed_of("sittings"), CP_FOR_TEST, 0, 0);
        cp_btree_chain *whole = new_chain(&w, &options, 3), *parts = new_chain(&w, &options, 3);
        must(cp_btree_mcmc_run(whole, 0, NULL, &err), err);
        while (cp_btree_mcmc_done(parts) < SWEEPS) {
            must(cp_btree_mcmc_run(parts, (size_t)cp_rng_below(&rng, 40) + 1, NULL, &err), err);
            through_a_file(&parts, &w, &options, 3);
            must_hold(parts);
        }
        must_equal(whole, parts);
        cp_btree_mcmc_free(whole);
        cp_btree_mcmc_free(parts);
        clear_world(&w);
    }
}

/* A finished chain may be asked for more. */
static void more_samples_go_on_where_it_ended(void **state) {
    (void)state;
    world w;
    copse_error err;
    cp_btree_mcmc_options few = options;
    few.samples = 30;
    init_world(&w, "more", 3);
    cp_btree_chain *whole = new_chain(&w, &options, 0), *parts = new_chain(&w, &few, 0);
    must(cp_btree_mcmc_run(whole, 0, NULL, &err), err);
    must(cp_btree_mcmc_run(parts, 0, NULL, &err), err);
    assert_int_equal(parts->trace.samples, 30);
    through_a_file(&parts, &w, &options, 0);
    must(cp_btree_mcmc_run(parts, 0, NULL, &err), err);
    must_equal(whole, parts);
    cp_btree_mcmc_free(whole);
    cp_btree_mcmc_free(parts);
    clear_world(&w);
}

static void a_stopped_chain_stands_between_iterations(void **state) {
    (void)state;
    world w;
    copse_error err;
    copse_flag stop = 1;
    copse_run run = {.stop = &stop};
    init_world(&w, "stopped", 0);
    cp_btree_chain *c = new_chain(&w, &options, 0);
    must(cp_btree_mcmc_run(c, 333, NULL, &err), err);
    assert_int_equal(cp_btree_mcmc_run(c, 0, &run, &err), COPSE_E_STOPPED);
    assert_int_equal(cp_btree_mcmc_done(c), 333);
    must_hold(c);
    cp_btree_mcmc_free(c);
    clear_world(&w);
}

/* ----------------------------------------------------------------------------------------------------------- memory */

/* Any allocation fails; then there is memory again, and the chain goes on as if nothing had been. */
static void memory_may_run_out_at_any_time(void **state) {
    (void)state;
    world w;
    copse_error err;
    init_world(&w, "memory", 0);
    cp_btree_chain *whole = new_chain(&w, &options, 0), *c = NULL;
    must(cp_btree_mcmc_run(whole, 0, NULL, &err), err);
    for (long k = 0, failures = 1; failures; k++) {
        copse_status status;
        failures = 0;
        assert_true(k < 1000);
        cp_mem_fail_after(k);
        status = cp_btree_mcmc_new(&w.b, &options, 0, &c, &err);
        if (status) {
            cp_mem_fail_after(-1);
            assert_int_equal(status, COPSE_E_MEMORY);
            failures = 1;
            continue;
        }
        if ((status = cp_btree_mcmc_run(c, 0, NULL, &err)) != COPSE_OK) {
            cp_mem_fail_after(-1);
            assert_int_equal(status, COPSE_E_MEMORY);
            must_hold(c);
            through_a_file(&c, &w, &options, 0);
            must(cp_btree_mcmc_run(c, 0, NULL, &err), err);
            failures = 1;
        }
        cp_mem_fail_after(-1);
        must_equal(whole, c);
        cp_btree_mcmc_free(c);
    }
    cp_btree_mcmc_free(whole);
    clear_world(&w);
}

static copse_status write_and_read(const cp_btree_chain *c, const world *w, copse_error *err) {
    copse_status status;
    cp_writer *file = NULL;
    cp_reader *r = NULL;
    cp_btree_chain *again = NULL;
    cp_tree_set tree_set = {0};
    cp_btree_trace trace = {0};
    const unsigned char *bytes;
    size_t n;
    CP_TRY_OUT(cp_writer_new(&file, err));
    CP_TRY_OUT(cp_btree_mcmc_file_write(c, file, err));
    CP_TRY_OUT(cp_writer_finish(file, &bytes, &n, err));
    CP_TRY_OUT(cp_reader_new(bytes, n, &r, err));
    CP_TRY_OUT(cp_btree_mcmc_file_read(r, &w->b, &options, 0, &again, err));
    CP_TRY_OUT(cp_tree_set_init(&tree_set, w->s.rows.dims, w->b.leaf.width, err));
    CP_TRY_OUT(cp_btree_mcmc_finish(again, &tree_set, &trace, err));
out:
    cp_btree_mcmc_clear_trace(&trace);
    cp_tree_set_clear(&tree_set);
    cp_btree_mcmc_free(again);
    cp_reader_free(r);
    cp_writer_free(file);
    return status;
}

static void memory_may_run_out_over_files(void **state) {
    (void)state;
    world w;
    copse_error err;
    init_world(&w, "memory of files", 3);
    cp_btree_chain *c = new_chain(&w, &options, 0);
    must(cp_btree_mcmc_run(c, 400, NULL, &err), err);
    for (long k = 0;; k++) {
        assert_true(k < 1000);
        cp_mem_fail_after(k);
        copse_status status = write_and_read(c, &w, &err);
        cp_mem_fail_after(-1);
        if (!status) break;
        assert_int_equal(status, COPSE_E_MEMORY);
    }
    cp_btree_mcmc_free(c);
    clear_world(&w);
}

static void iterations_allocate_only_what_is_kept(void **state) {
    (void)state;
    world w;
    copse_error err;
    cp_btree_mcmc_options opt = options;
    opt.burn_in = 5000;
    init_world(&w, "allocations", 3);
    cp_btree_chain *c = new_chain(&w, &opt, 0);
    must(cp_moves_reserve(&c->moves, &c->tree, w.s.rows.n, &err), err);
    size_t before = cp_mem_count();
    must(cp_btree_mcmc_run(c, 5000, NULL, &err), err);
    assert_int_equal(cp_mem_count(), before);
    cp_btree_mcmc_free(c);
    clear_world(&w);
}

/* ------------------------------------------------------------------------------------------------------------ files */

/* Each way to lie is one change to a sound chain, written as it is; reading must find it.  0 when there are no more. */
static int lie(cp_btree_chain *c, int how) {
    cp_tree_set *g = &c->tree_set;
    size_t split = g->nodes - 1;
    while (g->node[split].dim == CP_NONE) split--;
    switch (how) {
        case 0: c->done++; break;
        case 1: c->done = SIZE_MAX / 4; break;
        case 2: c->trace.samples--; break;
        case 3: c->trace.log_post[2] = NAN; break;
        case 4: c->trace.log_post[c->trace.samples - 1] += 1e-9; break;
        case 5: c->trace.leaves[1] = 0; break;
        case 6: c->trace.leaves[0] = 1000000; break;
        case 7: c->trace.accepted[1] = c->trace.proposed[1] + 1; break;
        case 8: c->trace.proposed[2] = UINT64_MAX - 3; break;
        case 9: c->trace.proposed[0]++; break;
        case 10: g->weight[0] += 1; break;
        case 11: g->weight[0] = -1; break;
        case 12: g->weight[0] = .5; break;
        case 13: g->root[0] = (int32_t)g->nodes; break;
        case 14: g->root[1] = g->root[0]; break;
        case 15: g->node[split].left = (int32_t)split; break;
        case 16: g->node[split].right = -2; break;
        case 17: g->node[split].dim = 3; break;
        case 18: g->node[split].high = g->node[split].low; break;
        case 19: g->node[split].low = NAN; break;
        case 20: g->node[split] = g->node[split - 1]; break;
        case 21: g->stat[0] = -1; break;
        case 22: g->stat[1] = INFINITY; break;
        case 23: g->stat[0] = .5; break;
        case 24: g->stat[2] = 1e6; break;
        case 25: g->leaves--; break;
        case 26: g->nodes--; break;
        case 27: g->trees--; break;
        case 28: c->tree.node[0].rule.dim = 77; break;
        case 29: c->tree.node[0].left = CP_NONE; break;
        default: return 0;
    }
    return 1;
}

static void files_are_not_believed(void **state) {
    (void)state;
    world w;
    copse_error err;
    init_world(&w, "hostile chains", 3);
    for (int how = 0;; how++) {
        cp_btree_chain *c = new_chain(&w, &options, 0);
        must(cp_btree_mcmc_run(c, 150 + 50 * 7, NULL, &err), err);
        must(write_and_read(c, &w, &err), err);
        int lied = lie(c, how);
        if (lied && write_and_read(c, &w, &err) != COPSE_E_MODEL) fail_msg("lie %d is believed", how);
        cp_btree_mcmc_free(c);
        if (!lied) break;
    }
    clear_world(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(invariants_hold_after_every_iteration),
        cmocka_unit_test(kept_trees_know_their_rows),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(sittings_change_nothing),
        cmocka_unit_test(more_samples_go_on_where_it_ended),
        cmocka_unit_test(a_stopped_chain_stands_between_iterations),
        cmocka_unit_test(memory_may_run_out_at_any_time),
        cmocka_unit_test(memory_may_run_out_over_files),
        cmocka_unit_test(iterations_allocate_only_what_is_kept),
        cmocka_unit_test(files_are_not_believed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
