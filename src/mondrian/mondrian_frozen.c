#include "mondrian/mondrian_frozen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mondrian/mondrian_counts.h"
#include "mondrian/mondrian_file.h"
#include "mondrian/mondrian_hnsp.h"

/* A reader claims the memory that it needs in proportion to the bytes of the file (cp_reader_claim).  Each step of a
 * hull row down a tree claims so many bytes too, so that the time of loading is also in proportion to the file. */
enum { STEP_BYTES = 8 };

/* Memory of a loaded node besides its sections and its box. */
static size_t node_bytes(const cp_mondrian_space *s) {
    size_t words = cp_mondrian_hnsp_words(s);
    return words > 1 ? words * sizeof(uint32_t) : 0;
}

/* -------------------------------------------------------------------------------------------------------- hull rows */

/* The choice of the hull rows of a leaf. */
typedef struct selection {
    float *box;          /* the leaf's box: lower, upper */
    unsigned char *open; /* 2 dims: no kept row touches this side of the box yet */
    unsigned char *keep; /* one per row of the forest: it is a hull row */
} selection;

/* Closes the open sides that a row touches; returns whether there were any. */
static int touch(const selection *f, const float *x, size_t d) {
    int any = 0;
    for (size_t i = 0; i < 2 * d; i++)
        if (f->open[i] && x[i < d ? i : i - d] == f->box[i]) {
            f->open[i] = 0;
            any = 1;
        }
    return any;
}

/* Rows that are kept already come first, so no two rows with the same values are kept. */
static void keep_hull_rows(const selection *f, const cp_mondrian_tree *t, const cp_mondrian_space *s,
                           const cp_mondrian_node *leaf) {
    s->kern->hull(s->x, s->dims, &leaf->head, 1, f->box);
    memset(f->open, 1, 2 * s->dims);
    for (int32_t row = t->next[leaf->head]; row != CP_NONE; row = t->next[row])
        s->kern->include(f->box, cp_mondrian_tree_row(s, row), s->dims);
    for (int32_t row = leaf->head; row != CP_NONE; row = t->next[row])
        if (f->keep[row]) touch(f, cp_mondrian_tree_row(s, row), s->dims);
    for (int32_t row = leaf->head; row != CP_NONE; row = t->next[row])
        if (!f->keep[row] && touch(f, cp_mondrian_tree_row(s, row), s->dims)) f->keep[row] = 1;
}

/* Sets `keep` for the hull rows of the forest. */
static copse_status find_hull_rows(const cp_mondrian *f, unsigned char *keep, copse_error *err) {
    copse_status status = COPSE_OK;
    selection sides = {.keep = keep};
    if (f->space.frozen) {
        memset(keep, 1, f->space.rows);
        return COPSE_OK;
    }
    CP_TRY_OUT(CP_RAW(sides.box, 2 * f->space.dims, err));
    CP_TRY_OUT(CP_RAW(sides.open, 2 * f->space.dims, err));
    for (size_t m = 0; m < f->trees; m++)
        for (size_t j = 0; j < f->tree[m].nodes; j++)
            if (cp_mondrian_tree_is_leaf(&f->tree[m].node[j]))
                keep_hull_rows(&sides, &f->tree[m], &f->space, &f->tree[m].node[j]);
out:
    cp_mem_free(sides.box);
    cp_mem_free(sides.open);
    return status;
}

typedef struct position {
    const float *x;
    size_t dims;
} position;

static int position_order(const void *a, const void *b) {
    const position *p = a, *q = b;
    for (size_t i = 0; i < p->dims; i++)
        if (p->x[i] != q->x[i]) return p->x[i] < q->x[i] ? -1 : 1;
    return 0;
}

static copse_status write_hull_rows(const cp_mondrian_space *s, const unsigned char *keep, cp_writer *w,
                                    copse_error *err) {
    copse_status status = COPSE_OK;
    position *sorted = NULL;
    float *x = NULL;
    size_t n = 0;
    for (size_t i = 0; i < s->rows; i++) n += keep[i];
    CP_TRY_OUT(CP_RAW(sorted, n, err));
    CP_TRY_OUT(CP_RAW(x, n * s->dims, err));
    n = 0;
    for (size_t i = 0; i < s->rows; i++)
        if (keep[i]) sorted[n++] = (position){cp_mondrian_tree_row(s, (int32_t)i), s->dims};
    qsort(sorted, n, sizeof *sorted, position_order);
    for (size_t i = 0; i < n; i++) memcpy(x + i * s->dims, sorted[i].x, s->dims * sizeof *x);
    CP_TRY_OUT(cp_writer_array(w, "corner", CP_F32, x, n * s->dims, err));
out:
    cp_mem_free(sorted);
    cp_mem_free(x);
    return status;
}

