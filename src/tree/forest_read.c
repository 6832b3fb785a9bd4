/* Columns are read in the order in which forest_write.c writes them; a column is freed before the next is read, so that
 * loading takes little more memory than the model.
 *
 * The length of a column follows from the columns before it, and a section of another length is refused, so reading
 * cannot run past an end.  Other memory is claimed before it is allocated (cp_reader_claim).  cp_tree_check checks the
 * meaning of the numbers at the end. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/number_rule.h"
#include "tree/forest_file.h"
#include "tree/tree_check.h"

/* Infinite cuts part the missing values from all others. */
static const cp_number_rule number_rules[] = {
    {.name = "cut", .least = -CP_NUMBER_FEATURE, .most = CP_NUMBER_FEATURE, .also = CP_ALSO_INFINITY},
    {.name = "gain", .least = 0, .most = (double)FLT_MAX},
    {.name = "mean", .least = -(double)FLT_MAX, .most = (double)FLT_MAX},
    {.name = "var", .least = 0, .most = (double)FLT_MAX},
    {.name = "weight", .least = (double)FLT_TRUE_MIN, .most = (double)FLT_MAX},
};

typedef struct reading {
    cp_reader *r;
    cp_forest *f;
    size_t splits, leaves, class_weights; /* of all trees together */
} reading;

#define EACH_TREE(f, t)    for (cp_tree *t = (f)->tree; t < (f)->tree + (f)->trees; t++)
#define EACH_NODE(f, t, n) EACH_TREE(f, t) for (cp_tree_node *n = t->node; n < t->node + t->nodes; n++)
#define EACH_LEAF(f, t, k) EACH_TREE(f, t) for (size_t k = 0; k < t->leaves; k++)

static copse_status bad_tree(const reading *in, const cp_tree *t, const char *what, copse_error *err) {
    return cp_fail(err, COPSE_E_MODEL, "damaged: tree %zu: %s", (size_t)(t - in->f->tree), what);
}

static uint32_t levels_of(const cp_forest *f, const cp_tree_node *n) {
    return f->levels ? f->levels[cp_tree_dim(n)] : 0;
}

/* ---------------------------------------------------------------------------------------------------- whole columns */

/* A column of whole numbers as it is in the file; `used` are read. */
typedef struct narrow {
    unsigned char *byte;
    size_t n, width, used;
} narrow;

static copse_status get_narrow(reading *in, const char *name, size_t n, narrow *out, copse_error *err) {
    size_t bytes, width = 1;
    *out = (narrow){0};
    CP_TRY(cp_reader_count(in->r, name, CP_U8, &bytes, err));
    while (width < 4 && bytes > width * n) width *= 2;
    CP_TRY(cp_reader_array(in->r, name, CP_U8, width * n, &out->byte, err));
    out->n = n;
    out->width = width;
    return COPSE_OK;
}

static uint32_t next_whole(narrow *c) {
    size_t i = c->used++;
    uint32_t v = c->byte[i];
    for (size_t b = 1; b < c->width; b++) v |= (uint32_t)c->byte[b * c->n + i] << 8 * b;
    return v;
}

/* Bits beyond the last one must be 0, so that a file that is read and written again is the same. */
static copse_status get_bits(reading *in, const char *name, size_t n, unsigned char **out, copse_error *err) {
    CP_TRY(cp_reader_array(in->r, name, CP_U8, (n + 7) / 8, out, err));
    if (n % 8 == 0 || !((*out)[n / 8] >> n % 8)) return COPSE_OK;
    cp_mem_free(*out);
    *out = NULL;
    return cp_reader_bad(in->r, err, "has more bits than it should");
}

static int bit(const unsigned char *bits, size_t i) {
    return bits[i / 8] >> i % 8 & 1;
}

/* A column of weights: whole numbers, or real ones if `real` is not NULL. */
typedef struct weights {
    narrow count;
    float *real;
    size_t used;
} weights;

static copse_status get_weights(reading *in, size_t n, weights *out, copse_error *err) {
    *out = (weights){0};
    if (cp_reader_has(in->r, "count")) return get_narrow(in, "count", n, &out->count, err);
    return cp_reader_array(in->r, "weight", CP_F32, n, &out->real, err);
}

static float next_weight(weights *w) {
    return w->real ? w->real[w->used++] : (float)next_whole(&w->count);
}

static void weights_clear(weights *w) {
    cp_mem_free(w->count.byte);
    cp_mem_free(w->real);
}

/* ------------------------------------------------------------------------------------------------------------ shape */

