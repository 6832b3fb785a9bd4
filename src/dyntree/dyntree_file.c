/* A model is written as rows, cuts and lists; all else follows from them (D5).  A frozen model is written as cuts and
 * the statistics of its leaves. */
#include "dyntree/dyntree_file.h"

#include <math.h>

#include "base/mem.h"
#include "base/number_rule.h"
#include "dyntree/dyntree_check.h"

/* The largest scaled target: a target over the least scale. */
#define MOST_SCALED 4e140

/* Memory of a loaded node, and of a loaded row, besides the sections. */
static size_t node_bytes(const cp_dyntree *f) {
    return sizeof(cp_dyntree_node) + f->pool.width * sizeof(double) + 80;
}
enum { ROW_BYTES = 2 * sizeof(double) + sizeof(uint32_t) };

/* ---------------------------------------------------------------------------------------------------------- writing */

/* The sections of the nodes.  Nodes are numbered in the file by their place in `order`, parents first. */
typedef struct listing {
    int32_t *order, *left, *right, *dim, *root;
    float *cut;
    uint32_t *place, *list;
    double *stat; /* frozen: statistics of the leaves, in place of their lists */
    size_t nodes, leaves;
    size_t rows, slots; /* of all lists: rows, and numbers in a pool */
} listing;

static void listing_clear(listing *l) {
    cp_mem_free(l->order);
    cp_mem_free(l->left);
    cp_mem_free(l->right);
    cp_mem_free(l->dim);
    cp_mem_free(l->root);
    cp_mem_free(l->cut);
    cp_mem_free(l->place);
    cp_mem_free(l->list);
    cp_mem_free(l->stat);
}

static copse_status listing_reserve(listing *l, const cp_dyntree *f, int frozen, copse_error *err) {
    const cp_dyntree_pool *p = &f->pool;
    CP_TRY(CP_RAW(l->order, p->nodes, err));
    CP_TRY(CP_RAW(l->place, p->nodes, err));
    l->nodes = cp_dyntree_pool_order(p, f->root, f->particles, l->place, l->order);
    for (size_t i = 0; i < l->nodes; i++) {
        const cp_dyntree_node *n = &p->node[l->order[i]];
        l->place[l->order[i]] = (uint32_t)i;
        if (!cp_dyntree_pool_is_leaf(n)) continue;
        l->leaves++;
        if (frozen) continue;
        l->rows += n->rows;
        l->slots += cp_dyntree_pool_slots(n->rows);
    }
    CP_TRY(CP_RAW(l->left, l->nodes, err));
    CP_TRY(CP_RAW(l->right, l->nodes, err));
    CP_TRY(CP_RAW(l->dim, l->nodes, err));
    CP_TRY(CP_RAW(l->cut, l->nodes, err));
    if (frozen)
        CP_TRY(CP_RAW(l->stat, l->leaves * p->width, err));
    else
        CP_TRY(CP_RAW(l->list, l->rows, err));
    return CP_RAW(l->root, f->particles, err);
}

/* Appends the statistic of a leaf (frozen), or its list. */
static void list_leaf(listing *l, const cp_dyntree *f, int32_t leaf, size_t *used) {
    const double *stat = cp_dyntree_pool_stat(&f->pool, leaf);
    if (l->stat)
        for (size_t k = 0; k < f->pool.width; k++) l->stat[(*used)++] = stat[k];
    else
        for (size_t k = 0; k < f->pool.node[leaf].rows; k++)
            l->list[(*used)++] = cp_dyntree_pool_list(&f->pool, leaf)[k];
}

static void fill_listing(listing *l, const cp_dyntree *f) {
    size_t used = 0;
    for (size_t i = 0; i < l->nodes; i++) {
        const cp_dyntree_node *n = &f->pool.node[l->order[i]];
        int leaf = cp_dyntree_pool_is_leaf(n);
        l->left[i] = leaf ? CP_NONE : (int32_t)l->place[n->left];
        l->right[i] = leaf ? (int32_t)n->rows : (int32_t)l->place[n->right];
        l->dim[i] = n->dim;
        l->cut[i] = n->cut;
        if (leaf) list_leaf(l, f, l->order[i], &used);
    }
    for (size_t i = 0; i < f->particles; i++) l->root[i] = (int32_t)l->place[f->root[i]];
}

