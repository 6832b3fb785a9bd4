#include "greedy/greedy_grower.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------------------------------------- making and freeing */

/* Levels of the category with the most, and at least the number of bins: a set holds either. */
static uint32_t widest(const cp_rows *rows) {
    uint32_t most = CP_BINS_MAX;
    for (size_t d = 0; rows->levels && d < rows->dims; d++)
        if (rows->levels[d] > most) most = rows->levels[d];
    return most;
}

static copse_status make_scratch(cp_greedy_grower *w, const cp_rows *rows, copse_error *err) {
    size_t dims = rows->dims, classes = rows->classes ? rows->classes : 1, levels = widest(rows);
    cp_split_node *n = &w->stats;
    w->column = cp_arena_get(&w->arena, dims, sizeof *w->column);
    w->swapped = cp_arena_get(&w->arena, dims, sizeof *w->swapped);
    w->best.set = cp_arena_get(&w->arena, cp_tree_words((uint32_t)levels) + 1, sizeof *w->best.set);
    w->level_set = cp_arena_get(&w->arena, cp_tree_words((uint32_t)levels) + 1, sizeof *w->level_set);
    n->level = cp_arena_get(&w->arena, levels + 1, sizeof *n->level);
    n->total = cp_arena_get(&w->arena, classes, sizeof *n->total);
    n->left = cp_arena_get(&w->arena, classes, sizeof *n->left);
    w->class_weight = cp_arena_get(&w->arena, classes, sizeof *w->class_weight);
    w->class_seen = cp_arena_get(&w->arena, classes, sizeof *w->class_seen);
    w->leaf_classes = cp_arena_get(&w->arena, classes, sizeof *w->leaf_classes);
    if (!w->column || !w->swapped || !w->best.set || !w->level_set || !n->level || !n->total || !n->left ||
        !w->class_weight || !w->class_seen || !w->leaf_classes)
        return cp_fail_memory(err);
    for (size_t d = 0; d < dims; d++) w->column[d] = (uint32_t)d;
    memset(n->total, 0, classes * sizeof *n->total);
    memset(n->left, 0, classes * sizeof *n->left);
    memset(w->class_weight, 0, classes * sizeof *w->class_weight);
    return COPSE_OK;
}

copse_status cp_greedy_grower_init(cp_greedy_grower *w, const cp_greedy_context *context, cp_tree *tree,
                                   copse_error *err) {
    cp_greedy_records *records = context->records;
    *w = (cp_greedy_grower){.records = records, .rule = context->rule, .slot = context->slot, .tree = tree};
    cp_arena_init(&w->arena);
    w->stats.rule = &records->rule;
    copse_status status = make_scratch(w, &records->data->rows, err);
    if (!status && tree) status = CP_NEW(tree->gain, records->data->rows.dims, err);
    if (status) cp_greedy_grower_clear(w);
    return status;
}

void cp_greedy_grower_clear(cp_greedy_grower *w) {
    cp_arena_clear(&w->arena);
}

/* -------------------------------------------------------------------------------------------------------- searching */

/* The finalizer of SplitMix64 [Steele, Lea and Flood 2014]: paths of different nodes do not collide in practice,
 * however deep the tree. */
