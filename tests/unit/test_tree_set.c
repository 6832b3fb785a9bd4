#include "check.h"

#include "base/mem.h"
#include "image.h"
#include "num/rng.h"
#include "tree/tree_set_file.h"

enum { DIMS = 4, WIDTH = 3 };

/* ---------------------------------------------------------------------------------------------------- random tree
 * sets */

/* Cuts are few, so that subtrees are often alike; x meets them inside, on their ends and outside. */
static cp_tree_set_node random_cut(cp_rng *rng) {
    float low = (float)cp_rng_below(rng, 5);
    return (cp_tree_set_node){
        .dim = (int32_t)cp_rng_below(rng, DIMS), .low = low, .high = low + (float)cp_rng_below(rng, 3)};
}

static copse_status add_subtree(cp_tree_set *g, cp_rng *rng, int depth, int32_t *out, copse_error *err) {
    if (depth == 0 || cp_rng_below(rng, 4) == 0) {
        double stat[WIDTH] = {(double)cp_rng_below(rng, 4), (double)cp_rng_below(rng, 2), 1};
        return cp_tree_set_leaf(g, stat, out, err);
    }
    cp_tree_set_node n = random_cut(rng);
    CP_TRY(add_subtree(g, rng, depth - 1, &n.left, err));
    CP_TRY(add_subtree(g, rng, depth - 1, &n.right, err));
    return cp_tree_set_split(g, &n, out, err);
}

static copse_status add_trees(cp_tree_set *g, cp_rng *rng, size_t trees, int depth, copse_error *err) {
    for (size_t t = 0; t < trees; t++) {
        int32_t root;
        CP_TRY(add_subtree(g, rng, depth, &root, err));
        CP_TRY(cp_tree_set_add(g, root, 0.1 + cp_rng_unit(rng), err));
    }
    return COPSE_OK;
}

static cp_tree_set random_grove(const char *name, size_t trees, int depth) {
    copse_error err;
    cp_rng rng;
    cp_tree_set g;
    cp_rng_init(&rng, seed_of(name), CP_FOR_TEST, 0, 0);
    must(cp_tree_set_init(&g, DIMS, WIDTH, &err), err);
    must(add_trees(&g, &rng, trees, depth, &err), err);
    return g;
}

static cp_tree_set finished_grove(const char *name, size_t trees, int depth) {
    copse_error err;
    cp_tree_set g = random_grove(name, trees, depth);
    must(cp_tree_set_finish(&g, &err), err);
    assert_null(cp_tree_set_check(&g));
    return g;
}

/* ------------------------------------------------------------------------------------------------------------ walks */

/* The header's sentence, word for word. */
static void walk_slowly(const cp_tree_set *g, int32_t node, const float *x, double share, double *leaf) {
    const cp_tree_set_node *n = &g->node[node];
    if (n->dim == CP_NONE) {
        leaf[n->left] += share;
        return;
    }
    double left = (double)x[n->dim] <= (double)n->low    ? 1
                  : (double)x[n->dim] >= (double)n->high ? 0
                                                         : (double)(n->high - x[n->dim]) / (double)(n->high - n->low);
    walk_slowly(g, n->left, x, share * left, leaf);
    walk_slowly(g, n->right, x, share * (1 - left), leaf);
}

static void assert_arrivals(const cp_tree_set_walker *w, const double *leaf) {
    double *got = calloc(w->g->leaves, sizeof *got), sum = 0;
    for (size_t i = 0; i < w->arrivals; i++) {
        int32_t k = w->arrival[i].leaf;
        assert_true(got[k] == 0 && w->arrival[i].share > 0);
        got[k] = w->arrival[i].share;
        sum += got[k];
    }
    assert_near(sum, 1, 1e-12);
    for (size_t k = 0; k < w->g->leaves; k++) assert_near(got[k], leaf[k], 1e-12);
    free(got);
}

