/* Boxes, class sets and class counts follow from the rows and are not written: rebuilding them is quicker than reading
 * them, and leaves less to check. */
#include "mondrian/mondrian_file.h"

#include <math.h>
#include <string.h>

#include "base/number_rule.h"
#include "mondrian/mondrian_candidates.h"
#include "mondrian/mondrian_choice_file.h"
#include "mondrian/mondrian_counts.h"
#include "mondrian/mondrian_frozen.h"
#include "mondrian/mondrian_hnsp.h"

/* Memory per row of a loaded tree besides its sections and its boxes: class sets and counts. */
static size_t row_bytes(const cp_mondrian_tree *t, const cp_mondrian_space *s) {
    size_t words = cp_mondrian_hnsp_words(s);
    if (!s->label) return 0;
    return (4 + 2 * s->classes / t->rows + (words > 1 ? 2 * words : 0)) * sizeof(int32_t);
}

/* ---------------------------------------------------------------------------------------------------------- writing */

/* Boxes that a reader will make.  A tree that has learnt online may have more. */
static size_t count_boxes(const cp_mondrian_tree *t, int32_t *order, int32_t *rows) {
    size_t boxes = 0;
    cp_mondrian_tree_order(t, order);
    for (size_t i = t->nodes; i-- > 0;) {
        const cp_mondrian_node *n = &t->node[order[i]];
        rows[order[i]] = cp_mondrian_tree_is_leaf(n) ? n->count : rows[n->left] + rows[n->right];
        boxes += rows[order[i]] > CP_MONDRIAN_HULL_ROWS;
    }
    return boxes;
}

static copse_status write_tree(const cp_mondrian_tree *t, const cp_mondrian_space *s, cp_writer *w, copse_error *err) {
    copse_status status = COPSE_OK;
    double *time = NULL;
    float *cut = NULL;
    int32_t *field = NULL, *order = NULL;
    CP_TRY_OUT(CP_RAW(time, t->nodes, err));
    CP_TRY_OUT(CP_RAW(cut, t->nodes, err));
    CP_TRY_OUT(CP_RAW(field, t->nodes, err));
    CP_TRY_OUT(cp_writer_i64(w, "rows", (int64_t)t->rows, err));
    for (size_t i = 0; i < t->nodes; i++) {
        int leaf = cp_mondrian_tree_is_leaf(&t->node[i]);
        time[i] = leaf ? 0 : t->node[i].time; /* a leaf's is the lifetime */
        cut[i] = leaf ? 0 : t->node[i].cut;
    }
    CP_TRY_OUT(cp_writer_array(w, "time", CP_F64, time, t->nodes, err));
    CP_TRY_OUT(cp_writer_array(w, "cut", CP_F32, cut, t->nodes, err));
    for (size_t i = 0; i < t->nodes; i++) field[i] = t->node[i].left;
    CP_TRY_OUT(cp_writer_array(w, "left", CP_I32, field, t->nodes, err));
    for (size_t i = 0; i < t->nodes; i++) field[i] = t->node[i].right; /* at a leaf: first row */
    CP_TRY_OUT(cp_writer_array(w, "right", CP_I32, field, t->nodes, err));
    for (size_t i = 0; i < t->nodes; i++) field[i] = t->node[i].dim; /* at a leaf: number of rows */
    CP_TRY_OUT(cp_writer_array(w, "dim", CP_I32, field, t->nodes, err));
    CP_TRY_OUT(cp_writer_array(w, "next", CP_I32, t->next, t->rows, err));
    if (s->keeps_moments) CP_TRY_OUT(cp_writer_array(w, "stat", CP_F64, t->stat, 3 * t->nodes, err));
    CP_TRY_OUT(CP_RAW(order, t->nodes, err));
    cp_writer_claim(w, count_boxes(t, order, field), cp_mondrian_file_box_bytes(s));
    cp_writer_claim(w, t->rows, row_bytes(t, s));
    if (s->keeps_counts) cp_writer_claim(w, cp_mondrian_counts_total(t), sizeof *t->count);
    if (s->candidates > 1) CP_TRY_OUT(cp_mondrian_choice_file_write(t, s, w, err));
out:
    cp_mem_free(time);
    cp_mem_free(cut);
    cp_mem_free(field);
    cp_mem_free(order);
    return status;
}

