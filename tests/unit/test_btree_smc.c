#include "stand.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "btree/btree_smc_file.h"
#include "btree/btree_stage.h"

enum { ISLANDS = 3 };

static cp_btree_smc_options options_for(cp_btree_proposal proposal, cp_btree_expansion expansion) {
    return (cp_btree_smc_options){.proposal = proposal,
                                  .expansion = expansion,
                                  .resampling = CP_RESAMPLE_SYSTEMATIC,
                                  .ess_threshold = 0.5,
                                  .particles = 40,
                                  .max_stages = 5000,
                                  .columns = 2};
}

static void assert_same_grove(const cp_tree_set *a, const cp_tree_set *b) {
    assert_int_equal(a->nodes, b->nodes);
    assert_int_equal(a->leaves, b->leaves);
    assert_int_equal(a->trees, b->trees);
    assert_memory_equal(a->node, b->node, a->nodes * sizeof *a->node);
    assert_memory_equal(a->stat, b->stat, a->leaves * a->width * sizeof *a->stat);
    assert_memory_equal(a->root, b->root, a->trees * sizeof *a->root);
    assert_memory_equal(a->weight, b->weight, a->trees * sizeof *a->weight);
}

static void assert_same_island(const cp_btree_island *a, const cp_btree_island *b) {
    assert_memory_equal(&a->log_marginal, &b->log_marginal, sizeof a->log_marginal);
    assert_int_equal(a->stages, b->stages);
    assert_int_equal(a->cut_short, b->cut_short);
    assert_int_equal(a->unique, b->unique);
    assert_int_equal(a->resamplings, b->resamplings);
    assert_int_equal(a->expanded, b->expanded);
    assert_int_equal(a->worked, b->worked);
    assert_memory_equal(a->ess, b->ess, a->stages * sizeof *a->ess);
}

/* ---------------------------------------------------------------------------------------------------------- results */

typedef struct result {
    cp_tree_set tree_set;
    cp_btree_island island;
} result;

static void result_init(result *r, const cp_btree_problem *b) {
    copse_error err;
    *r = (result){0};
    must(cp_tree_set_init(&r->tree_set, b->ranks.dims, b->leaf.width, &err), err);
}

static void result_clear(result *r) {
    cp_tree_set_clear(&r->tree_set);
    cp_btree_smc_clear_island(&r->island);
}

static void finish(cp_btree_smc *s, result *out) {
    copse_error err;
    result_init(out, s->b);
    must(cp_btree_smc_finish(s, &out->tree_set, &out->island, &err), err);
    must(cp_tree_set_finish(&out->tree_set, &err), err);
    const char *wrong = cp_tree_set_check(&out->tree_set);
    if (wrong) fail_msg("%s", wrong);
}

static result run_island(const cp_btree_problem *b, const cp_btree_smc_options *opt, size_t island) {
    copse_error err;
    cp_btree_smc *s;
    result r;
    must(cp_btree_smc_new(b, opt, island, &s, &err), err);
    must(cp_btree_smc_run(s, 0, NULL, &err), err);
    assert_true(cp_btree_smc_done(s));
    finish(s, &r);
    const char *wrong = cp_btree_state_check(&s->states);
    if (wrong) fail_msg("%s", wrong);
    cp_btree_smc_free(s);
    return r;
}

static void assert_same_result(const result *a, const result *b) {
    assert_same_grove(&a->tree_set, &b->tree_set);
    assert_same_island(&a->island, &b->island);
}

typedef struct job {
    const cp_btree_problem *b;
    cp_btree_smc_options opt;
    result result[ISLANDS];
} job;

static copse_status job_island(void *arg, size_t i, size_t worker, copse_error *err) {
    job *j = arg;
    result *r = &j->result[i];
    (void)worker;
    cp_btree_smc *s;
    CP_TRY(cp_btree_smc_new(j->b, &j->opt, i, &s, err));
    copse_status status = cp_btree_smc_run(s, 0, NULL, err);
    if (!status) status = cp_btree_smc_finish(s, &r->tree_set, &r->island, err);
    cp_btree_smc_free(s);
    return status ? status : cp_tree_set_finish(&r->tree_set, err);
}

