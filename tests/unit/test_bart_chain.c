/* Chains of BART: conjugate laws of leaves and noise given fixed trees, invariants, classes as sums of their own, the
 * same bits in any number of sittings and on any number of threads, memory that runs out, and files that lie. */
#include "bart/draws/bart_chain_file.h"
#include "bart/draws/bart_chain_state.h"
#include "bart/mh/bart_mh.h"
#include "bart/pg/bart_pg.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "ks.h"
#include "num/dens.h"
#include "sample.h"

typedef struct world {
    sample s;
    double weight[120];
    cp_bart_problem b;
} world;

enum { ROWS = 120, DIMS = 3, SWEEPS = 3 + 20 + 30 * 2 };

static cp_bart_options plain_options(void) {
    return (cp_bart_options){.sampler = &cp_bart_mh_sampler,
                             .sampler_opt = {.move_prob = {.25, .25, .4, .1}, .particles = 5},
                             .trees = 7,
                             .grow_from_root = 3,
                             .burn_in = 20,
                             .samples = 30,
                             .thin = 2,
                             .split = {.95, 2},
                             .k = 2,
                             .nu = 3,
                             .q = .9,
                             .ols = 1};
}

static void init_world(world *w, const char *name, size_t classes, const cp_bart_options *opt) {
    copse_error err;
    w->s = make_sample(name, ROWS, DIMS, classes, classes ? 0 : 9);
    for (size_t i = 0; i < ROWS; i++) w->weight[i] = (double)(i % 3);
    if (opt->dart) w->s.rows.weight = w->weight;
    must(cp_bart_problem_init(&w->b, &w->s.rows, opt, seed_of(name), NULL, &err), err);
}

static void clear_world(world *w) {
    cp_bart_problem_clear(&w->b);
    free_sample(&w->s);
}

static cp_bart_chain *new_chain(const world *w, size_t number) {
    copse_error err;
    cp_bart_chain *c = NULL;
    must(cp_bart_chain_new(&w->b, number, &c, &err), err);
    return c;
}

static void must_hold(const cp_bart_chain *c) {
    const char *bad = cp_bart_chain_state_check(c);
    if (bad) fail_msg("%s", bad);
}

/* All that a chain can be, for each kind of problem: numbers, two classes, three; sparse and weighted; particle
 * Gibbs. */
typedef struct kind {
    const char *name;
    size_t classes;
    int sparse, prior_only, pg;
} kind;
static const kind kinds[] = {{"numbers", 0, 0, 0, 0},       {"two classes", 2, 0, 0, 0},
                             {"three classes", 3, 0, 0, 0}, {"sparse, weighted", 0, 1, 0, 0},
                             {"prior", 0, 0, 1, 0},         {"prior of classes", 2, 1, 1, 0},
                             {"particles", 0, 0, 0, 1}};

static void init_kind(world *w, const kind *k) {
    cp_bart_options opt = plain_options();
    opt.dart = k->sparse;
    opt.prior_only = k->prior_only;
    if (k->pg) opt.sampler = &cp_bart_pg_sampler;
    init_world(w, k->name, k->classes, &opt);
}

static void must_equal(const cp_bart_chain *a, const cp_bart_chain *b) {
    const cp_bart_trace *t = &a->trace, *u = &b->trace;
    size_t sums = a->problem->sums, n = t->draws;
    assert_int_equal(a->done, b->done);
    assert_int_equal(n, u->draws);
    for (size_t k = 0; k < sums; k++) {
        assert_memory_equal(t->sigma + k * t->capacity, u->sigma + k * u->capacity, n * sizeof *t->sigma);
        assert_memory_equal(t->leaves + k * t->capacity, u->leaves + k * u->capacity, n * sizeof *t->leaves);
        assert_memory_equal(t->log_likelihood + k * t->capacity, u->log_likelihood + k * u->capacity,
                            n * sizeof *t->sigma);
        assert_memory_equal(a->sum[k].r, b->sum[k].r, ROWS * sizeof *a->sum->r);
        assert_memory_equal(a->sum[k].slot, b->sum[k].slot, ROWS * a->problem->opt.trees);
        assert_int_equal(a->sum[k].draws.mus, b->sum[k].draws.mus);
        assert_memory_equal(a->sum[k].draws.mu, b->sum[k].draws.mu, a->sum[k].draws.mus * sizeof(float));
        assert_int_equal(a->sum[k].draws.runs, b->sum[k].draws.runs);
        assert_int_equal(a->sum[k].draws.rules, b->sum[k].draws.rules);
    }
    for (size_t k = 0; k < CP_BART_TRACE_ROWS; k++)
        assert_memory_equal(t->fitted + k * t->capacity, u->fitted + k * u->capacity, n * sizeof *t->fitted);
    assert_memory_equal(&t->tally, &u->tally, sizeof t->tally);
}

