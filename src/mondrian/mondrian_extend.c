#include "mondrian/mondrian_extend.h"

#include <string.h>

#include "mondrian/mondrian_gauss.h"
#include "mondrian/mondrian_grow.h"
#include "mondrian/mondrian_hnsp.h"
#include "num/draw.h"

/* The row on its way down. */
typedef struct walk {
    cp_mondrian_tree *t;
    const cp_mondrian_space *s;
    int32_t row;
    const float *x;
    cp_rng *rng;
    cp_mondrian_room room; /* only if the row makes its leaf grow */
} walk;

/* Makes the node's box hold x.  A node without one gets it with the row that makes its corners too many. */
static void stretch_box(walk *w, cp_mondrian_node *n) {
    const cp_mondrian_space *s = w->s;
    if (n->box != CP_NONE) {
        s->kern->include(cp_mondrian_tree_own_box(w->t, s, n->box), w->x, s->dims);
        return;
    }
    int32_t row[CP_MONDRIAN_CORNERS];
    size_t k = cp_mondrian_tree_corners(w->t, n, row);
    if (k < CP_MONDRIAN_CORNERS) return;
    float *box = cp_mondrian_tree_own_box(w->t, s, (int32_t)w->t->boxes);
    s->kern->hull(s->x, s->dims, row, k, box);
    s->kern->include(box, w->x, s->dims);
    n->box = (int32_t)w->t->boxes++;
}

static void init_leaf(walk *w, cp_mondrian_node *leaf) {
    *leaf = (cp_mondrian_node){
        .time = w->s->lifetime, .left = CP_NONE, .head = w->row, .count = 1, .label = CP_NONE, .box = CP_NONE};
    if (w->s->label) leaf->label = w->s->label[w->row];
    w->t->next[w->row] = CP_NONE;
}

/* Picks the dimension in which x leaves the box with probability proportional to how far, and a cut in that gap. */
static void cut_outside(walk *w, const float *box, double outside, int32_t *out_dim, float *out_cut) {
    size_t dims = w->s->dims, pick = 0;
    double left = cp_rng_unit(w->rng) * outside;
    for (size_t d = 0; d < dims; d++) {
        double gap = w->x[d] > box[dims + d] ? (double)(w->x[d] - box[dims + d])
                     : w->x[d] < box[d]      ? (double)(box[d] - w->x[d])
                                             : 0;
        if (gap <= 0) continue;
        pick = d;
        if (left < gap) break;
        left -= gap;
    }
    *out_dim = (int32_t)pick;
    *out_cut = w->x[pick] > box[dims + pick] ? cp_mondrian_cut(w->rng, box[dims + pick], w->x[pick])
                                             : cp_mondrian_cut(w->rng, w->x[pick], box[pick]);
}

/* A new split above node j, at time `time`, with j on one side and a leaf for x on the other.  The new node takes j's
 * place in the array and j moves, so nobody's child link changes and the root stays node 0. */
static void insert_above(walk *w, int32_t j, double time, double outside) {
    cp_mondrian_tree *t = w->t;
    float *box = cp_mondrian_tree_own_box(t, w->s, (int32_t)t->boxes); /* reserved; kept only if needed */
    int32_t moved = (int32_t)t->nodes, leaf = moved + 1, dim;
    float cut;
    const float *old = cp_mondrian_tree_box(t, w->s, &t->node[j], box);
    cut_outside(w, old, outside, &dim, &cut);
    if (old != box) memcpy(box, old, 2 * w->s->dims * sizeof *box);
    int32_t row[CP_MONDRIAN_CORNERS];
    int few = old == box && cp_mondrian_tree_corners(t, &t->node[j], row) < CP_MONDRIAN_CORNERS;
    w->s->kern->include(box, w->x, w->s->dims);

    t->nodes += 2;
    t->node[moved] = t->node[j];
    init_leaf(w, &t->node[leaf]);
    int x_right = w->x[dim] > cut;
    t->node[j] = (cp_mondrian_node){
        .time = time,
        .left = x_right ? moved : leaf,
        .right = x_right ? leaf : moved,
        .dim = dim,
        .cut = cut,
        .box = few ? CP_NONE : (int32_t)t->boxes++,
    };
    if (w->s->label) cp_mondrian_hnsp_mark_split(t, w->s, j);
    if (w->s->keeps_moments) {
        double y = w->s->y[w->row];
        t->stat[moved] = t->stat[j];
        t->stat[leaf] = (cp_mondrian_stat){.n = 1, .mean = y, .m2 = 0};
        cp_mondrian_gauss_learn(&t->stat[j], y);
    }
}

