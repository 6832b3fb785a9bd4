/* Blocks and states against particles that each own a tree and a list of what waits, with rows picked out one by
 * one. */
#include "stand.h"

#include "base/mem.h"
#include "btree/btree_state.h"

enum { ROWS = 60, PARTICLES = 24 };

/* Rows are bits. */
typedef struct plain {
    uint64_t waiting[2 * ROWS];
    double log_lik[2 * ROWS];
    uint32_t depth[2 * ROWS];
    size_t n;
    char path[2000]; /* what was decided, as text */
} plain;

static uint64_t bits_of(cp_span s) {
    uint64_t bits = 0;
    for (size_t i = 0; i < s.n; i++) {
        assert_true(i == 0 || s.row[i] > s.row[i - 1]);
        bits |= (uint64_t)1 << s.row[i];
    }
    return bits;
}

static double log_lik_of(const cp_btree_problem *b, uint64_t rows) {
    double stat[8] = {0};
    for (size_t i = 0; i < b->ranks.rows; i++)
        if (rows >> i & 1) cp_leaf_add(&b->leaf, stat, i);
    return cp_leaf_log_marginal(&b->leaf, stat);
}

static int all_alike(const cp_btree_problem *b, uint64_t rows) {
    const float *x = b->rows->x, *first = NULL;
    size_t dims = b->ranks.dims;
    for (size_t i = 0; i < b->ranks.rows; i++) {
        if (!(rows >> i & 1)) continue;
        if (first && memcmp(first, x + i * dims, dims * sizeof *x)) return 0;
        first = x + i * dims;
    }
    return 1;
}

static void plain_push(plain *p, const cp_btree_problem *b, uint64_t rows, uint32_t depth) {
    p->waiting[p->n] = rows;
    p->log_lik[p->n] = log_lik_of(b, rows);
    p->depth[p->n++] = depth;
}

static size_t plain_next(const plain *p, int by_likelihood) {
    size_t best = 0;
    for (size_t i = 1; by_likelihood && i < p->n; i++)
        if (p->log_lik[i] < p->log_lik[best] - 1e-9) best = i;
    return best;
}

static void plain_drop(plain *p, size_t i) {
    p->n--;
    memmove(p->waiting + i, p->waiting + i + 1, (p->n - i) * sizeof *p->waiting);
    memmove(p->log_lik + i, p->log_lik + i + 1, (p->n - i) * sizeof *p->log_lik);
    memmove(p->depth + i, p->depth + i + 1, (p->n - i) * sizeof *p->depth);
}

/* A gap of the rows in some column, or none. */
static int random_gap(const cp_btree_problem *b, uint64_t rows, cp_rng *rng, cp_btree_gap *out) {
    uint32_t dim = (uint32_t)cp_rng_below(rng, b->ranks.dims), seen[ROWS];
    const uint32_t *rank = cp_ranks_column(&b->ranks, dim);
    size_t n = 0;
    for (uint32_t r = 0; r < cp_ranks_count(&b->ranks, dim); r++)
        for (size_t i = 0; i < b->ranks.rows; i++)
            if (rows >> i & 1 && rank[i] == r && (!n || seen[n - 1] != r)) seen[n++] = r;
    if (n < 2) return 0;
    size_t g = (size_t)cp_rng_below(rng, n - 1);
    *out = (cp_btree_gap){dim, seen[g], seen[g + 1]};
    return 1;
}

typedef struct world {
    stand t;
    cp_btree_states states;
    int by_likelihood;
    int32_t particle[PARTICLES];
    plain plain[PARTICLES];
    cp_rng rng;
} world;

static void world_init(world *w, const char *name, size_t classes, cp_btree_expansion expansion) {
    copse_error err;
    make_stand(&w->t, name, ROWS, 3, classes, 6);
    must(cp_btree_state_init(&w->states, &w->t.b, expansion, &err), err);
    w->by_likelihood = expansion == CP_BTREE_NODE_LIKELIHOOD;
    cp_rng_init(&w->rng, seed_of(name), CP_FOR_TEST, 1, 0);
    for (size_t i = 0; i < PARTICLES; i++) plain_push(&w->plain[i], &w->t.b, ((uint64_t)1 << ROWS) - 1, 0);
}