static copse_status write_and_read(const cp_bart_chain *c, const cp_bart_problem *b, cp_bart_chain **out,
                                   copse_error *err) {
    copse_status status;
    cp_writer *w = NULL;
    cp_reader *r = NULL;
    const unsigned char *bytes;
    size_t n;
    *out = NULL;
    CP_TRY_OUT(cp_writer_new(&w, err));
    CP_TRY_OUT(cp_bart_chain_file_write(c, w, err));
    CP_TRY_OUT(cp_writer_finish(w, &bytes, &n, err));
    CP_TRY_OUT(cp_reader_new(bytes, n, &r, err));
    CP_TRY_OUT(cp_bart_chain_file_read(r, b, c->number, out, err));
out:
    cp_reader_free(r);
    cp_writer_free(w);
    return status;
}

static void through_a_file(cp_bart_chain **c, const cp_bart_problem *b) {
    copse_error err;
    cp_bart_chain *again;
    must(write_and_read(*c, b, &again, &err), err);
    cp_bart_chain_free(*c);
    *c = again;
}

/* ---------------------------------------------------------------------------------------------------------- running */

static void invariants_hold_after_every_sweep(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(kinds); k++) {
        world w;
        copse_error err;
        init_kind(&w, &kinds[k]);
        cp_bart_chain *c = new_chain(&w, 0);
        must_hold(c);
        for (size_t i = 1; i <= SWEEPS; i++) {
            must(cp_bart_chain_run(c, 1, NULL, &err), err);
            assert_int_equal(cp_bart_chain_done(c), i);
            must_hold(c);
        }
        must(cp_bart_chain_run(c, 0, NULL, &err), err);
        assert_int_equal(cp_bart_chain_done(c), SWEEPS);
        assert_int_equal(cp_bart_chain_trace(c)->draws, 30);
        for (size_t s = 0; s < w.b.sums; s++) assert_int_equal(cp_bart_chain_draws(c, s)->draws, 30);
        cp_bart_chain_free(c);
        clear_world(&w);
    }
}

/* What the trace says of the last draw is what trees, noise and rows say. */
static void the_trace_is_that_of_the_chain(void **state) {
    (void)state;
    world w;
    copse_error err;
    init_kind(&w, &kinds[3]);
    cp_bart_chain *c = new_chain(&w, 0);
    must(cp_bart_chain_run(c, 0, NULL, &err), err);
    const cp_bart_sum *s = c->sum;
    const cp_bart_trace *t = &c->trace;
    double sd = sqrt(s->noise_var) * w.b.scale, log_likelihood = 0, rules = 0, mean = 0;
    for (size_t i = 0; i < ROWS; i++) mean += w.weight[i] / ROWS;
    assert_near(t->sigma[29], sd, 1e-12);
    for (size_t i = 0; i < ROWS; i++) {
        double f = 0;
        for (size_t m = 0; m < 7; m++) f += (double)s->tree[m].mu[s->tree[m].slot[i]];
        f = w.b.centre + w.b.scale * f;
        if (i == 3 * ROWS / 16) assert_near(t->fitted[1 * t->capacity + 29], f, 1e-5);
        if (w.weight[i] > 0)
            log_likelihood +=
                cp_dens_normal_log((w.s.y[i] - f) / sd * sqrt(w.weight[i] / mean)) - log(sd / sqrt(w.weight[i] / mean));
    }
    assert_near(t->log_likelihood[29], log_likelihood, 1e-5);
    for (size_t m = 0; m < 7; m++) rules += (double)s->tree[m].pairs;
    assert_true(t->leaves[29] == rules + 7);
    cp_bart_chain_free(c);
    clear_world(&w);
}

