/* Passes over rows by group: every way to do them against loops that follow the definitions, at all sizes around the
 * ends of lanes and pieces; and all ways against each other, to the bit. */
#include "check.h"

#include "kernel/leaf_pass.h"
#include "num/draw.h"

static const size_t sizes[] = {0,  1,  2,   7,   8,   9,    15,   16,   17,   31,   32,   33,   47,   48,
                               63, 64, 100, 127, 500, 1007, 1023, 1024, 1025, 1040, 2047, 2048, 2065, 5000};
static const size_t groups[] = {1, 2, 3, 5, 7, 8, 9, 12, 13, 15, 16, 17, 31, 100, 256};

enum { MOST = 5000, PAD = 3 };

/* Arrays begin at odd places: nothing is aligned. */
typedef struct world {
    size_t n, slots;
    uint8_t before_[MOST + PAD], slot_[MOST + PAD];
    float r_[MOST + PAD], weight_[MOST + PAD];
    uint16_t code_[MOST + PAD];
    uint8_t *before, *slot;
    float *r, *weight;
    uint16_t *code;
    float add_before[CP_LEAF_PASS_MAX], add[CP_LEAF_PASS_MAX];
} world;

static void make_world(world *w, size_t n, size_t slots, cp_rng *rng) {
    w->n = n;
    w->slots = slots;
    w->before = w->before_ + 3;
    w->slot = w->slot_ + 1;
    w->r = w->r_ + 1;
    w->weight = w->weight_ + 3;
    w->code = w->code_ + 1;
    for (size_t i = 0; i < n; i++) {
        w->before[i] = (uint8_t)cp_rng_below(rng, slots);
        w->slot[i] = (uint8_t)(cp_rng_unit(rng) * cp_rng_unit(rng) * (double)slots); /* some large, some rare */
        w->r[i] = (float)cp_draw_normal(rng);
        w->weight[i] = (float)cp_draw_exp(rng);
        w->code[i] = (uint16_t)cp_rng_below(rng, i % 3 ? 65536 : 10);
    }
    for (size_t g = 0; g < CP_LEAF_PASS_MAX; g++) {
        w->add_before[g] = (float)cp_draw_normal(rng);
        w->add[g] = (float)cp_draw_normal(rng);
    }
}

static double weight_of(const world *w, int weighted, size_t i) {
    return weighted ? (double)w->weight[i] : 1;
}

static void each_world(void (*check)(const cp_leaf_pass *k, const world *w, int weighted)) {
    static world w;
    cp_rng rng;
    cp_rng_init(&rng, seed_of("slots"), CP_FOR_TEST, 0, 0);
    for (size_t s = 0; s < COUNT(sizes); s++)
        for (size_t g = 0; g < COUNT(groups); g++) {
            make_world(&w, sizes[s], groups[g], &rng);
            for (cp_tier i = 0; i < CP_TIERS; i++) {
                const cp_leaf_pass *k = cp_leaf_pass_find(i);
                if (!k) continue;
                check(k, &w, 0);
                check(k, &w, 1);
            }
        }
}

/* ------------------------------------------------------------------------------------------------------------- move */

typedef struct moved {
    float r[MOST + PAD];
    double sum[CP_LEAF_PASS_MAX + 1];
} moved;

static void move(const cp_leaf_pass *k, const world *w, int weighted, int before, moved *out) {
    const cp_leaf_pass_shift a = {w->before, w->add_before, w->slots}, b = {w->slot, w->add, w->slots};
    cp_leaf_pass_values x = {out->r + 1, weighted ? w->weight : NULL, w->n};
    memcpy(out->r, w->r_, sizeof out->r);
    out->r[w->n + 1] = 777;
    out->sum[w->slots] = 777;
    k->move(&x, before ? &a : NULL, &b, out->sum);
    assert_true(out->r[w->n + 1] == 777 && out->sum[w->slots] == 777);
}