/* Decides the same on both sides; 0 when the tree is whole. */
static int decide(world *w, size_t i) {
    copse_error err;
    const cp_btree_problem *b = &w->t.b;
    plain *p = &w->plain[i];
    cp_btree_states *t = &w->states;
    must(cp_btree_state_open(t, w->particle[i], &err), err);
    int32_t head = t->state[w->particle[i]].head, split = CP_NONE;
    size_t at;
    while (p->n && all_alike(b, p->waiting[at = plain_next(p, w->by_likelihood)])) plain_drop(p, at);
    assert_int_equal(head == CP_NONE, p->n == 0);
    if (!p->n) return 0;
    at = plain_next(p, w->by_likelihood);
    cp_btree_view v = cp_btree_block_view(&t->blocks, head);
    uint64_t rows = p->waiting[at];
    uint32_t depth = p->depth[at];
    assert_true(bits_of(v.span) == rows);
    assert_near(v.log_lik, log_lik_of(b, rows), 1e-12);
    assert_int_equal(v.depth, depth);
    plain_drop(p, at);
    cp_btree_gap gap;
    size_t end = strlen(p->path);
    if (cp_rng_below(&w->rng, 4) && random_gap(b, rows, &w->rng, &gap)) {
        uint64_t left = 0;
        for (size_t r = 0; r < ROWS; r++)
            if (rows >> r & 1 && cp_ranks_column(&b->ranks, gap.dim)[r] <= gap.low) left |= (uint64_t)1 << r;
        plain_push(p, b, left, depth + 1);
        plain_push(p, b, rows & ~left, depth + 1);
        assert_true(cp_btree_block_has_gap(&t->blocks, head, gap));
        must(cp_btree_block_split(&t->blocks, head, gap, &split, &err), err);
        snprintf(p->path + end, sizeof p->path - end, "%u:%u ", gap.dim, gap.high);
    } else {
        snprintf(p->path + end, sizeof p->path - end, "- ");
    }
    must(cp_btree_state_next(t, w->particle[i], split, &w->particle[i], &err), err);
    return 1;
}

/* Every particle's state is open before blocks may be forgotten. */
static void compact(world *w) {
    copse_error err;
    for (size_t i = 0; i < PARTICLES; i++) must(cp_btree_state_open(&w->states, w->particle[i], &err), err);
    must(cp_btree_state_compact(&w->states, w->particle, PARTICLES, &err), err);
    const char *wrong = cp_btree_state_check(&w->states);
    if (wrong) fail_msg("%s", wrong);
}

static void resample(world *w) {
    for (size_t i = 0; i < PARTICLES; i++) {
        size_t from = (size_t)cp_rng_below(&w->rng, PARTICLES / 3);
        w->particle[i] = w->particle[from];
        if (i != from) w->plain[i] = w->plain[from];
    }
}

static void follow_plain_particles(const char *name, size_t classes, cp_btree_expansion expansion) {
    world *w = calloc(1, sizeof *w);
    world_init(w, name, classes, expansion);
    for (int stage = 0, busy = 1; busy; stage++) {
        busy = 0;
        for (size_t i = 0; i < PARTICLES; i++) busy |= decide(w, i);
        cp_btree_state_forget(&w->states);
        for (size_t i = 0; i < PARTICLES; i++)
            for (size_t j = 0; j < i; j++)
                assert_int_equal(w->particle[i] == w->particle[j], !strcmp(w->plain[i].path, w->plain[j].path));
        if (stage % 7 == 3) resample(w);
        if (stage % 3 == 1) compact(w);
    }
    cp_btree_state_clear(&w->states);
    free_stand(&w->t);
    free(w);
}

static void blocks_come_oldest_first(void **state) {
    (void)state;
    follow_plain_particles("states by age", 3, CP_BTREE_NODE);
    follow_plain_particles("states by age, numbers", 0, CP_BTREE_LAYER);
}

/* Numbers: no two blocks are equally likely. */
static void blocks_come_least_likely_first(void **state) {
    (void)state;
    follow_plain_particles("states by likelihood", 0, CP_BTREE_NODE_LIKELIHOOD);
}

static int32_t after(cp_btree_states *t, int32_t state, const cp_btree_gap *opt_gap) {
    copse_error err;
    int32_t split = CP_NONE, next;
    if (opt_gap) must(cp_btree_block_split(&t->blocks, t->state[state].head, *opt_gap, &split, &err), err);
    must(cp_btree_state_next(t, state, split, &next, &err), err);
    must(cp_btree_state_open(t, next, &err), err);
    return next;
}

