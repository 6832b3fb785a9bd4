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
    cp_mondrian_path *path;
    const cp_mondrian_grow_scratch *room;
} walk;

/* A node without a box gets one with the row that makes its corners many. */
static void count_corner(walk *w, cp_mondrian_node *n) {
    const cp_mondrian_space *s = w->s;
    if (n->box - 1 > -CP_MONDRIAN_BOX_ROWS) {
        n->box--;
        return;
    }
    int32_t row[CP_MONDRIAN_HULL_ROWS];
    size_t k = cp_mondrian_tree_hull_rows(w->t, n, row);
    float *box = cp_mondrian_tree_own_box(w->t, s, (int32_t)w->t->boxes);
    s->kern->hull(s->x, s->dims, row, k, box);
    s->kern->include(box, w->x, s->dims);
    n->box = (int32_t)w->t->boxes++;
}

/* Makes the node's box hold x. */
static inline void stretch_box(walk *w, cp_mondrian_node *n) {
    if (cp_mondrian_tree_has_box(n))
        w->s->kern->include(cp_mondrian_tree_own_box(w->t, w->s, n->box), w->x, w->s->dims);
    else
        count_corner(w, n);
}

static void init_leaf(walk *w, cp_mondrian_node *leaf) {
    *leaf = (cp_mondrian_node){
        .time = w->s->lifetime, .left = CP_NONE, .head = w->row, .count = 1, .label = CP_NONE, .box = -1};
    if (w->s->label) leaf->label = w->s->label[w->row];
    w->t->next[w->row] = CP_NONE;
}

static double gap_in(const walk *w, const float *box, size_t d) {
    float above = w->x[d] - box[w->s->dims + d], below = box[d] - w->x[d];
    float gap = above > below ? above : below;
    return gap > 0 ? (double)gap : 0;
}

/* The gaps between x and the box laid end to end, and a place drawn evenly from them: its dimension and cut. */
static void cut_outside(walk *w, const float *box, double outside, int32_t *out_dim, float *out_cut) {
    double left = cp_rng_unit(w->rng) * outside;
    size_t dims = w->s->dims, d = w->s->kern->gap_at(box, w->x, dims, &left);
    if (d == dims) { /* by rounding a rest was left after the last gap: its end */
        do left = gap_in(w, box, --d);
        while (!(left > 0));
    }
    *out_dim = (int32_t)d;
    *out_cut = w->x[d] > box[dims + d] ? cp_mondrian_grow_cut(box[dims + d], w->x[d], left)
                                       : cp_mondrian_grow_cut(w->x[d], box[d], left);
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
    int few = t->node[j].box < 0 && t->node[j].box - 1 > -CP_MONDRIAN_BOX_ROWS;
    if (!few) w->s->kern->include(box, w->x, w->s->dims);

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
        .box = few ? t->node[j].box - 1 : (int32_t)t->boxes++,
    };
    if (w->s->label) cp_mondrian_hnsp_set_split_classes(t, w->s, j);
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
    for (int32_t r = t->node[j].head; r != CP_NONE; r = t->next[r]) w->room->row[n++] = r;
    w->room->row[n++] = w->row;
    cp_mondrian_grow(t, w->s, j, since, w->room, n, w->rng);
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

/* Room for whatever may happen to this row and the next, `known` in all, so that nothing fails half way; and for `rows`
 * sampled anew.  A row by itself needs no more than two that are sampled with others: a split and a leaf, and two
 * boxes.  Those are for nodes whose corners become many: the new split, or a node that had BOXED - 1 rows; and one that
 * had CORNERS of them from the start.  Class counts are seen to row by row. */
static copse_status reserve(walk *w, size_t rows, size_t known, cp_mondrian_extend_scratch *tmp, copse_error *err) {
    if (rows > tmp->room.n) {
        cp_arena_reset(&tmp->tmp);
        CP_TRY(cp_mondrian_grow_alloc(&tmp->room, 2 * rows, w->s->dims, &tmp->tmp, err));
    }
    return cp_mondrian_grow_reserve(w->t, w->s, rows + 2 * known, err);
}