/* ---------------------------------------------------------------------------------------------------------- writing */

static void preorder(const cp_mondrian_tree *t, int32_t *stack, int32_t *out) {
    size_t n = 0, depth = 0;
    stack[depth++] = 0;
    while (depth) {
        int32_t j = stack[--depth];
        out[n++] = j;
        if (cp_mondrian_tree_is_leaf(&t->node[j])) continue;
        stack[depth++] = t->node[j].right;
        stack[depth++] = t->node[j].left;
    }
}

/* Claims what a reader will claim: boxes of nodes with many hull rows, and the path of every hull row. */
static void claim_tree(const cp_mondrian_tree *t, const cp_mondrian_space *s, const int32_t *order,
                       const unsigned char *keep, int32_t *hull_rows, cp_writer *w) {
    size_t boxes = 0;
    for (size_t i = t->nodes; i-- > 0;) {
        const cp_mondrian_node *n = &t->node[order[i]];
        int32_t own = 0;
        if (!cp_mondrian_tree_is_leaf(n))
            own = hull_rows[n->left] + hull_rows[n->right];
        else
            for (int32_t row = n->head; row != CP_NONE; row = t->next[row]) own += keep[row];
        hull_rows[order[i]] = own;
        boxes += own > CP_MONDRIAN_HULL_ROWS;
        cp_writer_claim(w, (size_t)own, STEP_BYTES); /* the paths of all of them have this node */
    }
    cp_writer_claim(w, boxes, cp_mondrian_file_box_bytes(s));
    cp_writer_claim(w, (size_t)hull_rows[0], sizeof(int32_t));
    cp_writer_claim(w, t->nodes, node_bytes(s));
    if (s->keeps_counts) cp_writer_claim(w, cp_mondrian_counts_total(t), sizeof *t->count);
}

static copse_status write_splits(const cp_mondrian_tree *t, const int32_t *order, int32_t *dim, cp_writer *w,
                                 copse_error *err) {
    copse_status status = COPSE_OK;
    double *time = NULL;
    float *cut = NULL;
    size_t splits = 0;
    CP_TRY_OUT(CP_RAW(time, t->nodes, err));
    CP_TRY_OUT(CP_RAW(cut, t->nodes, err));
    for (size_t i = 0; i < t->nodes; i++) {
        const cp_mondrian_node *n = &t->node[order[i]];
        dim[i] = cp_mondrian_tree_is_leaf(n) ? 0 : 1 + n->dim; /* 0 for a leaf: small numbers compress better than -1 */
        if (cp_mondrian_tree_is_leaf(n)) continue;
        time[splits] = n->time;
        cut[splits++] = n->cut;
    }
    CP_TRY_OUT(cp_writer_array(w, "dim", CP_I32, dim, t->nodes, err));
    CP_TRY_OUT(cp_writer_array(w, "cut", CP_F32, cut, splits, err));
    CP_TRY_OUT(cp_writer_array(w, "time", CP_F64, time, splits, err));
out:
    cp_mem_free(time);
    cp_mem_free(cut);
    return status;
}

/* For each leaf: how many classes it has, which, and how many rows of each. */
static copse_status write_classes(const cp_mondrian_tree *t, const int32_t *order, int32_t *kinds, cp_writer *w,
                                  copse_error *err) {
    copse_status status = COPSE_OK;
    int32_t *label = NULL, *count = NULL;
    size_t leaves = 0, n = 0, most = t->nodes + t->counts;
    CP_TRY_OUT(CP_RAW(label, most, err));
    CP_TRY_OUT(CP_RAW(count, most, err));
    for (size_t i = 0; i < t->nodes; i++) {
        const cp_mondrian_node *leaf = &t->node[order[i]];
        if (!cp_mondrian_tree_is_leaf(leaf)) continue;
        const int32_t own[3] = {1, leaf->label, leaf->count},
                      *list = leaf->label == CP_NONE ? t->count + leaf->class_counts : own;
        for (int32_t k = 0; k < list[0]; k++, n++) {
            label[n] = list[1 + 2 * k];
            count[n] = list[2 + 2 * k];
        }
        kinds[leaves++] = list[0];
    }
    CP_TRY_OUT(cp_writer_array(w, "kinds", CP_I32, kinds, leaves, err));
    CP_TRY_OUT(cp_writer_array(w, "class", CP_I32, label, n, err));
    CP_TRY_OUT(cp_writer_array(w, "count", CP_I32, count, n, err));
out:
    cp_mem_free(label);
    cp_mem_free(count);
    return status;
}