static void a_walk_arrives_where_the_slow_one_does(void **state) {
    (void)state;
    copse_error err;
    cp_tree_set g = finished_grove("walk", 60, 7);
    cp_tree_set_walker w;
    cp_rng rng;
    double *leaf = malloc(g.leaves * sizeof *leaf);
    size_t several = 0;
    cp_rng_init(&rng, seed_of("walk rows"), CP_FOR_TEST, 0, 0);
    must(cp_tree_set_walker_init(&w, &g, &err), err);
    for (int row = 0; row < 200; row++) {
        float x[DIMS];
        for (size_t d = 0; d < DIMS; d++) x[d] = (float)cp_rng_below(&rng, 17) / 2 - 1;
        for (size_t t = 0; t < g.trees; t++) {
            memset(leaf, 0, g.leaves * sizeof *leaf);
            walk_slowly(&g, g.root[t], x, 1, leaf);
            cp_tree_set_walk(&w, (int32_t)t, x);
            assert_arrivals(&w, leaf);
            several += w.arrivals > 1;
        }
        memset(leaf, 0, g.leaves * sizeof *leaf);
        for (size_t t = 0; t < g.trees; t++) walk_slowly(&g, g.root[t], x, g.weight[t], leaf);
        cp_tree_set_walk(&w, CP_NONE, x);
        assert_arrivals(&w, leaf);
    }
    assert_true(several > 1000);
    cp_tree_set_walker_clear(&w);
    free(leaf);
    cp_tree_set_clear(&g);
}

static void the_share_to_the_left_falls_from_low_to_high(void **state) {
    (void)state;
    copse_error err;
    cp_tree_set g;
    cp_tree_set_walker w;
    cp_tree_set_node n = {.dim = 0, .low = 2, .high = 6};
    static const struct {
        float x;
        double left;
    } cases[] = {{1, 1}, {2, 1}, {3, 0.75}, {5, 0.25}, {6, 0}, {7, 0}};
    int32_t root;
    must(cp_tree_set_init(&g, 1, 1, &err), err);
    must(cp_tree_set_leaf(&g, (double[]){1}, &n.left, &err), err);
    must(cp_tree_set_leaf(&g, (double[]){2}, &n.right, &err), err);
    must(cp_tree_set_split(&g, &n, &root, &err), err);
    must(cp_tree_set_add(&g, root, 3, &err), err);
    must(cp_tree_set_finish(&g, &err), err);
    must(cp_tree_set_walker_init(&w, &g, &err), err);
    for (size_t i = 0; i < COUNT(cases); i++) {
        double left = 0;
        cp_tree_set_walk(&w, 0, &cases[i].x);
        for (size_t k = 0; k < w.arrivals; k++) left += w.arrival[k].leaf == 0 ? w.arrival[k].share : 0;
        assert_true(left == cases[i].left);
    }
    cp_tree_set_walker_clear(&w);
    cp_tree_set_clear(&g);
}

/* -------------------------------------------------------------------------------------------------------- interning */

static void equal_nodes_are_kept_once(void **state) {
    (void)state;
    cp_tree_set g = random_grove("once", 300, 6);
    for (size_t i = 0; i < g.nodes; i++)
        for (size_t k = 0; k < i; k++) assert_true(memcmp(&g.node[i], &g.node[k], sizeof *g.node) != 0);
    for (size_t i = 0; i < g.leaves; i++)
        for (size_t k = 0; k < i; k++)
            assert_true(memcmp(g.stat + i * WIDTH, g.stat + k * WIDTH, WIDTH * sizeof *g.stat) != 0);
    assert_true(g.leaves <= 8);
    assert_true(g.trees < 300); /* a leaf alone comes often */
    for (size_t t = 0; t < g.trees; t++)
        for (size_t s = 0; s < t; s++) assert_true(g.root[t] != g.root[s]);
    cp_tree_set_clear(&g);
}