/* Class k of three is a problem of two classes, bit for bit. */
static void each_class_is_a_sum_of_its_own(void **state) {
    (void)state;
    world w;
    copse_error err;
    init_kind(&w, &kinds[2]);
    cp_bart_chain *c = new_chain(&w, 0);
    must(cp_bart_chain_run(c, 0, NULL, &err), err);
    for (size_t k = 0; k < 3; k++) {
        cp_bart_problem b = w.b;
        cp_rows rows = w.s.rows;
        int32_t label[ROWS];
        for (size_t i = 0; i < ROWS; i++) label[i] = rows.label[i] == (int32_t)k;
        rows.label = label;
        rows.classes = 2;
        b.rows = &rows;
        b.sums = 1;
        b.offset = w.b.offset + k;
        cp_bart_chain *one = NULL;
        must(cp_bart_chain_new(&b, k, &one, &err), err);
        must(cp_bart_chain_run(one, 0, NULL, &err), err);
        assert_memory_equal(one->sum->r, c->sum[k].r, ROWS * sizeof(float));
        assert_int_equal(one->sum->draws.mus, c->sum[k].draws.mus);
        assert_memory_equal(one->sum->draws.mu, c->sum[k].draws.mu, one->sum->draws.mus * sizeof(float));
        cp_bart_chain_free(one);
    }
    cp_bart_chain_free(c);
    clear_world(&w);
}

/* ------------------------------------------------------------------------------------------------------- exact laws */

/* Moves nothing. */
static copse_status stand_still(void *sampler, const cp_bart_view *v, cp_bart_tree *t, cp_rng *rng,
                                cp_bart_tally *tally, copse_error *err) {
    (void)sampler;
    (void)v;
    (void)t;
    (void)rng;
    (void)tally;
    (void)err;
    return COPSE_OK;
}

static copse_status make_nothing(const cp_bart_columns *c, const cp_bart_sampler_options *opt, void **out,
                                 copse_error *err) {
    (void)c;
    (void)opt;
    return (*out = cp_mem_new(1, 1)) ? COPSE_OK : cp_fail_memory(err);
}

static const cp_bart_sampler still = {"still", make_nothing, cp_mem_free, stand_still};

static double student_cdf(double x, const void *df) {
    return cp_dens_student_cdf(x, *(const double *)df);
}

static double chi_cdf(double x, const void *df) {
    return cp_dens_gamma_cdf(.5 * x, .5 * *(const double *)df);
}

/* One tree of one leaf, noise and mu sampled in turn: their stationary law is known in closed form only without a
 * proper prior of mu, but one sweep from exact draws must keep it: mu ~ prior, sigma ~ prior, y from both, a sweep, and
 * then mu / sqrt(leaf_var) is normal, nu lambda / sigma^2 chi-square, as before.  The joint test (tests/dist) does that
 * for whole sums; here each of the two draws is held to its own conditional law. */
static void leaves_and_noise_follow_their_conditional_laws(void **state) {
    (void)state;
    enum { DRAWS = 20000 };
    world w;
    copse_error err;
    cp_bart_options opt = plain_options();
    static double z[DRAWS], chi[DRAWS];
    opt.sampler = &still;
    opt.grow_from_root = opt.burn_in = 0;
    opt.trees = 1;
    opt.samples = DRAWS;
    opt.thin = 1;
    opt.dart = 1; /* so are there weights */
    init_world(&w, __func__, 0, &opt);
    cp_bart_chain *c = new_chain(&w, 0);
    double noise = c->sum->noise_var, weights = 0, sum = 0, n = 0;
    for (size_t i = 0; i < ROWS; i++) {
        double weight = (double)w.b.opt_weight[i];
        weights += weight;
        sum += weight * (double)w.b.y[i];
        n += weight > 0;
    }
    for (size_t k = 0; k < DRAWS; k++) {
        must(cp_bart_chain_run(c, 1, NULL, &err), err);
        double mu = (double)c->sum->tree[0].mu[0], squares = 0, precision = 1 / w.b.hyper.leaf_var + weights / noise;
        for (size_t i = 0; i < ROWS; i++)
            squares += (double)w.b.opt_weight[i] * ((double)w.b.y[i] - mu) * ((double)w.b.y[i] - mu);
        z[k] = (mu - sum / noise / precision) * sqrt(precision);
        noise = c->sum->noise_var;
        chi[k] = (w.b.hyper.nu * w.b.hyper.lambda + squares) / noise;
    }
    const double infinite = INFINITY, df = w.b.hyper.nu + n, wrong = df + 1;
    assert_true(ks_one(z, DRAWS, student_cdf, &infinite) < ks_bound_one(DRAWS));
    assert_true(ks_one(chi, DRAWS, chi_cdf, &df) < ks_bound_one(DRAWS));
    assert_true(ks_one(chi, DRAWS, chi_cdf, &wrong) > ks_bound_one(DRAWS));
    cp_bart_chain_free(c);
    clear_world(&w);
}