static copse_status write_regression(const cp_mondrian *f, cp_writer *w, copse_error *err) {
    const double hyper[5] = {f->hyper.mean, f->hyper.gamma1, f->hyper.gamma2, f->hyper.noise, f->hyper.floor};
    const double moments[3] = {f->moments.n, f->moments.mean, f->moments.m2};
    CP_TRY(cp_writer_f64(w, "center", f->center, err));
    CP_TRY(cp_writer_array(w, "hyper", CP_F64, hyper, 5, err));
    CP_TRY(cp_writer_array(w, "moments", CP_F64, moments, 3, err));
    CP_TRY(cp_writer_i64(w, "marginal", f->marginal, err));
    return cp_writer_f64(w, "log_marginal", f->log_marginal, err);
}

static copse_status write_honest(const cp_mondrian *f, cp_writer *w, copse_error *err) {
    const cp_mondrian_honest *h = &f->honest;
    const double classes[2] = {h->strength, h->sharpness}, numbers[4] = {h->within, h->between, h->near, h->far};
    CP_TRY(cp_writer_i64(w, "calibrated", (int64_t)h->rows, err));
    if (f->task == COPSE_CLASS) return cp_writer_array(w, "shrinkage", CP_F64, classes, 2, err);
    return cp_writer_array(w, "spread", CP_F64, numbers, 4, err);
}

/* The rows of the forest. */
static copse_status write_rows(const cp_mondrian *f, cp_writer *w, copse_error *err) {
    CP_TRY(cp_writer_array(w, "x", CP_F32, f->x, f->space.rows * f->space.dims, err));
    if (f->task == COPSE_CLASS) return cp_writer_array(w, "label", CP_I32, f->label, f->space.rows, err);
    return cp_writer_array(w, "y", CP_F64, f->y, f->space.rows, err);
}

/* What all trees need to choose among candidates. */
static copse_status write_choices(const cp_mondrian *f, cp_writer *w, copse_error *err) {
    CP_TRY(cp_writer_i64(w, "record_rows", (int64_t)f->space.record_rows, err));
    if (f->task == COPSE_CLASS) return COPSE_OK;
    cp_writer_claim(w, f->space.rows, sizeof *f->whole);
    return cp_writer_f64(w, "unit", f->unit, err);
}

copse_status cp_mondrian_file_write(const void *state, const copse_params *p, unsigned flags, cp_writer *w,
                                    copse_error *err) {
    (void)p;
    const cp_mondrian *f = state;
    int frozen = f->space.frozen || (flags & COPSE_SAVE_FROZEN);
    CP_TRY(cp_writer_i64(w, "rows", (int64_t)cp_mondrian_learnt(f), err));
    CP_TRY(cp_writer_i64(w, "frozen", frozen, err));
    if (f->task == COPSE_REGRESS) CP_TRY(write_regression(f, w, err));
    if (f->honest.on) CP_TRY(write_honest(f, w, err));
    if (frozen) return cp_mondrian_frozen_write(f, w, err);
    CP_TRY(write_rows(f, w, err));
    if (f->space.candidates > 1) CP_TRY(write_choices(f, w, err));
    for (size_t m = 0; m < f->trees; m++) {
        CP_TRY(cp_writer_push_nth(w, "tree", m, err));
        copse_status status = write_tree(&f->tree[m], &f->space, w, err);
        cp_writer_pop(w);
        CP_TRY(status);
    }
    return COPSE_OK;
}

/* ---------------------------------------------------------------------------------------------------------- reading */