static copse_status make_trees(reading *in, copse_error *err) {
    cp_forest *f = in->f;
    narrow size = {0};
    int64_t trees;
    size_t nodes = 0;
    copse_status status = COPSE_OK;
    CP_TRY(cp_reader_i64(in->r, "trees", 1, INT32_MAX, &trees, err));
    CP_TRY_OUT(get_narrow(in, "nodes", (size_t)trees, &size, err));
    CP_TRY_OUT(cp_reader_claim(in->r, (size_t)trees, sizeof *f->tree, err));
    CP_TRY_OUT(CP_NEW(f->tree, (size_t)trees, err));
    f->trees = (size_t)trees;
    EACH_TREE(f, t) {
        t->nodes = next_whole(&size);
        if (t->nodes % 2 == 0 || t->nodes > INT32_MAX)
            CP_TRY_OUT(bad_tree(in, t, "an impossible number of nodes", err));
        t->leaves = (t->nodes + 1) / 2;
        nodes += t->nodes;
        in->leaves += t->leaves;
    }
    in->splits = nodes - in->leaves;
    CP_TRY_OUT(cp_reader_claim(in->r, nodes, sizeof *f->tree->node + sizeof *f->tree->step, err));
    EACH_TREE(f, t) {
        CP_TRY_OUT(CP_RAW(t->node, t->nodes, err));
        t->cap_nodes = t->nodes;
    }
out:
    cp_mem_free(size.byte);
    return status;
}

/* Gives splits their children in the order of N2.  Splits without children yet are linked through next.  Returns 0 if
 * the leaves do not make a tree. */
static int join_nodes(cp_tree *t) {
    int32_t waiting = cp_tree_is_leaf(&t->node[0]) ? CP_NONE : 0;
    if (waiting == 0) t->node[0].next = CP_NONE;
    for (int32_t child = 1; child < (int32_t)t->nodes; child += 2) {
        if (waiting == CP_NONE) return 0;
        cp_tree_node *split = &t->node[waiting];
        waiting = split->next;
        split->next = child;
        for (int32_t i = child + 1; i >= child; i--) {
            if (cp_tree_is_leaf(&t->node[i])) continue;
            t->node[i].next = waiting;
            waiting = i;
        }
    }
    return waiting == CP_NONE;
}

static copse_status read_shape(reading *in, copse_error *err) {
    unsigned char *bits;
    size_t used = 0;
    copse_status status = COPSE_OK;
    CP_TRY(make_trees(in, err));
    CP_TRY(get_bits(in, "leaf", in->splits + in->leaves, &bits, err));
    EACH_TREE(in->f, t) {
        uint32_t leaves = 0;
        for (size_t i = 0; i < t->nodes; i++) {
            int leaf = bit(bits, used++);
            t->node[i] = (cp_tree_node){.what = leaf ? CP_TREE_LEAF : 0, .next = (int32_t)i};
            if (leaf) t->node[i].at.leaf = leaves++;
        }
        if (!join_nodes(t)) CP_TRY_OUT(bad_tree(in, t, "its nodes do not make a tree", err));
    }
out:
    cp_mem_free(bits);
    return status;
}

/* ----------------------------------------------------------------------------------------------------------- splits */

static copse_status read_dims(reading *in, copse_error *err) {
    narrow dim;
    unsigned char *left = NULL;
    size_t used = 0;
    copse_status status = COPSE_OK;
    CP_TRY_OUT(get_narrow(in, "dim", in->splits, &dim, err));
    if (cp_reader_has(in->r, "missing_left")) CP_TRY_OUT(get_bits(in, "missing_left", in->splits, &left, err));
    EACH_NODE(in->f, t, n) {
        if (cp_tree_is_leaf(n)) continue;
        n->what = next_whole(&dim);
        if (n->what >= in->f->dims) CP_TRY_OUT(bad_tree(in, t, "a split on a column that is not there", err));
        if (levels_of(in->f, n)) n->what |= CP_TREE_CATEGORY;
        if (left && bit(left, used++)) n->what |= CP_TREE_MISSING_LEFT;
    }
out:
    cp_mem_free(dim.byte);
    cp_mem_free(left);
    return status;
}

static copse_status read_cuts(reading *in, copse_error *err) {
    float *cut;
    size_t n_cuts = 0, used = 0;
    EACH_NODE(in->f, t, n) n_cuts += !(n->what & (CP_TREE_LEAF | CP_TREE_CATEGORY));
    CP_TRY(cp_reader_array(in->r, "cut", CP_F32, n_cuts, &cut, err));
    EACH_NODE(in->f, t, n) {
        if (!(n->what & (CP_TREE_LEAF | CP_TREE_CATEGORY))) n->at.cut = cut[used++];
    }
    cp_mem_free(cut);
    return COPSE_OK;
}

