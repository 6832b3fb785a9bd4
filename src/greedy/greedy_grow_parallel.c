/* A tree of many rows.  Its top, the nodes of more than CP_GREEDY_GROW_SERIAL_ROWS rows, is found level by level: the
 * nodes of a level are independent, so each may go to another thread, and threads wait for each other only once a
 * level.  (A loop over the rows of one node would have them wait at every node: beside a program that holds a core,
 * that is most of the time.  Only while there are fewer nodes than threads, their histograms are filled, and their
 * records divided, so.) The nodes below are grown by themselves, each into a tree of its own, on whatever thread is
 * free.
 *
 * The tree is put together afterwards, on one thread, in the order in which one thread would have grown it. */
#include <stdlib.h>

#include "base/parallel.h"
#include "greedy/greedy_find.h"
#include "greedy/greedy_grow_serial.h"

/* -------------------------------------------------------------------------------------------------------------- top */

/* A node of the top, or just below it. */
typedef struct knot {
    cp_greedy_frontier_node open;
    int is_split;
    cp_greedy_found found;
    cp_greedy_frontier_node part[2]; /* its children; */
    size_t child;                    /* they are knots child and child + 1 */
} knot;

typedef struct top {
    cp_greedy_grower *work; /* one per worker; histograms of one's arena may be handed to another's node */
    size_t workers;
    knot *knot;
    size_t n, cap;
    size_t level; /* knots from here on are of the level under work; */
    int few;      /* of them are fewer large than there are workers */
} top;

static int is_large(const knot *k) {
    return cp_greedy_frontier_node_rows(&k->open) > CP_GREEDY_GROW_SERIAL_ROWS;
}

/* A node's histograms, by all threads. */
typedef struct sharing {
    cp_greedy_grower *work;
    const cp_greedy_frontier_node *open;
    cp_greedy_frontier_node *part; /* per worker */
} sharing;

static copse_status add_share(void *arg, size_t i, size_t worker, copse_error *err) {
    const sharing *s = arg;
    size_t lo = s->open->lo + i * CP_GREEDY_RECORDS_BLOCK;
    size_t hi = s->open->hi - lo < CP_GREEDY_RECORDS_BLOCK ? s->open->hi : lo + CP_GREEDY_RECORDS_BLOCK;
    return cp_greedy_find_add_hist(&s->work[worker], lo, hi, &s->part[worker], err);
}

static copse_status fill_together(const top *t, cp_greedy_frontier_node *o, const copse_run *run, copse_error *err) {
    sharing s = {.work = t->work, .open = o};
    size_t shares = (cp_greedy_frontier_node_rows(o) + CP_GREEDY_RECORDS_BLOCK - 1) / CP_GREEDY_RECORDS_BLOCK;
    CP_TRY(CP_NEW(s.part, t->workers, err));
    copse_status status = cp_parallel_for(run, t->workers, shares, NULL, add_share, &s, err);
    for (size_t i = 0; i < t->workers; i++) cp_greedy_find_merge_hist(&t->work[0], o, &s.part[i]);
    cp_mem_free(s.part);
    return status;
}

/* Of its children, the one with fewer rows. */
static int small_side(const knot *k) {
    return cp_greedy_frontier_node_rows(&k->part[0]) > cp_greedy_frontier_node_rows(&k->part[1]);
}

static copse_status hand_down(cp_greedy_grower *w, knot *k, copse_error *err) {
    int small = small_side(k);
    return cp_greedy_find_hand_down(w, &k->open, &k->part[small], &k->part[!small], CP_GREEDY_GROW_SERIAL_ROWS, err);
}

/* What was found in a level of few, one after another. */
static copse_status divide_few(const top *t, const copse_run *run, copse_error *err) {
    for (knot *k = t->knot + t->level; k < t->knot + t->n; k++) {
        if (!k->is_split) continue;
        cp_greedy_find_recall(&t->work[0], &k->found);
        CP_TRY(cp_greedy_find_divide_parallel(&t->work[0], run, &k->open, k->part, err));
        int small = small_side(k);
        if (k->open.hist && cp_greedy_frontier_node_rows(&k->part[!small]) > CP_GREEDY_GROW_SERIAL_ROWS)
            CP_TRY(fill_together(t, &k->part[small], run, err));
        CP_TRY(hand_down(&t->work[0], k, err));
    }
    return COPSE_OK;
}