static copse_status write_nodes(const cp_dyntree *f, int frozen, cp_writer *w, copse_error *err) {
    listing l = {0};
    copse_status status = listing_reserve(&l, f, frozen, err);
    if (status) goto out;
    fill_listing(&l, f);
    CP_TRY_OUT(cp_writer_array(w, "left", CP_I32, l.left, l.nodes, err));
    CP_TRY_OUT(cp_writer_array(w, "right", CP_I32, l.right, l.nodes, err));
    CP_TRY_OUT(cp_writer_array(w, "dim", CP_I32, l.dim, l.nodes, err));
    CP_TRY_OUT(cp_writer_array(w, "cut", CP_F32, l.cut, l.nodes, err));
    CP_TRY_OUT(cp_writer_array(w, "root", CP_I32, l.root, f->particles, err));
    cp_writer_claim(w, l.nodes, node_bytes(f));
    if (frozen) {
        CP_TRY_OUT(cp_writer_array(w, "stat", CP_F64, l.stat, l.leaves * f->pool.width, err));
        goto out;
    }
    CP_TRY_OUT(cp_writer_array(w, "list", CP_U32, l.list, l.rows, err));
    cp_writer_claim(w, f->rows, ROW_BYTES);
    cp_writer_claim(w, l.slots, sizeof *f->pool.list);
out:
    listing_clear(&l);
    return status;
}

/* Number of classes, or the unit of the scaled targets. */
static copse_status write_units(const cp_dyntree *f, cp_writer *w, copse_error *err) {
    if (f->task == COPSE_CLASS) return cp_writer_i64(w, "classes", (int64_t)f->classes, err);
    CP_TRY(cp_writer_f64(w, "centre", f->centre, err));
    return cp_writer_f64(w, "scale", f->scale, err);
}

static copse_status write_rows(const cp_dyntree *f, cp_writer *w, copse_error *err) {
    CP_TRY(cp_writer_i64(w, "learnt", (int64_t)f->learnt, err));
    CP_TRY(cp_writer_i64(w, "moved", (int64_t)f->moved, err));
    CP_TRY(cp_writer_array(w, "x", CP_F32, f->x, f->rows * f->dims, err));
    if (f->task == COPSE_CLASS) return cp_writer_array(w, "label", CP_I32, f->label, f->rows, err);
    return cp_writer_array(w, "y", CP_F64, f->y, f->rows, err);
}

copse_status cp_dyntree_file_write(const void *state, const copse_params *p, unsigned flags, cp_writer *w,
                                   copse_error *err) {
    const cp_dyntree *f = state;
    int frozen = f->frozen || (flags & COPSE_SAVE_FROZEN);
    (void)p;
    CP_TRY(cp_writer_i64(w, "rows", (int64_t)(frozen ? f->learnt : f->rows), err));
    CP_TRY(cp_writer_i64(w, "frozen", frozen, err));
    CP_TRY(cp_writer_f64(w, "log_predictive", f->log_predictive, err));
    CP_TRY(write_units(f, w, err));
    if (!frozen) CP_TRY(write_rows(f, w, err));
    return write_nodes(f, frozen, w, err);
}

/* ---------------------------------------------------------------------------------------------------------- reading */

/* Statistics are counts of classes, or rows, sum and sum of squares of scaled targets. */
static const cp_number_rule number_rules[] = {
    {.name = "x", .least = -CP_NUMBER_FEATURE, .most = CP_NUMBER_FEATURE},
    {.name = "y", .least = -MOST_SCALED, .most = MOST_SCALED},
    {.name = "cut", .least = -CP_NUMBER_FEATURE, .most = CP_NUMBER_FEATURE},
    {.name = "stat", .least = -1e300, .most = 1e300},
};

/* Are scaled targets of this size those of possible targets? */
static int is_possible_target(const cp_dyntree *f, double scaled) {
    return fabs(scaled) <= 2 * CP_NUMBER_TARGET / f->scale;
}

static copse_status read_labels(cp_dyntree *f, cp_reader *r, size_t known, copse_error *err) {
    CP_TRY(cp_reader_array(r, "label", CP_I32, f->rows, &f->label, err));
    f->cap_label = f->rows;
    for (size_t i = 0; i < f->rows; i++)
        if (f->label[i] < 0 || (size_t)f->label[i] >= (i < f->learnt ? f->classes : known))
            return cp_reader_bad(r, err, "row %zu is of an impossible class", i);
    return COPSE_OK;
}

