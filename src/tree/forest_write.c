#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "tree/forest_file.h"

/* One column at a time is collected here and written, so that saving takes little more memory than the model. */
typedef struct column {
    const cp_forest *f;
    cp_writer *w;
    union {
        uint32_t whole;
        float real;
    } * cell;
    size_t n; /* cells so far; memory is for the longest column */
} column;

/* Loops over the nodes, and over the numbers of the leaves, of all trees. */
#define EACH_NODE(f, t, n)                                              \
    for (const cp_tree *t = (f)->tree; t < (f)->tree + (f)->trees; t++) \
        for (const cp_tree_node *n = t->node; n < t->node + t->nodes; n++)
#define EACH_LEAF(f, t, k)                                              \
    for (const cp_tree *t = (f)->tree; t < (f)->tree + (f)->trees; t++) \
        for (size_t k = 0; k < t->leaves; k++)

static void add_whole(column *c, uint32_t value) {
    c->cell[c->n++].whole = value;
}

static void add_real(column *c, float value) {
    c->cell[c->n++].real = value;
}

/* ---------------------------------------------------------------------------------------------------- whole columns */

/* Writes whole numbers, in as many bytes each as the largest needs. */
static copse_status put_narrow(column *c, const char *name, copse_error *err) {
    uint32_t most = 0;
    unsigned char *byte;
    for (size_t i = 0; i < c->n; i++)
        if (c->cell[i].whole > most) most = c->cell[i].whole;
    size_t width = most < 1u << 8 ? 1 : most < 1u << 16 ? 2 : 4;
    CP_TRY(CP_RAW(byte, width * c->n, err));
    for (size_t b = 0; b < width; b++)
        for (size_t i = 0; i < c->n; i++) byte[b * c->n + i] = (unsigned char)(c->cell[i].whole >> 8 * b);
    copse_status status = cp_writer_array(c->w, name, CP_U8, byte, width * c->n, err);
    cp_mem_free(byte);
    c->n = 0;
    return status;
}

static copse_status put_real(column *c, const char *name, copse_error *err) {
    copse_status status = cp_writer_array(c->w, name, CP_F32, c->cell, c->n, err);
    c->n = 0;
    return status;
}

/* Writes real numbers: in section `counts` if all are whole, else in section `weights`. */
static copse_status put_weights(column *c, const char *counts, const char *weights, copse_error *err) {
    for (size_t i = 0; i < c->n; i++)
        if (!(c->cell[i].real < 1 << 24) || c->cell[i].real != floorf(c->cell[i].real))
            return put_real(c, weights, err);
    for (size_t i = 0; i < c->n; i++) c->cell[i].whole = (uint32_t)c->cell[i].real;
    return put_narrow(c, counts, err);
}

/* Writes a bit for each node, or for each split: is the flag set?  Nothing is written if it is set nowhere. */
static copse_status put_flags(column *c, const char *name, uint32_t flag, int splits_only, copse_error *err) {
    size_t n = 0;
    uint32_t any = 0;
    EACH_NODE(c->f, t, node) n += !(splits_only && cp_tree_is_leaf(node));
    size_t bytes = (n + 7) / 8;
    unsigned char *bits;
    CP_TRY(CP_NEW(bits, bytes, err));
    n = 0;
    EACH_NODE(c->f, t, node) {
        if (splits_only && cp_tree_is_leaf(node)) continue;
        any |= node->what & flag;
        bits[n / 8] = (unsigned char)(bits[n / 8] | ((node->what & flag) != 0) << n % 8);
        n++;
    }
    copse_status status = any ? cp_writer_array(c->w, name, CP_U8, bits, bytes, err) : COPSE_OK;
    cp_mem_free(bits);
    return status;
}

/* ----------------------------------------------------------------------------------------------------------- splits */

static copse_status write_splits(column *c, copse_error *err) {
    CP_TRY(cp_writer_i64(c->w, "trees", (int64_t)c->f->trees, err));
    for (size_t m = 0; m < c->f->trees; m++) add_whole(c, (uint32_t)c->f->tree[m].nodes);
    CP_TRY(put_narrow(c, "nodes", err));
    CP_TRY(put_flags(c, "leaf", CP_TREE_LEAF, 0, err));
    EACH_NODE(c->f, t, n) {
        if (!cp_tree_is_leaf(n)) add_whole(c, cp_tree_dim(n));
    }
    CP_TRY(put_narrow(c, "dim", err));
    CP_TRY(put_flags(c, "missing_left", CP_TREE_MISSING_LEFT, 1, err));
    EACH_NODE(c->f, t, n) {
        if (!(n->what & (CP_TREE_LEAF | CP_TREE_CATEGORY))) add_real(c, n->at.cut);
    }
    return put_real(c, "cut", err);
}

static size_t words_of(const cp_forest *f, const cp_tree_node *n) {
    return n->what & CP_TREE_CATEGORY ? cp_tree_words(f->levels[cp_tree_dim(n)]) : 0;
}

static copse_status write_sets(column *c, copse_error *err) {
    size_t words = 0, used = 0;
    uint32_t *set;
    EACH_NODE(c->f, t, n) words += words_of(c->f, n);
    CP_TRY(CP_RAW(set, words, err));
    EACH_NODE(c->f, t, n) {
        size_t more = words_of(c->f, n);
        if (more) memcpy(set + used, t->set + n->at.set, more * sizeof *set);
        used += more;
    }
    copse_status status = cp_writer_array(c->w, "set", CP_U32, set, words, err);
    cp_mem_free(set);
    cp_writer_claim(c->w, words, sizeof *set);
    return status;
}