static copse_status write_moments(const cp_mondrian_tree *t, const cp_mondrian_space *s, const int32_t *order,
                                  int32_t *count, cp_writer *w, copse_error *err) {
    copse_status status = COPSE_OK;
    double *mean = NULL, *m2 = NULL;
    size_t n = 0;
    CP_TRY_OUT(CP_RAW(mean, t->nodes, err));
    CP_TRY_OUT(CP_RAW(m2, t->nodes, err));
    for (size_t i = 0; i < t->nodes; i++) {
        const cp_mondrian_node *leaf = &t->node[order[i]];
        if (!cp_mondrian_tree_is_leaf(leaf)) continue;
        cp_mondrian_stat st = s->keeps_moments ? t->stat[order[i]] : cp_mondrian_gauss_leaf(t, s, leaf);
        count[n] = leaf->count;
        mean[n] = st.mean;
        m2[n++] = st.m2;
    }
    CP_TRY_OUT(cp_writer_array(w, "count", CP_I32, count, n, err));
    CP_TRY_OUT(cp_writer_array(w, "mean", CP_F64, mean, n, err));
    CP_TRY_OUT(cp_writer_array(w, "m2", CP_F64, m2, n, err));
out:
    cp_mem_free(mean);
    cp_mem_free(m2);
    return status;
}

static copse_status write_tree(const cp_mondrian *f, size_t m, const unsigned char *keep, cp_writer *w,
                               copse_error *err) {
    const cp_mondrian_tree *t = &f->tree[m];
    copse_status status = COPSE_OK;
    int32_t *order = NULL, *scratch = NULL;
    CP_TRY_OUT(CP_RAW(order, t->nodes, err));
    CP_TRY_OUT(CP_RAW(scratch, t->nodes + 1, err));
    preorder(t, scratch, order);
    claim_tree(t, &f->space, order, keep, scratch, w);
    CP_TRY_OUT(write_splits(t, order, scratch, w, err));
    if (f->task == COPSE_CLASS)
        CP_TRY_OUT(write_classes(t, order, scratch, w, err));
    else
        CP_TRY_OUT(write_moments(t, &f->space, order, scratch, w, err));
out:
    cp_mem_free(order);
    cp_mem_free(scratch);
    return status;
}

copse_status cp_mondrian_frozen_write(const cp_mondrian *f, cp_writer *w, copse_error *err) {
    copse_status status = COPSE_OK;
    unsigned char *keep;
    for (size_t m = 0; m < f->trees; m++)
        if (f->tree[m].rows < f->space.rows)
            return cp_fail(err, COPSE_E_USAGE,
                           "some trees have not learnt all rows, because learning was stopped: let another update "
                           "finish before saving a frozen model");
    CP_TRY(CP_NEW(keep, f->space.rows, err));
    CP_TRY_OUT(find_hull_rows(f, keep, err));
    CP_TRY_OUT(write_hull_rows(&f->space, keep, w, err));
    for (size_t m = 0; m < f->trees; m++) {
        CP_TRY_OUT(cp_writer_push_nth(w, "tree", m, err));
        status = write_tree(f, m, keep, w, err);
        cp_writer_pop(w);
        if (status) break;
    }
out:
    cp_mem_free(keep);
    return status;
}

/* ---------------------------------------------------------------------------------------------------------- reading */

static copse_status read_hull_rows(cp_mondrian *f, size_t rows, cp_reader *r, copse_error *err) {
    size_t n, d = f->space.dims;
    CP_TRY(cp_reader_count(r, "corner", CP_F32, &n, err));
    if (n < d || n % d || n / d > rows) return cp_reader_bad(r, err, "%zu numbers are no corners of %zu rows", n, rows);
    CP_TRY(cp_mondrian_file_rows(f, r, "corner", n / d, err));
    f->space.frozen = rows;
    for (size_t i = 1; i < f->space.rows; i++)
        if (position_order(&(position){f->x + (i - 1) * d, d}, &(position){f->x + i * d, d}) >= 0)
            return cp_reader_bad(r, err, "is not sorted");
    return COPSE_OK;
}