static uint64_t rows_at_head(const cp_btree_states *t, int32_t state) {
    return bits_of(cp_btree_block_view(&t->blocks, t->state[state].head).span);
}

/* Two particles come to one block, one of them earlier: what was made for it and forgotten is made again. */
static void forgotten_rows_are_made_again(void **state) {
    (void)state;
    copse_error err;
    stand s;
    cp_btree_states t;
    cp_rng rng;
    cp_btree_gap gap;
    make_stand(&s, "forgotten rows", ROWS, 3, 2, 0);
    must(cp_btree_state_init(&t, &s.b, CP_BTREE_NODE, &err), err);
    cp_rng_init(&rng, seed_of("forgotten rows"), CP_FOR_TEST, 0, 0);
    assert_true(random_gap(&s.b, rows_at_head(&t, 0), &rng, &gap));
    int32_t both = after(&t, 0, &gap);
    assert_true(random_gap(&s.b, rows_at_head(&t, both), &rng, &gap));
    int32_t particle[2] = {after(&t, both, NULL), after(&t, both, &gap)};
    uint64_t rows = rows_at_head(&t, particle[0]);
    assert_true(rows_at_head(&t, particle[1]) == rows);
    assert_true(random_gap(&s.b, rows, &rng, &gap));
    particle[0] = after(&t, particle[0], &gap);
    while (t.state[particle[0]].head != CP_NONE) particle[0] = after(&t, particle[0], NULL);
    must(cp_btree_state_compact(&t, particle, 2, &err), err);
    int32_t split;
    must(cp_btree_block_split(&t.blocks, t.state[particle[1]].head, gap, &split, &err), err);
    assert_true(t.blocks.split[split].pair != CP_NONE && !cp_btree_block_has_rows(&t.blocks, 2 * split));
    particle[1] = after(&t, particle[1], &gap);
    must(cp_btree_block_make(&t.blocks, 2 * split, &err), err);
    uint64_t left = bits_of(cp_btree_block_view(&t.blocks, 2 * split).span);
    uint64_t right = bits_of(cp_btree_block_view(&t.blocks, 2 * split + 1).span);
    assert_true((left | right) == rows && !(left & right) && left && right);
    must(cp_btree_state_compact(&t, particle, 2, &err), err);
    const char *wrong = cp_btree_state_check(&t);
    if (wrong) fail_msg("%s", wrong);
    cp_btree_state_clear(&t);
    free_stand(&s);
}

static void a_gap_is_between_neighbouring_values(void **state) {
    (void)state;
    copse_error err;
    stand s;
    cp_btree_blocks k;
    make_stand(&s, "gaps", ROWS, 2, 2, 6);
    must(cp_btree_block_init(&k, &s.b, &err), err);
    assert_true(cp_btree_block_has_gap(&k, 0, (cp_btree_gap){1, 2, 3}));
    assert_false(cp_btree_block_has_gap(&k, 0, (cp_btree_gap){1, 2, 4}));
    assert_false(cp_btree_block_has_gap(&k, 0, (cp_btree_gap){1, 2, 2}));
    assert_false(cp_btree_block_has_gap(&k, 0, (cp_btree_gap){2, 2, 3}));
    assert_false(cp_btree_block_has_gap(&k, 0, (cp_btree_gap){1, 5, 6}));
    assert_false(cp_btree_block_has_gap(&k, 0, (cp_btree_gap){1, UINT32_MAX, 0}));
    int32_t split;
    must(cp_btree_block_split(&k, 0, (cp_btree_gap){1, 2, 3}, &split, &err), err);
    must(cp_btree_block_make(&k, 2 * split, &err), err);
    assert_false(cp_btree_block_has_gap(&k, 2 * split, (cp_btree_gap){1, 2, 3}));
    assert_true(cp_btree_block_has_gap(&k, 2 * split, (cp_btree_gap){1, 1, 2}));
    cp_btree_block_clear(&k);
    free_stand(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_come_oldest_first),
        cmocka_unit_test(blocks_come_least_likely_first),
        cmocka_unit_test(forgotten_rows_are_made_again),
        cmocka_unit_test(a_gap_is_between_neighbouring_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