/* The shape is a binary tree with root 0: every other node is a child once, and all are reached.  Fills `order`. */
static copse_status check_shape(const cp_mondrian_tree *t, cp_reader *r, int32_t *order, unsigned char *seen,
                                copse_error *err) {
    size_t n = 0;
    memset(seen, 0, t->nodes);
    order[n++] = 0;
    for (size_t i = 0; i < n; i++) {
        const cp_mondrian_node *node = &t->node[order[i]];
        if (cp_mondrian_tree_is_leaf(node)) continue;
        const int32_t child[2] = {node->left, node->right};
        for (int k = 0; k < 2; k++) {
            if (child[k] < 1 || (size_t)child[k] >= t->nodes || seen[child[k]])
                return cp_reader_bad(r, err, "node %d has an impossible child", order[i]);
            seen[child[k]] = 1;
            order[n++] = child[k];
        }
    }
    return n == t->nodes ? COPSE_OK : cp_reader_bad(r, err, "some nodes have no parent");
}

copse_status cp_mondrian_file_splits(const cp_mondrian_tree *t, const cp_mondrian_space *s, cp_reader *r,
                                     const int32_t *order, copse_error *err) {
    if (!cp_mondrian_tree_is_leaf(&t->node[0]) && !(t->node[0].time > 0))
        return cp_reader_bad(r, err, "the root's time is not above 0");
    for (size_t i = 0; i < t->nodes; i++) {
        const cp_mondrian_node *n = &t->node[order[i]];
        if (cp_mondrian_tree_is_leaf(n)) continue;
        if (n->dim < 0 || (size_t)n->dim >= s->dims || !isfinite(n->cut) || !(n->time < s->lifetime))
            return cp_reader_bad(r, err, "node %d has an impossible split", order[i]);
        if (!(t->node[n->left].time > n->time) || !(t->node[n->right].time > n->time))
            return cp_reader_bad(r, err, "times do not grow below node %d", order[i]);
    }
    return COPSE_OK;
}

/* Every row learnt is in exactly one leaf's list. */
static copse_status check_lists(const cp_mondrian_tree *t, cp_reader *r, unsigned char *seen, copse_error *err) {
    size_t found = 0;
    memset(seen, 0, t->rows);
    for (size_t j = 0; j < t->nodes; j++) {
        const cp_mondrian_node *n = &t->node[j];
        if (!cp_mondrian_tree_is_leaf(n)) continue;
        int32_t count = 0;
        for (int32_t row = n->head; row != CP_NONE; row = t->next[row]) {
            if (row < 0 || (size_t)row >= t->rows || seen[row])
                return cp_reader_bad(r, err, "leaf %zu lists an impossible row", j);
            seen[row] = 1;
            count++;
        }
        if (count < 1 || count != n->count) return cp_reader_bad(r, err, "leaf %zu has the wrong number of rows", j);
        found += (size_t)count;
    }
    return found == t->rows ? COPSE_OK : cp_reader_bad(r, err, "some rows are in no leaf");
}

copse_status cp_mondrian_file_pauses(const cp_mondrian_tree *t, const cp_mondrian_space *s, cp_reader *r,
                                     const int32_t *order, copse_error *err) {
    copse_status status = COPSE_OK;
    int32_t *rows = NULL, *kind = NULL;
    CP_TRY_OUT(CP_RAW(rows, t->nodes, err));
    CP_TRY_OUT(CP_RAW(kind, t->nodes, err));
    for (size_t i = t->nodes; i-- > 0;) {
        int32_t j = order[i];
        const cp_mondrian_node *n = &t->node[j];
        int leaf = cp_mondrian_tree_is_leaf(n);
        rows[j] = leaf ? n->count : rows[n->left] + rows[n->right];
        kind[j] = leaf ? n->label : kind[n->left] == kind[n->right] ? kind[n->left] : CP_NONE;
        if (leaf || ((size_t)rows[j] >= s->min_split && kind[j] == CP_NONE)) continue;
        CP_TRY_OUT(cp_reader_bad(r, err, "node %d is split and should have paused", j));
    }
out:
    cp_mem_free(rows);
    cp_mem_free(kind);
    return status;
}