static copse_status read_targets(cp_dyntree *f, cp_reader *r, copse_error *err) {
    CP_TRY(cp_reader_array(r, "y", CP_F64, f->rows, &f->y, err));
    f->cap_y = f->rows;
    for (size_t i = 0; i < f->rows; i++)
        if (!is_possible_target(f, f->y[i])) return cp_reader_bad(r, err, "'y' holds a number that is too large");
    return COPSE_OK;
}

static copse_status read_rows(cp_dyntree *f, cp_reader *r, size_t known, copse_error *err) {
    int64_t learnt, moved;
    CP_TRY(cp_reader_i64(r, "learnt", 1, (int64_t)f->rows, &learnt, err));
    CP_TRY(cp_reader_i64(r, "moved", learnt - 1, learnt, &moved, err));
    f->learnt = (size_t)learnt;
    f->moved = (size_t)moved;
    CP_TRY(cp_reader_array(r, "x", CP_F32, f->rows * f->dims, &f->x, err));
    f->cap_x = f->rows;
    CP_TRY(f->task == COPSE_CLASS ? read_labels(f, r, known, err) : read_targets(f, r, err));
    CP_TRY(cp_reader_claim(r, f->rows, ROW_BYTES, err));
    cp_leaf_clear(&f->leaf);
    return cp_dyntree_make_leaf(f, f->classes, f->rows, &f->leaf, err);
}

/* Children come behind their parents, so there are no cycles; each node has a holder, and all holders give it the same
 * depth. */
static copse_status link_nodes(cp_dyntree *f, const listing *l, cp_reader *r, copse_error *err) {
    cp_dyntree_node *node = f->pool.node;
    for (size_t i = 0; i < l->nodes; i++)
        node[i] = (cp_dyntree_node){.left = l->left[i], .right = l->right[i], .dim = l->dim[i], .cut = l->cut[i]};
    for (size_t i = 0; i < f->particles; i++) {
        f->root[i] = l->root[i];
        if (l->root[i] < 0 || (size_t)l->root[i] >= l->nodes)
            return cp_reader_bad(r, err, "a particle has an impossible root");
        node[l->root[i]].refs++;
    }
    for (size_t i = 0; i < l->nodes; i++) {
        cp_dyntree_node *n = &node[i];
        if (!n->refs) return cp_reader_bad(r, err, "node %zu has no parent", i);
        if (n->left == CP_NONE && (n->dim != CP_NONE || n->cut != 0))
            return cp_reader_bad(r, err, "node %zu is a leaf and has a split", i);
        if (n->left == CP_NONE) continue;
        const int32_t child[2] = {n->left, n->right};
        if (n->dim < 0 || (size_t)n->dim >= f->dims || !isfinite(n->cut) || n->left == n->right)
            return cp_reader_bad(r, err, "node %zu has an impossible split", i);
        for (int k = 0; k < 2; k++) {
            if (child[k] <= (int32_t)i || (size_t)child[k] >= l->nodes)
                return cp_reader_bad(r, err, "node %zu has an impossible child", i);
            cp_dyntree_node *c = &node[child[k]];
            if (c->refs++ && c->depth != n->depth + 1)
                return cp_reader_bad(r, err, "node %d has parents of different depth", child[k]);
            c->depth = n->depth + 1;
        }
    }
    return COPSE_OK;
}

/* Each leaf has as many rows as it says, and each row at most once. */
static copse_status check_lists(const cp_dyntree *f, const listing *l, cp_reader *r, uint32_t *seen, copse_error *err) {
    size_t at = 0;
    for (size_t i = 0; i < l->nodes; i++) {
        if (l->left[i] != CP_NONE) continue;
        size_t rows = (size_t)l->right[i];
        if (l->right[i] < 1 || rows > l->rows - at || rows > f->learnt || (f->pool.node[i].depth && rows < f->min_leaf))
            return cp_reader_bad(r, err, "leaf %zu has the wrong number of rows", i);
        for (size_t k = 0; k < rows; k++, at++) {
            if (l->list[at] >= f->learnt || seen[l->list[at]] == i + 1)
                return cp_reader_bad(r, err, "leaf %zu lists an impossible row", i);
            seen[l->list[at]] = (uint32_t)i + 1;
        }
    }
    return at == l->rows ? COPSE_OK : cp_reader_bad(r, err, "some rows are in no leaf");
}

