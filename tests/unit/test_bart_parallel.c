/* Several threads at the rows of one chain: every pass against the one that a single thread makes, whole chains against
 * each other, to the bit; latents of rows beyond the first stretch; memory that runs out. */
#include "bart/draws/bart_chain_state.h"
#include "bart/mh/bart_mh.h"
#include "base/mem.h"
#include "ks.h"
#include "num/special.h"
#include "sample.h"

static const size_t threads[] = {2, 3, 7};

/* ----------------------------------------------------------------------------------------------------------- passes */

enum { MOST = 50001 };

typedef struct world {
    size_t n;
    uint8_t slot[MOST], before[MOST];
    float r[MOST], weight[MOST], add[CP_LEAF_PASS_MAX], add_before[CP_LEAF_PASS_MAX];
    uint16_t code[MOST];
    cp_bart_columns columns;
    cp_bart_view view;
} world;

static world a, b; /* too large for a stack */

static void make_world(size_t n, size_t slots, int weighted, cp_rng *rng) {
    a = (world){.n = n};
    for (size_t i = 0; i < n; i++) {
        a.slot[i] = (uint8_t)(cp_rng_unit(rng) * cp_rng_unit(rng) * (double)slots);
        a.before[i] = (uint8_t)cp_rng_below(rng, slots);
        a.r[i] = (float)cp_draw_normal(rng);
        a.weight[i] = (float)cp_draw_exp(rng);
        a.code[i] = (uint16_t)cp_rng_below(rng, 65536);
    }
    for (size_t g = 0; g < slots; g++) {
        a.add[g] = (float)cp_draw_normal(rng);
        a.add_before[g] = (float)cp_draw_normal(rng);
    }
    b = a;
    for (world *w = &a;; w = &b) {
        w->columns =
            (cp_bart_columns){.ranks = {.rows = n, .dims = 1}, .code = w->code, .leaf_pass = cp_leaf_pass_best()};
        w->view = (cp_bart_view){.columns = &w->columns, .r = w->r, .opt_weight = weighted ? w->weight : NULL};
        if (w == &b) break;
    }
}

static void must_move_alike(const cp_bart_parallel *h, size_t slots, int weighted, int has_before, int sums) {
    const cp_leaf_pass *k = cp_leaf_pass_best();
    double of_a[CP_LEAF_PASS_MAX] = {0}, of_b[CP_LEAF_PASS_MAX] = {0};
    const cp_leaf_pass_values x = {a.r, weighted ? a.weight : NULL, a.n}, y = {b.r, weighted ? b.weight : NULL, b.n};
    const cp_leaf_pass_shift first = {a.before, a.add_before, slots}, second = {a.slot, a.add, slots};
    k->move(&x, has_before ? &first : NULL, &second, sums ? of_a : NULL);
    cp_bart_parallel_move(h, k, &y, has_before ? &first : NULL, &second, sums ? of_b : NULL);
    assert_memory_equal(a.r, b.r, a.n * sizeof *a.r);
    assert_memory_equal(of_a, of_b, sizeof of_a);
    const double one = k->squares(&x), other = cp_bart_parallel_squares(h, k, &y);
    assert_memory_equal(&one, &other, sizeof one);
}

static void must_part_alike(uint8_t s, uint16_t cell) {
    const cp_bart_group here = {a.slot, s}, there = {b.slot, s};
    const cp_leaf_pass_cut cut = {a.code, cell};
    uint16_t one[2], other[2];
    const cp_leaf_pass_side left = cp_bart_parallel_left(&a.view, here, cut),
                            again = cp_bart_parallel_left(&b.view, there, cut);
    assert_int_equal(left.rows, again.rows);
    assert_memory_equal(&left.sum_w, &again.sum_w, sizeof left.sum_w);
    assert_memory_equal(&left.sum_wr, &again.sum_wr, sizeof left.sum_wr);
    assert_int_equal(cp_bart_parallel_extent(&a.view, here, 0, one), cp_bart_parallel_extent(&b.view, there, 0, other));
    assert_memory_equal(one, other, sizeof one);
    cp_bart_parallel_split(&a.view, a.slot, s, cut, 255);
    cp_bart_parallel_split(&b.view, b.slot, s, cut, 255);
    assert_memory_equal(a.slot, b.slot, a.n);
    cp_bart_parallel_rename(&a.view, a.slot, 255, (uint8_t)(s + 1));
    cp_bart_parallel_rename(&b.view, b.slot, 255, (uint8_t)(s + 1));
    assert_memory_equal(a.slot, b.slot, a.n);
}

