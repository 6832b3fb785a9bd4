#include "bayes/moves.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "bayes/moves_rebuild.h"
#include "num/math.h"

/* tests/broken builds this file with known bugs, one at a time, to see that tests find them. */
#ifndef CP_BROKEN
#define CP_BROKEN(bug) 0
#endif

const char *const cp_moves_name[CP_MOVES] = {"grow", "prune", "change", "swap"};

copse_status cp_moves_init(cp_moves *k, const cp_moves_tree_model *m, const double move_prob[CP_MOVES],
                           copse_error *err) {
    copse_status status;
    size_t rows = m->ranks->rows;
    *k = (cp_moves){.model = m};
    memcpy(k->move_prob, move_prob, sizeof k->move_prob);
    CP_TRY_OUT(CP_RAW(k->row, rows, err));
    CP_TRY_OUT(CP_RAW(k->right, rows, err));
    CP_TRY_OUT(CP_NEW(k->bit, (rows >> 6) + 1, err));
    CP_TRY_OUT(CP_NEW(k->page, (rows >> 12) + 1, err));
    CP_TRY_OUT(CP_RAW(k->order, m->ranks->dims, err));
out:
    if (status) cp_moves_clear(k);
    return status;
}

void cp_moves_clear(cp_moves *k) {
    cp_mem_free(k->proposed);
    cp_mem_free(k->stat);
    cp_mem_free(k->row);
    cp_mem_free(k->right);
    cp_mem_free(k->bit);
    cp_mem_free(k->page);
    cp_mem_free(k->order);
    *k = (cp_moves){0};
}

copse_status cp_moves_reserve(cp_moves *k, cp_moves_tree *t, size_t pairs, copse_error *err) {
    size_t nodes = 2 * pairs + 1;
    CP_TRY(cp_moves_tree_reserve(t, pairs, err));
    CP_TRY(CP_GROW(k->proposed, k->cap_proposed, nodes, err));
    return CP_GROW(k->stat, k->cap_stat, nodes * t->width + 1, err); /* as in the tree */
}

/* ----------------------------------------------------------------------------------------------------------- choose */

size_t cp_moves_targets(const cp_moves_tree *t, cp_move_kind kind) {
    switch (kind) {
        case CP_MOVE_GROW: return t->growable.n;
        case CP_MOVE_PRUNE: return t->prunable.n;
        case CP_MOVE_CHANGE: return t->pairs;
        default: return t->pairs ? t->pairs - 1 : 0; /* all inner nodes but the root, which is the first */
    }
}

int32_t cp_moves_target(const cp_moves_tree *t, cp_move_kind kind, size_t i) {
    switch (kind) {
        case CP_MOVE_GROW: return t->growable.node[i];
        case CP_MOVE_PRUNE: return t->prunable.node[i];
        case CP_MOVE_CHANGE: return t->node[2 * i + 1].parent;
        default: return t->node[2 * i + 3].parent;
    }
}

int cp_moves_choose(cp_moves *k, const cp_moves_tree *t, cp_move_kind kind, cp_rng *rng, cp_move *out) {
    size_t n = cp_moves_targets(t, kind);
    if (!n) return 0;
    *out = (cp_move){.kind = kind, .node = cp_moves_target(t, kind, (size_t)cp_rng_below(rng, n))};
    if (kind == CP_MOVE_PRUNE || kind == CP_MOVE_SWAP) return 1;
    cp_extent e;
    int varies = cp_rule_draw(k->model->ranks, cp_moves_tree_span(t, out->node), rng, k->order, &out->rule, &e);
    CP_BUG(!varies);
    return 1;
}

/* ------------------------------------------------------------------------------------------------------------- edit */

/* Exchanges the subtrees of a and b; the parents of a and b stay. */
static void exchange(cp_moves_tree *t, int32_t a, int32_t b) {
    cp_moves_node old = t->node[a];
    int32_t both[2] = {a, b};
    t->node[a] = t->node[b];
    t->node[b] = old;
    t->node[b].parent = t->node[a].parent;
    t->node[a].parent = old.parent;
    for (size_t i = 0; i < t->width; i++) {
        double *x = &t->stat[(size_t)a * t->width + i], *y = &t->stat[(size_t)b * t->width + i], kept = *x;
        *x = *y;
        *y = kept;
    }
    for (int i = 0; i < 2; i++) {
        const cp_moves_node *n = &t->node[both[i]];
        if (n->left != CP_NONE) t->node[n->left].parent = t->node[n->left + 1].parent = both[i];
        if (n->list_index != CP_NONE) (n->left == CP_NONE ? &t->growable : &t->prunable)->node[n->list_index] = both[i];
    }
}

static int same_rule(cp_rule a, cp_rule b) {
    return a.dim == b.dim && a.cell == b.cell;
}

/* A swap is its own inverse: the two children have equal rules after it exactly if they had before.  (No child has the
 * rule of its parent, because one side of the child would have no rows.) */