static copse_status fill_lists(cp_dyntree *f, listing *l, cp_reader *r, copse_error *err) {
    size_t at = 0;
    for (size_t i = 0; i < l->nodes; i++)
        if (l->left[i] == CP_NONE) l->slots += cp_dyntree_pool_slots((size_t)l->right[i]);
    CP_TRY(cp_reader_claim(r, l->slots, sizeof *f->pool.list, err));
    CP_TRY(cp_dyntree_pool_reserve(&f->pool, 0, l->slots, err));
    for (size_t i = 0; i < l->nodes; i++) {
        cp_dyntree_node *n = &f->pool.node[i];
        if (!cp_dyntree_pool_is_leaf(n)) continue;
        n->right = CP_NONE;
        n->rows = (uint32_t)l->right[i];
        n->leaves = 1;
        n->of.list = f->pool.used;
        f->pool.used += cp_dyntree_pool_slots(n->rows);
        for (size_t k = 0; k < n->rows; k++) f->pool.list[n->of.list + k] = l->list[at++];
    }
    return COPSE_OK;
}

/* The rows of a statistic: of whole counts, or of moments that some numbers can have; 0 if it is impossible. */
static double rows_of_stat(const cp_dyntree *f, const double *stat) {
    double n = 0, most = (double)f->learnt;
    if (f->task == COPSE_REGRESS) {
        double squares = stat[2] * (1 + 1e-9);
        return stat[0] == floor(stat[0]) && stat[2] >= 0 && is_possible_target(f, sqrt(stat[2] / most)) &&
                       fabs(stat[1]) <= sqrt(stat[0]) * sqrt(squares)
                   ? stat[0]
                   : 0;
    }
    for (size_t k = 0; k < f->pool.width; k++) {
        if (!(stat[k] >= 0 && stat[k] <= most && stat[k] == floor(stat[k]))) return 0;
        n += stat[k];
    }
    return n;
}

static copse_status fill_stats(cp_dyntree *f, const listing *l, cp_reader *r, copse_error *err) {
    size_t leaf = 0, width = f->pool.width;
    for (size_t i = 0; i < l->nodes; i++) {
        cp_dyntree_node *n = &f->pool.node[i];
        double *stat = cp_dyntree_pool_stat(&f->pool, (int32_t)i);
        if (!cp_dyntree_pool_is_leaf(n)) continue;
        for (size_t k = 0; k < width; k++) stat[k] = l->stat[leaf * width + k];
        double rows = rows_of_stat(f, stat);
        leaf++;
        if (!(rows >= 1 && rows <= (double)f->learnt) || rows != (double)l->right[i] ||
            (n->depth && rows < (double)f->min_leaf))
            return cp_reader_bad(r, err, "leaf %zu has an impossible statistic", i);
        n->right = CP_NONE;
        n->rows = (uint32_t)rows;
        n->leaves = 1;
    }
    return COPSE_OK;
}

/* Computes what follows from the leaves, from below.  No node has more rows than there are, so nothing overflows. */
static copse_status rebuild_nodes(cp_dyntree *f, cp_reader *r, copse_error *err) {
    for (size_t i = f->pool.nodes; i-- > 0;) {
        const cp_dyntree_node *n = &f->pool.node[i];
        if (cp_dyntree_pool_is_leaf(n)) {
            if (!f->frozen) cp_dyntree_refresh_leaf(f, (int32_t)i);
            continue;
        }
        if ((size_t)f->pool.node[n->left].rows + f->pool.node[n->right].rows > f->learnt)
            return cp_reader_bad(r, err, "node %zu has more rows than there are", i);
        cp_dyntree_shape_split(f, (int32_t)i);
    }
    for (size_t i = 0; i < f->particles; i++)
        if (f->pool.node[f->root[i]].rows != f->learnt || f->pool.node[f->root[i]].depth)
            return cp_reader_bad(r, err, "tree %zu has the wrong number of rows", i);
    return COPSE_OK;
}