/* The box of a leaf is rebuilt from its list, that of a split from the boxes of its children. */
static copse_status rebuild_box(cp_mondrian_tree *t, const cp_mondrian_space *s, cp_reader *r, int32_t j, float *buf,
                                copse_error *err) {
    cp_mondrian_node *n = &t->node[j];
    size_t d = s->dims;
    float *box = cp_mondrian_tree_has_box(n) ? cp_mondrian_tree_own_box(t, s, n->box) : buf;
    if (cp_mondrian_tree_is_leaf(n)) {
        s->kern->hull(s->x, d, &n->head, 1, box);
        for (int32_t row = t->next[n->head]; row != CP_NONE; row = t->next[row])
            s->kern->include(box, cp_mondrian_tree_row(s, row), d);
        return COPSE_OK;
    }
    const float *left = cp_mondrian_tree_box(t, s, &t->node[n->left], buf + 2 * d);
    const float *right = cp_mondrian_tree_box(t, s, &t->node[n->right], buf + 4 * d);
    if (!(left[d + (size_t)n->dim] <= n->cut) || !(right[n->dim] > n->cut))
        return cp_reader_bad(r, err, "node %d does not separate its rows", j);
    memcpy(box, left, 2 * d * sizeof *box);
    s->kern->include(box, right, d);
    s->kern->include(box, right + d, d);
    return COPSE_OK;
}

/* Decides which nodes store a box.  Room is made for exactly those, so that memory is in proportion to the file. */
static copse_status number_boxes(cp_mondrian_tree *t, const int32_t *order, copse_error *err) {
    int32_t *rows;
    CP_TRY(CP_NEW(rows, t->nodes, err));
    for (size_t i = t->nodes; i-- > 0;) {
        cp_mondrian_node *n = &t->node[order[i]];
        int32_t *own = &rows[order[i]];
        if (!cp_mondrian_tree_is_leaf(n))
            *own = rows[n->left] + rows[n->right];
        else
            for (int32_t row = n->head; row != CP_NONE; row = t->next[row]) ++*own;
        n->box = *own > CP_MONDRIAN_HULL_ROWS ? (int32_t)t->boxes++ : -*own;
    }
    cp_mem_free(rows);
    return COPSE_OK;
}

copse_status cp_mondrian_file_boxes(cp_mondrian_tree *t, const cp_mondrian_space *s, cp_reader *r, const int32_t *order,
                                    copse_error *err) {
    copse_status status = COPSE_OK;
    float *buf = NULL;
    CP_TRY(number_boxes(t, order, err));
    CP_TRY(cp_reader_claim(r, t->boxes, cp_mondrian_file_box_bytes(s), err));
    CP_TRY(cp_mondrian_tree_reserve(t, s, 0, 0, err));
    CP_TRY(CP_RAW(buf, 6 * s->dims, err));
    for (size_t i = t->nodes; i-- > 0;)
        if (!cp_mondrian_tree_is_leaf(&t->node[order[i]]) || cp_mondrian_tree_has_box(&t->node[order[i]]))
            CP_TRY_OUT(rebuild_box(t, s, r, order[i], buf, err));
out:
    cp_mem_free(buf);
    return status;
}

/* The class of all rows of a leaf; CP_NONE if they have several, or if the targets are numbers. */
static int32_t class_of(const cp_mondrian_tree *t, const cp_mondrian_space *s, const cp_mondrian_node *leaf) {
    if (!s->label) return CP_NONE;
    for (int32_t row = leaf->head; row != CP_NONE; row = t->next[row])
        if (s->label[row] != s->label[leaf->head]) return CP_NONE;
    return s->label[leaf->head];
}

static void set_labels(cp_mondrian_tree *t, const cp_mondrian_space *s) {
    for (size_t j = 0; j < t->nodes; j++)
        if (cp_mondrian_tree_is_leaf(&t->node[j])) t->node[j].label = class_of(t, s, &t->node[j]);
}

