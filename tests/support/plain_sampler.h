/* plain_sampler - grow and prune as plainly as they can be written: what tests of a chain need of a sampler, and a second
 * opinion on the library's own. */
#ifndef PLAIN_SAMPLER_H
#define PLAIN_SAMPLER_H

#include "bart/bart_sampler.h"
#include "base/mem.h"
#include "check.h"

static inline int plain_can_prune(const cp_bart_tree *t, int16_t u) {
    int16_t left = t->node[u].left;
    return left != CP_NONE && t->node[left].left == CP_NONE && t->node[left + 1].left == CP_NONE;
}

/* Leaves that can be split, or parents of two leaves: how many, and the i-th. */
static inline size_t plain_targets(const cp_bart_tree *t, int prune, size_t i, int16_t *opt_out) {
    size_t n = 0;
    for (int16_t u = 0; (size_t)u < cp_bart_tree_nodes(t); u++) {
        int is = prune ? plain_can_prune(t, u) : t->node[u].left == CP_NONE && t->leaf[t->node[u].slot].open;
        if (is && n++ == i && opt_out) *opt_out = u;
    }
    return n;
}

/* log of (posterior with the pair) / (posterior with the leaf), but for the rule, which is proposed from its prior. */
static inline double plain_log_pair(const cp_bart_view *v, size_t depth, const cp_bart_leaf *l, const cp_bart_leaf *r) {
    double log = v->log_split[depth] - v->log_stop[depth];
    log += (l->open ? v->log_stop[depth + 1] : 0) + (r->open ? v->log_stop[depth + 1] : 0);
    return log + cp_bart_log_leaf(v, l->sum_w, l->sum_wr) + cp_bart_log_leaf(v, r->sum_w, r->sum_wr) -
           cp_bart_log_leaf(v, l->sum_w + r->sum_w, l->sum_wr + r->sum_wr);
}

static inline copse_status plain_grow(const cp_bart_view *v, cp_bart_tree *t, cp_rng *rng, cp_bart_tally *tally,
                                      copse_error *err) {
    size_t n = plain_targets(t, 0, 0, NULL), prunable = plain_targets(t, 1, 0, NULL);
    cp_bart_split s = {0};
    if (!n || cp_bart_tree_leaves(t) == CP_BART_LEAVES) return COPSE_OK;
    CP_TRY(cp_bart_tree_reserve(t, cp_bart_tree_leaves(t) + 1, err));
    plain_targets(t, 0, (size_t)cp_rng_below(rng, n), &s.node);
    cp_bart_share_rule_of_leaf(v, t->slot, (uint8_t)t->node[s.node].slot, rng, &s.rule);
    s.cut = cp_bart_columns_cut(v->columns, s.rule, rng);
    cp_bart_tree_try(t, v, &s);
    int16_t parent = t->node[s.node].parent;
    size_t then = prunable + 1 - (parent != CP_NONE && plain_can_prune(t, parent));
    double ratio = plain_log_pair(v, t->node[s.node].depth, &s.left, &s.right) + log((double)n / (double)then);
    if (log(cp_rng_unit(rng)) < ratio) {
        cp_bart_tree_split(t, v, &s);
        tally->accepted[CP_BART_GROW]++;
    }
    return COPSE_OK;
}

static inline void plain_prune(const cp_bart_view *v, cp_bart_tree *t, cp_rng *rng, cp_bart_tally *tally) {
    size_t n = plain_targets(t, 1, 0, NULL), open = plain_targets(t, 0, 0, NULL);
    int16_t at = CP_NONE;
    if (!n) return;
    plain_targets(t, 1, (size_t)cp_rng_below(rng, n), &at);
    const cp_bart_leaf *l = &t->leaf[t->node[t->node[at].left].slot], *r = &t->leaf[t->node[t->node[at].left + 1].slot];
    double then = (double)(open + 1) - (l->open != 0) - (r->open != 0);
    double ratio = -plain_log_pair(v, t->node[at].depth, l, r) + log((double)n / then);
    if (log(cp_rng_unit(rng)) < ratio) {
        cp_bart_tree_join(t, v, at);
        tally->accepted[CP_BART_PRUNE]++;
    }
}

static inline copse_status plain_step(void *sampler, const cp_bart_view *v, cp_bart_tree *t, cp_rng *rng,
                                      cp_bart_tally *tally, copse_error *err) {
    (void)sampler;
    int prune = cp_rng_unit(rng) < .5;
    tally->proposed[prune ? CP_BART_PRUNE : CP_BART_GROW]++;
    if (!prune) return plain_grow(v, t, rng, tally, err);
    plain_prune(v, t, rng, tally);
    return COPSE_OK;
}

static inline copse_status plain_make(const cp_bart_columns *c, const cp_bart_sampler_options *opt, void **out,
                                      copse_error *err) {
    (void)c;
    (void)opt;
    return (*out = cp_mem_new(1, 1)) ? COPSE_OK : cp_fail_memory(err);
}

static const cp_bart_sampler plain_sampler = {
    .name = "plain", .make = plain_make, .free = cp_mem_free, .step = plain_step};

#endif