static void check_move(const cp_leaf_pass *k, const world *w, int weighted) {
    for (int before = 0; before < 2; before++) {
        static moved m, p;
        double sum[CP_LEAF_PASS_MAX] = {0}, size[CP_LEAF_PASS_MAX] = {0};
        move(k, w, weighted, before, &m);
        for (size_t i = 0; i < w->n; i++) {
            float r = w->r[i];
            if (before) r += w->add_before[w->before[i]];
            r += w->add[w->slot[i]];
            assert_true(m.r[i + 1] == r);
            sum[w->slot[i]] += weight_of(w, weighted, i) * (double)r;
            size[w->slot[i]] += weight_of(w, weighted, i) * fabs((double)r);
        }
        for (size_t g = 0; g < w->slots; g++) assert_true(fabs(m.sum[g] - sum[g]) <= 1e-6 * size[g]);
        move(cp_leaf_pass_find(CP_TIER_PLAIN), w, weighted, before, &p);
        assert_memory_equal(m.sum, p.sum, w->slots * sizeof *m.sum);
        assert_memory_equal(m.r + 1, p.r + 1, w->n * sizeof *m.r);
    }
}

static void values_move_by_group_and_are_summed(void **state) {
    (void)state;
    each_world(check_move);
}

/* As move, with products. */
static void check_scale(const cp_leaf_pass *k, const world *w, int weighted) {
    const cp_leaf_pass *plain = cp_leaf_pass_find(CP_TIER_PLAIN);
    for (int before = 0; before < 2; before++) {
        static moved m, p;
        double sum[CP_LEAF_PASS_MAX], all[CP_LEAF_PASS_MAX];
        const cp_leaf_pass_shift a = {w->before, w->add_before, w->slots}, b = {w->slot, w->add, w->slots};
        const cp_leaf_pass_values x = {m.r + 1, weighted ? w->weight : NULL, w->n},
                                  y = {p.r + 1, weighted ? w->weight : NULL, w->n};
        memcpy(m.r, w->r_, sizeof m.r);
        memcpy(p.r, w->r_, sizeof p.r);
        m.r[w->n + 1] = 777;
        k->scale(&x, before ? &a : NULL, &b, m.sum);
        plain->scale(&y, before ? &a : NULL, &b, p.sum);
        assert_true(m.r[w->n + 1] == 777);
        for (size_t i = 0; i < w->n; i++) {
            float r = w->r[i];
            if (before) r *= w->add_before[w->before[i]];
            assert_true(m.r[i + 1] == r * w->add[w->slot[i]]);
        }
        assert_memory_equal(m.r + 1, p.r + 1, w->n * sizeof *m.r);
        assert_memory_equal(m.sum, p.sum, w->slots * sizeof *m.sum);
        k->sum(&x, &b, sum);
        plain->sum(&x, &b, all);
        assert_memory_equal(sum, m.sum, w->slots * sizeof *sum);
        assert_memory_equal(all, m.sum, w->slots * sizeof *all);
    }
}

static void values_are_scaled_by_group_and_summed(void **state) {
    (void)state;
    each_world(check_scale);
}

static void sums_are_not_needed(void **state) {
    (void)state;
    static world w;
    cp_rng rng;
    cp_rng_init(&rng, seed_of("no sums"), CP_FOR_TEST, 0, 0);
    for (size_t g = 0; g < COUNT(groups); g++) {
        make_world(&w, 1100, groups[g], &rng);
        for (cp_tier i = 0; i < CP_TIERS; i++) {
            const cp_leaf_pass *k = cp_leaf_pass_find(i);
            static moved with, without;
            const cp_leaf_pass_shift b = {w.slot, w.add, w.slots};
            if (!k) continue;
            move(k, &w, 0, 0, &with);
            memcpy(without.r, w.r_, sizeof without.r);
            k->move(&(cp_leaf_pass_values){without.r + 1, NULL, w.n}, NULL, &b, NULL);
            assert_memory_equal(with.r + 1, without.r + 1, w.n * sizeof *with.r);
        }
    }
}

static void check_squares(const cp_leaf_pass *k, const world *w, int weighted) {
    float r[MOST + PAD];
    memcpy(r, w->r_, sizeof r);
    const cp_leaf_pass_values x = {r + 1, weighted ? w->weight : NULL, w->n};
    double sum = 0;
    for (size_t i = 0; i < w->n; i++) sum += weight_of(w, weighted, i) * (double)w->r[i] * (double)w->r[i];
    assert_near(k->squares(&x), sum, 1e-6);
    assert_true(k->squares(&x) == cp_leaf_pass_find(CP_TIER_PLAIN)->squares(&x));
}

