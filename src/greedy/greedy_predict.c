#include "greedy/greedy_predict.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "kernel/key_block.h"
#include "kernel/prefetch.h"
#include "kernel/sort.h"
#include "tree/tree_walk.h"
#include "tree/tree_walk_one.h"

enum {
    BLOCK = 8192,         /* rows that walk down a tree while it is in the cache */
    BLOCK_KEYS = 1 << 19, /* keys of a block, at most */
    AHEAD = 32            /* rows whose leaves are prefetched before they are read */
};

typedef struct query {
    const cp_greedy *g;
    const cp_rows *rows;
    size_t first, end; /* trees first ... end-1 predict */
    int of_mean;
    double alpha;
    int corrects;   /* classes: the temperature is for the forest, not for a tree alone */
    size_t block;   /* a multiple of CP_ANSWER_ROWS */
    int key_blocks; /* rows are turned into key blocks (tree_walk.h) */
    int keys;       /* rows are turned into keys */
    uint32_t *key;  /* room for the keys of a block; NULL: they overwrite the rows, which are ours */
} query;

/* Turns keys that overwrote rows back into values. */
static void restore_values(uint32_t *key, size_t n) {
    for (size_t i = 0; i < n; i++) {
        float x = cp_sort_to_float(key[i]);
        memcpy(&key[i], &x, sizeof x);
    }
}

/* The block that begins with row `first`, in the form trees walk fastest. */
static cp_tree_rows block_of(const query *q, size_t first) {
    size_t left = q->rows->n - first, dims = q->rows->dims;
    cp_tree_rows rows = {.n = left < q->block ? left : q->block};
    if (q->rows->key_block) {
        rows.key_block = q->rows->key_block + first * dims;
        return rows;
    }
    rows.x = q->rows->x + first * dims;
    if (q->key_blocks && cp_key_block_best()->from_rows(rows.x, rows.n, dims, q->key)) rows.key_block = q->key;
    if (!q->keys) return rows;
    uint32_t *key = q->key ? q->key : (uint32_t *)(void *)(q->rows->x_writable + first * dims);
    if (cp_key_block_best()->keys(rows.x, rows.n * dims, key))
        rows.key = key;
    else if (!q->key)
        restore_values(key, rows.n * dims);
    return rows;
}

/* ---------------------------------------------------------------------------------------------------------- numbers */

static void predict_by_tree(const query *q, const cp_tree *t, const cp_tree_rows *rows, cp_gauss *out) {
    uint32_t leaf[BLOCK + AHEAD];
    const float floor = (float)sqrt(q->g->leaf_variance.floor);
    cp_tree_walk_rows(t, &q->g->forest, rows, leaf);
    for (size_t i = rows->n; i < rows->n + AHEAD; i++)
        leaf[i] = 0; /* completes the last group, for which the answer has room */
    for (size_t i = 0; i < AHEAD; i++) cp_prefetch(&t->gauss[leaf[i]]);
    for (size_t i = 0; i < rows->n; i += CP_ANSWER_ROWS, out += CP_ANSWER_ROWS * (q->end - q->first)) {
        for (size_t k = 0; k < CP_ANSWER_ROWS; k++) cp_prefetch(&t->gauss[leaf[i + AHEAD - CP_ANSWER_ROWS + k]]);
        for (size_t k = 0; k < CP_ANSWER_ROWS; k++) out[k] = t->gauss[leaf[i + k]];
        for (size_t k = 0; q->of_mean && k < CP_ANSWER_ROWS; k++) out[k].sd = floor;
    }
}

static copse_status predict_numbers(const query *q, cp_answer *out, copse_error *err) {
    const cp_forest *f = &q->g->forest;
    CP_TRY(cp_answer_fill(out, q->end - q->first, f->centre, f->scale, err));
    for (size_t first = 0; first < out->rows; first += q->block) {
        cp_tree_rows rows = block_of(q, first);
        for (size_t m = q->first; m < q->end; m++)
            predict_by_tree(q, &f->tree[m], &rows, cp_answer_gauss(out, first, m - q->first));
    }
    return COPSE_OK;
}

/* ---------------------------------------------------------------------------------------------------------- classes */

/* Adds one tree's class probabilities; the share that alpha gives to every class alike is added up in `even`. */
static void add_class_weights(const query *q, const cp_tree *t, const uint32_t *leaf, size_t n, double *probs,
                              double *even) {
    size_t classes = q->g->forest.classes;
    for (size_t i = 0; i < n; i++, probs += classes) {
        uint32_t first = t->start[leaf[i]], end = t->start[leaf[i] + 1];
        double total = q->alpha;
        for (uint32_t s = first; s < end; s++) total += (double)t->class_weight[s].weight;
        for (uint32_t s = first; s < end; s++)
            probs[t->class_weight[s].label] += (double)t->class_weight[s].weight / total;
        even[i] += q->alpha / total / (double)classes;
    }
}