/* The same for what depends on the leaf that the row falls into. */
static copse_status reserve_at(walk *w, const cp_mondrian_node *leaf, int resumes, cp_mondrian_extend_scratch *tmp,
                               copse_error *err) {
    if (resumes) return reserve(w, (size_t)leaf->count + 1, tmp->first + tmp->count - w->t->rows, tmp, err);
    int may_count = w->s->label && leaf->label != w->s->label[w->row];
    return may_count ? cp_mondrian_hnsp_reserve(w->t, w->s, 1, err) : COPSE_OK;
}

/* The first node on the way down above which the row branches off, and when; NULL if it arrives at its leaf.
 *
 * The paper draws an exponential at every node.  One is enough: branching off is the first event of a Poisson process
 * whose rate on the way is `outside` of the node below, so it happens where the rate summed over time reaches an
 * Exp(1).
 *
 * It is drawn before the boxes grow: the rate is what x adds to the old box.  With the box grown first the rate would
 * be 0, no split would ever be put above j, and online would no longer equal batch in law.  [2014, alg. 4, line 2] */
static const cp_mondrian_branch_point *draw_exit(walk *w, double *out_time) {
    if (!w->path->exits) return NULL;
    double left = cp_draw_exp(w->rng);
    for (size_t i = w->path->exits; i-- > 0;) {
        const cp_mondrian_branch_point *e = &w->path->exit[i];
        double since = cp_mondrian_path_since(w->path, w->t, e->at),
               end = w->t->node[cp_mondrian_path_node(w->path, e->at)].time;
        *out_time = since + left / e->outside;
        if (*out_time < end) return e;
        left -= e->outside * (end - since);
        if (left < 0) left = 0; /* by rounding: it happens as the next stretch begins */
    }
    return NULL;
}

/* Lets the first n nodes of the path know of the row, from below.  Boxes that hold x already, and marks that have its
 * class, are above those that do not. */
static void tell_ancestors(walk *w, size_t n) {
    const cp_mondrian_space *s = w->s;
    cp_mondrian_tree *t = w->t;
    size_t outside = n; /* nodes of the path from here on have x outside their box */
    if (w->path->exits && w->path->exit[w->path->exits - 1].at < n) outside = w->path->exit[w->path->exits - 1].at;
    const int32_t *at = w->path->column + n * CP_MONDRIAN_PATH_LANES,
                  *top = w->path->column + outside * CP_MONDRIAN_PATH_LANES;
    for (const int32_t *j = at; j > w->path->column;) {
        cp_mondrian_node *node = &t->node[*(j -= CP_MONDRIAN_PATH_LANES)];
        if (j < top && cp_mondrian_tree_has_box(node)) break;
        stretch_box(w, node);
    }
    if (s->label) {
        int32_t label = s->label[w->row];
        for (const int32_t *j = at; j > w->path->column;)
            if (!cp_mondrian_hnsp_add_class(t, s, &t->node[*(j -= CP_MONDRIAN_PATH_LANES)], label)) break;
    }
    if (s->keeps_moments)
        for (size_t i = 0; i < n; i++)
            cp_mondrian_gauss_learn(&t->stat[cp_mondrian_path_node(w->path, i)], s->y[w->row]);
}

/* Asks for the pages of the next items of an array once those asked for before are in use: a quarter more than there
 * are, but no more than the rows still to come will make at the rate of those learnt. */
static void expect_items(void *array, size_t n, size_t cap, size_t size, double rate, size_t *paged) {
    enum { LEAST = 1 << 14 }; /* bytes until the next look, if fewer are expected */
    if (n < *paged) return;
    size_t ahead = (size_t)((rate < 0.25 ? rate : 0.25) * (double)n);
    if (ahead > cap - n) ahead = cap - n;
    cp_mem_prefault((char *)array + n * size, ahead * size);
    *paged = n + (ahead * size < LEAST ? LEAST / size : ahead);
}

static void expect_pages(const walk *w, cp_mondrian_extend_scratch *tmp) {
    const cp_mondrian_tree *t = w->t;
    if (t->nodes < tmp->paged_nodes && t->boxes < tmp->paged_boxes) return;
    double rate = (double)(w->s->rows - t->rows) / (double)(t->rows + 1);
    expect_items(t->node, t->nodes, t->cap_nodes, sizeof *t->node, rate, &tmp->paged_nodes);
    expect_items(t->box, t->boxes, t->cap_boxes, 2 * w->s->dims * sizeof *t->box, rate, &tmp->paged_boxes);
}