static void threads_change_nothing(void **state) {
    (void)state;
    copse_error err;
    stand t;
    make_stand(&t, "threads and islands", 200, 4, 3, 0);
    for (int e = 0; e < 3; e++) {
        job j = {.b = &t.b, .opt = options_for(CP_BTREE_PRIOR, (cp_btree_expansion)e)};
        for (size_t i = 0; i < ISLANDS; i++) result_init(&j.result[i], &t.b);
        must(cp_parallel_for(NULL, 3, ISLANDS, NULL, job_island, &j, &err), err);
        for (size_t i = 0; i < ISLANDS; i++) {
            result alone = run_island(&t.b, &j.opt, i);
            assert_same_result(&alone, &j.result[i]);
            result_clear(&alone);
        }
        assert_true(j.result[0].island.log_marginal != j.result[1].island.log_marginal);
        for (size_t i = 0; i < ISLANDS; i++) result_clear(&j.result[i]);
    }
    free_stand(&t);
}

/* The leaves of each tree hold every row once. */
static double rows_below(const cp_tree_set *g, int32_t node) {
    const cp_tree_set_node *n = &g->node[node];
    double sum = 0;
    if (n->dim != CP_NONE) return rows_below(g, n->left) + rows_below(g, n->right);
    for (size_t k = 0; k < g->width; k++) sum += g->stat[(size_t)n->left * g->width + k];
    return sum;
}

static void trees_hold_every_row(void **state) {
    (void)state;
    stand t;
    make_stand(&t, "every row", 150, 3, 4, 9);
    for (int p = 0; p < 4; p++)
        for (int e = 0; e < 3; e++) {
            cp_btree_smc_options opt = options_for((cp_btree_proposal)p, (cp_btree_expansion)e);
            result r = run_island(&t.b, &opt, 0);
            assert_true(isfinite(r.island.log_marginal) && !r.island.cut_short);
            assert_int_equal(r.island.unique, r.tree_set.trees);
            assert_true(r.island.worked <= r.island.expanded && r.island.resamplings <= r.island.stages);
            for (size_t i = 0; i < r.tree_set.trees; i++)
                assert_near(rows_below(&r.tree_set, r.tree_set.root[i]), 150, 0);
            result_clear(&r);
        }
    free_stand(&t);
}

/* ---------------------------------------------------------------------------------------------------- small and odd */

static void nothing_to_split_is_one_leaf(void **state) {
    (void)state;
    for (size_t n = 1; n < 6; n += 4) {
        stand t;
        make_stand(&t, "all alike", n, 2, 2, 1);
        cp_btree_smc_options opt = options_for(CP_BTREE_PRIOR, CP_BTREE_NODE);
        result r = run_island(&t.b, &opt, 0);
        double stat[2] = {0};
        for (size_t i = 0; i < n; i++) cp_leaf_add(&t.b.leaf, stat, i);
        assert_near(r.island.log_marginal, cp_leaf_log_marginal(&t.b.leaf, stat), 1e-12);
        assert_int_equal(r.island.stages, 0);
        assert_int_equal(r.tree_set.nodes, 1);
        result_clear(&r);
        free_stand(&t);
    }
}

static void one_particle_is_a_draw(void **state) {
    (void)state;
    stand t;
    make_stand(&t, "one particle", 80, 3, 2, 0);
    cp_btree_smc_options opt = options_for(CP_BTREE_OPTIMAL, CP_BTREE_NODE);
    opt.particles = 1;
    result r = run_island(&t.b, &opt, 0);
    assert_int_equal(r.tree_set.trees, 1);
    assert_int_equal(r.island.expanded, r.island.stages);
    result_clear(&r);
    free_stand(&t);
}

