#include "greedy/greedy_grow_parallel.h"

#include <stdlib.h>

#include "base/parallel.h"
#include "greedy/greedy_grow_serial.h"
#include "greedy/greedy_hist.h"
#include "greedy/greedy_step.h"

/* -------------------------------------------------------------------------------------------------------------- top */

/* A node of the top, or just below it. */
typedef struct top_node {
    cp_greedy_step step;
    size_t child; /* its children are nodes child and child + 1 of the top */
} top_node;

typedef struct top {
    cp_greedy_grower *grower; /* one per worker; a node may have histograms from any worker's arena */
    size_t workers;
    top_node *node;
    size_t n, cap;
    size_t level; /* the first node of the level under work; the level ends at n */
    int few;      /* the level has fewer large nodes than there are workers */
} top;

static int is_large(const top_node *k) {
    return cp_greedy_node_rows(&k->step.node) > CP_GREEDY_GROW_SERIAL_ROWS;
}

/* Filling a node's histograms on all threads: each worker sums some blocks of its records. */
typedef struct filling {
    cp_greedy_grower *grower;
    const cp_greedy_node *node;
    cp_greedy_node *partial; /* per worker: holds the histograms of its blocks */
} filling;

static copse_status fill_block(void *arg, size_t block, size_t worker, copse_error *err) {
    const filling *f = arg;
    size_t lo = f->node->lo + block * CP_GREEDY_RECORDS_BLOCK;
    size_t hi = f->node->hi - lo < CP_GREEDY_RECORDS_BLOCK ? f->node->hi : lo + CP_GREEDY_RECORDS_BLOCK;
    return cp_greedy_hist_add(&f->grower[worker], lo, hi, &f->partial[worker], err);
}

static copse_status fill_hist(const top *t, cp_greedy_node *node, const copse_run *run, copse_error *err) {
    filling f = {.grower = t->grower, .node = node};
    size_t blocks = (cp_greedy_node_rows(node) + CP_GREEDY_RECORDS_BLOCK - 1) / CP_GREEDY_RECORDS_BLOCK;
    CP_TRY(CP_NEW(f.partial, t->workers, err));
    copse_status status = cp_parallel_for(run, t->workers, blocks, NULL, fill_block, &f, err);
    for (size_t i = 0; i < t->workers; i++) cp_greedy_hist_merge(&t->grower[0], node, &f.partial[i]);
    cp_mem_free(f.partial);
    return status;
}

/* A level of few nodes: they are divided one after another, each on all threads. */
static copse_status divide_few(const top *t, const copse_run *run, copse_error *err) {
    cp_greedy_grower *w = &t->grower[0];
    for (top_node *k = t->node + t->level; k < t->node + t->n; k++) {
        cp_greedy_step *s = &k->step;
        if (!s->is_split) continue;
        CP_TRY(cp_greedy_step_divide_parallel(w, run, s, err));
        const int smaller = cp_greedy_step_smaller(s);
        if (s->node.hist && cp_greedy_node_rows(&s->child[!smaller]) > CP_GREEDY_GROW_SERIAL_ROWS)
            CP_TRY(fill_hist(t, &s->child[smaller], run, err));
        CP_TRY(cp_greedy_step_hand_down(w, s, CP_GREEDY_GROW_SERIAL_ROWS, err));
    }
    return COPSE_OK;
}

/* All steps of a node that do not touch the tree. */
static copse_status split_node(void *arg, size_t i, size_t worker, copse_error *err) {
    top *t = arg;
    cp_greedy_grower *w = &t->grower[worker];
    top_node *k = &t->node[t->level + i];
    if (!is_large(k)) return COPSE_OK;
    CP_TRY(cp_greedy_step_find(w, &k->step, err));
    if (!k->step.is_split) return COPSE_OK;
    CP_TRY(cp_greedy_step_keep(w, &k->step, err));
    if (t->few) return COPSE_OK; /* divide_few does the rest */
    cp_greedy_step_divide(w, &k->step);
    return cp_greedy_step_hand_down(w, &k->step, CP_GREEDY_GROW_SERIAL_ROWS, err);
}

/* The children of the level are the next one; *large: how many of them belong to the top. */
static copse_status next_level(top *t, size_t *large, copse_error *err) {
    size_t end = t->n;
    *large = 0;
    for (size_t i = t->level; i < end; i++) {
        if (!t->node[i].step.is_split) continue;
        CP_TRY(CP_GROW(t->node, t->cap, t->n + 2, err));
        t->node[i].child = t->n;
        for (size_t side = 0; side < 2; side++) {
            t->node[t->n] = (top_node){.step.node = t->node[i].step.child[side]};
            *large += (size_t)is_large(&t->node[t->n++]);
        }
    }
    t->level = end;
    return COPSE_OK;
}

static copse_status find_top(top *t, const copse_run *run, copse_error *err) {
    size_t large = 1;
    if (t->workers > 1 && cp_greedy_hist_inherits(&t->grower[0])) CP_TRY(fill_hist(t, &t->node[0].step.node, run, err));
    while (large > 0) {
        size_t workers = large < t->workers ? large : t->workers;
        t->few = large < t->workers;
        CP_TRY(cp_parallel_for(run, workers, t->n - t->level, NULL, split_node, t, err));
        if (t->few) CP_TRY(divide_few(t, run, err));
        CP_TRY(next_level(t, &large, err));
    }
    return COPSE_OK;
}

