#include "bart/mh/bart_mh.h"

#include <math.h>
#include <string.h>

#include "bart/core/bart_split_probs.h"
#include "bart/mh/bart_mh_subtree.h"
#include "base/mem.h"
#include "num/math.h"

/* tests/broken builds this file with known bugs, one at a time, to see that tests find them. */
#ifndef CP_BROKEN
#define CP_BROKEN(bug) 0
#endif

copse_status cp_bart_mh_init(cp_bart_mh *k, const cp_bart_columns *c, const cp_bart_sampler_options *opt,
                             copse_error *err) {
    *k = (cp_bart_mh){0};
    memcpy(k->move_prob, opt->move_prob, sizeof k->move_prob);
    return CP_RAW(k->slot, c->ranks.rows, err);
}

void cp_bart_mh_clear(cp_bart_mh *k) {
    cp_mem_free(k->slot);
    *k = (cp_bart_mh){0};
}

/* ----------------------------------------------------------------------------------------------------------- choose */

double cp_bart_mh_move_prob(const cp_bart_mh *k, cp_bart_move kind, size_t leaves) {
    return leaves > 1 ? k->move_prob[kind] : kind == CP_BART_GROW;
}

static int has_two_leaves(const cp_bart_tree *t, int16_t node) {
    int16_t left = t->node[node].left;
    return left != CP_NONE && t->node[left].left == CP_NONE && t->node[left + 1].left == CP_NONE;
}

static size_t growable(const cp_bart_tree *t) {
    size_t n = 0;
    for (size_t s = 0; s < cp_bart_tree_leaves(t); s++) n += t->leaf[s].open;
    return n;
}

/* Inner nodes with two leaves. */
static size_t prunable(const cp_bart_tree *t) {
    size_t n = 0;
    for (size_t u = 1; u < cp_bart_tree_nodes(t); u += 2)
        n += t->node[u].left == CP_NONE && t->node[u + 1].left == CP_NONE;
    return n;
}

size_t cp_bart_mh_targets(const cp_bart_tree *t, cp_bart_move kind) {
    switch (kind) {
        case CP_BART_GROW: return cp_bart_tree_leaves(t) < CP_BART_MAX_LEAVES ? growable(t) : 0;
        case CP_BART_PRUNE: return prunable(t);
        case CP_BART_CHANGE: return t->pairs;
        case CP_BART_SWAP: return t->pairs ? t->pairs - 1 : 0; /* all inner nodes but the root, which is the first */
        default: return 0;
    }
}

int16_t cp_bart_mh_target(const cp_bart_tree *t, cp_bart_move kind, size_t i) {
    size_t at = 0;
    switch (kind) {
        case CP_BART_GROW:
            while (!t->leaf[at].open || i--) at++;
            return t->leaf[at].node;
        case CP_BART_PRUNE:
            while (!has_two_leaves(t, t->node[2 * at + 1].parent) || i--) at++;
            return t->node[2 * at + 1].parent;
        case CP_BART_CHANGE: return t->node[2 * i + 1].parent;
        default: return t->node[2 * i + 3].parent;
    }
}

int cp_bart_mh_choose(cp_bart_mh *k, const cp_bart_view *v, const cp_bart_tree *t, cp_bart_move kind, cp_rng *rng,
                      cp_bart_mh_move *out) {
    size_t n = cp_bart_mh_targets(t, kind);
    int varies = 1;
    if (!n) return 0;
    *out = (cp_bart_mh_move){.kind = kind, .node = cp_bart_mh_target(t, kind, (size_t)cp_rng_below(rng, n))};
    if (kind == CP_BART_GROW)
        varies = cp_bart_split_probs_draw_rule(v, (cp_bart_group){t->slot, (uint8_t)t->node[out->node].slot}, rng,
                                               &out->rule);
    if (kind == CP_BART_CHANGE)
        varies = cp_bart_split_probs_draw_rule(v, cp_bart_tree_merge(t, v, out->node, k->slot), rng, &out->rule);
    CP_BUG(!varies);
    return 1;
}