/* The sections of a tree's splits. */
typedef struct columns {
    int32_t *dim;
    float *cut;
    double *time;
    size_t splits;
} columns;

static copse_status read_columns(const cp_mondrian_space *s, cp_reader *r, columns *c, size_t *out_nodes,
                                 copse_error *err) {
    size_t n;
    CP_TRY(cp_reader_count(r, "dim", CP_I32, &n, err));
    if (n < 1 || n > 2 * s->rows - 1) return cp_reader_bad(r, err, "%zu nodes for %zu corners", n, s->rows);
    CP_TRY(cp_reader_array(r, "dim", CP_I32, n, &c->dim, err));
    for (size_t i = 0; i < n; i++) {
        if (c->dim[i] < 0 || (size_t)c->dim[i] > s->dims) return cp_reader_bad(r, err, "holds an impossible column");
        c->splits += c->dim[i] != 0;
    }
    CP_TRY(cp_reader_array(r, "cut", CP_F32, c->splits, &c->cut, err));
    *out_nodes = n;
    return cp_reader_array(r, "time", CP_F64, c->splits, &c->time, err);
}

/* In preorder, a node behind a split is its left child; a node behind a leaf is the right child of the last split that
 * has none yet.  `open` is the stack of such splits, with room for all nodes. */
static copse_status link_nodes(cp_mondrian_tree *t, const cp_mondrian_space *s, const columns *c, cp_reader *r,
                               int32_t *open, copse_error *err) {
    size_t stacked = 0, splits = 0;
    for (size_t i = 0; i < t->nodes; i++) {
        cp_mondrian_node *n = &t->node[i];
        int leaf = c->dim[i] == 0;
        if (i && !cp_mondrian_tree_is_leaf(n - 1)) {
            n[-1].left = (int32_t)i;
        } else if (i) {
            if (!stacked) return cp_reader_bad(r, err, "has nodes without a parent");
            t->node[open[--stacked]].right = (int32_t)i;
        }
        *n = (cp_mondrian_node){.time = s->lifetime, .left = CP_NONE, .box = CP_NONE};
        n->head = n->label = CP_NONE;
        if (leaf) continue;
        *n = (cp_mondrian_node){
            .time = c->time[splits], .left = 0, .dim = c->dim[i] - 1, .cut = c->cut[splits], .box = CP_NONE};
        splits++;
        open[stacked++] = (int32_t)i;
    }
    return stacked ? cp_reader_bad(r, err, "has splits without children") : COPSE_OK;
}

static copse_status read_splits(cp_mondrian_tree *t, const cp_mondrian_space *s, cp_reader *r, copse_error *err) {
    columns c = {0};
    int32_t *open = NULL;
    copse_status status = COPSE_OK;
    CP_TRY_OUT(read_columns(s, r, &c, &t->nodes, err));
    CP_TRY_OUT(cp_mem_grow_lines(&t->node, &t->cap_nodes, t->nodes, sizeof *t->node, err));
    CP_TRY_OUT(CP_RAW(open, t->nodes, err));
    CP_TRY_OUT(link_nodes(t, s, &c, r, open, err));
out:
    if (status) t->nodes = 0;
    cp_mem_free(c.dim);
    cp_mem_free(c.cut);
    cp_mem_free(c.time);
    cp_mem_free(open);
    return status;
}

/* Fills the leaves' lists, in the order of the hull rows.  Steps are claimed as they are made: in a tree as deep as it
 * is large, the steps of all rows would take too long. */
static copse_status place_hull_rows(cp_mondrian_tree *t, const cp_mondrian_space *s, cp_reader *r, copse_error *err) {
    CP_TRY(cp_reader_claim(r, s->rows, sizeof *t->next, err));
    CP_TRY(CP_RAW(t->next, s->rows, err));
    t->cap_next = t->rows = s->rows;
    for (size_t i = s->rows; i-- > 0;) {
        const float *x = cp_mondrian_tree_row(s, (int32_t)i);
        cp_mondrian_node *n = t->node;
        size_t steps = 1;
        for (; !cp_mondrian_tree_is_leaf(n); steps++) n = &t->node[x[n->dim] <= n->cut ? n->left : n->right];
        CP_TRY(cp_reader_claim(r, steps, STEP_BYTES, err));
        t->next[i] = n->head;
        n->head = (int32_t)i;
    }
    for (size_t j = 0; j < t->nodes; j++)
        if (cp_mondrian_tree_is_leaf(&t->node[j]) && t->node[j].head == CP_NONE)
            return cp_reader_bad(r, err, "leaf %zu has no corner", j);
    return COPSE_OK;
}

