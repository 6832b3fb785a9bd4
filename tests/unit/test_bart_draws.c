#include "check.h"

#include "bart/draws/bart_draws_file.h"
#include "bart/draws/bart_walk.h"
#include "base/mem.h"
#include "image.h"

enum { DIMS = 5, TREES = 7, MOST = 12 };

/* ----------------------------------------------------------------------------------------------------- random trees */

/* A tree in memory of its own, numbered as its nodes came. */
typedef struct stand {
    cp_bart_tree tree[TREES];
    cp_bart_node node[TREES][2 * CP_BART_MAX_LEAVES];
    float mu[TREES][CP_BART_MAX_LEAVES];
} stand;

static void draw_mu(cp_bart_tree *t, cp_rng *rng) {
    for (size_t s = 0; s <= t->pairs; s++) t->mu[s] = (float)cp_rng_unit(rng) - 0.5f;
}

/* A random leaf is split; few cuts, so that rows meet them. */
static void split(cp_bart_tree *t, cp_rng *rng) {
    int16_t at = 0, left = (int16_t)(2 * t->pairs + 1);
    while (t->node[at].left != CP_NONE) at = (int16_t)(t->node[at].left + (int16_t)cp_rng_below(rng, 2));
    cp_bart_node *n = &t->node[at];
    *n = (cp_bart_node){.parent = n->parent,
                        .left = left,
                        .depth = n->depth,
                        .slot = n->slot,
                        .rule = {.dim = (uint32_t)cp_rng_below(rng, DIMS)},
                        .cut = (float)cp_rng_below(rng, 8) / 8};
    uint16_t slot[2] = {n->slot, (uint16_t)++t->pairs};
    for (int side = 0; side < 2; side++)
        t->node[left + side] =
            (cp_bart_node){.parent = at, .left = CP_NONE, .slot = slot[side], .depth = (uint16_t)(n->depth + 1)};
}

static void plant(stand *s, size_t m, size_t leaves, cp_rng *rng) {
    cp_bart_tree *t = &s->tree[m];
    *t = (cp_bart_tree){.node = s->node[m], .mu = s->mu[m]};
    t->node[0] = (cp_bart_node){.parent = CP_NONE, .left = CP_NONE};
    while (t->pairs + 1 < leaves) split(t, rng);
    draw_mu(t, rng);
}

/* The same tree, its last two pairs of nodes and two slots exchanged. */
static void renumber(cp_bart_tree *t) {
    size_t n = 2 * t->pairs + 1;
    if (t->pairs < 2) return;
    int16_t a = (int16_t)(n - 4), b = (int16_t)(n - 2);
    if (t->node[b].parent == a || t->node[b].parent == a + 1) return;
    for (size_t i = 0; i < n; i++) {
        cp_bart_node *node = &t->node[i];
        if (node->left == a || node->left == b) node->left = node->left == a ? b : a;
        if (node->left == CP_NONE && node->slot < 2) node->slot = (uint16_t)(1 - node->slot);
    }
    for (int k = 0; k < 2; k++) {
        cp_bart_node old = t->node[a + k];
        t->node[a + k] = t->node[b + k];
        t->node[b + k] = old;
    }
    float mu = t->mu[0];
    t->mu[0] = t->mu[1];
    t->mu[1] = mu;
}

/* Word for word: down every tree, and the sum. */
static float sum_slowly(const stand *s, const float *x) {
    float sum = 0;
    for (size_t m = 0; m < TREES; m++) {
        const cp_bart_node *node = s->node[m], *at = node;
        while (at->left != CP_NONE) at = &node[at->left + (x[at->rule.dim] <= at->cut ? 0 : 1)];
        sum += s->mu[m][at->slot];
    }
    return sum;
}

enum { ROWS = 150, DRAWS = 60 };

typedef struct history {
    cp_bart_draws draws;
    float x[ROWS * DIMS];
    float sum[DRAWS][ROWS]; /* of each draw and row, slowly */
    size_t begun;           /* runs there should be */
} history;