/* ------------------------------------------------------------------------------------------------------------- edit */

/* Exchanges the subtrees of a and b; the parents of a and b stay. */
static void exchange(cp_bart_tree *t, int16_t a, int16_t b) {
    cp_bart_node old = t->node[a];
    const int16_t both[2] = {a, b};
    t->node[a] = t->node[b];
    t->node[b] = old;
    t->node[b].parent = t->node[a].parent;
    t->node[a].parent = old.parent;
    for (int i = 0; i < 2; i++) {
        const cp_bart_node *n = &t->node[both[i]];
        if (n->left == CP_NONE)
            t->leaf[n->slot].node = both[i];
        else
            t->node[n->left].parent = t->node[n->left + 1].parent = both[i];
    }
}

static int same_rule(cp_rule a, cp_rule b) {
    return a.dim == b.dim && a.cell == b.cell;
}

static cp_bart_node *sibling_of(cp_bart_tree *t, int16_t node) {
    return &t->node[node % 2 ? node + 1 : node - 1];
}

/* Its own inverse, as in bayes/moves.c, because a child never has its parent's rule.  Returns how many children got the
 * parent's rule. */
static int edit_swap(cp_bart_tree *t, int16_t lower) {
    cp_bart_node *below = &t->node[lower], *above = &t->node[below->parent], *other = sibling_of(t, lower);
    cp_rule up = below->rule;
    int both = other->left != CP_NONE && same_rule(other->rule, up);
    if (both) {
        other->rule = above->rule;
        exchange(t, (int16_t)(t->node[above->left].left + 1), t->node[above->left + 1].left);
    }
    below->rule = above->rule;
    above->rule = up;
    return 1 + both;
}

/* ------------------------------------------------------------------------------------------------------------ ratio */

static double log_variance_gain(const cp_bart_view *v, const cp_bart_leaf *l, const cp_bart_leaf *r) {
    return cp_bart_view_log_leaf(v, l->sum_w, l->sum_wr) + cp_bart_view_log_leaf(v, r->sum_w, r->sum_wr) -
           cp_bart_view_log_leaf(v, l->sum_w + r->sum_w, l->sum_wr + r->sum_wr);
}

/* log of the Metropolis-Hastings ratio of a grow: posterior times proposal with the node split, over the same with the
 * node as a leaf.  The prior of the rule and its proposal cancel.  odds: probability of proposing the prune over that
 * of proposing the grow, without the rule.
 *
 * With a = noise_var + leaf_var W for the left leaf, the right leaf and both together, the marginal likelihoods of
 * cp_bart_view_log_leaf have the ratio sqrt(noise_var a / (a_l a_r)) exp(...): one logarithm is enough for all. */
static double log_grown(const cp_bart_view *v, const cp_bart_split *s, uint16_t depth, double odds) {
    const cp_bart_leaf *l = &s->left, *r = &s->right;
    double prior = v->log_split[depth] - v->log_stop[depth] + (double)(l->open + r->open) * v->log_stop[depth + 1];
    if (!v->r) return prior + cp_math_log(odds);
    if (v->opt_lambda) return prior + cp_math_log(odds) + log_variance_gain(v, l, r);
    double a_l = v->noise_var + v->leaf_var * l->sum_w, a_r = v->noise_var + v->leaf_var * r->sum_w;
    double a = a_l + v->leaf_var * r->sum_w, sum = l->sum_wr + r->sum_wr;
    double squares = l->sum_wr * l->sum_wr / a_l + r->sum_wr * r->sum_wr / a_r - sum * sum / a;
    double roots = (v->noise_var / a_l) * (a / a_r);
    return prior + 0.5 * (v->leaf_var / v->noise_var * squares + cp_math_log(roots * odds * odds));
}