static copse_status rebuild_classes(cp_mondrian_tree *t, const cp_mondrian_space *s, cp_reader *r, int32_t *order,
                                    copse_error *err) {
    CP_TRY(cp_reader_claim(r, t->rows, row_bytes(t, s), err));
    CP_TRY(cp_mondrian_hnsp_reserve(t, s, t->rows, err));
    for (size_t j = 0; j < t->nodes; j++) {
        cp_mondrian_node *n = &t->node[j];
        if (cp_mondrian_tree_is_leaf(n) && n->label == CP_NONE) cp_mondrian_hnsp_count(t, s, n);
    }
    if (s->keeps_counts) return cp_mondrian_counts_build(t, order, r, err);
    CP_TRY(cp_mondrian_hnsp_reserve_sets(t, s->classes, err));
    cp_mondrian_hnsp_rebuild_classes(t, s, order);
    return COPSE_OK;
}

static copse_status rebuild_tree(cp_mondrian_tree *t, const cp_mondrian_space *s, cp_reader *r, copse_error *err) {
    copse_status status = COPSE_OK;
    int32_t *order = NULL;
    unsigned char *seen = NULL;
    CP_TRY_OUT(CP_RAW(order, t->nodes, err));
    CP_TRY_OUT(CP_RAW(seen, t->nodes > t->rows ? t->nodes : t->rows, err));
    CP_TRY_OUT(check_shape(t, r, order, seen, err));
    CP_TRY_OUT(cp_mondrian_file_splits(t, s, r, order, err));
    CP_TRY_OUT(check_lists(t, r, seen, err));
    set_labels(t, s);
    CP_TRY_OUT(cp_mondrian_file_pauses(t, s, r, order, err));
    CP_TRY_OUT(cp_mondrian_file_boxes(t, s, r, order, err));
    if (s->label) CP_TRY_OUT(rebuild_classes(t, s, r, order, err));
    if (s->candidates > 1) CP_TRY_OUT(cp_mondrian_choice_file_read(t, s, r, order, err));
    cp_mondrian_tree_trim(t, s);
out:
    cp_mem_free(order);
    cp_mem_free(seen);
    return status;
}

copse_status cp_mondrian_file_moments(const cp_mondrian_stat *st, size_t n, double rows, cp_reader *r,
                                      copse_error *err) {
    for (size_t j = 0; j < n; j++, st++) {
        int fine = st->n >= 1 && st->n <= rows && fabs(st->mean) <= CP_NUMBER_TARGET && st->m2 >= 0 &&
                   st->m2 <= CP_NUMBER_VARIANCE * rows;
        if (!fine) return cp_reader_bad(r, err, "holds impossible moments at %zu", j);
    }
    return COPSE_OK;
}

static copse_status read_stat(cp_mondrian_tree *t, cp_reader *r, copse_error *err) {
    CP_TRY(cp_reader_array(r, "stat", CP_F64, 3 * t->nodes, &t->stat, err));
    t->cap_stat = t->nodes;
    return cp_mondrian_file_moments(t->stat, t->nodes, (double)t->rows, r, err);
}

/* The sections of a tree. */
typedef struct columns {
    double *time;
    float *cut;
    int32_t *left, *right, *dim;
} columns;

