#include "check.h"

#include "base/mem.h"
#include "btree/btree_queue.h"
#include "num/rng.h"

/* Many versions of a queue, each with what is in it as a plain list in the order of pushing. */
enum { VERSIONS = 40, MOST = 60, STEPS = 6000 };

typedef struct version {
    cp_btree_queue q;
    int32_t block[MOST];
    double key[MOST];
    size_t n;
} version;

static size_t next_of(const version *v, int by_key) {
    size_t best = 0;
    for (size_t i = 1; by_key && i < v->n; i++)
        if (v->key[i] < v->key[best]) best = i;
    return best;
}

static void push_both(cp_btree_cells *c, version *v, int32_t block, double key) {
    copse_error err;
    must(cp_btree_queue_push(c, &v->q, block, key, &err), err);
    v->block[v->n] = block;
    v->key[v->n++] = key;
}

static void pop_both(cp_btree_cells *c, version *v) {
    copse_error err;
    int32_t block;
    must(cp_btree_queue_pop(c, &v->q, &block, &err), err);
    if (!v->n) {
        assert_int_equal(block, CP_NONE);
        return;
    }
    size_t at = next_of(v, c->by_key);
    assert_int_equal(block, v->block[at]);
    for (v->n--; at < v->n; at++) {
        v->block[at] = v->block[at + 1];
        v->key[at] = v->key[at + 1];
    }
    assert_int_equal(v->q.front == CP_NONE, v->n == 0);
}

/* Forgets what the versions do not hold; all of it is still there. */
static void compact(cp_btree_cells *c, version *v) {
    int32_t *to = malloc((c->n + 1) * sizeof *to);
    size_t before = c->n;
    memset(to, 0xff, (c->n + 1) * sizeof *to);
    for (size_t i = 0; i < VERSIONS; i++) cp_btree_queue_mark(to, v[i].q);
    cp_btree_queue_compact(c, to);
    for (size_t i = 0; i < VERSIONS; i++) cp_btree_queue_move(to, &v[i].q);
    assert_true(c->n < before && c->n <= VERSIONS * MOST);
    for (size_t i = 0; i < c->n; i++) assert_true(c->cell[i].next < (int32_t)i && c->cell[i].right < (int32_t)i);
    free(to);
}

/* All keys differ, so that there is one right order. */
static void follow_lists(int by_key) {
    cp_btree_cells c = {.by_key = by_key};
    version *v = calloc(VERSIONS, sizeof *v);
    cp_rng rng;
    cp_rng_init(&rng, seed_of("queues"), CP_FOR_TEST, (uint32_t)by_key, 0);
    for (size_t i = 0; i < VERSIONS; i++) v[i].q = cp_btree_queue_empty();
    for (int32_t step = 0; step < STEPS; step++) {
        version *to = &v[cp_rng_below(&rng, VERSIONS)];
        *to = v[cp_rng_below(&rng, VERSIONS)]; /* the other goes on as it was */
        uint64_t what = cp_rng_below(&rng, 5);
        if (what < 3 && to->n < MOST)
            push_both(&c, to, step, cp_rng_unit(&rng));
        else
            pop_both(&c, to);
        if (step % 500 == 499) compact(&c, v);
    }
    for (size_t i = 0; i < VERSIONS; i++)
        while (v[i].n) pop_both(&c, &v[i]);
    cp_btree_queue_clear(&c);
    free(v);
}

static void first_in_is_first_out(void **state) {
    (void)state;
    follow_lists(0);
}

static void the_least_key_comes_first(void **state) {
    (void)state;
    follow_lists(1);
}

/* Where keys are equal the order is a matter of what was pushed, not of the cells' numbers. */
static void equal_keys_have_one_order(void **state) {
    (void)state;
    copse_error err;
    cp_btree_cells c[2] = {{.by_key = 1}, {.by_key = 1}};
    cp_btree_queue q[2] = {cp_btree_queue_empty(), cp_btree_queue_empty()}, other = cp_btree_queue_empty();
    cp_rng rng;
    cp_rng_init(&rng, seed_of("equal keys"), CP_FOR_TEST, 0, 0);
    for (int32_t i = 0; i < 2000; i++) {
        double key = (double)cp_rng_below(&rng, 3);
        int pop = cp_rng_below(&rng, 3) == 0;
        int32_t block[2] = {0, 0};
        must(cp_btree_queue_push(&c[1], &other, i, 1, &err), err); /* takes numbers */
        for (int k = 0; k < 2; k++) {
            if (pop)
                must(cp_btree_queue_pop(&c[k], &q[k], &block[k], &err), err);
            else
                must(cp_btree_queue_push(&c[k], &q[k], i, key, &err), err);
        }
        assert_int_equal(block[0], block[1]);
    }
    cp_btree_queue_clear(&c[0]);
    cp_btree_queue_clear(&c[1]);
}

/* Copies made after a pop share the list that the pop turned over. */
static void copies_do_not_turn_lists_again(void **state) {
    (void)state;
    enum { LONG = 1000, COPIES = 100 };
    copse_error err;
    cp_btree_cells c = {0};
    cp_btree_queue q = cp_btree_queue_empty();
    int32_t block;
    for (int32_t i = 0; i < LONG; i++) must(cp_btree_queue_push(&c, &q, i, 0, &err), err);
    must(cp_btree_queue_pop(&c, &q, &block, &err), err);
    size_t before = c.n;
    for (int i = 0; i < COPIES; i++) {
        cp_btree_queue copy = q;
        must(cp_btree_queue_push(&c, &copy, LONG + i, 0, &err), err);
        must(cp_btree_queue_pop(&c, &copy, &block, &err), err);
        assert_int_equal(block, 1);
    }
    assert_int_equal(c.n, before + COPIES);
    cp_btree_queue_clear(&c);
}

static void out_of_memory_leaves_the_queue(void **state) {
    (void)state;
    for (int by_key = 0; by_key < 2; by_key++) {
        copse_error err;
        cp_btree_cells c = {.by_key = by_key};
        cp_btree_queue q = cp_btree_queue_empty();
        int32_t pushed = 0, popped = 0, block = 0;
        for (int i = 0; i < 3000; i++) {
            cp_mem_fail_after(0);
            copse_status status = i % 3 < 2 ? cp_btree_queue_push(&c, &q, pushed, pushed, &err)
                                            : cp_btree_queue_pop(&c, &q, &block, &err);
            cp_mem_fail_after(-1);
            if (status && i % 3 < 2) must(cp_btree_queue_push(&c, &q, pushed, pushed, &err), err);
            if (status && i % 3 == 2) must(cp_btree_queue_pop(&c, &q, &block, &err), err);
            if (i % 3 < 2)
                pushed++;
            else
                assert_int_equal(block, popped++);
        }
        cp_btree_queue_clear(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_in_is_first_out),          cmocka_unit_test(the_least_key_comes_first),
        cmocka_unit_test(equal_keys_have_one_order),      cmocka_unit_test(copies_do_not_turn_lists_again),
        cmocka_unit_test(out_of_memory_leaves_the_queue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