static size_t count_leaves(const cp_mondrian_tree *t) {
    return (t->nodes + 1) / 2;
}

/* The leaves have as many rows as were learnt, and no leaf has fewer rows than hull rows. */
static copse_status check_counts(const cp_mondrian_tree *t, const cp_mondrian_space *s, cp_reader *r,
                                 copse_error *err) {
    size_t sum = 0;
    for (size_t j = 0; j < t->nodes; j++) {
        const cp_mondrian_node *leaf = &t->node[j];
        if (!cp_mondrian_tree_is_leaf(leaf)) continue;
        int32_t hull_rows = 0;
        for (int32_t row = leaf->head; row != CP_NONE; row = t->next[row]) hull_rows++;
        if (leaf->count < hull_rows) return cp_reader_bad(r, err, "leaf %zu has more corners than rows", j);
        sum += (size_t)leaf->count;
    }
    return sum == s->frozen ? COPSE_OK : cp_reader_bad(r, err, "the leaves have %zu rows of %zu", sum, s->frozen);
}

/* The sections of the class counts. */
typedef struct class_table {
    int32_t *kinds, *label, *count;
    int32_t *seen; /* one per class: the last leaf that had it */
    size_t at;     /* the next leaf's first class */
} class_table;

/* Sets the classes of leaf j: a single class in the node, several in a list in t->count, which has room.  Returns 0 if
 * they are impossible. */
static int set_classes(class_table *c, cp_mondrian_tree *t, const cp_mondrian_space *s, int32_t j, int32_t kinds) {
    cp_mondrian_node *leaf = &t->node[j];
    int32_t *list = t->count + t->counts;
    int64_t rows = 0;
    for (int32_t k = 0; k < kinds; k++, c->at++) {
        int32_t label = c->label[c->at], count = c->count[c->at];
        if (label < 0 || (size_t)label >= s->classes || c->seen[label] == j || count < 1) return 0;
        c->seen[label] = j;
        rows += count;
        list[1 + 2 * k] = label;
        list[2 + 2 * k] = count;
    }
    if (rows > (int64_t)s->frozen) return 0;
    leaf->count = (int32_t)rows;
    leaf->label = kinds == 1 ? list[1] : CP_NONE;
    if (kinds == 1) return 1;
    list[0] = kinds;
    leaf->class_counts = (uint32_t)t->counts;
    t->counts += 1 + 2 * (size_t)kinds;
    return 1;
}

static copse_status read_class_table(class_table *c, cp_mondrian_tree *t, const cp_mondrian_space *s, cp_reader *r,
                                     copse_error *err) {
    size_t entries, sum = 0, leaves = count_leaves(t);
    CP_TRY(cp_reader_count(r, "class", CP_I32, &entries, err));
    CP_TRY(cp_reader_array(r, "class", CP_I32, entries, &c->label, err));
    CP_TRY(cp_reader_array(r, "count", CP_I32, entries, &c->count, err));
    CP_TRY(CP_RAW(c->seen, s->classes, err));
    for (size_t k = 0; k < s->classes; k++) c->seen[k] = CP_NONE;
    CP_TRY(cp_reader_array(r, "kinds", CP_I32, leaves, &c->kinds, err));
    for (size_t i = 0; i < leaves; i++) {
        if (c->kinds[i] < 1 || (size_t)c->kinds[i] > entries - sum)
            return cp_reader_bad(r, err, "leaf %zu has %d classes", i, c->kinds[i]);
        sum += (size_t)c->kinds[i];
    }
    if (sum != entries) return cp_reader_bad(r, err, "%zu classes for %zu entries", sum, entries);
    return CP_GROW(t->count, t->cap_counts, leaves + 2 * entries, err);
}