static void squares_are_summed(void **state) {
    (void)state;
    each_world(check_squares);
}

/* -------------------------------------------------------------------------------------------------- extent and left */

static void check_extent(const cp_leaf_pass *k, const world *w, int weighted) {
    (void)weighted;
    for (size_t s = 0; s < w->slots; s += 1 + s / 3) {
        uint16_t low = 65535, high = 0, out[2];
        size_t rows = 0;
        for (size_t i = 0; i < w->n; i++) {
            if (w->slot[i] != s) continue;
            if (w->code[i] < low) low = w->code[i];
            if (w->code[i] > high) high = w->code[i];
            rows++;
        }
        assert_int_equal(k->extent(w->slot, (uint8_t)s, w->code, w->n, out), rows);
        assert_int_equal(out[0], low);
        assert_int_equal(out[1], high);
    }
}

static void extents_are_those_of_the_group(void **state) {
    (void)state;
    each_world(check_extent);
}

static void check_left_of(const cp_leaf_pass *k, const world *w, int weighted, uint8_t s, uint16_t cell) {
    const float *weight = weighted ? w->weight : NULL;
    const cp_leaf_pass_rows rows = {w->slot, w->r, weight, w->n}, blind = {w->slot, NULL, weight, w->n};
    const cp_leaf_pass_cut cut = {w->code, cell};
    cp_leaf_pass_side got = k->left(&rows, s, cut), same = cp_leaf_pass_find(CP_TIER_PLAIN)->left(&rows, s, cut),
                      want = {0};
    double size = 0;
    for (size_t i = 0; i < w->n; i++) {
        if (w->slot[i] != s || w->code[i] > cell) continue;
        double one = weight_of(w, weighted, i);
        want.rows++;
        want.sum_w += one;
        want.sum_wr += one * (double)w->r[i];
        size += one * fabs((double)w->r[i]);
    }
    assert_int_equal(got.rows, want.rows);
    assert_near(got.sum_w, want.sum_w, weighted ? 1e-6 : 0);
    assert_true(fabs(got.sum_wr - want.sum_wr) <= 1e-6 * size);
    assert_true(got.sum_w == same.sum_w && got.sum_wr == same.sum_wr);
    got = k->left(&blind, s, cut);
    assert_int_equal(got.rows, want.rows);
    assert_true(got.sum_w == same.sum_w && got.sum_wr == 0);
}

static void check_left(const cp_leaf_pass *k, const world *w, int weighted) {
    const uint16_t cells[] = {0, 5, 9, 32767, 32768, 65534, 65535};
    for (size_t s = 0; s < w->slots; s += 1 + s)
        for (size_t c = 0; c < COUNT(cells); c++) check_left_of(k, w, weighted, (uint8_t)s, cells[c]);
}

static void left_sides_are_summed(void **state) {
    (void)state;
    each_world(check_left);
}

static void check_next(const cp_leaf_pass *k, const world *w, int right) {
    for (size_t s = 0; s < w->slots; s += 1 + s) {
        size_t at = w->n;
        for (size_t from = w->n + 1; from-- > 0;) {
            if (from < w->n && w->slot[from] == s && (w->code[from] > 9) == right) at = from;
            if (from % 7 && from + 40 < w->n) continue;
            assert_int_equal(k->next(w->slot, (uint8_t)s, (cp_leaf_pass_cut){w->code, 9}, right, from, w->n), at);
        }
    }
}

static void the_next_row_on_a_side_is_found(void **state) {
    (void)state;
    each_world(check_next);
}