static void max_stages_cut_trees_short(void **state) {
    (void)state;
    stand t;
    make_stand(&t, "cut short", 150, 3, 3, 0);
    for (int e = 0; e < 3; e++) {
        cp_btree_smc_options opt = options_for(CP_BTREE_PRIOR, (cp_btree_expansion)e);
        opt.max_stages = 2;
        result r = run_island(&t.b, &opt, 0);
        assert_true(r.island.cut_short);
        assert_int_equal(r.island.stages, 2);
        for (size_t i = 0; i < r.tree_set.trees; i++) assert_near(rows_below(&r.tree_set, r.tree_set.root[i]), 150, 0);
        result_clear(&r);
    }
    free_stand(&t);
}

/* Where particles agree, a thousand of them hold little more than ten: the rule has one column and one gap at each
 * block, only stopping is a choice. */
static void memory_follows_different_trees(void **state) {
    (void)state;
    size_t states[2], rows[2];
    for (int many = 0; many < 2; many++) {
        copse_error err;
        stand t;
        cp_btree_smc *s;
        make_stand(&t, "agreement", 2000, 1, 2, 2);
        cp_btree_smc_options opt = options_for(CP_BTREE_PRIOR, CP_BTREE_NODE);
        opt.particles = many ? 2000 : 20;
        must(cp_btree_smc_new(&t.b, &opt, 0, &s, &err), err);
        must(cp_btree_smc_run(s, 0, NULL, &err), err);
        states[many] = s->states.n;
        rows[many] = s->states.blocks.rows;
        cp_btree_smc_free(s);
        free_stand(&t);
    }
    assert_int_equal(states[0], states[1]);
    assert_int_equal(rows[0], rows[1]);
}

/* -------------------------------------------------------------------------------------------- stopping and going on */

static unsigned char *save(cp_btree_smc *s, size_t *out_n) {
    copse_error err;
    cp_writer *w;
    const unsigned char *bytes;
    must(cp_writer_new(&w, &err), err);
    must(cp_btree_smc_file_write(s, w, &err), err);
    must(cp_writer_finish(w, &bytes, out_n, &err), err);
    unsigned char *copy = malloc(*out_n);
    memcpy(copy, bytes, *out_n);
    cp_writer_free(w);
    return copy;
}

static copse_status restore(const unsigned char *bytes, size_t n, const cp_btree_problem *b,
                            const cp_btree_smc_options *opt, cp_btree_smc **out, copse_error *err) {
    cp_reader *r;
    CP_TRY(cp_reader_new(bytes, n, &r, err));
    copse_status status = cp_btree_smc_file_read(r, b, opt, 0, out, err);
    cp_reader_free(r);
    return status;
}

/* Saved and restored every few stages. */
static result run_in_pieces(const cp_btree_problem *b, const cp_btree_smc_options *opt, size_t stages) {
    copse_error err;
    cp_btree_smc *s;
    result r;
    must(cp_btree_smc_new(b, opt, 0, &s, &err), err);
    while (!cp_btree_smc_done(s)) {
        size_t n;
        must(cp_btree_smc_run(s, stages, NULL, &err), err);
        unsigned char *bytes = save(s, &n);
        int done = cp_btree_smc_done(s);
        cp_btree_smc_free(s);
        must(restore(bytes, n, b, opt, &s, &err), err);
        free(bytes);
        if (!done) continue;
        must(cp_btree_smc_run(s, 0, NULL, &err), err);
    }
    finish(s, &r);
    cp_btree_smc_free(s);
    return r;
}

static void saved_islands_go_on_bit_for_bit(void **state) {
    (void)state;
    for (int numbers = 0; numbers < 2; numbers++) {
        stand t;
        make_stand(&t, "saved islands", 120, 3, numbers ? 0 : 3, numbers ? 0 : 12);
        for (int p = 0; p < 4; p++)
            for (int e = 0; e < 3; e++) {
                cp_btree_smc_options opt = options_for((cp_btree_proposal)p, (cp_btree_expansion)e);
                result whole = run_island(&t.b, &opt, 0), pieces = run_in_pieces(&t.b, &opt, 1 + (size_t)p);
                assert_same_result(&whole, &pieces);
                result_clear(&whole);
                result_clear(&pieces);
            }
        free_stand(&t);
    }
}