static void plus_and_minus_zero_are_one_cut(void **state) {
    (void)state;
    copse_error err;
    cp_tree_set g;
    int32_t leaf, a, b;
    must(cp_tree_set_init(&g, 1, 1, &err), err);
    must(cp_tree_set_leaf(&g, (double[]){1}, &leaf, &err), err);
    must(cp_tree_set_split(&g, &(cp_tree_set_node){0, 0.0f, 1, leaf, leaf}, &a, &err), err);
    must(cp_tree_set_split(&g, &(cp_tree_set_node){0, -0.0f, 1, leaf, leaf}, &b, &err), err);
    assert_int_equal(a, b);
    cp_tree_set_clear(&g);
}

static void weights_add_up_and_order_the_trees(void **state) {
    (void)state;
    copse_error err;
    cp_tree_set g;
    int32_t leaf[4];
    must(cp_tree_set_init(&g, 1, 1, &err), err);
    for (int i = 0; i < 4; i++) must(cp_tree_set_leaf(&g, (double[]){i}, &leaf[i], &err), err);
    static const double weight[] = {1, 2, 2, 0};
    for (int i = 0; i < 4; i++) must(cp_tree_set_add(&g, leaf[i], weight[i], &err), err);
    must(cp_tree_set_add(&g, leaf[0], 3, &err), err);
    must(cp_tree_set_finish(&g, &err), err);
    assert_int_equal(g.trees, 3);
    assert_true(g.weight[0] == 0.5 && g.weight[1] == 0.25 && g.weight[2] == 0.25);
    assert_true(g.root[0] == leaf[0] && g.root[1] == leaf[1] && g.root[2] == leaf[2]);
    assert_null(g.index);
    assert_null(cp_tree_set_check(&g));
    cp_tree_set_clear(&g);
}

/* Weights far apart: the least one is nothing beside the sum. */
static void weights_that_vanish_leave_no_tree(void **state) {
    (void)state;
    copse_error err;
    cp_tree_set g;
    int32_t a, b;
    must(cp_tree_set_init(&g, 1, 1, &err), err);
    must(cp_tree_set_leaf(&g, (double[]){1}, &a, &err), err);
    must(cp_tree_set_leaf(&g, (double[]){2}, &b, &err), err);
    must(cp_tree_set_add(&g, a, 1e-200, &err), err);
    must(cp_tree_set_add(&g, b, 1e200, &err), err);
    must(cp_tree_set_finish(&g, &err), err);
    assert_int_equal(g.trees, 1);
    assert_int_equal(g.root[0], b);
    assert_null(cp_tree_set_check(&g));
    cp_tree_set_clear(&g);
}

/* ---------------------------------------------------------------------------------------------------------- merging */

static double weight_of(const cp_tree_set *g, const float *x, const double *stat) {
    copse_error err;
    cp_tree_set_walker w;
    double sum = 0;
    must(cp_tree_set_walker_init(&w, g, &err), err);
    cp_tree_set_walk(&w, CP_NONE, x);
    for (size_t i = 0; i < w.arrivals; i++)
        if (!memcmp(g->stat + (size_t)w.arrival[i].leaf * WIDTH, stat, WIDTH * sizeof *stat)) sum += w.arrival[i].share;
    cp_tree_set_walker_clear(&w);
    return sum;
}

static void merged_groves_answer_as_their_parts_do(void **state) {
    (void)state;
    copse_error err;
    cp_tree_set a = finished_grove("part a", 50, 6), b = finished_grove("part b", 70, 6), both;
    cp_rng rng;
    cp_rng_init(&rng, seed_of("merge rows"), CP_FOR_TEST, 0, 0);
    must(cp_tree_set_init(&both, DIMS, WIDTH, &err), err);
    must(cp_tree_set_merge(&both, &a, 3, &err), err);
    must(cp_tree_set_merge(&both, &b, 1, &err), err);
    must(cp_tree_set_finish(&both, &err), err);
    assert_null(cp_tree_set_check(&both));
    assert_true(both.nodes < a.nodes + b.nodes && both.trees < a.trees + b.trees);
    for (int row = 0; row < 50; row++) {
        float x[DIMS];
        for (size_t d = 0; d < DIMS; d++) x[d] = 8 * (float)cp_rng_unit(&rng) - 1;
        for (size_t k = 0; k < both.leaves; k++) {
            const double *stat = both.stat + k * WIDTH;
            double parts = 0.75 * weight_of(&a, x, stat) + 0.25 * weight_of(&b, x, stat);
            assert_near(weight_of(&both, x, stat), parts, 1e-12);
        }
    }
    cp_tree_set_clear(&a);
    cp_tree_set_clear(&b);
    cp_tree_set_clear(&both);
}