/* The rows of a stretch in an order that matters to the sum. */
static double harmonic(void *arg, size_t from, size_t to) {
    double sum = 0;
    assert_true(from % CP_BART_PARALLEL_BLOCK == 0 && to - from <= CP_BART_PARALLEL_BLOCK);
    for (size_t i = from; i < to; i++) sum += 1 / ((double)i + *(const double *)arg);
    return sum;
}

static void passes_are_those_of_one_thread(void **state) {
    (void)state;
    static const size_t rows[] = {2 * CP_BART_PARALLEL_ROWS, 30000, MOST}, slots[] = {1, 2, 3, 5, 13, 200};
    cp_rng rng;
    cp_rng_init(&rng, seed_of(__func__), CP_FOR_TEST, 0, 0);
    for (size_t t = 0; t < COUNT(threads); t++)
        for (size_t i = 0; i < COUNT(rows); i++)
            for (size_t k = 0; k < COUNT(slots); k++) {
                int how = (int)(t + i + k);
                copse_error err;
                cp_bart_parallel h;
                double shift = cp_rng_unit(&rng) + 1;
                must(cp_bart_parallel_open(&h, threads[t], rows[i], &err), err);
                assert_non_null(h.opt_team);
                make_world(rows[i], slots[k], how % 2, &rng);
                b.view.opt_parallel = &h;
                for (int m = 0; m < 4; m++) must_move_alike(&h, slots[k], how % 2, m % 2, m / 2);
                for (uint8_t s = 0; s < 3; s++) must_part_alike(s, (uint16_t)cp_rng_below(&rng, 65536));
                double one = cp_bart_parallel_sum(NULL, rows[i], harmonic, &shift),
                       other = cp_bart_parallel_sum(&h, rows[i], harmonic, &shift);
                assert_memory_equal(&one, &other, sizeof one);
                cp_bart_parallel_close(&h);
            }
}

static void few_rows_have_one_thread(void **state) {
    (void)state;
    size_t before = cp_mem_count();
    copse_error err;
    cp_bart_parallel h;
    must(cp_bart_parallel_open(&h, 7, 2 * CP_BART_PARALLEL_ROWS - 1, &err), err);
    assert_null(h.opt_team);
    cp_bart_parallel_close(&h);
    must(cp_bart_parallel_open(&h, 1, MOST, &err), err);
    assert_null(h.opt_team);
    cp_bart_parallel_close(&h);
    assert_int_equal(cp_mem_count(), before);
}

/* ----------------------------------------------------------------------------------------------------------- chains */

enum { ROWS = 20000, DIMS = 6, SWEEPS = 2 + 10 + 24 };

typedef struct problem {
    sample s;
    double *weight;
    cp_bart_problem b;
} problem;

static void init_problem(problem *p, const char *name, size_t classes, int sparse) {
    const cp_bart_options opt = {.sampler = &cp_bart_mh_sampler,
                                 .sampler_opt = {.move_prob = {.3, .2, .4, .1}},
                                 .trees = 6,
                                 .grow_from_root = 2,
                                 .burn_in = 10,
                                 .samples = 8,
                                 .thin = 3,
                                 .split = {.95, .5},
                                 .k = 2,
                                 .sample_k = 1,
                                 .nu = 3,
                                 .q = .9,
                                 .dart = sparse};
    copse_error err;
    *p = (problem){.s = make_sample(name, ROWS, DIMS, classes, 300), .weight = malloc(ROWS * sizeof *p->weight)};
    for (size_t i = 0; i < ROWS; i++) p->weight[i] = (double)(i % 3);
    if (sparse) p->s.rows.weight = p->weight;
    must(cp_bart_problem_init(&p->b, &p->s.rows, &opt, seed_of(name), NULL, &err), err);
}

static void clear_problem(problem *p) {
    cp_bart_problem_clear(&p->b);
    free_sample(&p->s);
    free(p->weight);
}

static cp_bart_chain *new_chain(const problem *p) {
    copse_error err;
    cp_bart_chain *c = NULL;
    must(cp_bart_chain_new(&p->b, 0, &c, &err), err);
    return c;
}

static void must_equal(const cp_bart_chain *c, const cp_bart_chain *d) {
    const cp_bart_trace *t = &c->trace, *u = &d->trace;
    assert_int_equal(c->done, SWEEPS);
    assert_int_equal(d->done, SWEEPS);
    for (size_t k = 0; k < c->problem->sums; k++) {
        assert_memory_equal(c->sum[k].r, d->sum[k].r, ROWS * sizeof *c->sum->r);
        assert_memory_equal(c->sum[k].slot, d->sum[k].slot, ROWS * c->problem->opt.trees);
        assert_int_equal(c->sum[k].draws.mus, d->sum[k].draws.mus);
        assert_memory_equal(c->sum[k].draws.mu, d->sum[k].draws.mu, c->sum[k].draws.mus * sizeof(float));
    }
    assert_memory_equal(t->sigma, u->sigma, t->draws * sizeof *t->sigma);
    assert_memory_equal(t->log_likelihood, u->log_likelihood, t->draws * sizeof *t->sigma);
    assert_memory_equal(t->fitted, u->fitted, CP_BART_TRACE_ROWS * t->capacity * sizeof *t->fitted);
    assert_memory_equal(&t->tally, &u->tally, sizeof t->tally);
}