/* The probability of pruning one of `prunes` nodes of the larger tree, over that of growing one of `grows` leaves of
 * the smaller tree, which has `leaves` leaves. */
static double odds_of(const cp_bart_mh *k, size_t leaves, size_t grows, size_t prunes) {
    double prune = k->move_prob[CP_BART_PRUNE] / (double)prunes;
    return prune * (double)grows / cp_bart_mh_move_prob(k, CP_BART_GROW, leaves);
}

static double log_grow(cp_bart_mh *k, const cp_bart_view *v, const cp_bart_tree *t, const cp_bart_mh_move *move) {
    const cp_bart_node *n = &t->node[move->node];
    k->split = (cp_bart_split){.node = move->node, .rule = move->rule};
    if (n->depth + 1 >= CP_BART_MAX_DEPTHS || !cp_bart_tree_try_split(t, v, &k->split)) return -INFINITY;
    size_t parent_was_prunable = n->parent != CP_NONE && has_two_leaves(t, n->parent) && !CP_BROKEN(BROKEN_PRUNABLE);
    size_t prunes = prunable(t) + 1 - parent_was_prunable;
    return log_grown(v, &k->split, n->depth, odds_of(k, cp_bart_tree_leaves(t), growable(t), prunes));
}

static double log_prune(const cp_bart_mh *k, const cp_bart_view *v, const cp_bart_tree *t,
                        const cp_bart_mh_move *move) {
    const cp_bart_node *n = &t->node[move->node];
    cp_bart_split s = {.left = t->leaf[t->node[n->left].slot], .right = t->leaf[t->node[n->left + 1].slot]};
    size_t grows = growable(t) + 1 - s.left.open - s.right.open;
    return -log_grown(v, &s, n->depth, odds_of(k, cp_bart_tree_leaves(t) - 1, grows, prunable(t)));
}

static double log_of_two(const cp_bart_view *v, const cp_bart_tree *t, int16_t node) {
    const cp_bart_node *n = &t->node[node], *left = &t->node[n->left];
    double sum = v->log_split[n->depth];
    for (int i = 0; i < 2; i++) {
        const cp_bart_leaf *l = &t->leaf[left[i].slot];
        sum += cp_bart_view_log_leaf(v, l->sum_w, l->sum_wr) + (l->open ? v->log_stop[left->depth] : 0);
    }
    return sum;
}

/* Both rules are left out: the proposal of a rule is its prior, so they cancel. */
static double log_change(cp_bart_mh *k, const cp_bart_view *v, cp_bart_tree *t, const cp_bart_mh_move *move) {
    cp_bart_node *n = &t->node[move->node];
    cp_rule old = n->rule;
    int with_rule = CP_BROKEN(BROKEN_CHANGE);
    double was = has_two_leaves(t, move->node) && !with_rule
                     ? log_of_two(v, t, move->node)
                     : cp_bart_mh_subtree_log_prob(k, v, t, move->node, with_rule);
    n->rule = move->rule;
    double is = cp_bart_mh_subtree_log_prob(k, v, t, move->node, with_rule);
    n->rule = old;
    return is - was;
}

static double log_swap(cp_bart_mh *k, const cp_bart_view *v, cp_bart_tree *t, const cp_bart_mh_move *move) {
    int16_t top = t->node[move->node].parent;
    double was = cp_bart_mh_subtree_log_prob(k, v, t, top, 1);
    edit_swap(t, move->node);
    double is = cp_bart_mh_subtree_log_prob(k, v, t, top, 1);
    edit_swap(t, move->node);
    return is - was;
}

double cp_bart_mh_log_ratio(cp_bart_mh *k, const cp_bart_view *v, cp_bart_tree *t, const cp_bart_mh_move *move) {
    switch (move->kind) {
        case CP_BART_GROW: return log_grow(k, v, t, move);
        case CP_BART_PRUNE: return log_prune(k, v, t, move);
        case CP_BART_CHANGE: return log_change(k, v, t, move);
        default: return log_swap(k, v, t, move);
    }
}