/* A third of the draws changes a few trees; all get new mu; some are only numbered anew. */
static copse_status sample(history *h, stand *s, cp_rng *rng, size_t draws, copse_error *err) {
    for (size_t k = 0; k < draws; k++) {
        for (size_t m = 0; m < TREES; m++) {
            int fresh = k == 0 || cp_rng_below(rng, 8) == 0;
            if (fresh) plant(s, m, 1 + (size_t)cp_rng_below(rng, MOST), rng);
            h->begun += fresh != 0;
            draw_mu(&s->tree[m], rng);
            if (!fresh && cp_rng_below(rng, 2)) renumber(&s->tree[m]);
        }
        for (size_t i = 0; i < ROWS; i++) h->sum[h->draws.draws][i] = sum_slowly(s, h->x + i * DIMS);
        CP_TRY(cp_bart_draws_add(&h->draws, s->tree, err));
    }
    return COPSE_OK;
}

/* Values on cuts, between them and beyond. */
static history *random_history(const char *name, size_t draws) {
    copse_error err;
    static stand s;
    history *h = calloc(1, sizeof *h);
    cp_rng rng;
    assert_non_null(h);
    cp_rng_init(&rng, seed_of(name), CP_FOR_TEST, 0, 0);
    for (size_t i = 0; i < ROWS * DIMS; i++) h->x[i] = (float)cp_rng_below(&rng, 34) / 32;
    must(cp_bart_draws_init(&h->draws, DIMS, TREES, &err), err);
    must(sample(h, &s, &rng, draws, &err), err);
    assert_null(cp_bart_draws_check(&h->draws));
    return h;
}

static void forget(history *h) {
    cp_bart_draws_clear(&h->draws);
    free(h);
}

/* ------------------------------------------------------------------------------------------------------------ walks */

static void assert_sums(const history *h, const cp_bart_draws *d, size_t first, size_t draws) {
    copse_error err;
    cp_bart_walk w;
    float out[CP_BART_WALK_BLOCK];
    must(cp_bart_walk_init(&w, d, &err), err);
    for (size_t from = 0; from < ROWS; from += CP_BART_WALK_BLOCK) {
        size_t n = ROWS - from < CP_BART_WALK_BLOCK ? ROWS - from : CP_BART_WALK_BLOCK;
        cp_bart_walk_rows(&w, h->x + from * DIMS, n);
        cp_bart_walk_seek(&w, first);
        for (size_t k = 0; k < draws; k++) {
            cp_bart_walk_next(&w, out);
            for (size_t i = 0; i < n; i++) assert_true(out[i] == h->sum[k][from + i]);
        }
    }
    cp_bart_walk_clear(&w);
}

static void every_draw_says_what_its_trees_said(void **state) {
    (void)state;
    history *h = random_history("what its trees said", DRAWS);
    assert_int_equal(h->draws.draws, DRAWS);
    assert_sums(h, &h->draws, 0, DRAWS);
    forget(h);
}

static void any_draw_can_be_the_first_asked(void **state) {
    (void)state;
    copse_error err;
    history *h = random_history("seek", DRAWS);
    cp_bart_walk w;
    float out[CP_BART_WALK_BLOCK];
    must(cp_bart_walk_init(&w, &h->draws, &err), err);
    cp_bart_walk_rows(&w, h->x, 3);
    for (size_t k = 0; k < DRAWS; k++) {
        size_t draw = k * 37 % DRAWS;
        cp_bart_walk_seek(&w, draw);
        cp_bart_walk_next(&w, out);
        for (size_t i = 0; i < 3; i++) assert_true(out[i] == h->sum[draw][i]);
    }
    cp_bart_walk_clear(&w);
    forget(h);
}

static void a_row_does_not_depend_on_its_company(void **state) {
    (void)state;
    copse_error err;
    history *h = random_history("company", 5);
    cp_bart_walk w;
    float out[CP_BART_WALK_BLOCK];
    must(cp_bart_walk_init(&w, &h->draws, &err), err);
    for (size_t i = 0; i < ROWS; i++) {
        cp_bart_walk_rows(&w, h->x + i * DIMS, 1);
        for (size_t k = 0; k < 5; k++) {
            cp_bart_walk_next(&w, out);
            assert_true(out[0] == h->sum[k][i]);
        }
    }
    cp_bart_walk_clear(&w);
    forget(h);
}