/* Stopped in the middle of a stage, by memory or by hand, the island is where the stage began. */
static void a_broken_stage_leaves_no_trace(void **state) {
    (void)state;
    copse_error err;
    stand t;
    make_stand(&t, "broken stages", 60, 3, 3, 0);
    for (int e = 0; e < 3; e++) {
        cp_btree_smc_options opt = options_for(CP_BTREE_PRIOR, (cp_btree_expansion)e);
        result whole = run_island(&t.b, &opt, 0), broken;
        cp_btree_smc *s;
        copse_flag stop = 1;
        copse_run run = {.stop = &stop};
        size_t failures = 0;
        must(cp_btree_smc_new(&t.b, &opt, 0, &s, &err), err);
        for (long k = 0; !cp_btree_smc_done(s); k++) {
            size_t before = s->stages;
            assert_int_equal(cp_btree_smc_run(s, 0, &run, &err), COPSE_E_STOPPED);
            cp_mem_fail_after(k % 24);
            copse_status status = cp_btree_smc_run(s, 1, NULL, &err);
            cp_mem_fail_after(-1);
            failures += status != COPSE_OK;
            assert_true(status ? s->stages == before : s->stages == before + 1 || cp_btree_smc_done(s));
            if (status) assert_int_equal(status, COPSE_E_MEMORY);
        }
        finish(s, &broken);
        assert_true(failures > 5);
        assert_same_result(&whole, &broken);
        result_clear(&whole);
        result_clear(&broken);
        cp_btree_smc_free(s);
    }
    free_stand(&t);
}

static void raise(void *arg, const char *what, double done, double total) {
    (void)what;
    (void)done;
    (void)total;
    *(copse_flag *)arg = 1;
}

/* The flag goes up after a stage has begun: its decisions are thrown away. */
static void a_stage_can_be_stopped_halfway(void **state) {
    (void)state;
    copse_error err;
    stand t;
    make_stand(&t, "halfway", 60, 3, 3, 0);
    for (int p = 0; p < 4; p++) {
        cp_btree_smc_options opt = options_for((cp_btree_proposal)p, CP_BTREE_NODE);
        result whole = run_island(&t.b, &opt, 0), late;
        cp_btree_smc *s;
        copse_flag stop = 0;
        copse_run run = {.stop = &stop, .progress = raise, .arg = (void *)(uintptr_t)&stop};
        must(cp_btree_smc_new(&t.b, &opt, 0, &s, &err), err);
        assert_int_equal(cp_btree_smc_run(s, 0, &run, &err), COPSE_E_STOPPED);
        assert_int_equal(stop, 1);
        assert_int_equal(s->stages, 0);
        must(cp_btree_smc_run(s, 0, NULL, &err), err);
        finish(s, &late);
        assert_same_result(&whole, &late);
        result_clear(&whole);
        result_clear(&late);
        cp_btree_smc_free(s);
    }
    free_stand(&t);
}

static copse_status whole_life(const cp_btree_problem *b, const cp_btree_smc_options *opt, copse_error *err) {
    cp_btree_smc *s = NULL;
    cp_writer *w = NULL;
    cp_tree_set tree_set = {0};
    cp_btree_island island = {0};
    const unsigned char *bytes;
    size_t n;
    copse_status status;
    CP_TRY_OUT(cp_btree_smc_new(b, opt, 0, &s, err));
    CP_TRY_OUT(cp_btree_smc_run(s, 5, NULL, err));
    CP_TRY_OUT(cp_writer_new(&w, err));
    CP_TRY_OUT(cp_btree_smc_file_write(s, w, err));
    CP_TRY_OUT(cp_writer_finish(w, &bytes, &n, err));
    cp_btree_smc_free(s);
    s = NULL;
    CP_TRY_OUT(restore(bytes, n, b, opt, &s, err));
    CP_TRY_OUT(cp_btree_smc_run(s, 0, NULL, err));
    CP_TRY_OUT(cp_tree_set_init(&tree_set, b->ranks.dims, b->leaf.width, err));
    CP_TRY_OUT(cp_btree_smc_finish(s, &tree_set, &island, err));
out:
    cp_btree_smc_free(s);
    cp_writer_free(w);
    cp_tree_set_clear(&tree_set);
    cp_btree_smc_clear_island(&island);
    return status;
}

