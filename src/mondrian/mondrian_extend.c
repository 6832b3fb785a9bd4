#include "mondrian/mondrian_extend.h"

#include <string.h>

#include "mondrian/mondrian_split.h"
#include "mondrian/mondrian_targets.h"
#include "num/draw.h"

/* One row that is being added. */
typedef struct insertion {
    cp_mondrian_tree *t;
    const cp_mondrian_space *s;
    int32_t row;
    const float *x;
    cp_mondrian_path *path; /* from the root to the leaf that x falls into; branch points from the leaf upwards */
    int resumes;            /* the leaf is paused, and the row ends the pause */
    cp_rng *rng;
    cp_mondrian_extend_scratch *scratch;
} insertion;

static cp_mondrian_node *node_at(const insertion *in, size_t depth) {
    return &in->t->node[cp_mondrian_path_node(in->path, depth)];
}

/* ------------------------------------------------------------------------------------------------------------ boxes */

static inline void extend_box(const insertion *in, cp_mondrian_node *n) {
    cp_mondrian_tree_include(in->t, in->s, n, in->x);
}

/* Extends the boxes of the first n nodes of the path, from below, up to the first one that holds x already.  A node
 * without a box always counts the row; such nodes are at the end of the path.  [alg. 4, line 11] */
static void extend_boxes(const insertion *in, size_t n) {
    const cp_mondrian_path *p = in->path;
    size_t outside = n; /* nodes from this depth on do not hold x */
    if (p->branch_points && p->branch_point[p->branch_points - 1].depth < n)
        outside = p->branch_point[p->branch_points - 1].depth;
    const int32_t *top = p->node_id + outside * CP_MONDRIAN_PATH_LANES;
    for (const int32_t *id = p->node_id + n * CP_MONDRIAN_PATH_LANES; id > p->node_id;) {
        cp_mondrian_node *node = &in->t->node[*(id -= CP_MONDRIAN_PATH_LANES)];
        if (id < top && cp_mondrian_tree_has_box(node)) break;
        extend_box(in, node);
    }
}

/* ---------------------------------------------------------------------------------------------------- the new split */

/* Draws the node above which a new split separates x from the node's rows, and the time of that split; NULL: there is
 * none, x joins its leaf.  [alg. 4, lines 1 to 3, at each node of the path from the root down]
 *
 * The paper draws an exponential at every node.  One is enough: the new split is the first event of a Poisson process
 * whose rate along the path is the distance of x from the node's box, so it happens where the rate integrated over time
 * reaches an Exp(1).
 *
 * It is drawn before the boxes are extended.  With the box extended first the rate would be 0, no split would ever be
 * put above a node, and online would no longer equal batch in law. */
static const cp_mondrian_branch_point *draw_branch_point(const insertion *in, double *out_time) {
    const cp_mondrian_path *p = in->path;
    if (!p->branch_points) return NULL;
    double remaining = cp_draw_exp(in->rng);      /* of the Exp(1) */
    for (size_t i = p->branch_points; i-- > 0;) { /* they are listed from the leaf upwards */
        const cp_mondrian_branch_point *b = &p->branch_point[i];
        double since = cp_mondrian_path_since(p, in->t, b->depth), end = node_at(in, b->depth)->time;
        *out_time = cp_mondrian_tree_later(since, remaining / b->outside);
        if (*out_time < end) return b;
        remaining -= b->outside * (end - since);
        if (remaining < 0) remaining = 0; /* by rounding: the event is at the start of the next edge */
    }
    return NULL;
}

/* A new split above the node of branch point b, with that node on one side and a leaf for x on the other.  The new
 * split takes the node's place in the array and the node moves, so no child link above changes and the root stays
 * node 0.  [alg. 4, lines 4 to 9] */
static void introduce_parent(const insertion *in, const cp_mondrian_branch_point *b, double time) {
    cp_mondrian_tree *t = in->t;
    const cp_mondrian_space *s = in->s;
    int32_t parent = cp_mondrian_path_node(in->path, b->depth), child = (int32_t)t->nodes, leaf = child + 1;
    int32_t child_box_id = t->node[parent].box;
    int needs_box = child_box_id >= 0 || cp_mondrian_tree_gets_box(child_box_id);
    float *box = cp_mondrian_tree_own_box(t, s, (int32_t)t->boxes); /* reserved; kept if needs_box */
    const float *child_box = cp_mondrian_tree_box(t, s, &t->node[parent], box);
    cp_mondrian_split split = cp_mondrian_split_draw_outside(s, child_box, in->x, b->outside, in->rng);
    if (child_box != box) memcpy(box, child_box, 2 * s->dims * sizeof *box);
    if (needs_box) s->kern->include(box, in->x, s->dims);

    t->nodes += 2;
    t->node[child] = t->node[parent];
    t->node[leaf] = (cp_mondrian_node){
        .time = s->lifetime, .left = CP_NONE, .head = in->row, .count = 1, .label = CP_NONE, .box = -1};
    t->next[in->row] = CP_NONE;
    int x_right = in->x[split.dim] > split.cut;
    t->node[parent] = (cp_mondrian_node){
        .time = time,
        .left = x_right ? child : leaf,
        .right = x_right ? leaf : child,
        .dim = split.dim,
        .cut = split.cut,
        .box = needs_box ? (int32_t)t->boxes++ : child_box_id - 1,
    };
    cp_mondrian_targets_init_leaf(t, s, leaf, in->row);
    cp_mondrian_targets_init_parent(t, s, parent, child, in->row);
}

/* --------------------------------------------------------------------------------------------------------- the leaf */