static copse_status split_knot(void *arg, size_t i, size_t worker, copse_error *err) {
    top *t = arg;
    cp_greedy_grower *w = &t->work[worker];
    knot *k = &t->knot[t->level + i];
    if (!is_large(k)) return COPSE_OK;
    CP_TRY(cp_greedy_find(w, &k->open, &k->is_split, err));
    if (!k->is_split) return COPSE_OK;
    CP_TRY(cp_greedy_find_keep(w, &k->found, err));
    if (t->few) return COPSE_OK; /* divide_few */
    cp_greedy_find_divide(w, &k->open, k->part);
    return hand_down(w, k, err);
}

/* The children of the level are the next one; *large: how many of them are still of the top. */
static copse_status next_level(top *t, size_t *large, copse_error *err) {
    size_t end = t->n;
    *large = 0;
    for (size_t i = t->level; i < end; i++) {
        if (!t->knot[i].is_split) continue;
        CP_TRY(CP_GROW(t->knot, t->cap, t->n + 2, err));
        t->knot[i].child = t->n;
        for (size_t side = 0; side < 2; side++) {
            t->knot[t->n] = (knot){.open = t->knot[i].part[side]};
            *large += (size_t)is_large(&t->knot[t->n++]);
        }
    }
    t->level = end;
    return COPSE_OK;
}

static copse_status find_top(top *t, const copse_run *run, copse_error *err) {
    size_t large = 1;
    if (t->workers > 1 && cp_greedy_find_has_hist(&t->work[0])) CP_TRY(fill_together(t, &t->knot[0].open, run, err));
    while (large > 0) {
        size_t workers = large < t->workers ? large : t->workers;
        t->few = large < t->workers;
        CP_TRY(cp_parallel_for(run, workers, t->n - t->level, NULL, split_knot, t, err));
        if (t->few) CP_TRY(divide_few(t, run, err));
        CP_TRY(next_level(t, &large, err));
    }
    return COPSE_OK;
}

static copse_status start_top(top *t, const cp_greedy_grow_context *p, cp_greedy_frontier_node root,
                              const copse_run *run, cp_tree *out, copse_error *err) {
    size_t n = p->records->n, want = cp_parallel_workers(run, n / CP_GREEDY_GROW_SERIAL_ROWS);
    CP_TRY(CP_GROW(t->knot, t->cap, 1, err));
    t->knot[t->n++] = (knot){.open = root};
    CP_TRY(CP_NEW(t->work, want, err));
    for (; t->workers < want; t->workers++)
        CP_TRY(cp_greedy_grow_serial_start(&t->work[t->workers], p, n, t->workers ? NULL : out, err));
    return COPSE_OK;
}

static void clear_top(top *t) {
    for (size_t i = 0; i < t->workers; i++) cp_greedy_grower_clear(&t->work[i]);
    cp_mem_free(t->work);
    cp_mem_free(t->knot);
}

/* --------------------------------------------------------------------------------------------------------- branches */

typedef struct branch {
    cp_greedy_frontier_node open;
    cp_tree tree;
} branch;

/* Branches with more rows come first, lest the last one keep everybody waiting. */
typedef struct turn {
    size_t rows, branch;
} turn;

typedef struct branches {
    const cp_greedy_grow_context *part;
    branch *branch;
    size_t n, cap;
    turn *turn;
} branches;

static copse_status add_branch(branches *b, const cp_greedy_frontier_node *o, copse_error *err) {
    CP_TRY(CP_GROW(b->branch, b->cap, b->n + 1, err));
    b->branch[b->n++] = (branch){.open = *o};
    return COPSE_OK;
}