/* Without likelihood a chain's noise is independent draws from its prior, whatever the targets. */
static void the_prior_alone_gives_the_prior(void **state) {
    (void)state;
    enum { DRAWS = 5000 };
    world w;
    copse_error err;
    cp_bart_options opt = plain_options();
    static double chi[DRAWS], z[DRAWS];
    opt.prior_only = 1;
    opt.trees = 2;
    opt.samples = DRAWS;
    init_world(&w, __func__, 0, &opt);
    cp_bart_chain *c = new_chain(&w, 0);
    for (size_t k = 0; k < DRAWS; k++) {
        must(cp_bart_chain_run(c, k ? 2 : 25, NULL, &err), err);
        double f = 0;
        for (size_t m = 0; m < 2; m++) f += (double)c->sum->tree[m].mu[c->sum->tree[m].slot[17]];
        z[k] = f / sqrt(2 * w.b.hyper.leaf_var);
        chi[k] = w.b.hyper.nu * w.b.hyper.lambda / c->sum->noise_var;
    }
    const double infinite = INFINITY, df = w.b.hyper.nu;
    assert_true(ks_one(chi, DRAWS, chi_cdf, &df) < ks_bound_one(DRAWS));
    assert_true(ks_one(z, DRAWS, student_cdf, &infinite) < ks_bound_one(DRAWS));
    cp_bart_chain_free(c);
    clear_world(&w);
}

/* ---------------------------------------------------------------------------------------------------- the same bits */

typedef struct team {
    cp_bart_chain *chain[7];
} team;

static copse_status run_one(void *arg, size_t i, size_t worker, copse_error *err) {
    (void)worker;
    return cp_bart_chain_run(((team *)arg)->chain[i], 0, NULL, err);
}

static void threads_change_nothing(void **state) {
    (void)state;
    world w;
    copse_error err;
    team t[3];
    const int threads[3] = {1, 2, 7};
    init_kind(&w, &kinds[3]);
    for (int i = 0; i < 3; i++) {
        copse_run run = {.threads = threads[i]};
        for (size_t k = 0; k < 7; k++) t[i].chain[k] = new_chain(&w, k);
        must(cp_parallel_for(&run, (size_t)threads[i], 7, NULL, run_one, &t[i], &err), err);
    }
    for (size_t k = 0; k < 7; k++) {
        must_equal(t[0].chain[k], t[1].chain[k]);
        must_equal(t[0].chain[k], t[2].chain[k]);
        if (k) assert_true(t[0].chain[k]->trace.sigma[29] != t[0].chain[0]->trace.sigma[29]);
    }
    for (int i = 0; i < 3; i++)
        for (size_t k = 0; k < 7; k++) cp_bart_chain_free(t[i].chain[k]);
    clear_world(&w);
}

/* Saved and restored after one sweep, three, and so on: within warm-up, burn-in, and between draws that are kept. */
static void sittings_change_nothing(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(kinds); k++) {
        world w;
        copse_error err;
        init_kind(&w, &kinds[k]);
        cp_bart_chain *a = new_chain(&w, 2), *b = new_chain(&w, 2);
        must(cp_bart_chain_run(a, 0, NULL, &err), err);
        for (size_t some = 1; cp_bart_chain_done(b) < SWEEPS; some += 2) {
            must(cp_bart_chain_run(b, some, NULL, &err), err);
            through_a_file(&b, &w.b);
        }
        must_equal(a, b);
        cp_bart_chain_free(a);
        cp_bart_chain_free(b);
        clear_world(&w);
    }
}