static copse_status read_classes(cp_mondrian_tree *t, const cp_mondrian_space *s, cp_reader *r, copse_error *err) {
    class_table c = {0};
    size_t leaf = 0;
    copse_status status = read_class_table(&c, t, s, r, err);
    for (size_t j = 0; j < t->nodes && !status; j++)
        if (cp_mondrian_tree_is_leaf(&t->node[j]) && !set_classes(&c, t, s, (int32_t)j, c.kinds[leaf++]))
            status = cp_reader_bad(r, err, "node %zu has impossible classes", j);
    cp_mem_free(c.kinds);
    cp_mem_free(c.label);
    cp_mem_free(c.count);
    cp_mem_free(c.seen);
    return status;
}

static copse_status read_moments(cp_mondrian_tree *t, const cp_mondrian_space *s, cp_reader *r, copse_error *err) {
    copse_status status = COPSE_OK;
    int32_t *count = NULL;
    double *mean = NULL, *m2 = NULL;
    size_t n = count_leaves(t), leaf = 0;
    CP_TRY_OUT(cp_reader_array(r, "count", CP_I32, n, &count, err));
    CP_TRY_OUT(cp_reader_array(r, "mean", CP_F64, n, &mean, err));
    CP_TRY_OUT(cp_reader_array(r, "m2", CP_F64, n, &m2, err));
    CP_TRY_OUT(CP_RAW(t->moments, n, err));
    for (size_t i = 0; i < n; i++) t->moments[i] = (cp_mondrian_stat){.n = count[i], .mean = mean[i], .m2 = m2[i]};
    CP_TRY_OUT(cp_mondrian_file_moments(t->moments, n, (double)s->frozen, r, err));
    for (size_t j = 0; j < t->nodes; j++)
        if (cp_mondrian_tree_is_leaf(&t->node[j])) {
            t->node[j].count = count[leaf];
            t->node[j].moments = (uint32_t)leaf++;
        }
out:
    cp_mem_free(count);
    cp_mem_free(mean);
    cp_mem_free(m2);
    return status;
}

/* Rebuilds class sets and moments of all nodes from the leaves.  The exact posterior is computed when it is first
 * needed. */
static copse_status rebuild_nodes(cp_mondrian_tree *t, const cp_mondrian_space *s, cp_reader *r, int32_t *order,
                                  copse_error *err) {
    if (s->classes) {
        CP_TRY(cp_reader_claim(r, t->nodes, node_bytes(s), err));
        if (s->keeps_counts) return cp_mondrian_counts_build(t, order, r, err);
        CP_TRY(cp_mondrian_hnsp_reserve_sets(t, s->classes, err));
        cp_mondrian_hnsp_rebuild_classes(t, s, order);
    }
    if (!s->keeps_moments) return COPSE_OK;
    cp_mondrian_gauss_moments(t, s, 0, 1);
    cp_mem_free(t->moments);
    t->moments = NULL;
    return COPSE_OK;
}

static copse_status read_tree(cp_mondrian *f, size_t m, cp_reader *r, copse_error *err) {
    cp_mondrian_tree *t = &f->tree[m];
    const cp_mondrian_space *s = &f->space;
    copse_status status = COPSE_OK;
    int32_t *order = NULL;
    CP_TRY(read_splits(t, s, r, err));
    CP_TRY_OUT(CP_RAW(order, t->nodes, err));
    for (size_t j = 0; j < t->nodes; j++) order[j] = (int32_t)j;
    CP_TRY_OUT(cp_mondrian_file_splits(t, s, r, order, err));
    CP_TRY_OUT(place_hull_rows(t, s, r, err));
    CP_TRY_OUT(f->task == COPSE_CLASS ? read_classes(t, s, r, err) : read_moments(t, s, r, err));
    CP_TRY_OUT(check_counts(t, s, r, err));
    CP_TRY_OUT(cp_mondrian_file_pauses(t, s, r, order, err));
    CP_TRY_OUT(cp_mondrian_file_boxes(t, s, r, order, err));
    CP_TRY_OUT(rebuild_nodes(t, s, r, order, err));
    cp_mondrian_tree_trim(t, s);
out:
    cp_mem_free(order);
    return status;
}

copse_status cp_mondrian_frozen_read(cp_mondrian *f, size_t rows, cp_reader *r, copse_error *err) {
    CP_TRY(read_hull_rows(f, rows, r, err));
    return cp_mondrian_file_trees(f, r, read_tree, err);
}