static copse_status read_columns(cp_mondrian_tree *t, const cp_mondrian_space *s, cp_reader *r, columns *c,
                                 copse_error *err) {
    int64_t rows;
    size_t nodes;
    CP_TRY(cp_reader_i64(r, "rows", 1, (int64_t)s->rows, &rows, err));
    CP_TRY(cp_reader_count(r, "left", CP_I32, &nodes, err));
    if (nodes < 1 || nodes > 2 * (size_t)rows - 1)
        return cp_reader_bad(r, err, "%zu nodes for %lld rows", nodes, (long long)rows);
    CP_TRY(cp_reader_array(r, "time", CP_F64, nodes, &c->time, err));
    CP_TRY(cp_reader_array(r, "cut", CP_F32, nodes, &c->cut, err));
    CP_TRY(cp_reader_array(r, "left", CP_I32, nodes, &c->left, err));
    CP_TRY(cp_reader_array(r, "right", CP_I32, nodes, &c->right, err));
    CP_TRY(cp_reader_array(r, "dim", CP_I32, nodes, &c->dim, err));
    CP_TRY(cp_reader_array(r, "next", CP_I32, (size_t)rows, &t->next, err));
    t->cap_next = t->rows = (size_t)rows;
    CP_TRY(cp_mem_grow_lines(&t->node, &t->cap_nodes, nodes, sizeof *t->node, err));
    t->nodes = nodes;
    for (size_t i = 0; i < nodes; i++) {
        int leaf = c->left[i] == CP_NONE;
        t->node[i] = (cp_mondrian_node){.time = leaf ? s->lifetime : c->time[i],
                                        .left = c->left[i],
                                        .right = c->right[i],
                                        .dim = c->dim[i],
                                        .cut = c->cut[i],
                                        .box = CP_NONE};
        if (leaf) t->node[i].label = CP_NONE;
    }
    return COPSE_OK;
}

static copse_status read_tree(cp_mondrian *f, size_t m, cp_reader *r, copse_error *err) {
    cp_mondrian_tree *t = &f->tree[m];
    columns c = {0};
    copse_status status = read_columns(t, &f->space, r, &c, err);
    cp_mem_free(c.time);
    cp_mem_free(c.cut);
    cp_mem_free(c.left);
    cp_mem_free(c.right);
    cp_mem_free(c.dim);
    CP_TRY(status);
    if (f->space.keeps_moments) CP_TRY(read_stat(t, r, err));
    return rebuild_tree(t, &f->space, r, err);
}

/* Times: a box is at most 2e37 wide in each column, and at least a float's least difference. */
static const cp_number_rule number_rules[] = {
    {.name = "x", .least = -CP_NUMBER_FEATURE, .most = CP_NUMBER_FEATURE},
    {.name = "corner", .least = -CP_NUMBER_FEATURE, .most = CP_NUMBER_FEATURE},
    {.name = "y", .least = -CP_NUMBER_TARGET, .most = CP_NUMBER_TARGET},
    {.name = "hyper", .every = 5, .at = 0, .least = -CP_NUMBER_TARGET, .most = CP_NUMBER_TARGET},
    {.name = "hyper", .every = 5, .at = 1, .least = 1e-30, .most = CP_NUMBER_VARIANCE},
    {.name = "hyper", .every = 5, .at = 2, .least = 1e-30, .most = 1e30},
    {.name = "hyper", .every = 5, .at = 3, .least = 1e-30, .most = CP_NUMBER_VARIANCE},
    {.name = "hyper", .every = 5, .at = 4, .least = 1e-30, .most = CP_NUMBER_VARIANCE},
    {.name = "shrinkage", .every = 2, .at = 0, .least = 1e-3, .most = 1e6},
    {.name = "shrinkage", .every = 2, .at = 1, .least = 0, .most = 100},
    {.name = "spread", .every = 4, .at = 0, .least = 1e-2, .most = 100},
    {.name = "spread", .every = 4, .at = 1, .least = 1e-2, .most = 100},
    {.name = "spread", .every = 4, .at = 2, .least = 0, .most = 100},
    {.name = "spread", .every = 4, .at = 3, .least = 0, .most = 101},
    {.name = "moments", .every = 3, .at = 0, .least = 1, .most = CP_NUMBER_COUNT},
    {.name = "moments", .every = 3, .at = 1, .least = -CP_NUMBER_TARGET, .most = CP_NUMBER_TARGET},
    {.name = "moments", .every = 3, .at = 2, .least = 0, .most = CP_NUMBER_VARIANCE},
    {.name = "tree.#.time", .least = 1e-100, .most = 1e100, .also = CP_ALSO_ZERO},
    {.name = "tree.#.cut", .least = -CP_NUMBER_FEATURE, .most = CP_NUMBER_FEATURE},
    {.name = "tree.#.candidate_cut", .least = -CP_NUMBER_FEATURE, .most = CP_NUMBER_FEATURE},
    {.name = "tree.#.stat", .every = 3, .at = 0, .least = 1, .most = CP_NUMBER_COUNT},
    {.name = "tree.#.stat", .every = 3, .at = 1, .least = -CP_NUMBER_TARGET, .most = CP_NUMBER_TARGET},
    {.name = "tree.#.stat", .every = 3, .at = 2, .least = 0, .most = CP_NUMBER_VARIANCE},
    {.name = "tree.#.mean", .least = -CP_NUMBER_TARGET, .most = CP_NUMBER_TARGET},
    {.name = "tree.#.m2", .least = 0, .most = CP_NUMBER_VARIANCE},
};