static void out_of_memory_is_a_status(void **state) {
    (void)state;
    stand t;
    make_stand(&t, "out of memory", 40, 2, 2, 0);
    for (int e = 0; e < 3; e++) {
        cp_btree_smc_options opt = options_for(CP_BTREE_MIXED, (cp_btree_expansion)e);
        opt.particles = 10;
        for (long k = 0;; k++) {
            copse_error err = {0};
            cp_mem_fail_after(k);
            copse_status status = whole_life(&t.b, &opt, &err);
            cp_mem_fail_after(-1);
            if (!status) {
                assert_true(k > 60);
                break;
            }
            assert_int_equal(status, COPSE_E_MEMORY);
        }
    }
    free_stand(&t);
}

/* ---------------------------------------------------------------------------------------------------- hostile files */

/* The sections of an island, one of whose numbers is changed before they are written. */
typedef struct forged {
    int32_t *parent, *dim, *particle;
    uint32_t *low, *high;
    double *log_weight;
    size_t states;
} forged;

static copse_status write_forged(const cp_btree_smc *s, const forged *f, cp_writer *w, copse_error *err) {
    CP_TRY(cp_writer_array(w, "parent", CP_I32, f->parent, f->states, err));
    CP_TRY(cp_writer_array(w, "dim", CP_I32, f->dim, f->states, err));
    CP_TRY(cp_writer_array(w, "low", CP_U32, f->low, f->states, err));
    CP_TRY(cp_writer_array(w, "high", CP_U32, f->high, f->states, err));
    CP_TRY(cp_writer_array(w, "particle", CP_I32, f->particle, s->opt.particles, err));
    CP_TRY(cp_writer_array(w, "log_weight", CP_F64, f->log_weight, s->opt.particles, err));
    CP_TRY(cp_writer_i64(w, "stages", (int64_t)s->stages, err));
    CP_TRY(cp_writer_i64(w, "round", (int64_t)s->round, err));
    CP_TRY(cp_writer_i64(w, "resamplings", (int64_t)s->resamplings, err));
    CP_TRY(cp_writer_i64(w, "expanded", (int64_t)s->expanded, err));
    CP_TRY(cp_writer_i64(w, "worked", (int64_t)s->worked, err));
    CP_TRY(cp_writer_f64(w, "log_z", s->log_z, err));
    return cp_writer_array(w, "ess", CP_F32, s->ess, s->stages, err);
}

static copse_status read_forged(const cp_btree_smc *s, const forged *f, copse_error *err) {
    cp_writer *w;
    cp_btree_smc *back = NULL;
    const unsigned char *bytes;
    size_t n;
    must(cp_writer_new(&w, err), *err);
    must(write_forged(s, f, w, err), *err);
    must(cp_writer_finish(w, &bytes, &n, err), *err);
    copse_status status = restore(bytes, n, s->b, &s->opt, &back, err);
    if (!status) {
        const char *wrong = cp_btree_state_check(&back->states);
        if (wrong) fail_msg("%s", wrong);
        must(cp_btree_smc_run(back, 3, NULL, err), *err);
    }
    cp_btree_smc_free(back);
    cp_writer_free(w);
    return status;
}

static void forge(forged *f, const cp_btree_smc *s, cp_rng *rng) {
    size_t i = (size_t)cp_rng_below(rng, f->states), p = (size_t)cp_rng_below(rng, s->opt.particles);
    int32_t other = (int32_t)cp_rng_below(rng, 9) - 4;
    switch (cp_rng_below(rng, 8)) {
        case 0: f->parent[i] += other; break;
        case 1: f->dim[i] = other; break;
        case 2: f->low[i] += (uint32_t)other; break;
        case 3: f->high[i] += (uint32_t)other; break;
        case 4: f->particle[p] += other; break;
        case 5: f->particle[p] = (int32_t)cp_rng_u32(rng); break;
        case 6: f->log_weight[p] = other ? INFINITY : NAN; break;
        case 7: f->parent[i] = (int32_t)cp_rng_u32(rng); break;
    }
}