static void edit_swap(cp_moves_tree *t, int32_t lower) {
    cp_moves_node *below = &t->node[lower], *above = &t->node[below->parent];
    cp_moves_node *other = &t->node[lower % 2 ? lower + 1 : lower - 1];
    cp_rule up = below->rule;
    if (other->left != CP_NONE && same_rule(other->rule, up)) {
        other->rule = above->rule;
        exchange(t, t->node[above->left].left + 1, t->node[above->left + 1].left);
    }
    below->rule = above->rule;
    above->rule = up;
}

/* Sets links and rules as the move wants them; everything else in the subtree is then out of date. */
static void edit(cp_moves_tree *t, const cp_move *move) {
    cp_moves_node *n = &t->node[move->node];
    switch (move->kind) {
        case CP_MOVE_GROW:
            n->left = (int32_t)cp_moves_tree_nodes(t);
            n->rule = move->rule;
            t->node[n->left] = t->node[n->left + 1] =
                (cp_moves_node){.parent = move->node, .left = CP_NONE, .depth = n->depth + 1, .list_index = CP_NONE};
            break;
        case CP_MOVE_PRUNE: n->left = CP_NONE; break;
        case CP_MOVE_CHANGE: n->rule = move->rule; break;
        default: edit_swap(t, move->node); break;
    }
}

/* before: move->node as it was before edit(). */
static void undo(cp_moves_tree *t, const cp_move *move, const cp_moves_node *before) {
    if (move->kind == CP_MOVE_SWAP)
        edit_swap(t, move->node);
    else
        t->node[move->node] = *before;
}

/* ------------------------------------------------------------------------------------------------------------ ratio */

/* The root of the subtree that the move changes. */
static int32_t top_of(const cp_moves_tree *t, const cp_move *move) {
    return move->kind == CP_MOVE_SWAP ? t->node[move->node].parent : move->node;
}

/* log of prior times likelihood of the subtree of top; node: the array to read its nodes from, the tree or the
 * scratch. */
static double log_below(const cp_moves *k, const cp_moves_tree *t, const cp_moves_node *node, int32_t top) {
    double sum = 0;
    for (int32_t u = top; u != CP_NONE; u = cp_moves_tree_next(t, u, top)) {
        sum += cp_moves_tree_log_node(k->model, &node[u]);
        if (node[u].left == CP_NONE) sum += node[u].log;
    }
    return sum;
}

static int has_two_leaves(const cp_moves_tree *t, int32_t node) {
    int32_t left = t->node[node].left;
    return cp_moves_tree_is_leaf(t, left) && cp_moves_tree_is_leaf(t, left + 1);
}

/* The number of leaves that a grow chooses from. */
static double growable(const cp_moves_tree *t) {
    return CP_BROKEN(BROKEN_ALL_LEAVES) ? (double)cp_moves_tree_leaves(t) : (double)t->growable.n;
}

/* log of q(T' -> T) / q(T -> T') for a grow that makes the inner node n; a prune has the negative.  grows: leaves that
 * can grow in the smaller tree; prunes: nodes that can be pruned in the larger tree. */
static double log_grow_proposal(const cp_moves *k, const cp_moves_node *n, double grows, double prunes) {
    return cp_math_log(k->move_prob[CP_MOVE_PRUNE] / prunes) - cp_math_log(k->move_prob[CP_MOVE_GROW] / grows) - n->log;
}

static double log_proposal(const cp_moves *k, const cp_moves_tree *t, const cp_move *move) {
    const cp_moves_node *old = &t->node[move->node], *new = &k->proposed[move->node];
    if (CP_BROKEN(BROKEN_NO_HASTINGS)) return 0;
    if (move->kind == CP_MOVE_GROW) {
        int parent_was_prunable = old->parent != CP_NONE && has_two_leaves(t, old->parent);
        return log_grow_proposal(k, new, growable(t), (double)(t->prunable.n + 1 - (size_t)parent_was_prunable));
    }
    if (move->kind == CP_MOVE_PRUNE) {
        size_t lost = t->node[old->left].columns + t->node[old->left + 1].columns;
        double grows = growable(t) + 1 - (CP_BROKEN(BROKEN_ALL_LEAVES) ? 2 : (double)lost);
        return -log_grow_proposal(k, old, grows, (double)t->prunable.n);
    }
    if (CP_BROKEN(BROKEN_UNIFORM_RULES)) return 0;
    return move->kind == CP_MOVE_CHANGE ? old->log - new->log : 0;
}

double cp_moves_log_ratio(cp_moves *k, cp_moves_tree *t, const cp_move *move) {
    cp_moves_node before = t->node[move->node];
    int32_t top = top_of(t, move);
    double was = log_below(k, t, t->node, top), is = -INFINITY;
    edit(t, move);
    if (cp_moves_rebuild(k, t, top)) is = log_below(k, t, k->proposed, top);
    undo(t, move, &before);
    return is == -INFINITY ? is : is - was + log_proposal(k, t, move);
}

/* ------------------------------------------------------------------------------------------------------------ apply */