/* A paused leaf that the row makes large enough, or mixed, is sampled from its rows.  [alg. 10, lines 7 to 9] */
static void resume(const insertion *in, int32_t leaf, double since) {
    cp_mondrian_tree *t = in->t;
    cp_mondrian_grow_scratch *grow = &in->scratch->grow;
    size_t n = 0;
    for (int32_t r = t->node[leaf].head; r != CP_NONE; r = t->next[r]) grow->row[n++] = r;
    grow->row[n++] = in->row;
    cp_mondrian_grow(t, in->s, (cp_mondrian_block){leaf, since, 0, grow->row, n}, grow, in->rng);
}

static void append(const insertion *in, int32_t id) {
    cp_mondrian_node *leaf = &in->t->node[id];
    cp_mondrian_targets_add(in->t, in->s, id, in->row);
    extend_box(in, leaf);
    in->t->next[in->row] = leaf->head;
    leaf->head = in->row;
    leaf->count++;
}

static int ends_pause(const insertion *in, const cp_mondrian_node *leaf) {
    if (!cp_mondrian_tree_paused(in->s, leaf) || (size_t)leaf->count + 1 < in->s->min_split) return 0;
    return !in->s->label || leaf->label != in->s->label[in->row];
}

/* ----------------------------------------------------------------------------------------------------------- extend */

/* Memory for what may happen at the leaf; what may happen above it has been reserved by the lookahead. */
static copse_status reserve_leaf(insertion *in, const cp_mondrian_node *leaf, copse_error *err) {
    cp_mondrian_extend_scratch *scratch = in->scratch;
    size_t block = (size_t)leaf->count + 1;
    if (!in->resumes) return cp_mondrian_targets_reserve_leaf(in->t, in->s, leaf, in->row, err);
    if (block > scratch->grow.n) {
        cp_arena_reset(&scratch->arena);
        CP_TRY(cp_mondrian_grow_alloc(&scratch->grow, 2 * block, in->s, &scratch->arena, err));
    }
    return cp_mondrian_lookahead_reserve(&scratch->ahead, in->t, in->s, block, err);
}

/* Finds the path of x and its branch points, and reserves memory: after this nothing can fail.  No split can come
 * between a paused leaf and its parent, so a paused leaf is no branch point. */
static copse_status begin(insertion *in, copse_error *err) {
    CP_TRY(cp_mondrian_lookahead_find(&in->scratch->ahead, in->t, in->s, &in->path, err));
    const cp_mondrian_node *leaf = node_at(in, in->path->n - 1);
    int paused = cp_mondrian_tree_paused(in->s, leaf);
    in->resumes = ends_pause(in, leaf);
    /* To sample a block of two rows is the ordinary step of branching off: a leaf of one row counts as not paused. */
    if (in->resumes && leaf->count == 1) paused = in->resumes = 0;
    CP_TRY(reserve_leaf(in, leaf, err));
    CP_TRY(cp_mondrian_targets_reserve_path(in->t, in->s, in->path, in->row, err));
    cp_mondrian_path_climb(in->path, in->t, in->s, in->x, paused);
    return COPSE_OK;
}

/* ExtendMondrianBlock(T, lifetime, j, (x, y)), from the root:                          [2014, alg. 4]
 *     draw E ~ Exp(distance of x from the box of j)                                          1, 2
 *     if time of j's parent + E < time of j:                                                 3
 *         put a new split, outside the box, above j, with a leaf for x as the sibling of j   4 to 9
 *     else:
 *         extend the box of j to hold x                                                      11
 *         unless j is a leaf, go on at the child of j that x falls into                      12 to 14
 * Line 13 depends on cuts alone.  So the whole path is found first, then all draws are made, and only then boxes
 * grow. */
copse_status cp_mondrian_extend(cp_mondrian_tree *t, const cp_mondrian_space *s, cp_rng *rng,
                                cp_mondrian_extend_scratch *scratch, copse_error *err) {
    int32_t row = (int32_t)t->rows;
    insertion in = {.t = t, .s = s, .row = row, .x = cp_mondrian_tree_row(s, row), .rng = rng, .scratch = scratch};
    double time;
    CP_TRY(begin(&in, err));                                                /* line 13 */
    const cp_mondrian_branch_point *branch = draw_branch_point(&in, &time); /* lines 1 to 3 */
    size_t depth = branch ? branch->depth : in.path->n - 1;
    int32_t node = cp_mondrian_path_node(in.path, depth);

    extend_boxes(&in, depth); /* line 11, above the node */
    cp_mondrian_targets_add_above(t, s, in.path, depth, row);
    if (branch)
        introduce_parent(&in, branch, time); /* lines 4 to 9 */
    else if (in.resumes)
        resume(&in, node, cp_mondrian_path_since(in.path, t, depth)); /* alg. 10, lines 7 to 9 */
    else
        append(&in, node); /* line 11, the leaf; alg. 10, lines 2 to 6 */
    if (branch || in.resumes) cp_mondrian_lookahead_invalidate(&scratch->ahead, t, depth);
    t->rows++;
    return COPSE_OK;
}

void cp_mondrian_extend_init(cp_mondrian_extend_scratch *scratch) {
    *scratch = (cp_mondrian_extend_scratch){0};
    cp_arena_init(&scratch->arena);
}

void cp_mondrian_extend_next_tree(cp_mondrian_extend_scratch *scratch) {
    cp_mondrian_lookahead_reset(&scratch->ahead);
}

void cp_mondrian_extend_clear(cp_mondrian_extend_scratch *scratch) {
    cp_arena_clear(&scratch->arena);
    cp_mondrian_lookahead_clear(&scratch->ahead);
}