/* Only columns that a tree splits on have a gain: they are written in the order in which their first splits appear. */
static copse_status write_gains(column *c, copse_error *err) {
    const cp_forest *f = c->f;
    size_t *seen; /* by column: the last tree that splits on it, counted from 1 */
    int any = 0;
    CP_TRY(CP_NEW(seen, f->dims, err));
    EACH_NODE(f, t, n) {
        size_t dim = cp_tree_dim(n), tree = (size_t)(t - f->tree) + 1;
        any |= t->gain != NULL;
        if (cp_tree_is_leaf(n) || seen[dim] == tree) continue;
        seen[dim] = tree;
        add_real(c, t->gain ? t->gain[dim] : 0);
    }
    cp_mem_free(seen);
    cp_writer_claim(c->w, any ? f->trees : 0, f->dims * sizeof *f->tree->gain);
    cp_writer_claim(c->w, f->dims, sizeof *seen);
    if (any) return put_real(c, "gain", err);
    c->n = 0;
    return COPSE_OK;
}

/* ----------------------------------------------------------------------------------------------------------- leaves */

/* Weights are not written if each equals the number of rows. */
static copse_status write_value_weights(column *c, copse_error *err) {
    int only_rows = 1;
    EACH_LEAF(c->f, t, k) only_rows &= t->value[k].weight == (float)t->value[k].rows;
    if (only_rows) return COPSE_OK;
    EACH_LEAF(c->f, t, k) add_real(c, t->value[k].weight);
    return put_weights(c, "count", "weight", err);
}

static copse_status write_values(column *c, copse_error *err) {
    EACH_LEAF(c->f, t, k) add_real(c, t->value[k].mean);
    CP_TRY(put_real(c, "mean", err));
    EACH_LEAF(c->f, t, k) add_real(c, t->value[k].var);
    CP_TRY(put_real(c, "var", err));
    EACH_LEAF(c->f, t, k) add_whole(c, t->value[k].rows);
    cp_writer_claim(c->w, c->n, sizeof(cp_tree_value));
    CP_TRY(put_narrow(c, "rows", err));
    return write_value_weights(c, err);
}

/* Rows are not written if each equals the sum of the weights. */
static copse_status write_class_rows(column *c, copse_error *err) {
    int only_weights = 1;
    EACH_LEAF(c->f, t, k) {
        double sum = 0;
        for (uint32_t i = t->start[k]; i < t->start[k + 1]; i++) sum += (double)t->class_weight[i].weight;
        only_weights &= sum == (double)t->rows[k];
    }
    if (only_weights) return COPSE_OK;
    EACH_LEAF(c->f, t, k) add_whole(c, t->rows[k]);
    return put_narrow(c, "rows", err);
}

static copse_status write_class_weights(column *c, copse_error *err) {
    EACH_LEAF(c->f, t, k) add_whole(c, t->start[k + 1] - t->start[k]);
    cp_writer_claim(c->w, c->n + c->f->trees, 2 * sizeof(uint32_t));
    CP_TRY(put_narrow(c, "kinds", err));
    EACH_LEAF(c->f, t, k) {
        for (uint32_t i = t->start[k]; i < t->start[k + 1]; i++) add_whole(c, t->class_weight[i].label);
    }
    cp_writer_claim(c->w, c->n, sizeof(cp_tree_class_weight));
    CP_TRY(put_narrow(c, "label", err));
    EACH_LEAF(c->f, t, k) {
        for (uint32_t i = t->start[k]; i < t->start[k + 1]; i++) add_real(c, t->class_weight[i].weight);
    }
    CP_TRY(put_weights(c, "count", "weight", err));
    return write_class_rows(c, err);
}

/* ----------------------------------------------------------------------------------------------------------- forest */

static copse_status write_forest(column *c, size_t nodes, copse_error *err) {
    const cp_forest *f = c->f;
    CP_TRY(cp_writer_f64(c->w, "centre", f->centre, err));
    CP_TRY(cp_writer_f64(c->w, "scale", f->scale, err));
    if (f->levels) CP_TRY(cp_writer_array(c->w, "levels", CP_U32, f->levels, f->dims, err));
    cp_writer_claim(c->w, f->trees, sizeof *f->tree);
    cp_writer_claim(c->w, nodes, sizeof *f->tree->node + sizeof *f->tree->step);
    CP_TRY(write_splits(c, err));
    if (f->levels) CP_TRY(write_sets(c, err));
    CP_TRY(write_gains(c, err));
    return f->task == COPSE_REGRESS ? write_values(c, err) : write_class_weights(c, err);
}

copse_status cp_forest_write(const cp_forest *f, cp_writer *w, copse_error *err) {
    copse_status status = COPSE_OK;
    column c = {.f = f, .w = w};
    size_t nodes = 0, leaves = 0, class_weights = 0;
    for (size_t m = 0; m < f->trees; m++) {
        nodes += f->tree[m].nodes;
        leaves += f->tree[m].leaves;
        if (f->task == COPSE_CLASS) class_weights += f->tree[m].start[f->tree[m].leaves];
    }
    CP_TRY(cp_writer_push(w, "forest", err));
    CP_TRY_OUT(CP_RAW(c.cell, leaves > class_weights ? leaves : class_weights, err));
    CP_TRY_OUT(write_forest(&c, nodes, err));
out:
    cp_writer_pop(w);
    cp_mem_free(c.cell);
    return status;
}