static copse_status start_top(top *t, const cp_greedy_context *context, cp_greedy_node root, const copse_run *run,
                              cp_tree *out, copse_error *err) {
    size_t n = context->records->n, workers = cp_parallel_workers(run, n / CP_GREEDY_GROW_SERIAL_ROWS);
    CP_TRY(CP_GROW(t->node, t->cap, 1, err));
    t->node[t->n++] = (top_node){.step.node = root};
    CP_TRY(CP_NEW(t->grower, workers, err));
    for (; t->workers < workers; t->workers++)
        CP_TRY(cp_greedy_step_init(&t->grower[t->workers], context, n, t->workers ? NULL : out, err));
    return COPSE_OK;
}

static void clear_top(top *t) {
    for (size_t i = 0; i < t->workers; i++) cp_greedy_grower_clear(&t->grower[i]);
    cp_mem_free(t->grower);
    cp_mem_free(t->node);
}

/* --------------------------------------------------------------------------------------------------------- branches */

typedef struct branch {
    cp_greedy_node root;
    cp_tree tree;
} branch;

/* The order in which branches are grown: the one with the most rows first, so that no thread ends with a long one. */
typedef struct by_size {
    size_t rows, branch;
} by_size;

typedef struct branches {
    const cp_greedy_context *context;
    branch *branch;
    size_t n, cap;
    by_size *order;
} branches;

static copse_status add_branch(branches *b, const cp_greedy_node *root, copse_error *err) {
    CP_TRY(CP_GROW(b->branch, b->cap, b->n + 1, err));
    b->branch[b->n++] = (branch){.root = *root};
    return COPSE_OK;
}

/* Writes the split of a top node, and tells its children their numbers and query rows. */
static copse_status write_split(top *t, top_node *k, copse_error *err) {
    CP_TRY(cp_greedy_step_write(&t->grower[0], &k->step, err));
    for (int side = 0; side < 2; side++) {
        cp_greedy_node *child = &t->node[k->child + (size_t)side].step.node;
        child->id = k->step.child[side].id;
        child->query_rows = k->step.child[side].query_rows;
    }
    return COPSE_OK;
}

/* Writes the top into the tree.  The smaller child comes first, so the stack holds at most log2 of the rows. */
static copse_status write_top(top *t, branches *b, copse_error *err) {
    size_t stack[128] = {0}, n = 1;
    cp_greedy_grower *w = &t->grower[0];
    while (n > 0) {
        top_node *k = &t->node[stack[--n]];
        cp_greedy_node *node = &k->step.node;
        if (cp_greedy_grower_is_unqueried(w, node->query_rows)) {
            CP_TRY(cp_greedy_grower_abandon(w, node->id, err));
            continue;
        }
        if (!is_large(k)) {
            CP_TRY(add_branch(b, node, err));
            continue;
        }
        if (!k->step.is_split) {
            CP_TRY(cp_greedy_step_close(w, &k->step, err));
            continue;
        }
        CP_TRY(write_split(t, k, err));
        size_t smaller = (size_t)cp_greedy_step_smaller(&k->step);
        stack[n++] = k->child + !smaller;
        stack[n++] = k->child + smaller;
    }
    return COPSE_OK;
}

static copse_status grow_top(branches *b, cp_greedy_node root, const copse_run *run, cp_tree *out, copse_error *err) {
    top t = {0};
    copse_status status = start_top(&t, b->context, root, run, out, err);
    if (!status) status = find_top(&t, run, err);
    if (!status) status = write_top(&t, b, err);
    clear_top(&t);
    return status;
}

static copse_status grow_branch(void *arg, size_t i, size_t worker, copse_error *err) {
    const branches *all = arg;
    branch *b = &all->branch[all->order[i].branch];
    cp_greedy_node root = b->root;
    cp_greedy_grower w;
    (void)worker;
    root.id = 0;
    CP_TRY(cp_tree_init_root(&b->tree, err));
    CP_TRY(cp_greedy_step_init(&w, all->context, cp_greedy_node_rows(&root), &b->tree, err));
    copse_status status = cp_greedy_grow_serial(&w, root, err);
    cp_greedy_grower_clear(&w);
    return status;
}

static int more_rows(const void *a, const void *b) {
    const by_size *x = a, *y = b;
    if (x->rows != y->rows) return x->rows > y->rows ? -1 : 1;
    return x->branch < y->branch ? -1 : 1;
}

static copse_status grow_branches(branches *b, const copse_run *run, copse_error *err) {
    cp_parallel_idle *idle = b->context->idle;
    CP_TRY(CP_RAW(b->order, b->n, err));
    for (size_t i = 0; i < b->n; i++) b->order[i] = (by_size){cp_greedy_node_rows(&b->branch[i].root), i};
    if (b->n) qsort(b->order, b->n, sizeof *b->order, more_rows);
    if (idle) return cp_parallel_inner_for(idle, run, b->n, grow_branch, b, err);
    return cp_parallel_for(run, cp_parallel_workers(run, b->n), b->n, NULL, grow_branch, b, err);
}

static copse_status graft_branches(branches *b, cp_tree *out, size_t dims, copse_error *err) {
    for (size_t i = 0; i < b->n; i++) {
        CP_TRY(cp_tree_graft(out, b->branch[i].root.id, &b->branch[i].tree, dims, err));
        cp_tree_clear(&b->branch[i].tree);
    }
    return COPSE_OK;
}

copse_status cp_greedy_grow_parallel(const cp_greedy_context *context, cp_greedy_node root, const copse_run *run,
                                     cp_tree *out, copse_error *err) {
    branches b = {.context = context};
    copse_status status = cp_tree_init_root(out, err);
    if (!status) status = grow_top(&b, root, run, out, err);
    if (!status) status = grow_branches(&b, run, err);
    if (!status) status = graft_branches(&b, out, context->records->data->rows.dims, err);
    for (size_t i = 0; i < b.n; i++) cp_tree_clear(&b.branch[i].tree);
    cp_mem_free(b.branch);
    cp_mem_free(b.order);
    return status;
}