static void more_samples_go_on_where_it_ended(void **state) {
    (void)state;
    world w;
    copse_error err;
    init_kind(&w, &kinds[2]);
    cp_bart_chain *b = new_chain(&w, 1);
    must(cp_bart_chain_run(b, 0, NULL, &err), err);
    cp_bart_problem longer = w.b;
    longer.opt.samples = 50;
    through_a_file(&b, &longer);
    must(cp_bart_chain_run(b, 0, NULL, &err), err);
    cp_bart_chain *a = NULL;
    must(cp_bart_chain_new(&longer, 1, &a, &err), err);
    must(cp_bart_chain_run(a, 0, NULL, &err), err);
    must_equal(a, b);
    cp_bart_chain_free(a);
    cp_bart_chain_free(b);
    clear_world(&w);
}

/* What rounding has done to a residual, here a push, is gone after the next sweep that begins with the trees. */
static void residuals_are_computed_anew_from_time_to_time(void **state) {
    (void)state;
    for (size_t before = CP_BART_CHAIN_REFRESH - 1; before <= CP_BART_CHAIN_REFRESH; before++) {
        world w;
        copse_error err;
        init_kind(&w, &kinds[0]);
        cp_bart_chain *c = new_chain(&w, 0);
        must(cp_bart_chain_run(c, before, NULL, &err), err);
        c->sum[0].r[7] += .01f;
        must(cp_bart_chain_run(c, 1, NULL, &err), err);
        assert_int_equal(cp_bart_chain_state_check(c) == NULL, before == CP_BART_CHAIN_REFRESH);
        cp_bart_chain_free(c);
        clear_world(&w);
    }
}

/* Stretches of rows that look alike have latents of their own: each draws from a stream of its own. */
static void stretches_of_rows_do_not_draw_the_same(void **state) {
    (void)state;
    enum { N = CP_BART_PARALLEL_BLOCK };
    world w = {.s = make_sample("stretches", 3 * N, 1, 2, 0)};
    cp_bart_options opt = plain_options();
    copse_error err;
    size_t same[2] = {0};
    opt.trees = 1;
    for (size_t i = N; i < 3 * N; i++) w.s.label[i] = w.s.label[i % N];
    must(cp_bart_problem_init(&w.b, &w.s.rows, &opt, seed_of("stretches"), NULL, &err), err);
    cp_bart_chain *c = new_chain(&w, 0);
    const float *z = c->sum[0].latent;
    for (size_t i = 0; i < N; i++) {
        same[0] += z[i] == z[N + i];
        same[1] += z[N + i] == z[2 * N + i];
    }
    for (int k = 0; k < 2; k++) assert_true(same[k] < N / 100);
    cp_bart_chain_free(c);
    clear_world(&w);
}

static void a_stopped_chain_stands_between_sweeps(void **state) {
    (void)state;
    world w;
    copse_error err;
    copse_flag stop = 1;
    copse_run run = {.stop = &stop};
    init_kind(&w, &kinds[0]);
    cp_bart_chain *c = new_chain(&w, 0);
    must(cp_bart_chain_run(c, 10, NULL, &err), err);
    assert_int_equal(cp_bart_chain_run(c, 0, &run, &err), COPSE_E_STOPPED);
    assert_int_equal(cp_bart_chain_done(c), 10);
    must_hold(c);
    cp_bart_chain_free(c);
    clear_world(&w);
}

/* ---------------------------------------------------------------------------------------------------- memory, files */

/* However often it runs out, a chain that goes on ends where it would have ended: in a sweep, between trees, when a
 * draw is kept; and if it is saved there and restored. */
static void memory_may_run_out_at_any_time(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(kinds); k++) {
        world w;
        copse_error err;
        init_kind(&w, &kinds[k]);
        cp_bart_chain *a = new_chain(&w, 0), *b = NULL;
        must(cp_bart_chain_run(a, 0, NULL, &err), err);
        for (long i = 0; !b; i++) {
            cp_mem_fail_after(i);
            copse_status status = cp_bart_chain_new(&w.b, 0, &b, &err);
            cp_mem_fail_after(-1);
            if (status) assert_int_equal(status, COPSE_E_MEMORY);
        }
        size_t failures = 0;
        for (long i = 0; cp_bart_chain_done(b) < SWEEPS || b->trace.draws < 30; i++) {
            cp_mem_fail_after(i % 40); /* more than anything needs at once */
            copse_status status = cp_bart_chain_run(b, 0, NULL, &err);
            cp_mem_fail_after(-1);
            if (status) {
                assert_int_equal(status, COPSE_E_MEMORY);
                failures++;
                must_hold(b);
                if (failures % 5 == 0) through_a_file(&b, &w.b);
            }
        }
        assert_true(failures > 3);
        must_equal(a, b);
        cp_bart_chain_free(a);
        cp_bart_chain_free(b);
        clear_world(&w);
    }
}