static copse_status read_sets(reading *in, copse_error *err) {
    cp_forest *f = in->f;
    uint32_t *set;
    size_t words = 0, used = 0;
    copse_status status = COPSE_OK;
    EACH_NODE(f, t, n) {
        if (!(n->what & CP_TREE_CATEGORY)) continue;
        n->at.set = (uint32_t)t->sets;
        t->sets += cp_tree_words(levels_of(f, n));
        if (t->sets > UINT32_MAX) return bad_tree(in, t, "too many sets", err);
    }
    EACH_TREE(f, t) words += t->sets;
    CP_TRY(cp_reader_array(in->r, "set", CP_U32, words, &set, err));
    CP_TRY_OUT(cp_reader_claim(in->r, words, sizeof *set, err));
    EACH_TREE(f, t) {
        if (!t->sets) continue;
        CP_TRY_OUT(CP_RAW(t->set, t->sets, err));
        t->cap_sets = t->sets;
        memcpy(t->set, set + used, t->sets * sizeof *set);
        used += t->sets;
    }
out:
    cp_mem_free(set);
    return status;
}

static copse_status place_gains(reading *in, const float *gain, size_t n_gains, size_t *seen, copse_error *err) {
    cp_forest *f = in->f;
    size_t used = 0;
    EACH_TREE(f, t) CP_TRY(CP_NEW(t->gain, f->dims, err));
    EACH_NODE(f, t, n) {
        size_t dim = cp_tree_dim(n), tree = (size_t)(t - f->tree) + 1;
        if (cp_tree_is_leaf(n) || seen[dim] == tree) continue;
        if (used == n_gains || !(gain[used] >= 0 && gain[used] < INFINITY))
            return bad_tree(in, t, "an impossible gain, or none", err);
        seen[dim] = tree;
        t->gain[dim] = gain[used++];
    }
    return used == n_gains ? COPSE_OK : cp_fail(err, COPSE_E_MODEL, "damaged: gains that are no column's");
}

/* Gains are in the order of write_gains. */
static copse_status read_gains(reading *in, copse_error *err) {
    cp_forest *f = in->f;
    float *gain = NULL;
    size_t n_gains, *seen = NULL;
    copse_status status = COPSE_OK;
    if (!cp_reader_has(in->r, "gain")) return COPSE_OK;
    CP_TRY(cp_reader_count(in->r, "gain", CP_F32, &n_gains, err));
    CP_TRY(cp_reader_claim(in->r, f->trees, f->dims * sizeof *f->tree->gain, err));
    CP_TRY(cp_reader_claim(in->r, f->dims, sizeof *seen, err));
    CP_TRY_OUT(cp_reader_array(in->r, "gain", CP_F32, n_gains, &gain, err));
    CP_TRY_OUT(CP_NEW(seen, f->dims, err));
    CP_TRY_OUT(place_gains(in, gain, n_gains, seen, err));
out:
    cp_mem_free(gain);
    cp_mem_free(seen);
    return status;
}

/* ----------------------------------------------------------------------------------------------------------- leaves */

static copse_status read_value_weights(reading *in, copse_error *err) {
    weights w;
    narrow rows;
    CP_TRY(get_narrow(in, "rows", in->leaves, &rows, err));
    EACH_LEAF(in->f, t, k) {
        t->value[k].rows = next_whole(&rows);
        t->value[k].weight = (float)t->value[k].rows;
    }
    cp_mem_free(rows.byte);
    if (!cp_reader_has(in->r, "count") && !cp_reader_has(in->r, "weight")) return COPSE_OK;
    CP_TRY(get_weights(in, in->leaves, &w, err));
    EACH_LEAF(in->f, t, k) t->value[k].weight = next_weight(&w);
    weights_clear(&w);
    return COPSE_OK;
}

static copse_status read_values(reading *in, copse_error *err) {
    float *column;
    size_t used = 0;
    CP_TRY(cp_reader_array(in->r, "mean", CP_F32, in->leaves, &column, err));
    copse_status status = cp_reader_claim(in->r, in->leaves, sizeof(cp_tree_value), err);
    EACH_TREE(in->f, t) {
        if (!status) status = CP_NEW(t->value, t->leaves, err);
        if (!status) t->cap_value = t->leaves;
        for (size_t k = 0; !status && k < t->leaves; k++) t->value[k].mean = column[used++];
    }
    cp_mem_free(column);
    CP_TRY(status);
    used = 0;
    CP_TRY(cp_reader_array(in->r, "var", CP_F32, in->leaves, &column, err));
    EACH_LEAF(in->f, t, k) t->value[k].var = column[used++];
    cp_mem_free(column);
    return read_value_weights(in, err);
}