/* A paused leaf that has enough rows, or a second class, is sampled from its own rows as if from the start. */
static void resume(walk *w, int32_t j, double since) {
    cp_mondrian_tree *t = w->t;
    size_t n = 0, first_new = t->nodes;
    for (int32_t r = t->node[j].head; r != CP_NONE; r = t->next[r]) w->room.row[n++] = r;
    w->room.row[n++] = w->row;
    cp_mondrian_grow(t, w->s, j, since, &w->room, n, w->rng);
    if (w->s->keeps_moments) cp_mondrian_gauss_moments(t, w->s, j, first_new);
}

static void append(walk *w, int32_t j) {
    cp_mondrian_node *leaf = &w->t->node[j];
    if (w->s->label) cp_mondrian_hnsp_add(w->t, w->s, leaf, w->s->label[w->row]);
    stretch_box(w, leaf);
    w->t->next[w->row] = leaf->head;
    leaf->head = w->row;
    leaf->count++;
    if (w->s->keeps_moments) cp_mondrian_gauss_learn(&w->t->stat[j], w->s->y[w->row]);
}

/* The row makes this leaf grow: it is paused and will not be with the row in it. */
static int would_resume(const walk *w, const cp_mondrian_node *leaf) {
    if (!cp_mondrian_tree_paused(w->s, leaf) || (size_t)leaf->count + 1 < w->s->min_split) return 0;
    return !w->s->label || leaf->label != w->s->label[w->row];
}

static int32_t find_leaf(const walk *w) {
    int32_t j = 0;
    for (const cp_mondrian_node *n = w->t->node; !cp_mondrian_is_leaf(n); n = &w->t->node[j])
        j = w->x[n->dim] <= n->cut ? n->left : n->right;
    return j;
}

/* Room for whatever may happen, so that nothing fails half way down.  The row ends at or above the leaf it falls into;
 * the light walk that finds that leaf also brings the nodes into the cache. */
static copse_status reserve(walk *w, cp_arena *tmp, copse_error *err) {
    const cp_mondrian_node *leaf = &w->t->node[find_leaf(w)];
    size_t rows = would_resume(w, leaf) ? (size_t)leaf->count + 1 : 1;
    if (rows > 1) CP_TRY(cp_mondrian_grow_reserve(w->t, w->s, rows, tmp, &w->room, err));
    if (w->s->label) CP_TRY(cp_mondrian_hnsp_reserve(w->t, w->s, rows, err));
    return cp_mondrian_tree_reserve(w->t, w->s, 2 * rows + 2, rows + 1, err);
}

/* E is drawn before the box grows: its rate is what x adds to the old box.  With the box grown first the rate would be 0,
 * no split would ever be put above j, and online would no longer equal batch in law.  [2014, alg. 4, line 2] */
copse_status cp_mondrian_extend(cp_mondrian_tree *t, const cp_mondrian_space *s, cp_rng *rng, cp_arena *tmp,
                                copse_error *err) {
    walk w = {.t = t, .s = s, .row = (int32_t)t->rows, .x = cp_mondrian_row(s, (int32_t)t->rows), .rng = rng};
    CP_TRY(reserve(&w, tmp, err));
    double since = 0;
    for (int32_t j = 0;;) {
        cp_mondrian_node *n = &t->node[j];
        int leaf = cp_mondrian_is_leaf(n);
        if (leaf && would_resume(&w, n)) {
            resume(&w, j, since);
            break;
        }
        if (!leaf || !cp_mondrian_tree_paused(s, n)) {
            double outside = cp_mondrian_tree_outside(t, s, n, w.x);
            double time = outside > 0 ? since + cp_draw_exp(rng) / outside : s->lifetime;
            if (time < n->time) {
                insert_above(&w, j, time, outside);
                break;
            }
        }
        if (leaf) {
            append(&w, j);
            break;
        }
        stretch_box(&w, n);
        if (s->label) cp_mondrian_hnsp_see(t, s, n, s->label[w.row]);
        if (s->keeps_moments) cp_mondrian_gauss_learn(&t->stat[j], s->y[w.row]);
        since = n->time;
        j = w.x[n->dim] <= n->cut ? n->left : n->right;
    }
    t->rows++;
    return COPSE_OK;
}