static void a_grove_merged_with_itself_is_itself(void **state) {
    (void)state;
    copse_error err;
    cp_tree_set a = finished_grove("itself", 40, 6), twice;
    must(cp_tree_set_init(&twice, DIMS, WIDTH, &err), err);
    for (int i = 0; i < 2; i++) must(cp_tree_set_merge(&twice, &a, 0.5, &err), err);
    must(cp_tree_set_finish(&twice, &err), err);
    assert_int_equal(twice.nodes, a.nodes);
    assert_memory_equal(twice.node, a.node, a.nodes * sizeof *a.node);
    assert_memory_equal(twice.root, a.root, a.trees * sizeof *a.root);
    for (size_t t = 0; t < a.trees; t++) assert_near(twice.weight[t], a.weight[t], 1e-15);
    cp_tree_set_clear(&a);
    cp_tree_set_clear(&twice);
}

/* ------------------------------------------------------------------------------------------------------------ sizes */

static cp_tree_set_size measure_slowly(const cp_tree_set *g, int32_t node) {
    const cp_tree_set_node *n = &g->node[node];
    if (n->dim == CP_NONE) return (cp_tree_set_size){1, 0};
    cp_tree_set_size l = measure_slowly(g, n->left), r = measure_slowly(g, n->right);
    return (cp_tree_set_size){l.leaves + r.leaves, 1 + (l.depth > r.depth ? l.depth : r.depth)};
}

static void sizes_are_those_of_the_trees(void **state) {
    (void)state;
    cp_tree_set g = finished_grove("sizes", 40, 7);
    cp_tree_set_size *size = malloc(g.nodes * sizeof *size);
    cp_tree_set_measure(&g, size);
    for (size_t i = 0; i < g.nodes; i++) {
        cp_tree_set_size slow = measure_slowly(&g, (int32_t)i);
        assert_true(size[i].leaves == slow.leaves && size[i].depth == slow.depth);
    }
    free(size);
    cp_tree_set_clear(&g);
}

/* Each split has one node as both its children: 2^nodes leaves. */
static cp_tree_set doubling_grove(size_t splits) {
    copse_error err;
    cp_tree_set g;
    int32_t node;
    must(cp_tree_set_init(&g, DIMS, WIDTH, &err), err);
    must(cp_tree_set_leaf(&g, (double[WIDTH]){1, 1, 1}, &node, &err), err);
    for (size_t i = 0; i < splits; i++) {
        cp_tree_set_node n = {.dim = 0, .low = (float)i, .high = (float)i + 1, .left = node, .right = node};
        must(cp_tree_set_split(&g, &n, &node, &err), err);
    }
    must(cp_tree_set_add(&g, node, 1, &err), err);
    must(cp_tree_set_finish(&g, &err), err);
    return g;
}

static void leaves_beyond_counting_are_many(void **state) {
    (void)state;
    cp_tree_set g = doubling_grove(100);
    cp_tree_set_size size[101];
    cp_tree_set_measure(&g, size);
    assert_true(size[31].leaves == (uint32_t)1 << 31);
    assert_true(size[32].leaves == UINT32_MAX && size[100].leaves == UINT32_MAX);
    assert_int_equal(size[100].depth, 100);
    cp_tree_set_clear(&g);
}