/* Divides by the sum, not by the number of trees, from which it differs by rounding: a certain class gets exactly 1. */
static void normalise(double *probs, size_t classes, double even) {
    double sum = 0;
    for (size_t k = 0; k < classes; k++) sum += probs[k] += even;
    for (size_t k = 0; k < classes; k++) probs[k] /= sum;
}

static copse_status predict_classes(const query *q, cp_answer *out, copse_error *err) {
    (void)err;
    uint32_t leaf[BLOCK];
    for (size_t first = 0; first < out->rows; first += q->block) {
        double even[BLOCK] = {0}, *probs = out->probs + first * out->classes;
        cp_tree_rows rows = block_of(q, first);
        for (size_t m = q->first; m < q->end; m++) {
            const cp_tree *t = &q->g->forest.tree[m];
            cp_tree_walk_rows(t, &q->g->forest, &rows, leaf);
            add_class_weights(q, t, leaf, rows.n, probs, even);
        }
        for (size_t i = 0; i < rows.n; i++) {
            normalise(probs + i * out->classes, out->classes, even[i]);
            if (q->corrects) cp_temperature_apply(&q->g->temperature, probs + i * out->classes);
        }
    }
    return COPSE_OK;
}

/* -------------------------------------------------------------------------------------------------------- one row */

enum { SOME_TREES = 256 }; /* trees whose leaves are found before they are read */

static void read_gaussians(const query *q, size_t first, size_t n, const uint32_t *leaf, const cp_answer *out) {
    const float floor = (float)sqrt(q->g->leaf_variance.floor);
    for (size_t i = 0; i < n; i++) {
        cp_gauss *to = cp_answer_gauss(out, 0, first - q->first + i);
        *to = q->g->forest.tree[first + i].gauss[leaf[i]];
        if (q->of_mean) to->sd = floor;
    }
}

/* The row goes down many trees at a time: as quick as a row of a block, and without memory for keys. */
static copse_status predict_one(const query *q, cp_answer *out, copse_error *err) {
    const cp_forest *f = &q->g->forest;
    uint32_t leaf[SOME_TREES];
    double even = 0;
    if (f->task == COPSE_REGRESS) CP_TRY(cp_answer_fill(out, q->end - q->first, f->centre, f->scale, err));
    for (size_t m = q->first; m < q->end; m += SOME_TREES) {
        size_t n = q->end - m < SOME_TREES ? q->end - m : SOME_TREES;
        cp_tree_walk_one(f, m, n, q->rows->x, leaf);
        if (f->task == COPSE_REGRESS) {
            read_gaussians(q, m, n, leaf, out);
            continue;
        }
        for (size_t i = 0; i < n; i++) add_class_weights(q, &f->tree[m + i], &leaf[i], 1, out->probs, &even);
    }
    if (f->task == COPSE_CLASS) normalise(out->probs, out->classes, even);
    if (q->corrects) cp_temperature_apply(&q->g->temperature, out->probs);
    return COPSE_OK;
}

/* Chooses the form of the rows.  Rows of our own are not turned into key blocks: without missing values they would have
 * come as key blocks already. */
static void choose_form(query *q, const cp_forest *f) {
    const cp_rows *rows = q->rows;
    int key_blocks = cp_tree_walk_takes_key_blocks(f);
    q->key_blocks = key_blocks && !rows->key_block && !rows->x_writable;
    q->keys = !key_blocks && cp_tree_walk_takes_keys(f);
    q->block = BLOCK;
    if (!q->keys) return;
    size_t block = BLOCK_KEYS / rows->dims / CP_ANSWER_ROWS * CP_ANSWER_ROWS;
    if (block < BLOCK) q->block = block;
}

/* Room for the keys of a block, rounded up to whole key blocks. */
static copse_status make_room(query *q, copse_error *err) {
    size_t n = (q->rows->n < q->block ? q->rows->n : q->block) + CP_KEY_BLOCK_ROWS - 1;
    if (!q->key_blocks && (!q->keys || q->rows->x_writable)) return COPSE_OK;
    return CP_RAW(q->key, (n - n % CP_KEY_BLOCK_ROWS) * q->rows->dims, err);
}

copse_status cp_greedy_predict(const void *state, const cp_rows *rows, const copse_params *p, cp_answer *out,
                               copse_error *err) {
    const cp_greedy *g = state;
    query q = {.g = g, .rows = rows, .end = g->forest.trees, .of_mean = out->of_mean};
    if (g->forest.task == COPSE_CLASS) {
        q.alpha = cp_param_real(p, "alpha");
        q.corrects = out->tree == CP_NONE;
    }
    if (out->tree != CP_NONE) {
        q.first = (size_t)out->tree;
        q.end = q.first + 1;
    }
    if (rows->n == 1 && rows->x) return predict_one(&q, out, err);
    choose_form(&q, &g->forest);
    CP_TRY(make_room(&q, err));
    copse_status status = (g->forest.task == COPSE_REGRESS ? predict_numbers : predict_classes)(&q, out, err);
    cp_mem_free(q.key);
    return status;
}