/* Variances of noise and of the hierarchy that differ by more make messages that vanish. */
static int is_possible(const cp_mondrian_hyper *h) {
    return h->noise >= 1e-30 * h->gamma1 && h->noise <= 1e30 * h->gamma1;
}

static copse_status read_regression(cp_mondrian *f, cp_reader *r, copse_error *err) {
    double *v = NULL;
    int64_t marginal;
    CP_TRY(cp_reader_f64(r, "center", -CP_NUMBER_TARGET, CP_NUMBER_TARGET, &f->center, err));
    CP_TRY(cp_reader_array(r, "hyper", CP_F64, 5, &v, err));
    f->hyper = (cp_mondrian_hyper){v[0], v[1], v[2], v[3], v[4]};
    cp_mem_free(v);
    if (!is_possible(&f->hyper)) return cp_reader_bad(r, err, "its variances are too far apart");
    CP_TRY(cp_reader_array(r, "moments", CP_F64, 3, &v, err));
    f->moments = (cp_mondrian_stat){.n = v[0], .mean = v[1], .m2 = v[2]};
    cp_mem_free(v);
    CP_TRY(cp_reader_i64(r, "marginal", 0, 1, &marginal, err));
    f->marginal = (int)marginal;
    f->stale = !f->space.keeps_moments;
    return cp_reader_f64(r, "log_marginal", -1e300, 1e300, &f->log_marginal, err);
}

/* Files of programs before 1.1 have no calibration, whatever their options say. */
static copse_status read_honest(cp_mondrian *f, size_t rows, cp_reader *r, copse_error *err) {
    cp_mondrian_honest *h = &f->honest;
    double *v = NULL;
    int64_t calibrated;
    f->honest.on = f->honest.on && cp_reader_has(r, "calibrated");
    f->space.keeps_counts = f->space.keeps_counts && f->honest.on;
    if (!f->honest.on) return COPSE_OK;
    CP_TRY(cp_reader_i64(r, "calibrated", 1, (int64_t)rows, &calibrated, err));
    h->rows = (size_t)calibrated;
    if (f->task == COPSE_CLASS) {
        CP_TRY(cp_reader_array(r, "shrinkage", CP_F64, 2, &v, err));
        h->strength = v[0];
        h->sharpness = v[1];
    } else {
        CP_TRY(cp_reader_array(r, "spread", CP_F64, 4, &v, err));
        h->within = v[0];
        h->between = v[1];
        h->near = v[2];
        h->far = v[3];
    }
    cp_mem_free(v);
    return h->far > h->near ? COPSE_OK : cp_reader_bad(r, err, "its spread is not in order");
}

static copse_status read_targets(cp_mondrian *f, cp_reader *r, copse_error *err) {
    CP_TRY(cp_reader_array(r, "y", CP_F64, f->space.rows, &f->y, err));
    f->cap_y = f->space.rows;
    f->space.y = f->y;
    return COPSE_OK;
}

static copse_status read_labels(cp_mondrian *f, cp_reader *r, copse_error *err) {
    CP_TRY(cp_reader_array(r, "label", CP_I32, f->space.rows, &f->label, err));
    f->cap_label = f->space.rows;
    f->space.label = f->label;
    for (size_t i = 0; i < f->space.rows; i++)
        if (f->label[i] < 0 || (size_t)f->label[i] >= f->space.classes)
            return cp_reader_bad(r, err, "row %zu is of an impossible class", i);
    return COPSE_OK;
}