static void must_not_depend_on_threads(const char *name, size_t classes, int sparse) {
    problem p;
    copse_error err;
    init_problem(&p, name, classes, sparse);
    cp_bart_chain *c = new_chain(&p);
    must(cp_bart_chain_run(c, 0, NULL, &err), err);
    for (int move = 0; move < CP_BART_SWAP; move++) assert_true(c->trace.tally.accepted[move] > 0);
    for (size_t t = 0; t < COUNT(threads); t++) {
        const copse_run run = {.threads = (int)threads[t]};
        cp_bart_chain *d = new_chain(&p);
        must(cp_bart_chain_run(d, 5, &run, &err), err);
        must(cp_bart_chain_run(d, 0, &run, &err), err);
        must_equal(c, d);
        assert_null(cp_bart_chain_state_check(d));
        cp_bart_chain_free(d);
    }
    cp_bart_chain_free(c);
    clear_problem(&p);
}

static void numbers_do_not_depend_on_threads(void **state) {
    (void)state;
    must_not_depend_on_threads(__func__, 0, 0);
}

static void weights_and_shares_do_not_depend_on_threads(void **state) {
    (void)state;
    must_not_depend_on_threads(__func__, 0, 1);
}

static void classes_do_not_depend_on_threads(void **state) {
    (void)state;
    must_not_depend_on_threads(__func__, 2, 0);
}

static double uniform_cdf(double x, const void *nothing) {
    (void)nothing;
    return x;
}

/* Before the first sweep f is 0 everywhere, and the latents are normal, given their signs: of all stretches, and of no
 * two the same. */
static void latents_are_normal_in_every_stretch(void **state) {
    (void)state;
    static double u[ROWS];
    problem p;
    init_problem(&p, __func__, 2, 0);
    cp_bart_chain *c = new_chain(&p);
    double zero = cp_special_normal_cdf(-p.b.offset[0]);
    for (size_t i = 0; i < ROWS; i++) {
        double at = cp_special_normal_cdf((double)c->sum->latent[i]);
        u[i] = cp_bart_problem_is_in(&p.b, 0, i) ? (at - zero) / (1 - zero) : at / zero;
    }
    for (size_t first = 0; first < ROWS; first += CP_BART_PARALLEL_BLOCK) {
        size_t n = ROWS - first < CP_BART_PARALLEL_BLOCK ? ROWS - first : CP_BART_PARALLEL_BLOCK, same = 0;
        for (size_t i = 0; first && i < n; i++) same += fabs(u[first + i] - u[i]) < 1e-6;
        assert_true(same < n / 100);
        assert_true(ks_one(u + first, n, uniform_cdf, NULL) < ks_bound_one(n)); /* sorts them */
        if (first) break;                                                       /* whose first stretch is sorted now */
    }
    cp_bart_chain_free(c);
    clear_problem(&p);
}

/* Threads and their scratch that cannot be had: nothing has happened. */
static void memory_may_run_out(void **state) {
    (void)state;
    problem p;
    copse_error err;
    const copse_run run = {.threads = 2};
    init_problem(&p, __func__, 0, 0);
    cp_bart_chain *c = new_chain(&p), *d = new_chain(&p);
    must(cp_bart_chain_run(c, 0, NULL, &err), err);
    size_t failures = 0;
    for (long i = 0; d->done < SWEEPS; i++) {
        cp_mem_fail_after(i);
        copse_status status = cp_bart_chain_run(d, 0, &run, &err);
        cp_mem_fail_after(-1);
        if (status) assert_int_equal(status, COPSE_E_MEMORY);
        failures += status != COPSE_OK;
        assert_null(d->parallel.opt_team);
    }
    assert_true(failures > 6);
    must(cp_bart_chain_run(d, 0, &run, &err), err);
    must_equal(c, d);
    cp_bart_chain_free(c);
    cp_bart_chain_free(d);
    clear_problem(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_are_those_of_one_thread),
        cmocka_unit_test(few_rows_have_one_thread),
        cmocka_unit_test(numbers_do_not_depend_on_threads),
        cmocka_unit_test(weights_and_shares_do_not_depend_on_threads),
        cmocka_unit_test(classes_do_not_depend_on_threads),
        cmocka_unit_test(latents_are_normal_in_every_stretch),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