static copse_status make_class_weights(reading *in, narrow *kinds, copse_error *err) {
    CP_TRY(cp_reader_claim(in->r, in->leaves + in->f->trees, 2 * sizeof(uint32_t), err));
    EACH_TREE(in->f, t) {
        size_t class_weights = 0;
        CP_TRY(CP_NEW(t->start, t->leaves + 1, err));
        t->cap_start = t->leaves + 1;
        CP_TRY(CP_NEW(t->rows, t->leaves, err));
        t->cap_rows = t->leaves;
        for (size_t k = 0; k < t->leaves; k++) {
            class_weights += next_whole(kinds);
            if (class_weights > UINT32_MAX) return bad_tree(in, t, "too many class weights", err);
            t->start[k + 1] = (uint32_t)class_weights;
        }
        CP_TRY(cp_reader_claim(in->r, class_weights, sizeof *t->class_weight, err));
        CP_TRY(CP_RAW(t->class_weight, class_weights, err));
        t->cap_class_weight = class_weights;
        in->class_weights += class_weights;
    }
    return COPSE_OK;
}

static copse_status read_class_rows(reading *in, copse_error *err) {
    narrow rows;
    if (cp_reader_has(in->r, "rows")) {
        CP_TRY(get_narrow(in, "rows", in->leaves, &rows, err));
        EACH_LEAF(in->f, t, k) t->rows[k] = next_whole(&rows);
        cp_mem_free(rows.byte);
        return COPSE_OK;
    }
    EACH_LEAF(in->f, t, k) {
        double sum = 0;
        for (size_t i = t->start[k]; i < t->start[k + 1]; i++) sum += (double)t->class_weight[i].weight;
        if (!(sum >= 1 && sum <= UINT32_MAX)) return bad_tree(in, t, "a leaf has no rows", err);
        t->rows[k] = (uint32_t)sum;
    }
    return COPSE_OK;
}

static copse_status read_class_weights(reading *in, copse_error *err) {
    narrow kinds, label;
    weights w;
    CP_TRY(get_narrow(in, "kinds", in->leaves, &kinds, err));
    copse_status status = make_class_weights(in, &kinds, err);
    cp_mem_free(kinds.byte);
    CP_TRY(status);
    CP_TRY(get_narrow(in, "label", in->class_weights, &label, err));
    EACH_TREE(in->f, t) {
        for (size_t i = 0; i < t->cap_class_weight; i++) t->class_weight[i].label = next_whole(&label);
    }
    cp_mem_free(label.byte);
    CP_TRY(get_weights(in, in->class_weights, &w, err));
    EACH_TREE(in->f, t) {
        for (size_t i = 0; i < t->cap_class_weight; i++) t->class_weight[i].weight = next_weight(&w);
    }
    weights_clear(&w);
    return read_class_rows(in, err);
}

/* ----------------------------------------------------------------------------------------------------------- forest */

static copse_status read_forest(reading *in, copse_error *err) {
    cp_forest *f = in->f;
    CP_TRY(cp_reader_f64(in->r, "centre", -CP_NUMBER_TARGET, CP_NUMBER_TARGET, &f->centre, err));
    CP_TRY(cp_reader_f64(in->r, "scale", CP_NUMBER_LEAST_SCALE, CP_NUMBER_MOST_SCALE, &f->scale, err));
    if (cp_reader_has(in->r, "levels")) CP_TRY(cp_reader_array(in->r, "levels", CP_U32, f->dims, &f->levels, err));
    CP_TRY(read_shape(in, err));
    CP_TRY(read_dims(in, err));
    CP_TRY(read_cuts(in, err));
    if (f->levels) CP_TRY(read_sets(in, err));
    CP_TRY(read_gains(in, err));
    CP_TRY(f->task == COPSE_REGRESS ? read_values(in, err) : read_class_weights(in, err));
    EACH_TREE(f, t) {
        const char *wrong = cp_tree_check(t, f);
        if (wrong) return bad_tree(in, t, wrong, err);
        CP_TRY(cp_tree_make_steps(t, err));
    }
    return COPSE_OK;
}

copse_status cp_forest_read(cp_reader *r, copse_task task, size_t dims, size_t classes, cp_forest *out,
                            copse_error *err) {
    reading in = {.r = r, .f = out};
    *out = (cp_forest){.task = task, .dims = dims, .classes = classes};
    CP_TRY(cp_reader_push(r, "forest", err));
    CP_NUMBER_RULES(r, number_rules);
    copse_status status = read_forest(&in, err);
    cp_reader_pop(r);
    if (status) cp_tree_clear_forest(out);
    return status;
}
