#include "check.h"

#include <unistd.h>

#include "image.h"
#include "random_tree.h"
#include "tree/forest_file.h"
#include "tree/tree_walk.h"

static const struct {
    copse_task task;
    int categories;
} kinds[] = {{COPSE_REGRESS, 0}, {COPSE_REGRESS, 1}, {COPSE_CLASS, 0}, {COPSE_CLASS, 1}};

static copse_status write_image(const cp_forest *f, image *out, copse_error *err) {
    cp_writer *w;
    *out = (image){0};
    CP_TRY(cp_writer_new(&w, err));
    copse_status status = cp_forest_write(f, w, err);
    if (!status) status = finish_image(w, out, err);
    cp_writer_free(w);
    return status;
}

static copse_status read_image(const image *in, const cp_forest *like, cp_forest *out, copse_error *err) {
    cp_reader *r;
    CP_TRY(cp_reader_new(in->bytes, in->n, &r, err));
    copse_status status = cp_forest_read(r, like->task, like->dims, like->classes, out, err);
    cp_reader_free(r);
    return status;
}

/* Everything that a prediction can see, bit for bit. */
static void assert_same_forest(const cp_forest *a, const cp_forest *b) {
    assert_int_equal(a->trees, b->trees);
    assert_true(a->centre == b->centre && a->scale == b->scale);
    assert_int_equal(!a->levels, !b->levels);
    if (a->levels) assert_memory_equal(a->levels, b->levels, a->dims * sizeof *a->levels);
    for (size_t m = 0; m < a->trees; m++) {
        const cp_tree *s = &a->tree[m], *t = &b->tree[m];
        assert_int_equal(s->nodes, t->nodes);
        for (size_t i = 0; i < s->nodes; i++) {
            const cp_tree_node *p = &s->node[i], *q = &t->node[i];
            assert_true(p->what == q->what && p->next == q->next);
            if (!(p->what & CP_TREE_CATEGORY)) assert_memory_equal(&p->at, &q->at, sizeof p->at);
        }
        for (uint32_t k = 0; k < s->leaves; k++) assert_true(same_leaf(s, k, t, k));
        assert_int_equal(!s->gain, !t->gain);
        if (s->gain) assert_memory_equal(s->gain, t->gain, a->dims * sizeof *s->gain);
    }
}

static void assert_same_answers(const cp_forest *a, const cp_forest *b) {
    enum { ROWS = 100 };
    uint32_t left[ROWS], right[ROWS];
    float *x = random_rows("answers", a, ROWS, 1);
    for (size_t m = 0; m < a->trees; m++) {
        cp_tree_walk(&a->tree[m], a, x, ROWS, left);
        cp_tree_walk(&b->tree[m], b, x, ROWS, right);
        assert_memory_equal(left, right, sizeof left);
    }
    free(x);
}

static void assert_round_trip(const cp_forest *f) {
    copse_error err;
    image first, again;
    cp_forest g;
    must(write_image(f, &first, &err), err);
    must(read_image(&first, f, &g, &err), err);
    assert_same_forest(f, &g);
    assert_same_answers(f, &g);
    must(write_image(&g, &again, &err), err);
    assert_same_image(first, again);
    cp_tree_clear_forest(&g);
}

static void a_forest_comes_back_as_it_was(void **state) {
    (void)state;
    for (size_t kind = 0; kind < COUNT(kinds); kind++) {
        cp_forest f = random_forest("round trip", kinds[kind].task, kinds[kind].categories, 20, 300);
        assert_round_trip(&f);
        for (size_t m = 0; m < f.trees; m++) {
            cp_mem_free(f.tree[m].gain);
            f.tree[m].gain = NULL;
        }
        assert_round_trip(&f);
        cp_tree_clear_forest(&f);
    }
}

/* Whole weights, broken ones, weights beside the rows, counts that need two and four bytes. */
static void weights_and_counts_of_all_sizes_come_back(void **state) {
    (void)state;
    static const float scales[] = {1, 0.5f, 300, 70000, 1e30f};
    for (size_t i = 0; i < COUNT(scales); i++)
        for (int with_rows = 0; with_rows < 2; with_rows++)
            for (size_t kind = 0; kind < COUNT(kinds); kind++) {
                cp_forest f = random_forest("weights", kinds[kind].task, kinds[kind].categories, 5, 60);
                for (size_t m = 0; m < f.trees; m++) {
                    cp_tree *t = &f.tree[m];
                    for (size_t k = 0; t->value && k < t->leaves; k++) {
                        t->value[k].weight *= scales[i];
                        if (with_rows && scales[i] < 1e6f) t->value[k].rows = 1 + (uint32_t)t->value[k].weight;
                    }
                    for (size_t k = 0; t->class_weight && k < t->start[t->leaves]; k++)
                        t->class_weight[k].weight *= scales[i];
                    for (size_t k = 0; t->rows && with_rows && k < t->leaves; k++) {
                        double sum = 0;
                        for (size_t s = t->start[k]; s < t->start[k + 1]; s++) sum += (double)t->class_weight[s].weight;
                        if (sum >= 1 && sum < 1e9) t->rows[k] = (uint32_t)sum;
                    }
                }
                assert_round_trip(&f);
                cp_tree_clear_forest(&f);
            }
}