/* So many rows that counts do not fit 16 bits in any lane. */
static void large_groups_are_counted(void **state) {
    (void)state;
    enum { ROWS = 1100003 };
    uint8_t *slot = calloc(ROWS, 1);
    uint16_t *code = calloc(ROWS, sizeof *code), out[2];
    slot[5] = 1;
    code[ROWS - 9] = 7;
    for (cp_tier i = 0; i < CP_TIERS; i++) {
        const cp_leaf_pass *k = cp_leaf_pass_find(i);
        const cp_leaf_pass_rows rows = {slot, NULL, NULL, ROWS};
        if (!k) continue;
        assert_int_equal(k->extent(slot, 0, code, ROWS, out), ROWS - 1);
        assert_true(out[0] == 0 && out[1] == 7);
        cp_leaf_pass_side side = k->left(&rows, 0, (cp_leaf_pass_cut){code, 6});
        assert_int_equal(side.rows, ROWS - 2);
        assert_true(side.sum_w == ROWS - 2 && side.sum_wr == 0);
    }
    free(slot);
    free(code);
}

/* What lies on the left of no cut is the group, summed as a pass over all groups does. */
static void the_whole_group_has_the_sum_of_a_move(void **state) {
    (void)state;
    static world w;
    static moved m;
    cp_rng rng;
    cp_rng_init(&rng, seed_of("whole"), CP_FOR_TEST, 0, 0);
    make_world(&w, 3333, 5, &rng);
    memset(w.add, 0, sizeof w.add);
    for (cp_tier i = 0; i < CP_TIERS; i++) {
        const cp_leaf_pass *k = cp_leaf_pass_find(i);
        if (!k) continue;
        move(k, &w, 1, 0, &m);
        for (size_t s = 0; s < w.slots; s++) {
            const cp_leaf_pass_rows rows = {w.slot, w.r, w.weight, w.n};
            cp_leaf_pass_side side = k->left(&rows, (uint8_t)s, (cp_leaf_pass_cut){w.code, 65535});
            assert_true(side.sum_wr == m.sum[s]);
        }
    }
}

/* ---------------------------------------------------------------------------------------------------------- changes */

static void check_changes(const cp_leaf_pass *k, const world *w, int weighted) {
    uint8_t slot[MOST + PAD];
    uint8_t s = (uint8_t)(w->slots / 3), to = (uint8_t)(w->slots - 1);
    (void)weighted;
    memcpy(slot, w->slot_, sizeof slot);
    slot[w->n + 1] = s;
    k->split(slot + 1, s, (cp_leaf_pass_cut){w->code, 40000}, to, w->n);
    for (size_t i = 0; i < w->n; i++)
        assert_int_equal(slot[i + 1], w->slot[i] == s && w->code[i] > 40000 ? to : w->slot[i]);
    memcpy(slot, w->slot_, sizeof slot);
    slot[w->n + 1] = s;
    k->rename(slot + 1, s, to, w->n);
    for (size_t i = 0; i < w->n; i++) assert_int_equal(slot[i + 1], w->slot[i] == s ? to : w->slot[i]);
    assert_int_equal(slot[w->n + 1], s);
}

static void groups_are_split_and_renamed(void **state) {
    (void)state;
    each_world(check_changes);
}

static void check_list(const cp_leaf_pass *k, const world *w, int weighted) {
    static uint32_t row[MOST];
    for (size_t step = 1; step < 5; step++) {
        uint8_t in[CP_LEAF_PASS_MAX] = {0};
        size_t rows = 0;
        for (size_t g = (size_t)weighted; g < CP_LEAF_PASS_MAX; g += step) in[g] = 1;
        size_t got = k->list(w->slot, in, w->n, row);
        for (size_t i = 0; i < w->n; i++)
            if (in[w->slot[i]]) assert_int_equal(row[rows++], i);
        assert_int_equal(got, rows);
    }
}

static void rows_of_groups_are_listed(void **state) {
    (void)state;
    each_world(check_list);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_move_by_group_and_are_summed),
        cmocka_unit_test(values_are_scaled_by_group_and_summed),
        cmocka_unit_test(sums_are_not_needed),
        cmocka_unit_test(squares_are_summed),
        cmocka_unit_test(extents_are_those_of_the_group),
        cmocka_unit_test(left_sides_are_summed),
        cmocka_unit_test(the_next_row_on_a_side_is_found),
        cmocka_unit_test(large_groups_are_counted),
        cmocka_unit_test(the_whole_group_has_the_sum_of_a_move),
        cmocka_unit_test(groups_are_split_and_renamed),
        cmocka_unit_test(rows_of_groups_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