static copse_status read_listing(cp_dyntree *f, listing *l, cp_reader *r, copse_error *err) {
    CP_TRY(cp_reader_count(r, "left", CP_I32, &l->nodes, err));
    if (l->nodes > INT32_MAX) return cp_reader_bad(r, err, "too many nodes");
    CP_TRY(cp_reader_array(r, "left", CP_I32, l->nodes, &l->left, err));
    CP_TRY(cp_reader_array(r, "right", CP_I32, l->nodes, &l->right, err));
    CP_TRY(cp_reader_array(r, "dim", CP_I32, l->nodes, &l->dim, err));
    CP_TRY(cp_reader_array(r, "cut", CP_F32, l->nodes, &l->cut, err));
    CP_TRY(cp_reader_array(r, "root", CP_I32, f->particles, &l->root, err));
    CP_TRY(cp_reader_claim(r, l->nodes, node_bytes(f), err));
    CP_TRY(cp_dyntree_pool_reserve(&f->pool, l->nodes, 0, err));
    f->pool.nodes = f->pool.live = l->nodes;
    CP_TRY(CP_RAW(l->order, l->nodes, err));
    for (size_t i = 0; i < l->nodes; i++) {
        l->order[i] = (int32_t)i;
        l->leaves += l->left[i] == CP_NONE;
    }
    return COPSE_OK;
}

static copse_status read_lists(cp_dyntree *f, listing *l, cp_reader *r, copse_error *err) {
    uint32_t *seen;
    CP_TRY(cp_reader_count(r, "list", CP_U32, &l->rows, err));
    CP_TRY(cp_reader_array(r, "list", CP_U32, l->rows, &l->list, err));
    CP_TRY(CP_NEW(seen, f->rows, err));
    copse_status status = check_lists(f, l, r, seen, err);
    cp_mem_free(seen);
    return status ? status : fill_lists(f, l, r, err);
}

static copse_status read_stats(cp_dyntree *f, listing *l, cp_reader *r, copse_error *err) {
    CP_TRY(cp_reader_array(r, "stat", CP_F64, l->leaves * f->pool.width, &l->stat, err));
    return fill_stats(f, l, r, err);
}

static copse_status read_nodes(cp_dyntree *f, cp_reader *r, copse_error *err) {
    listing l = {0};
    int sound = 1;
    copse_status status;
    CP_TRY_OUT(read_listing(f, &l, r, err));
    CP_TRY_OUT(link_nodes(f, &l, r, err));
    CP_TRY_OUT((f->frozen ? read_stats : read_lists)(f, &l, r, err));
    CP_TRY_OUT(rebuild_nodes(f, r, err));
    if (!f->frozen) CP_TRY_OUT(cp_dyntree_check_cells(f, l.order, l.nodes, &sound, err));
    if (!sound) status = cp_reader_bad(r, err, "a row is on the wrong side of a cut");
out:
    listing_clear(&l);
    return status;
}

static copse_status read_model(cp_dyntree *f, cp_reader *r, size_t known, copse_error *err) {
    int64_t rows, frozen;
    CP_NUMBER_RULES(r, number_rules);
    CP_TRY(cp_reader_i64(r, "rows", 1, INT32_MAX / 2, &rows, err));
    CP_TRY(cp_reader_i64(r, "frozen", 0, 1, &frozen, err));
    f->rows = f->learnt = f->moved = (size_t)rows;
    f->frozen = (int)frozen;
    CP_TRY(cp_reader_f64(r, "log_predictive", -1e300, 1e300, &f->log_predictive, err));
    if (f->task == COPSE_REGRESS) {
        CP_TRY(cp_reader_f64(r, "centre", -CP_NUMBER_TARGET, CP_NUMBER_TARGET, &f->centre, err));
        CP_TRY(cp_reader_f64(r, "scale", CP_NUMBER_LEAST_SCALE, CP_NUMBER_MOST_SCALE, &f->scale, err));
    }
    if (!frozen) CP_TRY(read_rows(f, r, known, err));
    return read_nodes(f, r, err);
}

copse_status cp_dyntree_file_read(cp_reader *r, const copse_params *p, cp_rows_shape shape, void **out_state,
                                  copse_error *err) {
    cp_dyntree *f;
    size_t roots;
    int64_t learnt_classes = (int64_t)shape.classes;
    *out_state = NULL;
    CP_TRY(cp_reader_count(r, "root", CP_I32, &roots, err));
    if (roots != (size_t)cp_param_int(p, "particles")) return cp_reader_bad(r, err, "particles are missing");
    if (shape.task == COPSE_CLASS) CP_TRY(cp_reader_i64(r, "classes", 1, (int64_t)shape.classes, &learnt_classes, err));
    CP_TRY(cp_dyntree_new(p, shape.task, shape.dims, (size_t)learnt_classes, &f, err));
    copse_status status = read_model(f, r, shape.classes, err);
    if (status)
        cp_dyntree_free(f);
    else
        *out_state = f;
    return status;
}