/* The ways of this row and the next, found together. */
static copse_status look_ahead(walk *w, cp_mondrian_extend_scratch *tmp, copse_error *err) {
    const cp_mondrian_space *s = w->s;
    size_t row = (size_t)w->row,
           count = s->rows - row < CP_MONDRIAN_PATH_LANES ? s->rows - row : CP_MONDRIAN_PATH_LANES;
    tmp->count = 0;
    CP_TRY(reserve(w, 0, count, tmp, err));
    expect_pages(w, tmp);
    CP_TRY(cp_mondrian_path_descend(&tmp->walk, w->t, s, w->x, count, err));
    for (size_t i = 0; i < count; i++) tmp->known[i] = SIZE_MAX;
    tmp->first = row;
    tmp->count = count;
    return COPSE_OK;
}

/* The row's way to its leaf: what was found before, up to the first place that has changed since. */
static copse_status find_way(walk *w, cp_mondrian_extend_scratch *tmp, copse_error *err) {
    if ((size_t)w->row - tmp->first >= tmp->count) CP_TRY(look_ahead(w, tmp, err));
    size_t i = (size_t)w->row - tmp->first, known = tmp->known[i];
    w->path = &tmp->walk.path[i];
    return known < w->path->n ? cp_mondrian_path_resume(&tmp->walk, w->t, i, known, w->x, err) : COPSE_OK;
}

/* The node at this depth of the row's path is no more what it was: a split is above it now, or rows that were in it are
 * below.  It changed in its own slot, so the ways of later rows are right down to there. */
static void note_change(const walk *w, cp_mondrian_extend_scratch *tmp, size_t depth) {
    const int32_t *at = tmp->walk.way + depth * CP_MONDRIAN_PATH_LANES;
    int32_t node = cp_mondrian_path_node(w->path, depth), here = 0;
    for (size_t i = 0; i < CP_MONDRIAN_PATH_LANES; i++) here += at[i] == node;
    if (here == 1) return; /* the row alone, as a rule */
    for (size_t i = (size_t)w->row - tmp->first + 1; i < tmp->count; i++)
        if (at[i] == node && depth < tmp->known[i]) tmp->known[i] = depth;
}

copse_status cp_mondrian_extend(cp_mondrian_tree *t, const cp_mondrian_space *s, cp_rng *rng,
                                cp_mondrian_extend_scratch *tmp, copse_error *err) {
    int32_t row = (int32_t)t->rows;
    walk w = {.t = t, .s = s, .row = row, .x = cp_mondrian_tree_row(s, row), .rng = rng, .room = &tmp->room};
    CP_TRY(find_way(&w, tmp, err));
    size_t last = w.path->n - 1;
    int32_t leaf = cp_mondrian_path_node(w.path, last);
    int paused = cp_mondrian_tree_paused(s, &t->node[leaf]), resumes = would_resume(&w, &t->node[leaf]);
    /* A block of two rows sampled from the start is a row that branches off from the other: no need to begin again. */
    if (resumes && t->node[leaf].count == 1) paused = resumes = 0;
    CP_TRY(reserve_at(&w, &t->node[leaf], resumes, tmp, err));

    double time = 0;
    cp_mondrian_path_climb(w.path, t, s, w.x, paused);
    const cp_mondrian_branch_point *e = draw_exit(&w, &time);
    size_t end = e ? e->at : last;
    tell_ancestors(&w, end);
    if (e)
        insert_above(&w, cp_mondrian_path_node(w.path, end), time, e->outside);
    else if (resumes)
        resume(&w, leaf, cp_mondrian_path_since(w.path, t, last));
    else
        append(&w, leaf);
    if (e || resumes) note_change(&w, tmp, end); /* a leaf with one row more is where it was */
    t->rows++;
    return COPSE_OK;
}

void cp_mondrian_extend_init(cp_mondrian_extend_scratch *tmp) {
    *tmp = (cp_mondrian_extend_scratch){0};
    cp_arena_init(&tmp->tmp);
}

void cp_mondrian_extend_next_tree(cp_mondrian_extend_scratch *tmp) {
    tmp->count = 0;
    tmp->paged_nodes = tmp->paged_boxes = 0;
}

void cp_mondrian_extend_clear(cp_mondrian_extend_scratch *tmp) {
    cp_arena_clear(&tmp->tmp);
    cp_mondrian_path_clear(&tmp->walk);
}