/* ------------------------------------------------------------------------------------------------------------ files */

static copse_status write_image(const cp_tree_set *g, image *out, copse_error *err) {
    cp_writer *w;
    *out = (image){0};
    CP_TRY(cp_writer_new(&w, err));
    copse_status status = cp_tree_set_file_write(g, w, err);
    if (!status) status = finish_image(w, out, err);
    cp_writer_free(w);
    return status;
}

static copse_status read_image(const image *in, cp_tree_set *out, copse_error *err) {
    cp_reader *r;
    *out = (cp_tree_set){0};
    CP_TRY(cp_reader_new(in->bytes, in->n, &r, err));
    copse_status status = cp_tree_set_file_read(r, DIMS, WIDTH, out, err);
    cp_reader_free(r);
    return status;
}

static void assert_same_grove(const cp_tree_set *a, const cp_tree_set *b) {
    assert_true(a->nodes == b->nodes && a->leaves == b->leaves && a->trees == b->trees);
    assert_memory_equal(a->node, b->node, a->nodes * sizeof *a->node);
    assert_memory_equal(a->stat, b->stat, a->leaves * a->width * sizeof *a->stat);
    assert_memory_equal(a->root, b->root, a->trees * sizeof *a->root);
    assert_memory_equal(a->weight, b->weight, a->trees * sizeof *a->weight);
}

static void a_grove_comes_back_as_it_was(void **state) {
    (void)state;
    copse_error err;
    cp_tree_set g = finished_grove("round trip", 100, 7), again;
    image in;
    must(write_image(&g, &in, &err), err);
    must(read_image(&in, &again, &err), err);
    assert_same_grove(&g, &again);
    free(in.bytes);
    cp_tree_set_clear(&g);
    cp_tree_set_clear(&again);
}

static const section sections[] = {{"grove.dim", CP_I32},  {"grove.left", CP_I32},  {"grove.right", CP_I32},
                                   {"grove.low", CP_F32},  {"grove.high", CP_F32},  {"grove.stat", CP_F64},
                                   {"grove.root", CP_I32}, {"grove.weight", CP_F64}};

static image wounded(const image *in, wound how) {
    return damaged(in, sections, COUNT(sections), how);
}

static void missing_and_misshapen_sections_are_refused(void **state) {
    (void)state;
    copse_error err;
    cp_tree_set g = finished_grove("damage", 20, 5), bad;
    image in;
    must(write_image(&g, &in, &err), err);
    for (size_t s = 0; s < COUNT(sections); s++)
        for (damage how = DROP; how <= RETYPE; how++) {
            image d = wounded(&in, (wound){.section = s, .how = how});
            if (read_image(&d, &bad, &err) != COPSE_E_MODEL)
                fail_msg("%s, damage %d: nothing noticed", sections[s].name, (int)how);
            assert_null(bad.node);
            free(d.bytes);
        }
    free(in.bytes);
    cp_tree_set_clear(&g);
}

/* A byte anywhere, of any value: refused, or a sound tree set that can be walked. */
static void any_byte_may_be_anything(void **state) {
    (void)state;
    copse_error err;
    cp_tree_set g = finished_grove("bytes", 20, 5), read;
    cp_rng rng;
    image in;
    size_t refused = 0, sound = 0;
    cp_rng_init(&rng, seed_of("any byte"), CP_FOR_TEST, 0, 0);
    must(write_image(&g, &in, &err), err);
    for (int round = 0; round < 2000; round++) {
        image d = wounded(&in, any_poke(COUNT(sections), &rng));
        copse_status status = read_image(&d, &read, &err);
        assert_true(status == COPSE_OK || status == COPSE_E_MODEL);
        refused += status != COPSE_OK;
        if (!status) {
            cp_tree_set_walker w;
            sound++;
            assert_null(cp_tree_set_check(&read));
            must(cp_tree_set_walker_init(&w, &read, &err), err);
            cp_tree_set_walk(&w, CP_NONE, (float[DIMS]){1.5f, 2.5f, 0.5f, 3.5f});
            assert_true(w.arrivals >= 1);
            cp_tree_set_walker_clear(&w);
            cp_tree_set_clear(&read);
        }
        free(d.bytes);
    }
    assert_true(refused > 200 && sound > 200);
    free(in.bytes);
    cp_tree_set_clear(&g);
}