static void a_tree_of_most_leaves_is_kept_whole(void **state) {
    (void)state;
    copse_error err;
    static stand s;
    history *h = random_history("most leaves", 1);
    cp_rng rng;
    cp_rng_init(&rng, seed_of("most leaves"), CP_FOR_TEST, 1, 0);
    for (size_t m = 0; m < TREES; m++) plant(&s, m, CP_BART_MAX_LEAVES, &rng);
    for (size_t i = 0; i < ROWS; i++) h->sum[0][i] = sum_slowly(&s, h->x + i * DIMS);
    must(cp_bart_draws_add(&h->draws, s.tree, &err), err);
    assert_null(cp_bart_draws_check(&h->draws));
    assert_sums(h, &h->draws, 1, 1);
    forget(h);
}

/* ---------------------------------------------------------------------------------------------------------- keeping */

/* Fresh trees may by chance be like the old ones, if these are single leaves. */
static void a_shape_is_kept_once_while_it_lasts(void **state) {
    (void)state;
    history *h = random_history("kept once", DRAWS);
    assert_true(h->draws.runs <= h->begun && h->draws.runs + 5 > h->begun);
    assert_true(h->begun < TREES * DRAWS / 4);
    forget(h);
}

static void chains_stand_one_after_the_other(void **state) {
    (void)state;
    copse_error err;
    history *a = random_history("chain a", 20), *b = random_history("chain b", 30);
    static stand s;
    cp_rng rng;
    cp_bart_draws both;
    memcpy(b->x, a->x, sizeof a->x);
    must(cp_bart_draws_init(&both, DIMS, TREES, &err), err);
    must(cp_bart_draws_append(&both, &a->draws, &err), err);
    assert_sums(a, &both, 0, 20);
    must(cp_bart_draws_append(&both, &b->draws, &err), err);
    assert_null(cp_bart_draws_check(&both));
    assert_int_equal(both.draws, 50);
    assert_sums(a, &both, 0, 20);
    cp_rng_init(&rng, seed_of("chain a"), CP_FOR_TEST, 1, 0);
    for (size_t m = 0; m < TREES; m++) plant(&s, m, 3, &rng);
    for (size_t i = 0; i < ROWS; i++) a->sum[0][i] = sum_slowly(&s, a->x + i * DIMS);
    must(cp_bart_draws_add(&both, s.tree, &err), err);
    assert_null(cp_bart_draws_check(&both));
    assert_sums(a, &both, 50, 1);
    cp_bart_draws_clear(&both);
    forget(a);
    forget(b);
}

static void a_failed_addition_leaves_the_draws_as_they_were(void **state) {
    (void)state;
    copse_error err;
    static stand s;
    history *h = random_history("no memory", 33);
    cp_rng rng;
    cp_rng_init(&rng, seed_of("no memory"), CP_FOR_TEST, 1, 0);
    for (size_t round = 0, failed = 0; failed < 4; round++) {
        cp_bart_draws before = h->draws;
        for (size_t m = 0; m < TREES; m++) plant(&s, m, MOST, &rng);
        cp_mem_fail_after(0);
        copse_status status = cp_bart_draws_add(&h->draws, s.tree, &err);
        cp_mem_fail_after(-1);
        if (!status) continue;
        failed++;
        assert_int_equal(status, COPSE_E_MEMORY);
        assert_int_equal(h->draws.draws, before.draws);
        assert_null(cp_bart_draws_check(&h->draws));
        assert_sums(h, &h->draws, 0, 33);
        must(cp_bart_draws_add(&h->draws, s.tree, &err), err);
    }
    forget(h);
}

/* ------------------------------------------------------------------------------------------------------------ files */