/* More columns and classes than a byte can name. */
static void wide_data_come_back(void **state) {
    (void)state;
    copse_error err;
    static const size_t widths[] = {200, 300, 70000};
    for (size_t i = 0; i < COUNT(widths); i++) {
        cp_forest f = empty_forest(COPSE_CLASS, 0, 1);
        cp_tree *t = &f.tree[0];
        f.dims = f.classes = widths[i];
        must(cp_tree_init_root(t, &err), err);
        for (int32_t node = 0; node < 2 * 50; node += 2) {
            uint32_t dim = (uint32_t)widths[i] - 1 - (uint32_t)node;
            must(cp_tree_split(t, node, &(cp_tree_test){.dim = dim, .cut = 1}, &err), err);
            must(cp_tree_leaf_classes(t, t->node[node].next, &(cp_tree_class_weight){dim, 2}, 1, 2, &err), err);
        }
        must(cp_tree_leaf_classes(t, 100, &(cp_tree_class_weight){1, 1}, 1, 1, &err), err);
        must(cp_tree_finish(t, &err), err);
        assert_round_trip(&f);
        cp_tree_clear_forest(&f);
    }
}

/* ---------------------------------------------------------------------------------------------------- hostile files */

static const section sections[] = {
    {"forest.centre", CP_F64}, {"forest.scale", CP_F64}, {"forest.levels", CP_U32}, {"forest.trees", CP_I64},
    {"forest.nodes", CP_U8},   {"forest.leaf", CP_U8},   {"forest.dim", CP_U8},     {"forest.missing_left", CP_U8},
    {"forest.cut", CP_F32},    {"forest.set", CP_U32},   {"forest.gain", CP_F32},   {"forest.mean", CP_F32},
    {"forest.var", CP_F32},    {"forest.rows", CP_U8},   {"forest.count", CP_U8},   {"forest.weight", CP_F32},
    {"forest.kinds", CP_U8},   {"forest.label", CP_U8},
};

static image wounded(const image *in, wound how) {
    return damaged(in, sections, COUNT(sections), how);
}

static int has_section(const image *in, size_t s) {
    copse_error err;
    cp_reader *r;
    must(cp_reader_new(in->bytes, in->n, &r, &err), err);
    int has = cp_reader_has(r, sections[s].name);
    cp_reader_free(r);
    return has;
}

static void missing_and_misshapen_sections_are_refused(void **state) {
    (void)state;
    static const char *const may_miss[] = {"forest.missing_left", "forest.gain", "forest.count", "forest.weight",
                                           "forest.rows"};
    for (size_t kind = 0; kind < COUNT(kinds); kind++) {
        copse_error err;
        cp_forest f = random_forest("damage", kinds[kind].task, kinds[kind].categories, 6, 60), g;
        image good;
        must(write_image(&f, &good, &err), err);
        size_t found = 0;
        for (size_t s = 0; s < COUNT(sections); s++) {
            if (!has_section(&good, s)) continue;
            found++;
            for (damage how = DROP; how <= RETYPE; how++) {
                int optional = 0;
                for (size_t i = 0; i < COUNT(may_miss); i++) optional |= !strcmp(may_miss[i], sections[s].name);
                if (how == DROP && optional) continue;
                image bad = wounded(&good, (wound){.section = s, .how = how});
                if (read_image(&bad, &f, &g, &err) != COPSE_E_MODEL)
                    fail_msg("%s, damage %d: nothing noticed", sections[s].name, (int)how);
                assert_null(g.tree);
                free(bad.bytes);
            }
        }
        assert_true(found >= 11);
        free(good.bytes);
        cp_tree_clear_forest(&f);
    }
}

/* Bits beyond the last node would be lost when the forest is written again. */
static void bits_beyond_the_end_are_refused(void **state) {
    (void)state;
    copse_error err;
    cp_forest f = random_forest("bits", COPSE_REGRESS, 0, 1, 1), g;
    image good, bad;
    size_t leaf = 0;
    while (strcmp(sections[leaf].name, "forest.leaf")) leaf++;
    must(write_image(&f, &good, &err), err);
    bad = wounded(&good, (wound){.section = leaf, .how = POKE, .byte = 1}); /* the one node's, as it is */
    must(read_image(&bad, &f, &g, &err), err);
    cp_tree_clear_forest(&g);
    free(bad.bytes);
    bad = wounded(&good, (wound){.section = leaf, .how = POKE, .byte = 1 | 2});
    assert_int_equal(read_image(&bad, &f, &g, &err), COPSE_E_MODEL);
    assert_string_equal(err.msg, "damaged: section 'forest.leaf': has more bits than it should");
    free(bad.bytes);
    free(good.bytes);
    cp_tree_clear_forest(&f);
}