uint64_t cp_greedy_grower_child_path(uint64_t path, int right) {
    uint64_t z = path * 2 + (uint64_t)right + 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

void cp_greedy_grower_begin(cp_greedy_grower *w, uint64_t path) {
    cp_rng_init(&w->rng, w->rule->seed, CP_FOR_NODE, w->slot, path);
    cp_split_none(&w->best);
    w->drawn = 0;
}

int32_t cp_greedy_grower_column(cp_greedy_grower *w, int found) {
    size_t dims = w->records->data->rows.dims, i = w->drawn;
    if (i == dims || (i >= w->rule->features && found)) return CP_NONE;
    w->drawn++;
    if (w->rule->features >= dims) return (int32_t)w->column[i];
    size_t j = i + (size_t)cp_rng_below(&w->rng, dims - i);
    uint32_t c = w->column[j];
    w->column[j] = w->column[i];
    w->column[i] = c;
    w->swapped[i] = (uint32_t)j;
    return (int32_t)c;
}

void cp_greedy_grower_end(cp_greedy_grower *w) {
    if (w->rule->features >= w->records->data->rows.dims) return;
    for (size_t i = w->drawn; i-- > 0;) {
        uint32_t c = w->column[i];
        w->column[i] = w->column[w->swapped[i]];
        w->column[w->swapped[i]] = c;
    }
}

int cp_greedy_grower_must_stop(const cp_greedy_grower *w, uint32_t depth) {
    const cp_split_rule *r = &w->records->rule;
    return w->stats.rows < 2 * r->min_rows || w->stats.weight < 2 * r->min_weight ||
           (w->rule->max_depth && depth >= w->rule->max_depth);
}

double cp_greedy_grower_gain(const cp_greedy_grower *w) {
    const cp_split *s = &w->best;
    const cp_greedy_records *r = w->records;
    double quality = s->num / s->den, gain;
    if (r->rule.kind == CP_SPLIT_SQUARED) {
        gain = quality * w->stats.weight * r->target_unit * r->target_unit / r->weight_unit;
    } else if (r->rule.kind == CP_SPLIT_GINI) {
        gain = (quality - w->stats.square / w->stats.weight) * r->weight_unit;
    } else {
        gain = quality * r->weight_unit;
    }
    return gain > 0 ? gain : 0;
}

/* ---------------------------------------------------------------------------------------------------------- writing */

copse_status cp_greedy_grower_split(cp_greedy_grower *w, int32_t id, const cp_split *s, double gain, copse_error *err) {
    cp_tree_test test = {.dim = (uint32_t)s->dim, .missing_left = s->missing_left, .cut = s->cut};
    if (s->is_set) {
        test.set = s->set;
        test.words = cp_tree_words(w->records->data->rows.levels[s->dim]);
    }
    w->tree->gain[s->dim] += (float)gain;
    return cp_tree_split(w->tree, id, &test, err);
}

/* Targets are divided by the scale, a power of two, so that squares of large ones do not overflow. */
static copse_status number_leaf(cp_greedy_grower *w, int32_t id, const uint32_t *row, size_t n, copse_error *err) {
    const cp_greedy_records *r = w->records;
    const double *y = r->data->rows.y, scale = r->data->scale;
    double weight = 0, sum = 0, square = 0, base = y[row[0]] / scale;
    for (size_t i = 0; i < n; i++) {
        double v = cp_greedy_records_weight(r, row[i]);
        weight += v;
        sum += v * (y[row[i]] / scale - base);
    }
    double mean = sum / weight;
    for (size_t i = 0; i < n; i++) {
        double d = y[row[i]] / scale - base - mean;
        square += cp_greedy_records_weight(r, row[i]) * (d * d);
    }
    cp_tree_value v = {.mean = (float)(base - r->data->centre / scale + mean),
                       .var = (float)(square / weight),
                       .weight = (float)weight,
                       .rows = (uint32_t)n};
    return cp_tree_leaf_value(w->tree, id, v, err);
}

static int by_number(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static copse_status class_leaf(cp_greedy_grower *w, int32_t id, const uint32_t *row, size_t n, copse_error *err) {
    const cp_greedy_records *r = w->records;
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        int32_t k = r->data->rows.label[row[i]];
        if (w->class_weight[k] == 0) w->class_seen[count++] = (uint32_t)k;
        w->class_weight[k] += cp_greedy_records_weight(r, row[i]);
    }
    if (count > 1) qsort(w->class_seen, count, sizeof *w->class_seen, by_number);
    for (size_t i = 0; i < count; i++) {
        w->leaf_classes[i] =
            (cp_tree_class_weight){.label = w->class_seen[i], .weight = (float)w->class_weight[w->class_seen[i]]};
        w->class_weight[w->class_seen[i]] = 0;
    }
    return cp_tree_leaf_classes(w->tree, id, w->leaf_classes, count, (uint32_t)n, err);
}

copse_status cp_greedy_grower_leaf(cp_greedy_grower *w, int32_t id, const uint32_t *row, size_t n, copse_error *err) {
    return w->records->data->rows.y ? number_leaf(w, id, row, n, err) : class_leaf(w, id, row, n, err);
}

/* ------------------------------------------------------------------------------------------------------- query rows */

copse_status cp_greedy_grower_abandon(cp_greedy_grower *w, int32_t id, copse_error *err) {
    return cp_tree_leaf_value(w->tree, id, (cp_tree_value){.weight = 1, .rows = 1}, err);
}

/* A query row goes by its value, as it will walk the finished tree.  Its bin does not decide: a cut lies between two
 * bins that occur in the node, and the row's bin may be one between those. */
static int query_goes_left(const cp_greedy_grower *w, const cp_tree_node *n, uint32_t row) {
    float x = cp_greedy_records_value(w->records, row, cp_tree_dim(n));
    int missing_left = (n->what & CP_TREE_MISSING_LEFT) != 0;
    if (!(n->what & CP_TREE_CATEGORY)) return isnan(x) ? missing_left : x <= n->at.cut;
    if (!(x >= 0 && x < (float)cp_greedy_grower_levels(w, cp_tree_dim(n)))) return missing_left;
    return cp_split_in_set(w->tree->set + n->at.set, (uint32_t)x);
}

void cp_greedy_grower_divide_queries(cp_greedy_grower *w, int32_t id, cp_greedy_query_rows of,
                                     cp_greedy_query_rows child[2]) {
    uint32_t *query_row = w->records->query_row, mid = of.lo;
    child[0] = child[1] = (cp_greedy_query_rows){0, 0};
    if (!query_row) return;
    for (uint32_t i = of.lo; i < of.hi; i++) {
        uint32_t row = query_row[i];
        if (!query_goes_left(w, &w->tree->node[id], row)) continue;
        query_row[i] = query_row[mid];
        query_row[mid++] = row;
    }
    child[0] = (cp_greedy_query_rows){of.lo, mid};
    child[1] = (cp_greedy_query_rows){mid, of.hi};
}