/* The top into the tree; of two children the smaller one first, so that the stack holds at most log2 of the rows. */
static copse_status write_top(top *t, branches *b, copse_error *err) {
    size_t stack[128] = {0}, n = 1;
    cp_greedy_grower *w = &t->work[0];
    while (n > 0) {
        const knot *k = &t->knot[stack[--n]];
        if (cp_greedy_grower_unqueried(w, k->open.query_rows)) {
            CP_TRY(cp_greedy_grower_abandon(w, k->open.node, err));
            continue;
        }
        if (!is_large(k)) {
            CP_TRY(add_branch(b, &k->open, err));
            continue;
        }
        if (!k->is_split) {
            CP_TRY(cp_greedy_find_close(w, &k->open, err));
            continue;
        }
        cp_greedy_find_recall(w, &k->found);
        CP_TRY(cp_greedy_find_write(w, k->open.node, err));
        knot *child = &t->knot[k->child];
        child[0].open.node = w->tree->node[k->open.node].next;
        child[1].open.node = child[0].open.node + 1;
        cp_greedy_query_rows query_rows[2] = {{0}};
        cp_greedy_grower_divide_queries(w, k->open.node, k->open.query_rows, query_rows);
        for (int side = 0; side < 2; side++) child[side].open.query_rows = query_rows[side];
        size_t small = (size_t)small_side(k);
        stack[n++] = k->child + !small;
        stack[n++] = k->child + small;
    }
    return COPSE_OK;
}

static copse_status grow_top(const cp_greedy_grow_context *p, cp_greedy_frontier_node root, const copse_run *run,
                             branches *b, cp_tree *out, copse_error *err) {
    top t = {0};
    copse_status status = start_top(&t, p, root, run, out, err);
    if (!status) status = find_top(&t, run, err);
    if (!status) status = write_top(&t, b, err);
    clear_top(&t);
    return status;
}

static copse_status grow_branch(void *arg, size_t i, size_t worker, copse_error *err) {
    const branches *all = arg;
    branch *b = &all->branch[all->turn[i].branch];
    cp_greedy_frontier_node o = b->open;
    cp_greedy_grower w;
    (void)worker;
    o.node = 0;
    CP_TRY(cp_tree_init_root(&b->tree, err));
    CP_TRY(cp_greedy_grow_serial_start(&w, all->part, cp_greedy_frontier_node_rows(&o), &b->tree, err));
    copse_status status = cp_greedy_grow_serial(&w, o, err);
    cp_greedy_grower_clear(&w);
    return status;
}

static int more_rows(const void *a, const void *b) {
    const turn *x = a, *y = b;
    if (x->rows != y->rows) return x->rows > y->rows ? -1 : 1;
    return x->branch < y->branch ? -1 : 1;
}

static copse_status grow_branches(branches *b, const copse_run *run, copse_error *err) {
    CP_TRY(CP_RAW(b->turn, b->n, err));
    for (size_t i = 0; i < b->n; i++) b->turn[i] = (turn){cp_greedy_frontier_node_rows(&b->branch[i].open), i};
    if (b->n) qsort(b->turn, b->n, sizeof *b->turn, more_rows);
    if (b->part->idle) return cp_parallel_inner_for(b->part->idle, run, b->n, grow_branch, b, err);
    return cp_parallel_for(run, cp_parallel_workers(run, b->n), b->n, NULL, grow_branch, b, err);
}

static copse_status graft_branches(branches *b, cp_tree *out, size_t dims, copse_error *err) {
    for (size_t i = 0; i < b->n; i++) {
        CP_TRY(cp_tree_graft(out, b->branch[i].open.node, &b->branch[i].tree, dims, err));
        cp_tree_clear(&b->branch[i].tree);
    }
    return COPSE_OK;
}

copse_status cp_greedy_grow_parallel(const cp_greedy_grow_context *p, cp_greedy_frontier_node root,
                                     const copse_run *run, cp_tree *out, copse_error *err) {
    branches b = {.part = p};
    copse_status status = cp_tree_init_root(out, err);
    if (!status) status = grow_top(p, root, run, &b, out, err);
    if (!status) status = grow_branches(&b, run, err);
    if (!status) status = graft_branches(&b, out, p->records->data->rows.dims, err);
    for (size_t i = 0; i < b.n; i++) cp_tree_clear(&b.branch[i].tree);
    cp_mem_free(b.branch);
    cp_mem_free(b.turn);
    return status;
}