/* ------------------------------------------------------------------------------------------------------------ apply */

static void draw_cut(const cp_bart_view *v, cp_bart_node *n, cp_rng *rng) {
    n->cut = cp_bart_columns_cut(v->columns, n->rule, rng);
}

static void apply_swap(cp_bart_mh *k, const cp_bart_view *v, cp_bart_tree *t, int16_t lower, cp_rng *rng) {
    int16_t top = t->node[lower].parent;
    int lowered = edit_swap(t, lower);
    draw_cut(v, &t->node[top], rng);
    draw_cut(v, &t->node[lower], rng);
    if (lowered > 1) draw_cut(v, sibling_of(t, lower), rng);
    cp_bart_mh_subtree_apply(k, v, t, top);
}

void cp_bart_mh_apply(cp_bart_mh *k, const cp_bart_view *v, cp_bart_tree *t, const cp_bart_mh_move *move, cp_rng *rng) {
    switch (move->kind) {
        case CP_BART_GROW:
            k->split.cut = cp_bart_columns_cut(v->columns, move->rule, rng);
            cp_bart_tree_split(t, v, &k->split);
            break;
        case CP_BART_PRUNE: cp_bart_tree_collapse(t, v, move->node); break;
        case CP_BART_CHANGE:
            t->node[move->node].rule = move->rule;
            draw_cut(v, &t->node[move->node], rng);
            cp_bart_mh_subtree_apply(k, v, t, move->node);
            break;
        default: apply_swap(k, v, t, move->node, rng); break;
    }
}

/* ------------------------------------------------------------------------------------------------------ the sampler */

static cp_bart_move draw_kind(const cp_bart_mh *k, const cp_bart_tree *t, cp_rng *rng) {
    double u = cp_rng_unit(rng);
    int last = 0;
    for (int kind = 0; kind < CP_BART_REGROW; kind++) {
        double prob = cp_bart_mh_move_prob(k, (cp_bart_move)kind, cp_bart_tree_leaves(t));
        if (prob > 0) last = kind;
        u -= prob;
        if (u < 0) break;
    }
    return (cp_bart_move)last;
}

static copse_status step(void *sampler, const cp_bart_view *v, cp_bart_tree *t, cp_rng *rng, cp_bart_tally *tally,
                         copse_error *err) {
    cp_bart_mh *k = sampler;
    cp_bart_mh_move move;
    if (cp_bart_tree_leaves(t) < CP_BART_MAX_LEAVES) CP_TRY(cp_bart_tree_reserve(t, cp_bart_tree_leaves(t) + 1, err));
    cp_bart_move kind = draw_kind(k, t, rng);
    tally->proposed[kind]++;
    if (!cp_bart_mh_choose(k, v, t, kind, rng, &move)) return COPSE_OK;
    if (!(cp_math_log(cp_rng_unit(rng)) < cp_bart_mh_log_ratio(k, v, t, &move))) return COPSE_OK;
    cp_bart_mh_apply(k, v, t, &move, rng);
    tally->accepted[kind]++;
    return COPSE_OK;
}

static copse_status make(const cp_bart_columns *c, const cp_bart_sampler_options *opt, void **out, copse_error *err) {
    cp_bart_mh *k;
    CP_TRY(CP_RAW(k, 1, err));
    copse_status status = cp_bart_mh_init(k, c, opt, err);
    if (status)
        cp_mem_free(k);
    else
        *out = k;
    return status;
}

static void free_sampler(void *sampler) {
    if (sampler) cp_bart_mh_clear(sampler);
    cp_mem_free(sampler);
}

const cp_bart_sampler cp_bart_mh_sampler = {.name = "mh", .make = make, .free = free_sampler, .step = step};