/* Frees a pair of nodes, which has no children and is in no list: the last pair gets its numbers. */
static void drop_pair(cp_moves_tree *t, int32_t left) {
    int32_t last = (int32_t)cp_moves_tree_nodes(t) - 2;
    if (left != last) {
        t->node[left].parent = t->node[left + 1].parent = t->node[last].parent;
        t->node[t->node[last].parent].left = left;
        exchange(t, left, last);
        exchange(t, left + 1, last + 1);
    }
    t->pairs--;
}

/* Adds an inner node to the prunable list, or removes it, as its children are.  Ignores CP_NONE and leaves. */
static void update_prunable(cp_moves_tree *t, int32_t node) {
    if (node == CP_NONE || cp_moves_tree_is_leaf(t, node)) return;
    int is = has_two_leaves(t, node), was = t->node[node].list_index != CP_NONE;
    if (is && !was) cp_moves_tree_list_add(&t->prunable, t, node);
    if (was && !is) cp_moves_tree_list_remove(&t->prunable, t, node);
}

static void apply_grow(cp_moves *k, cp_moves_tree *t, const cp_move *move) {
    cp_moves_tree_list_remove(&t->growable, t, move->node);
    edit(t, move);
    t->pairs++;
    cp_moves_rebuild_commit(k, t, move->node);
    update_prunable(t, move->node);
    update_prunable(t, t->node[move->node].parent);
}

static void apply_prune(cp_moves *k, cp_moves_tree *t, const cp_move *move) {
    int32_t left = t->node[move->node].left;
    cp_moves_tree_list_remove(&t->prunable, t, move->node);
    for (int32_t u = left; u <= left + 1; u++)
        if (t->node[u].list_index != CP_NONE) cp_moves_tree_list_remove(&t->growable, t, u);
    edit(t, move);
    cp_moves_rebuild_commit(k, t, move->node);
    update_prunable(t, t->node[move->node].parent);
    drop_pair(t, left);
}

/* Grandchildren that exchange places may be leaves where inner nodes were, so both children are updated. */
static void apply_swap(cp_moves *k, cp_moves_tree *t, const cp_move *move) {
    int32_t top = top_of(t, move), left = t->node[top].left;
    edit(t, move);
    cp_moves_rebuild_commit(k, t, top);
    update_prunable(t, left);
    update_prunable(t, left + 1);
}

void cp_moves_apply(cp_moves *k, cp_moves_tree *t, const cp_move *move) {
    switch (move->kind) {
        case CP_MOVE_GROW: apply_grow(k, t, move); break;
        case CP_MOVE_PRUNE: apply_prune(k, t, move); break;
        case CP_MOVE_SWAP: apply_swap(k, t, move); break;
        default: edit(t, move); cp_moves_rebuild_commit(k, t, move->node);
    }
    cp_moves_tree_sum(t, k->model);
}

/* ------------------------------------------------------------------------------------------------------------- draw */

static cp_move_kind draw_kind(const double move_prob[CP_MOVES], cp_rng *rng) {
    double u = cp_rng_unit(rng);
    int kind = 0, last = 0;
    for (; kind < CP_MOVES; kind++) {
        if (move_prob[kind] > 0) last = kind;
        u -= move_prob[kind];
        if (u < 0) return (cp_move_kind)kind;
    }
    return (cp_move_kind)last;
}

copse_status cp_moves_step(cp_moves *k, cp_moves_tree *t, cp_rng *rng, cp_moves_outcome *out, copse_error *err) {
    cp_move move;
    CP_TRY(cp_moves_reserve(k, t, t->pairs + 1, err));
    *out = (cp_moves_outcome){.kind = draw_kind(k->move_prob, rng)};
    if (!cp_moves_choose(k, t, out->kind, rng, &move)) return COPSE_OK;
    out->accepted = cp_math_log(cp_rng_unit(rng)) < cp_moves_log_ratio(k, t, &move);
    if (out->accepted) cp_moves_apply(k, t, &move);
    return COPSE_OK;
}

/* New nodes get the greatest numbers, so a loop over all numbers visits each node once. */
copse_status cp_moves_draw_tree(cp_moves *k, cp_moves_tree *t, cp_rng *rng, copse_error *err) {
    const cp_moves_tree_model *m = k->model;
    copse_status status = COPSE_OK;
    cp_moves_tree_reset(t, m);
    for (int32_t u = 0; (size_t)u < cp_moves_tree_nodes(t); u++) {
        cp_move move = {.kind = CP_MOVE_GROW, .node = u};
        cp_extent e;
        if (!t->node[u].columns || cp_rng_unit(rng) >= cp_tree_prior_split(&m->prior.prior, t->node[u].depth)) continue;
        CP_TRY_OUT(cp_moves_reserve(k, t, t->pairs + 1, err));
        cp_rule_draw(m->ranks, cp_moves_tree_span(t, u), rng, k->order, &move.rule, &e);
        cp_moves_log_ratio(k, t, &move);
        apply_grow(k, t, &move);
    }
out:
    cp_moves_tree_sum(t, m);
    return status;
}