/* What a small file may describe is bounded by its size, however cleverly nodes are shared. */
static void a_small_file_describes_no_endless_tree(void **state) {
    (void)state;
    copse_error err;
    cp_tree_set small = doubling_grove(20), large = doubling_grove(40), read;
    image in;
    must(write_image(&small, &in, &err), err);
    assert_true(in.n >= ((size_t)8 << 20) / CP_CODEC_CLAIM); /* padded */
    must(read_image(&in, &read, &err), err);
    cp_tree_set_clear(&read);
    free(in.bytes);

    cp_writer *w;
    must(cp_writer_new(&w, &err), err); /* the larger one, nothing claimed */
    int32_t dim[41], left[41], right[41];
    float low[41], high[41];
    for (size_t i = 0; i < 41; i++) {
        dim[i] = large.node[i].dim;
        left[i] = large.node[i].left;
        right[i] = large.node[i].right;
        low[i] = large.node[i].low;
        high[i] = large.node[i].high;
    }
    must(cp_writer_array(w, "grove.dim", CP_I32, dim, 41, &err), err);
    must(cp_writer_array(w, "grove.left", CP_I32, left, 41, &err), err);
    must(cp_writer_array(w, "grove.right", CP_I32, right, 41, &err), err);
    must(cp_writer_array(w, "grove.low", CP_F32, low, 41, &err), err);
    must(cp_writer_array(w, "grove.high", CP_F32, high, 41, &err), err);
    must(cp_writer_array(w, "grove.stat", CP_F64, large.stat, WIDTH, &err), err);
    must(cp_writer_array(w, "grove.root", CP_I32, large.root, 1, &err), err);
    must(cp_writer_array(w, "grove.weight", CP_F64, large.weight, 1, &err), err);
    must(finish_image(w, &in, &err), err);
    cp_writer_free(w);
    assert_int_equal(read_image(&in, &read, &err), COPSE_E_MODEL);
    assert_non_null(strstr(err.msg, "justify"));
    free(in.bytes);
    cp_tree_set_clear(&small);
    cp_tree_set_clear(&large);
}

/* ------------------------------------------------------------------------------------------------------------ check */

static void broken_groves_are_found(void **state) {
    (void)state;
    cp_tree_set g = finished_grove("check", 30, 5);
    size_t split = g.nodes - 1, leaf = 0;
    cp_tree_set_node s = g.node[split], l = g.node[leaf];
    assert_true(s.dim != CP_NONE && l.dim == CP_NONE);
#define FOUND(what, change, undo)                                                                     \
    do {                                                                                              \
        change;                                                                                       \
        const char *wrong = cp_tree_set_check(&g);                                                    \
        if (!wrong || strcmp(wrong, what)) fail_msg("%s: %s", what, wrong ? wrong : "nothing found"); \
        undo;                                                                                         \
    } while (0)
    FOUND("a child that is not below its parent", g.node[split].left = (int32_t)split, g.node[split] = s);
    FOUND("a child that is not below its parent", g.node[split].right = -1, g.node[split] = s);
    FOUND("a split on a column that is not there", g.node[split].dim = DIMS, g.node[split] = s);
    FOUND("a split on a column that is not there", g.node[split].dim = -2, g.node[split] = s);
    FOUND("an impossible cut", g.node[split].low = NAN, g.node[split] = s);
    FOUND("an impossible cut", g.node[split].high = INFINITY, g.node[split] = s);
    FOUND("an impossible cut", g.node[split].high = s.low - 1, g.node[split] = s);
    FOUND("a leaf that is not there", g.node[leaf].left = (int32_t)g.leaves, g.node[leaf] = l);
    FOUND("a leaf that is not there", g.node[leaf].left = -1, g.node[leaf] = l);
    FOUND("a leaf that is also a split", g.node[leaf].high = 1, g.node[leaf] = l);
    double stat = g.stat[1], weight = g.weight[0];
    FOUND("a leaf's statistic is not a number", g.stat[1] = NAN, g.stat[1] = stat);
    size_t last = g.trees - 1;
    double least = g.weight[last];
    FOUND("an impossible weight", g.weight[last] = 0, g.weight[last] = least);
    FOUND("trees that are not ordered by weight", g.weight[last] = weight, g.weight[last] = least);
    FOUND("weights that do not sum to 1", g.weight[0] += 1e-6, g.weight[0] = weight);
    size_t trees = g.trees;
    FOUND("no trees", g.trees = 0, g.trees = trees);
    FOUND("a root that is not there", g.root[0] = (int32_t)g.nodes, (void)0);
#undef FOUND
    cp_tree_set_clear(&g);
}