copse_status cp_mondrian_file_rows(cp_mondrian *f, cp_reader *r, const char *name, size_t rows, copse_error *err) {
    size_t n = rows * f->space.dims;
    float *x = NULL;
    CP_TRY(cp_reader_array(r, name, CP_F32, n, &x, err));
    f->x = cp_mem_to_lines(x, rows, f->space.dims * sizeof *x);
    if (!f->x) {
        cp_mem_free(x);
        return cp_fail_memory(err);
    }
    f->space.x = f->x;
    f->space.rows = f->cap_x = rows;
    return COPSE_OK;
}

static copse_status read_rows(cp_mondrian *f, size_t rows, cp_reader *r, copse_error *err) {
    CP_TRY(cp_mondrian_file_rows(f, r, "x", rows, err));
    return f->task == COPSE_CLASS ? read_labels(f, r, err) : read_targets(f, r, err);
}

static copse_status read_choices(cp_mondrian *f, cp_reader *r, copse_error *err) {
    int64_t rows;
    CP_TRY(cp_reader_i64(r, "record_rows", 2, 1024, &rows, err));
    f->space.record_rows = (size_t)rows;
    if (f->task == COPSE_CLASS) return COPSE_OK;
    CP_TRY(cp_reader_f64(r, "unit", 0, 1e100, &f->unit, err));
    CP_TRY(cp_reader_claim(r, f->space.rows, sizeof *f->whole, err));
    CP_TRY(CP_GROW(f->whole, f->cap_whole, f->space.rows, err));
    f->space.whole = f->whole;
    for (size_t i = 0; i < f->space.rows; i++) f->whole[i] = cp_mondrian_candidates_whole(f->y[i], f->unit);
    return COPSE_OK;
}

copse_status cp_mondrian_file_trees(cp_mondrian *f, cp_reader *r, cp_mondrian_file_tree read, copse_error *err) {
    for (size_t m = 0; m < f->trees; m++) {
        CP_TRY(cp_reader_push_nth(r, "tree", m, err));
        copse_status status = read(f, m, r, err);
        cp_reader_pop(r);
        CP_TRY(status);
    }
    return COPSE_OK;
}

static copse_status read_forest(cp_mondrian *f, cp_reader *r, copse_error *err) {
    int64_t rows, frozen;
    CP_NUMBER_RULES(r, number_rules);
    CP_TRY(cp_reader_i64(r, "rows", 1, INT32_MAX / 2, &rows, err));
    CP_TRY(cp_reader_i64(r, "frozen", 0, 1, &frozen, err));
    if (f->task == COPSE_REGRESS) CP_TRY(read_regression(f, r, err));
    CP_TRY(read_honest(f, (size_t)rows, r, err));
    if (frozen) return cp_mondrian_frozen_read(f, (size_t)rows, r, err);
    CP_TRY(read_rows(f, (size_t)rows, r, err));
    if (f->space.candidates > 1) CP_TRY(read_choices(f, r, err));
    return cp_mondrian_file_trees(f, r, read_tree, err);
}

copse_status cp_mondrian_file_read(cp_reader *r, const copse_params *p, cp_rows_shape shape, void **out_state,
                                   copse_error *err) {
    cp_mondrian *f;
    *out_state = NULL;
    /* before memory is allocated for the trees: a file without the last tree has fewer of them than its options say */
    if (!cp_reader_has_nth(r, "tree", (size_t)cp_param_int(p, "trees") - 1, "dim"))
        return cp_reader_bad(r, err, "trees are missing");
    CP_TRY(cp_mondrian_new(p, shape.task, shape.dims, shape.classes, &f, err));
    copse_status status = read_forest(f, r, err);
    if (status)
        cp_mondrian_free(f);
    else
        *out_state = f;
    return status;
}