static copse_status write_image(const cp_bart_draws *d, image *out, copse_error *err) {
    cp_writer *w;
    *out = (image){0};
    CP_TRY(cp_writer_new(&w, err));
    copse_status status = cp_bart_draws_file_write(d, w, err);
    if (!status) status = finish_image(w, out, err);
    cp_writer_free(w);
    return status;
}

static copse_status read_image(const image *in, cp_bart_draws *out, copse_error *err) {
    cp_reader *r;
    *out = (cp_bart_draws){0};
    CP_TRY(cp_reader_new(in->bytes, in->n, &r, err));
    copse_status status = cp_bart_draws_file_read(r, DIMS, TREES, out, err);
    cp_reader_free(r);
    return status;
}

static void draws_come_back_and_go_on(void **state) {
    (void)state;
    copse_error err;
    static stand s;
    history *h = random_history("round trip", DRAWS);
    cp_bart_draws read;
    image in, again;
    cp_rng rng;
    must(write_image(&h->draws, &in, &err), err);
    must(read_image(&in, &read, &err), err);
    assert_sums(h, &read, 0, DRAWS);
    cp_rng_init(&rng, seed_of("round trip"), CP_FOR_TEST, 1, 0);
    for (size_t m = 0; m < TREES; m++) plant(&s, m, 4, &rng);
    for (int k = 0; k < 2; k++) {
        must(cp_bart_draws_add(&read, s.tree, &err), err);
        must(cp_bart_draws_add(&h->draws, s.tree, &err), err);
    }
    free(in.bytes);
    must(write_image(&h->draws, &in, &err), err);
    must(write_image(&read, &again, &err), err);
    assert_same_image(in, again);
    cp_bart_draws_clear(&read);
    forget(h);
}

static void no_draws_yet_are_draws_too(void **state) {
    (void)state;
    copse_error err;
    history *h = random_history("none", 0);
    cp_bart_draws read;
    image in;
    must(write_image(&h->draws, &in, &err), err);
    must(read_image(&in, &read, &err), err);
    assert_int_equal(read.draws, 0);
    free(in.bytes);
    cp_bart_draws_clear(&read);
    forget(h);
}

static const section sections[] = {{"runs", CP_U32}, {"tree", CP_U32}, {"rules", CP_U32}, {"dim", CP_U32},
                                   {"cut", CP_F32},  {"slot", CP_U8},  {"mu", CP_F32}};

static image wounded(const image *in, wound how) {
    return damaged(in, sections, COUNT(sections), how);
}

static void missing_and_misshapen_sections_are_refused(void **state) {
    (void)state;
    copse_error err;
    history *h = random_history("damage", 10);
    cp_bart_draws bad;
    image in;
    must(write_image(&h->draws, &in, &err), err);
    for (size_t s = 0; s < COUNT(sections); s++)
        for (damage how = DROP; how <= RETYPE; how++) {
            image d = wounded(&in, (wound){.section = s, .how = how});
            if (read_image(&d, &bad, &err) != COPSE_E_MODEL)
                fail_msg("%s, damage %d: nothing noticed", sections[s].name, (int)how);
            assert_null(bad.last_run);
            free(d.bytes);
        }
    free(in.bytes);
    forget(h);
}

/* A byte anywhere, of any value: refused, or sound draws that a row can go through. */
static void any_byte_may_be_anything(void **state) {
    (void)state;
    copse_error err;
    history *h = random_history("bytes", 10);
    cp_rng rng;
    image in;
    size_t refused = 0, sound = 0;
    cp_rng_init(&rng, seed_of("any byte"), CP_FOR_TEST, 0, 0);
    must(write_image(&h->draws, &in, &err), err);
    for (int round = 0; round < 2000; round++) {
        cp_bart_draws read;
        image d = wounded(&in, any_poke(COUNT(sections), &rng));
        copse_status status = read_image(&d, &read, &err);
        assert_true(status == COPSE_OK || status == COPSE_E_MODEL);
        refused += status != COPSE_OK;
        if (!status) {
            cp_bart_walk w;
            float out[CP_BART_WALK_BLOCK];
            sound++;
            must(cp_bart_walk_init(&w, &read, &err), err);
            cp_bart_walk_rows(&w, h->x, 20);
            for (size_t k = 0; k < read.draws; k++) {
                cp_bart_walk_next(&w, out);
                for (size_t i = 0; i < 20; i++) assert_true(isfinite(out[i]));
            }
            cp_bart_walk_clear(&w);
            cp_bart_draws_clear(&read);
        }
        free(d.bytes);
    }
    assert_true(refused > 200 && sound > 200);
    free(in.bytes);
    forget(h);
}