static void *copy_of(const void *from, size_t bytes) {
    void *to = malloc(bytes);
    memcpy(to, from, bytes);
    return to;
}

/* The island as it is, with room for one more state. */
static forged forged_of(const cp_btree_smc *s) {
    size_t states = s->states.n - 1, n = s->opt.particles;
    forged f = {.states = states};
    f.parent = calloc(states + 1, sizeof *f.parent);
    f.dim = calloc(states + 1, sizeof *f.dim);
    f.low = calloc(states + 1, sizeof *f.low);
    f.high = calloc(states + 1, sizeof *f.high);
    f.particle = copy_of(s->particle, n * sizeof *s->particle);
    f.log_weight = copy_of(s->log_weight, n * sizeof *s->log_weight);
    for (size_t i = 0; i < states; i++) {
        const cp_btree_state *from = &s->states.state[i + 1];
        f.parent[i] = from->parent;
        f.dim[i] = CP_NONE;
        if (from->split == CP_NONE) continue;
        cp_btree_gap gap = s->states.blocks.split[from->split].gap;
        f.dim[i] = (int32_t)gap.dim;
        f.low[i] = gap.low;
        f.high[i] = gap.high;
    }
    return f;
}

static void free_forged(forged *f) {
    free(f->parent);
    free(f->dim);
    free(f->low);
    free(f->high);
    free(f->particle);
    free(f->log_weight);
}

/* The state of particle 0 once more, for particle 1. */
static void add_twin(forged *f) {
    size_t i = (size_t)f->particle[0] - 1, twin = f->states++;
    f->parent[twin] = f->parent[i];
    f->dim[twin] = f->dim[i];
    f->low[twin] = f->low[i];
    f->high[twin] = f->high[i];
    f->particle[1] = (int32_t)twin + 1;
}

/* A changed island is refused, or is another sound island. */
static void forged_islands_are_refused_or_sound(void **state) {
    (void)state;
    copse_error err;
    stand t;
    cp_btree_smc *s;
    cp_rng rng;
    size_t n, refused = 0;
    make_stand(&t, "forged islands", 50, 2, 2, 0);
    cp_btree_smc_options opt = options_for(CP_BTREE_PRIOR, CP_BTREE_NODE);
    must(cp_btree_smc_new(&t.b, &opt, 0, &s, &err), err);
    must(cp_btree_smc_run(s, 8, NULL, &err), err);
    free(save(s, &n)); /* leaves states without holes */
    cp_rng_init(&rng, seed_of("forged islands"), CP_FOR_TEST, 0, 0);
    for (int k = 0; k < 600; k++) {
        forged f = forged_of(s);
        if (k == 1) add_twin(&f);
        if (k > 1) forge(&f, s, &rng);
        copse_status status = read_forged(s, &f, &err);
        if (k == 0) assert_int_equal(status, COPSE_OK);
        if (k == 1) assert_int_equal(status, COPSE_E_MODEL);
        assert_true(status == COPSE_OK || status == COPSE_E_MODEL);
        refused += status != COPSE_OK;
        free_forged(&f);
    }
    assert_true(refused > 300);
    cp_btree_smc_free(s);
    free_stand(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(trees_hold_every_row),
        cmocka_unit_test(nothing_to_split_is_one_leaf),
        cmocka_unit_test(one_particle_is_a_draw),
        cmocka_unit_test(max_stages_cut_trees_short),
        cmocka_unit_test(memory_follows_different_trees),
        cmocka_unit_test(saved_islands_go_on_bit_for_bit),
        cmocka_unit_test(a_broken_stage_leaves_no_trace),
        cmocka_unit_test(a_stage_can_be_stopped_halfway),
        cmocka_unit_test(out_of_memory_is_a_status),
        cmocka_unit_test(forged_islands_are_refused_or_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