static void memory_may_run_out_over_files(void **state) {
    (void)state;
    world w;
    copse_error err;
    init_kind(&w, &kinds[3]);
    cp_bart_chain *c = new_chain(&w, 0), *d = NULL;
    must(cp_bart_chain_run(c, 40, NULL, &err), err);
    for (long k = 0;; k++) {
        assert_true(k < 10000);
        cp_mem_fail_after(k);
        copse_status status = write_and_read(c, &w.b, &d, &err);
        cp_mem_fail_after(-1);
        if (!status) break;
        assert_int_equal(status, COPSE_E_MEMORY);
    }
    must_equal(c, d);
    cp_bart_chain_free(c);
    cp_bart_chain_free(d);
    clear_world(&w);
}

/* Each way to lie is one change to a sound chain, written as it is; reading must find it.  0 when there are no more. */
static int lie(cp_bart_chain *c, int how) {
    cp_bart_sum *s = c->sum;
    switch (how) {
        case 0: c->done += 2; break;
        case 1: c->done = SWEEPS + 1; break;
        case 2: c->at = 3; break;
        case 3: c->at = 7; break;
        case 4: c->partial = 1; break;
        case 5: c->trace.draws--; break;
        case 6: c->trace.sigma[2] = NAN; break;
        case 7: c->trace.fitted[2] = INFINITY; break;
        case 8: c->trace.tally.accepted[1] = c->trace.tally.proposed[1] + 1; break;
        case 9: s->noise_var = 0; break;
        case 10: s->noise_var = NAN; break;
        case 11: s->r[5] = NAN; break;
        case 12: s->r[5] += 1; break;
        case 13: s->dart.theta = -1; break;
        case 14: s->dart.log_s[0] = 1; break;
        case 15: s->dart.log_s[1] = NAN; break;
        case 16: s->tree[2].mu[0] = NAN; break;
        case 17: s->tree[2].mu[0] += 1; break;
        case 18: s->draws.draws--; break;
        case 19: s->draws.mu[0] = NAN; break;
        default: return 0;
    }
    return 1;
}

static void files_are_not_believed(void **state) {
    (void)state;
    world w;
    copse_error err;
    init_kind(&w, &kinds[3]);
    for (int how = 0;; how++) {
        cp_bart_chain *c = new_chain(&w, 0), *d = NULL;
        must(cp_bart_chain_run(c, 52, NULL, &err), err);
        must(write_and_read(c, &w.b, &d, &err), err);
        cp_bart_chain_free(d);
        int lied = lie(c, how);
        if (lied && write_and_read(c, &w.b, &d, &err) != COPSE_E_MODEL) fail_msg("lie %d is believed", how);
        cp_bart_chain_free(c);
        if (!lied) break;
    }
    clear_world(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(invariants_hold_after_every_sweep),
        cmocka_unit_test(the_trace_is_that_of_the_chain),
        cmocka_unit_test(each_class_is_a_sum_of_its_own),
        cmocka_unit_test(leaves_and_noise_follow_their_conditional_laws),
        cmocka_unit_test(the_prior_alone_gives_the_prior),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(sittings_change_nothing),
        cmocka_unit_test(more_samples_go_on_where_it_ended),
        cmocka_unit_test(residuals_are_computed_anew_from_time_to_time),
        cmocka_unit_test(stretches_of_rows_do_not_draw_the_same),
        cmocka_unit_test(a_stopped_chain_stands_between_sweeps),
        cmocka_unit_test(memory_may_run_out_at_any_time),
        cmocka_unit_test(memory_may_run_out_over_files),
        cmocka_unit_test(files_are_not_believed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