static void every_failing_allocation_ends_cleanly(void **state) {
    (void)state;
    copse_error err;
    history *h = random_history("allocations", 10);
    image in;
    must(write_image(&h->draws, &in, &err), err);
    for (long k = 0;; k++) {
        cp_bart_draws read;
        cp_mem_fail_after(k);
        copse_status status = read_image(&in, &read, &err);
        cp_mem_fail_after(-1);
        cp_bart_draws_clear(&read);
        if (!status) break;
        assert_int_equal(status, COPSE_E_MEMORY);
    }
    free(in.bytes);
    forget(h);
}

/* ------------------------------------------------------------------------------------------------------------ check */

static void broken_draws_are_found(void **state) {
    (void)state;
    history *h = random_history("check", 10);
    cp_bart_draws *d = &h->draws;
    size_t split = 0;
    while (d->run[split].rules < 2) split++;
    size_t rule = d->run[split].rule;
    cp_bart_draws whole = *d;
    cp_bart_run run = d->run[1];
    cp_bart_rule old = d->rule[rule];
    float mu = d->mu[3];
#define FOUND(what, change, undo)                                                                             \
    do {                                                                                                      \
        change;                                                                                               \
        const char *wrong = cp_bart_draws_check(d);                                                           \
        if (!wrong || strncmp(wrong, what, 2)) fail_msg("%s, %s: %s", what, #change, wrong ? wrong : "none"); \
        undo;                                                                                                 \
    } while (0)
    FOUND("D1", d->run[1].tree = 0, d->run[1] = run);
    FOUND("D1", d->run[TREES - 1].tree = TREES, d->run[TREES - 1].tree = TREES - 1);
    FOUND("D1", d->end_run[0]--, d->end_run[0]++);
    FOUND("D1", d->runs--, *d = whole);
    FOUND("D1", d->last_run[2]--, d->last_run[2]++);
    FOUND("D2", d->run[1].rules = CP_BART_MAX_LEAVES, d->run[1] = run);
    FOUND("D2", d->run[1].rule++, d->run[1] = run);
    FOUND("D2", d->rule[rule].slot = 1, d->rule[rule] = old);
    FOUND("D2", d->rule[rule].dim = DIMS, d->rule[rule] = old);
    FOUND("D2", d->rule[rule].cut = INFINITY, d->rule[rule] = old);
    FOUND("D2", d->rules--, *d = whole);
    FOUND("D3", d->mu[3] = NAN, d->mu[3] = mu);
    FOUND("D3", d->mu[3] = -2e30f, d->mu[3] = mu);
    FOUND("D3", d->end_mu[4]++, d->end_mu[4]--);
    FOUND("D3", d->mus--, *d = whole);
    assert_null(cp_bart_draws_check(d));
    forget(h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_draw_says_what_its_trees_said),
        cmocka_unit_test(any_draw_can_be_the_first_asked),
        cmocka_unit_test(a_row_does_not_depend_on_its_company),
        cmocka_unit_test(a_tree_of_most_leaves_is_kept_whole),
        cmocka_unit_test(a_shape_is_kept_once_while_it_lasts),
        cmocka_unit_test(chains_stand_one_after_the_other),
        cmocka_unit_test(a_failed_addition_leaves_the_draws_as_they_were),
        cmocka_unit_test(draws_come_back_and_go_on),
        cmocka_unit_test(no_draws_yet_are_draws_too),
        cmocka_unit_test(missing_and_misshapen_sections_are_refused),
        cmocka_unit_test(any_byte_may_be_anything),
        cmocka_unit_test(every_failing_allocation_ends_cleanly),
        cmocka_unit_test(broken_draws_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