/* A byte anywhere, of any value: refused, or a sound forest that answers. */
static void any_byte_may_be_anything(void **state) {
    (void)state;
    cp_rng rng;
    cp_rng_init(&rng, seed_of("any byte"), CP_FOR_TEST, 0, 0);
    size_t refused = 0, read = 0;
    for (size_t kind = 0; kind < COUNT(kinds); kind++) {
        copse_error err;
        cp_forest f = random_forest("bytes", kinds[kind].task, kinds[kind].categories, 4, 60), g;
        image good;
        must(write_image(&f, &good, &err), err);
        for (int round = 0; round < 500; round++) {
            image bad = wounded(&good, any_poke(COUNT(sections), &rng));
            copse_status status = read_image(&bad, &f, &g, &err);
            assert_true(status == COPSE_OK || status == COPSE_E_MODEL);
            refused += status != COPSE_OK;
            if (!status) {
                read++;
                for (size_t m = 0; m < g.trees; m++) assert_null(cp_tree_check(&g.tree[m], &g));
                assert_same_answers(&g, &g);
                cp_tree_clear_forest(&g);
            }
            free(bad.bytes);
        }
        free(good.bytes);
        cp_tree_clear_forest(&f);
    }
    assert_true(refused > 200 && read > 200);
}

/* A small file may not ask for much memory: a billion nodes in a few bytes. */
static void a_small_file_gets_little_memory(void **state) {
    (void)state;
    copse_error err;
    cp_writer *w;
    image in;
    cp_forest like = {.task = COPSE_REGRESS, .dims = 3}, g;
    const unsigned char nodes[4] = {0xff, 0xff, 0xff, 0x3f};
    must(cp_writer_new(&w, &err), err);
    must(cp_writer_f64(w, "forest.centre", 0, &err), err);
    must(cp_writer_f64(w, "forest.scale", 1, &err), err);
    must(cp_writer_i64(w, "forest.trees", 1, &err), err);
    must(cp_writer_array(w, "forest.nodes", CP_U8, nodes, 4, &err), err);
    must(finish_image(w, &in, &err), err);
    cp_writer_free(w);
    assert_int_equal(read_image(&in, &like, &g, &err), COPSE_E_MODEL);
    assert_non_null(strstr(err.msg, "justify"));
    free(in.bytes);
}

static void out_of_memory_is_a_status(void **state) {
    (void)state;
    for (size_t kind = 0; kind < COUNT(kinds); kind++) {
        cp_forest f = random_forest("memory", kinds[kind].task, kinds[kind].categories, 3, 40), g = {0};
        for (long k = 0;; k++) {
            copse_error err = {0};
            image in = {0};
            cp_mem_fail_after(k);
            copse_status status = write_image(&f, &in, &err);
            if (!status) status = read_image(&in, &f, &g, &err);
            cp_mem_fail_after(-1);
            free(in.bytes);
            if (!status) {
                assert_true(k > 20);
                break;
            }
            assert_int_equal(status, COPSE_E_MEMORY);
        }
        assert_same_forest(&f, &g);
        cp_tree_clear_forest(&f);
        cp_tree_clear_forest(&g);
    }
}

/* ------------------------------------------------------------------------------------------------------------- size */

/* Bytes before compression, over all sections. */
static size_t raw_size(const image *in) {
    copse_error err;
    cp_reader *r;
    size_t sum = 0;
    must(cp_reader_new(in->bytes, in->n, &r, &err), err);
    for (size_t s = 0; s < COUNT(sections); s++) {
        size_t n;
        if (!cp_reader_has(r, sections[s].name)) continue;
        must(cp_reader_count(r, sections[s].name, sections[s].type, &n, &err), err);
        sum += n * size_of(sections[s].type);
    }
    cp_reader_free(r);
    return sum;
}

/* Real weights, so that none of the short cuts helps. */
static void a_node_takes_twelve_bytes_at_most(void **state) {
    (void)state;
    for (size_t kind = 0; kind < COUNT(kinds); kind++) {
        copse_error err;
        cp_forest f = random_forest("size", kinds[kind].task, kinds[kind].categories, 40, 300);
        image in;
        size_t nodes = 0;
        for (size_t m = 0; m < f.trees; m++) {
            nodes += f.tree[m].nodes;
            for (size_t k = 0; f.task == COPSE_REGRESS && k < f.tree[m].leaves; k++) f.tree[m].value[k].weight *= 0.3f;
        }
        must(write_image(&f, &in, &err), err);
        double each = (double)raw_size(&in) / (double)nodes;
        if (each > 12) fail_msg("%.1f bytes a node, kind %zu", each, kind);
        free(in.bytes);
        cp_tree_clear_forest(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_forest_comes_back_as_it_was),
        cmocka_unit_test(weights_and_counts_of_all_sizes_come_back),
        cmocka_unit_test(wide_data_come_back),
        cmocka_unit_test(missing_and_misshapen_sections_are_refused),
        cmocka_unit_test(bits_beyond_the_end_are_refused),
        cmocka_unit_test(any_byte_may_be_anything),
        cmocka_unit_test(a_small_file_gets_little_memory),
        cmocka_unit_test(out_of_memory_is_a_status),
        cmocka_unit_test(a_node_takes_twelve_bytes_at_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