static copse_status whole_life(image *in, copse_error *err) {
    cp_tree_set part = {0}, g = {0}, again = {0};
    cp_tree_set_walker w = {0};
    cp_rng rng;
    copse_status status = COPSE_OK;
    cp_rng_init(&rng, seed_of("life"), CP_FOR_TEST, 0, 0);
    CP_TRY_OUT(cp_tree_set_init(&part, DIMS, WIDTH, err));
    CP_TRY_OUT(add_trees(&part, &rng, 10, 5, err));
    CP_TRY_OUT(cp_tree_set_init(&g, DIMS, WIDTH, err));
    CP_TRY_OUT(cp_tree_set_merge(&g, &part, 1, err));
    CP_TRY_OUT(cp_tree_set_finish(&g, err));
    CP_TRY_OUT(write_image(&g, in, err));
    CP_TRY_OUT(read_image(in, &again, err));
    CP_TRY_OUT(cp_tree_set_walker_init(&w, &again, err));
    cp_tree_set_walk(&w, CP_NONE, (float[DIMS]){0});
out:
    cp_tree_set_clear(&part);
    cp_tree_set_clear(&g);
    cp_tree_set_clear(&again);
    cp_tree_set_walker_clear(&w);
    return status;
}

static void out_of_memory_is_a_status(void **state) {
    (void)state;
    for (long k = 0;; k++) {
        copse_error err = {0};
        image in = {0};
        cp_mem_fail_after(k);
        copse_status status = whole_life(&in, &err);
        cp_mem_fail_after(-1);
        free(in.bytes);
        if (!status) {
            assert_true(k > 30);
            return;
        }
        assert_int_equal(status, COPSE_E_MEMORY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_walk_arrives_where_the_slow_one_does),
        cmocka_unit_test(the_share_to_the_left_falls_from_low_to_high),
        cmocka_unit_test(equal_nodes_are_kept_once),
        cmocka_unit_test(plus_and_minus_zero_are_one_cut),
        cmocka_unit_test(weights_add_up_and_order_the_trees),
        cmocka_unit_test(weights_that_vanish_leave_no_tree),
        cmocka_unit_test(merged_groves_answer_as_their_parts_do),
        cmocka_unit_test(a_grove_merged_with_itself_is_itself),
        cmocka_unit_test(sizes_are_those_of_the_trees),
        cmocka_unit_test(leaves_beyond_counting_are_many),
        cmocka_unit_test(a_grove_comes_back_as_it_was),
        cmocka_unit_test(missing_and_misshapen_sections_are_refused),
        cmocka_unit_test(any_byte_may_be_anything),
        cmocka_unit_test(a_small_file_describes_no_endless_tree),
        cmocka_unit_test(broken_groves_are_found),
        cmocka_unit_test(out_of_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
