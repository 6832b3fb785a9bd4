#include "bart/bart_level.h"
#include "check.h"
#include "num/draw.h"

enum { ROWS = 12, MANY = 4000 };

typedef struct world {
    float r[MANY], weight[MANY];
    uint32_t row[MANY];
    cp_bart_view v;
    cp_bart_levels l;
} world;

static void begin(world *w, double noise_sd) {
    copse_error err;
    for (uint32_t i = 0; i < MANY; i++) w->row[i] = i;
    w->v = (cp_bart_view){.r = w->r, .leaf_var = 0.25, .noise_var = noise_sd * noise_sd};
    must(cp_bart_levels_init(&w->l, MANY, &err), err);
}

static void values_far_apart_are_levels(void **state) {
    (void)state;
    static world w;
    cp_rng rng;
    cp_rng_init(&rng, seed_of("levels"), CP_FOR_TEST, 0, 0);
    begin(&w, 0.01);
    for (size_t i = 0; i < 400; i++) w.r[i] = (float)((double)(i % 7) / 7 - 0.4 + 0.002 * cp_draw_normal(&rng));
    cp_bart_levels_find(&w.l, &w.v, (cp_span){w.row, 400}, 3);
    assert_int_equal(w.l.n, 7);
    for (size_t i = 0; i < 400; i++) assert_int_equal(w.l.of[i], 6 - i % 7);
    cp_bart_levels_none(&w.l, (cp_span){w.row, 400});
    assert_int_equal(w.l.n, 1);
    for (size_t i = 0; i < 400; i++) assert_int_equal(w.l.of[i], 0);
    cp_bart_levels_clear(&w.l);
}

static void noise_is_one_level(void **state) {
    (void)state;
    static world w;
    cp_rng rng;
    cp_rng_init(&rng, seed_of("noise"), CP_FOR_TEST, 0, 0);
    begin(&w, 0.1);
    for (size_t i = 0; i < MANY; i++) w.r[i] = (float)(0.1 * cp_draw_normal(&rng));
    cp_bart_levels_find(&w.l, &w.v, (cp_span){w.row, MANY}, 3);
    assert_int_equal(w.l.n, 1);
    cp_bart_levels_clear(&w.l);
}

/* All ways to cut the sorted rows: bit i, between row i and the next. */
static double best_of_all(const world *w, size_t n, double price) {
    double best = -INFINITY;
    for (unsigned cuts = 0; cuts < 1u << (n - 1); cuts++) {
        double value = 0, sum_w = 0, sum_wr = 0;
        for (size_t i = 0; i < n; i++) {
            sum_w += (double)w->weight[i];
            sum_wr += (double)w->weight[i] * (double)w->r[i];
            if (i + 1 < n && !(cuts >> i & 1)) continue;
            value += cp_bart_log_leaf(&w->v, sum_w, sum_wr) - price;
            sum_w = sum_wr = 0;
        }
        best = fmax(best, value);
    }
    return best;
}

static double value_of(const world *w, size_t n, double price) {
    double value = 0;
    for (size_t k = 0; k < w->l.n; k++) {
        double sum_w = 0, sum_wr = 0;
        for (size_t i = 0; i < n; i++)
            if (w->l.of[i] == k) {
                sum_w += (double)w->weight[i];
                sum_wr += (double)w->weight[i] * (double)w->r[i];
            }
        value += cp_bart_log_leaf(&w->v, sum_w, sum_wr) - price;
    }
    return value;
}

/* Where no gap is below half the noise, nothing is left out. */
static void the_best_cut_is_found(void **state) {
    (void)state;
    static world w;
    cp_rng rng;
    cp_rng_init(&rng, seed_of("best cut"), CP_FOR_TEST, 0, 0);
    begin(&w, 0.05);
    w.v.opt_weight = w.weight;
    for (int repeat = 0; repeat < 20; repeat++) {
        double at = -0.5;
        for (size_t i = 0; i < ROWS; i++) {
            at += 0.026 + 0.1 * cp_rng_unit(&rng) * cp_rng_unit(&rng);
            w.r[i] = (float)at;
            w.weight[i] = (float)(0.3 + cp_rng_unit(&rng));
        }
        cp_bart_levels_find(&w.l, &w.v, (cp_span){w.row, ROWS}, 1);
        assert_near(value_of(&w, ROWS, 1), best_of_all(&w, ROWS, 1), 1e-9);
    }
    cp_bart_levels_clear(&w.l);
}

static void more_values_than_levels(void **state) {
    (void)state;
    static world w;
    begin(&w, 1e-9);
    for (size_t i = 0; i < MANY; i++) w.r[i] = (float)i;
    cp_bart_levels_find(&w.l, &w.v, (cp_span){w.row, MANY}, 1);
    assert_in_range(w.l.n, 1, CP_BART_LEVELS);
    for (size_t i = 0; i < MANY; i++) assert_true(w.l.of[i] < w.l.n);
    cp_bart_levels_clear(&w.l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_far_apart_are_levels),
        cmocka_unit_test(noise_is_one_level),
        cmocka_unit_test(the_best_cut_is_found),
        cmocka_unit_test(more_values_than_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
