#include "bart/pg/bart_pg_levels.h"
#include "check.h"
#include "num/draw.h"

enum { ROWS = 12, MANY = 4000 };

typedef struct world {
    float r[MANY], weight[MANY];
    uint32_t row[MANY];
    cp_bart_view v;
    cp_bart_pg_levels l;
} world;

static void begin(world *w, double noise_sd) {
    copse_error err;
    for (uint32_t i = 0; i < MANY; i++) w->row[i] = i;
    w->v = (cp_bart_view){.r = w->r, .leaf_var = 0.25, .noise_var = noise_sd * noise_sd};
    must(cp_bart_pg_levels_init(&w->l, MANY, &err), err);
}

static void values_far_apart_are_levels(void **state) {
    (void)state;
    static world w;
    cp_rng rng;
    cp_rng_init(&rng, seed_of("levels"), CP_FOR_TEST, 0, 0);
    begin(&w, 0.01);
    for (size_t i = 0; i < 400; i++) w.r[i] = (float)((double)(i % 7) / 7 - 0.4 + 0.002 * cp_draw_normal(&rng));
    cp_bart_pg_levels_find(&w.l, &w.v, (cp_span){w.row, 400}, 3);
    assert_int_equal(w.l.n, 7);
    w.v.noise_var *= 400; /* levels are still seen */
    cp_bart_pg_levels_find(&w.l, &w.v, (cp_span){w.row, 400}, 3);
    assert_int_equal(w.l.n, 7);
    assert_in_range(w.l.usual_rows, 57, 58);
    for (size_t i = 0; i < 400; i++) assert_int_equal(w.l.of[i], 6 - i % 7);
    cp_bart_pg_levels_none(&w.l, (cp_span){w.row, 400});
    assert_int_equal(w.l.n, 1);
    for (size_t i = 0; i < 400; i++) assert_int_equal(w.l.of[i], 0);
    cp_bart_pg_levels_clear(&w.l);
}

static void noise_is_one_level(void **state) {
    (void)state;
    static world w;
    cp_rng rng;
    cp_rng_init(&rng, seed_of("noise"), CP_FOR_TEST, 0, 0);
    begin(&w, 0.1);
    for (size_t i = 0; i < MANY; i++) w.r[i] = (float)(0.1 * cp_draw_normal(&rng));
    cp_bart_pg_levels_find(&w.l, &w.v, (cp_span){w.row, MANY}, 3);
    assert_int_equal(w.l.n, 1);
    assert_int_equal(w.l.usual_rows, MANY);
    cp_bart_pg_levels_clear(&w.l);
}

/* One row after another is normal about what those before say of the mean; and each is of this level among n rows. */
static double log_level(const world *w, size_t begin, size_t end, size_t n, double noise_var) {
    double mean = 0, var = w->v.leaf_var, sum = (double)(end - begin) * log((double)(end - begin) / (double)n);
    for (size_t i = begin; i < end; i++) {
        double noise = noise_var / (double)w->weight[i], spread = var + noise, off = (double)w->r[i] - mean;
        sum -= 0.5 * (log(spread) + off * off / spread);
        mean += var / spread * off;
        var *= noise / spread;
    }
    return sum;
}

/* Cut behind row i where bit i is set, with the noise that suits best. */
static double value_of(const world *w, size_t n, unsigned cuts, double leaf_penalty) {
    double best = -INFINITY, noise_var = w->v.noise_var;
    for (int scale = 0; scale < 6; scale++, noise_var /= 16) {
        double value = 0;
        for (size_t i = 0, begin = 0; i < n; i++) {
            if (i + 1 < n && !(cuts >> i & 1)) continue;
            value += log_level(w, begin, i + 1, n, noise_var) - leaf_penalty;
            begin = i + 1;
        }
        best = fmax(best, value);
    }
    return best;
}

static double best_of_all(const world *w, size_t n, double leaf_penalty) {
    double best = -INFINITY;
    for (unsigned cuts = 0; cuts < 1u << (n - 1); cuts++) best = fmax(best, value_of(w, n, cuts, leaf_penalty));
    return best;
}

static unsigned cuts_found(const world *w, size_t n) {
    unsigned cuts = 0;
    for (size_t i = 0; i + 1 < n; i++) cuts |= (unsigned)(w->l.of[i] != w->l.of[i + 1]) << i;
    return cuts;
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
            at += 0.026 + (i % 3 ? 0.05 : 0.3) * cp_rng_unit(&rng);
            w.r[i] = (float)at;
            w.weight[i] = (float)(0.3 + cp_rng_unit(&rng));
        }
        cp_bart_pg_levels_find(&w.l, &w.v, (cp_span){w.row, ROWS}, 1);
        assert_near(value_of(&w, ROWS, cuts_found(&w, ROWS), 1), best_of_all(&w, ROWS, 1), 1e-9);
    }
    cp_bart_pg_levels_clear(&w.l);
}

static void more_values_than_levels(void **state) {
    (void)state;
    static world w;
    begin(&w, 1e-9);
    for (size_t i = 0; i < MANY; i++) w.r[i] = (float)i;
    cp_bart_pg_levels_find(&w.l, &w.v, (cp_span){w.row, MANY}, 1);
    assert_in_range(w.l.n, 1, CP_BART_PG_LEVELS_MAX);
    for (size_t i = 0; i < MANY; i++) assert_true(w.l.of[i] < w.l.n);
    cp_bart_pg_levels_clear(&w.l);
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
