#include "bart/pg/bart_pg.h"

#include <math.h>
#include <string.h>

#include "bart/mh/bart_mh.h"
#include "bart/pg/bart_pg_pick.h"
#include "bart/pg/bart_pg_resample.h"
#include "num/math.h"

/* tests/broken builds this file with known bugs, one at a time, to see that tests find them. */
#ifndef CP_BROKEN
#define CP_BROKEN(bug) 0
#endif

enum { MOST_NODES = 2 * CP_BART_MAX_LEAVES - 1 };

/* ---------------------------------------------------------------------------------------------------- make and free */

static void pg_free(void *sampler) {
    cp_bart_pg *g = sampler;
    if (!g) return;
    if (g->opt_mh) cp_bart_mh_sampler.free(g->opt_mh);
    cp_bart_pg_propose_clear(&g->propose);
    cp_mem_free(g->particle);
    cp_mem_free(g->copy);
    cp_mem_free(g->lists);
    cp_mem_free(g->row);
    cp_mem_free(g->weight);
    cp_mem_free(g->tmp);
    cp_mem_free(g->parent);
    cp_mem_free(g);
}

static copse_status check_options(const cp_bart_sampler_options *opt, copse_error *err) {
    if (opt->particles < 2) return cp_fail(err, COPSE_E_USAGE, "particle Gibbs needs at least 2 particles");
    if (opt->proposal == CP_BART_PG_MIXED && !opt->columns)
        return cp_fail(err, COPSE_E_USAGE, "a mixed proposal looks at 1 column or more");
    return COPSE_OK;
}

/* Divides g->lists among all particles, then all copies: `node` and `split` of each. */
static void divide_lists(cp_bart_pg *g) {
    int32_t *at = g->lists;
    for (size_t i = 0; i < 2 * g->opt.particles; i++, at += (size_t)2 * MOST_NODES) {
        cp_bart_pg_particle *p = i < g->opt.particles ? &g->particle[i] : &g->copy[i - g->opt.particles];
        p->node = at;
        p->split = at + MOST_NODES;
    }
}

static copse_status pg_make(const cp_bart_columns *c, const cp_bart_sampler_options *opt, void **out,
                            copse_error *err) {
    copse_status status;
    cp_bart_pg *g = NULL;
    *out = NULL;
    CP_TRY(check_options(opt, err));
    CP_TRY(CP_NEW(g, 1, err));
    g->columns = c;
    g->opt = *opt;
    CP_TRY_OUT(cp_bart_pg_propose_init(&g->propose, c, opt, err));
    CP_TRY_OUT(CP_NEW(g->particle, opt->particles, err));
    CP_TRY_OUT(CP_NEW(g->copy, opt->particles, err));
    CP_TRY_OUT(CP_RAW(g->lists, 4 * opt->particles * MOST_NODES, err));
    CP_TRY_OUT(CP_RAW(g->row, c->ranks.rows, err));
    CP_TRY_OUT(CP_RAW(g->weight, opt->particles, err));
    CP_TRY_OUT(CP_RAW(g->tmp, 4 * opt->particles + 2, err));
    CP_TRY_OUT(CP_RAW(g->parent, 2 * opt->particles, err));
    divide_lists(g);
    if (opt->mh_moves) CP_TRY_OUT(cp_bart_mh_sampler.make(c, opt, &g->opt_mh, err));
    *out = g;
out:
    if (status) pg_free(g);
    return status;
}

/* ----------------------------------------------------------------------------------------------- where to grow anew */

static int goes_left(const cp_bart_columns *c, cp_rule rule, size_t row) {
    return cp_ranks_column(&c->ranks, rule.dim)[row] <= rule.cell;
}

/* The root of the subtree to regrow; CP_NONE: the step does nothing. */
static int16_t choose_node(const cp_bart_pg *g, const cp_bart_tree *t, cp_rng *rng) {
    const double w[2] = {1 - g->opt.descend_prob, g->opt.descend_prob};
    int16_t at = 0;
    if (!(g->opt.descend_prob > 0)) return 0;
    size_t row = cp_bart_pg_pick_below(g->columns->ranks.rows, rng);
    while (cp_bart_pg_pick(w, 2, 1, rng)) {
        const cp_bart_node *n = &t->node[at];
        if (cp_bart_tree_is_leaf(t, at)) return CP_NONE;
        at = (int16_t)(n->left + !goes_left(g->columns, n->rule, row));
    }
    return at;
}

/* Lists the rows below a node, rising, in g->row; *out_leaves: the number of leaves below it. */
static cp_span rows_below(cp_bart_pg *g, const cp_bart_tree *t, int16_t top, size_t *out_leaves) {
    uint8_t in[CP_BART_MAX_LEAVES];
    cp_bart_tree_below(t, top, in);
    *out_leaves = 0;
    for (size_t s = 0; s < cp_bart_tree_leaves(t); s++) *out_leaves += in[s] != 0;
    return (cp_span){g->row, g->columns->leaf_pass->list(t->slot, in, g->columns->ranks.rows, g->row)};
}

/* -------------------------------------------------------------------------------------------------------- particles */

static void skip_closed(const cp_bart_pg *g, cp_bart_pg_particle *p) {
    while (p->next < p->nodes && !g->propose.pg_nodes.node[p->node[p->next]].open) p->split[p->next++] = CP_NONE;
}

static copse_status begin(cp_bart_pg *g, const cp_bart_view *v, const cp_bart_tree *t, int16_t top, copse_error *err) {
    size_t leaves;
    cp_span rows = rows_below(g, t, top, &leaves);
    CP_TRY(cp_bart_pg_nodes_begin(&g->propose.pg_nodes, v, rows, t->node[top].depth, err));
    for (size_t i = 0; i < g->opt.particles; i++) {
        cp_bart_pg_particle *p = &g->particle[i];
        p->retained = i == 0;
        p->log_w = 0;
        p->nodes = 1;
        p->next = 0;
        p->leaves = cp_bart_tree_leaves(t) - leaves + 1;
        p->node[0] = 0;
        skip_closed(g, p);
    }
    g->old_node[0] = top;
    return COPSE_OK;
}

static void take_decision(const cp_bart_pg *g, cp_bart_pg_particle *p, cp_bart_pg_decision d) {
    p->log_w += d.log_w;
    p->split[p->next++] = d.split;
    if (d.split != CP_NONE) {
        int32_t left = g->propose.pg_nodes.split[d.split].left;
        p->node[p->nodes++] = left;
        p->node[p->nodes++] = left + 1;
        p->leaves++;
    }
    skip_closed(g, p);
}

/* The retained particle repeats the decision of the node of the old tree at the same position. */
static copse_status decide_again(cp_bart_pg *g, const cp_bart_tree *t, cp_bart_pg_particle *p, cp_rng *rng,
                                 cp_bart_pg_decision *out, copse_error *err) {
    const cp_bart_node *n = &t->node[g->old_node[p->next]];
    if (n->left == CP_NONE) return cp_bart_pg_propose_given(&g->propose, p->node[p->next], NULL, rng, out, err);
    g->old_node[p->nodes] = n->left;
    g->old_node[p->nodes + 1] = (int16_t)(n->left + 1);
    return cp_bart_pg_propose_given(&g->propose, p->node[p->next], &n->rule, rng, out, err);
}

/* Every particle with an undecided node decides its first one; *out: how many particles still have undecided nodes. */
static copse_status stage(cp_bart_pg *g, const cp_bart_tree *t, cp_rng *rng, size_t *out, copse_error *err) {
    *out = 0;
    for (size_t i = 0; i < g->opt.particles; i++) {
        cp_bart_pg_particle *p = &g->particle[i];
        cp_bart_pg_decision d;
        if (p->next == p->nodes) continue;
        if (p->leaves == CP_BART_MAX_LEAVES)
            d = cp_bart_pg_propose_stop(&g->propose, p->node[p->next]);
        else if (p->retained)
            CP_TRY(decide_again(g, t, p, rng, &d, err));
        else
            CP_TRY(cp_bart_pg_propose_draw(&g->propose, p->node[p->next], rng, &d, err));
        take_decision(g, p, d);
        *out += p->next < p->nodes;
    }
    return COPSE_OK;
}

/* ------------------------------------------------------------------------------------------------------- resampling */

/* g->weight: the weights, divided by the greatest.  Returns their sum. */
static double find_weights(cp_bart_pg *g) {
    double top = -INFINITY, sum = 0;
    for (size_t i = 0; i < g->opt.particles; i++) top = fmax(top, g->particle[i].log_w);
    for (size_t i = 0; i < g->opt.particles; i++) sum += g->weight[i] = cp_math_exp(g->particle[i].log_w - top);
    return sum;
}

static int should_resample(const cp_bart_pg *g, double sum) {
    double squares = 0, n = (double)g->opt.particles;
    for (size_t i = 0; i < g->opt.particles; i++) squares += g->weight[i] * g->weight[i];
    return g->opt.ess_threshold >= 1 || sum * sum / squares <= g->opt.ess_threshold * n;
}

static void copy_particle(cp_bart_pg_particle *to, const cp_bart_pg_particle *from) {
    to->retained = 0;
    to->log_w = CP_BROKEN(BROKEN_KEEPS_WEIGHTS) ? from->log_w : 0;
    to->nodes = from->nodes;
    to->next = from->next;
    to->leaves = from->leaves;
    memcpy(to->node, from->node, from->nodes * sizeof *to->node);
    memcpy(to->split, from->split, from->next * sizeof *to->split);
}

static void resample(cp_bart_pg *g, cp_rng *rng) {
    double sum = find_weights(g);
    if (!should_resample(g, sum)) return;
    const cp_bart_pg_resample_scratch room = {g->tmp, g->parent + g->opt.particles, g->parent};
    cp_bart_pg_resample(g->opt.resampling, g->weight, g->opt.particles, sum, room, rng);
    if (CP_BROKEN(BROKEN_CLAMP_SLIPS)) g->parent[0] = (uint32_t)cp_bart_pg_pick(g->weight, g->opt.particles, sum, rng);
    for (size_t i = 0; i < g->opt.particles; i++) {
        size_t from = g->parent[i];
        copy_particle(&g->copy[i], &g->particle[from]);
        g->copy[i].retained = i == 0 && g->particle[from].retained;
    }
    cp_bart_pg_particle *swap = g->particle;
    g->particle = g->copy;
    g->copy = swap;
}

/* --------------------------------------------------------------------------------------------------------- new tree */

/* 1 if the particle made the same decisions as the retained one: equal splits have equal numbers. */
static int is_old(const cp_bart_pg *g, const cp_bart_pg_particle *p) {
    const cp_bart_pg_particle *old = &g->particle[0];
    return p->nodes == old->nodes && !memcmp(p->split, old->split, p->nodes * sizeof *p->split);
}

/* The position of a node: collapsing pairs changes its number, but not its path from the root. */
typedef struct path {
    size_t depth;
    uint64_t right; /* bit i: the step down from depth i goes right */
} path;

static path path_to(const cp_bart_tree *t, int16_t node) {
    path p = {t->node[node].depth, 0};
    for (; t->node[node].parent != CP_NONE; node = t->node[node].parent) {
        const cp_bart_node *up = &t->node[t->node[node].parent];
        p.right |= (uint64_t)(node != up->left) << (t->node[node].depth - 1);
    }
    return p;
}

static int16_t node_at(const cp_bart_tree *t, path p) {
    int16_t at = 0;
    for (size_t i = 0; i < p.depth; i++) at = (int16_t)(t->node[at].left + (int)(p.right >> i & 1));
    return at;
}

/* Collapses the subtree of a node to a leaf; returns the new number of the node. */
static int16_t collapse_below(cp_bart_tree *t, const cp_bart_view *v, int16_t top) {
    path p = path_to(t, top);
    while (t->node[top].left != CP_NONE) {
        int16_t at = top, down = top;
        while (down != CP_NONE) {
            int16_t left = t->node[down].left;
            at = down;
            down = t->node[left].left != CP_NONE               ? left
                   : t->node[(size_t)left + 1].left != CP_NONE ? (int16_t)(left + 1)
                                                               : CP_NONE;
        }
        cp_bart_tree_collapse(t, v, at);
        top = node_at(t, p);
    }
    return top;
}

static cp_bart_leaf leaf_of(const cp_bart_pg_node *b) {
    return (cp_bart_leaf){.rows = (uint32_t)b->rows.n,
                          .open = (uint32_t)b->varies,
                          .node = CP_NONE,
                          .sum_w = b->sums.w,
                          .sum_wr = b->sums.wr};
}

static void apply_split(cp_bart_pg *g, const cp_bart_view *v, cp_bart_tree *t, int16_t node, const cp_bart_pg_split *f,
                        cp_rng *rng) {
    const cp_bart_pg_node *child = &g->propose.pg_nodes.node[f->left];
    cp_bart_split s = {.node = node, .left = leaf_of(&child[0]), .right = leaf_of(&child[1])};
    s.rule = (cp_rule){f->dim, cp_rule_draw_cell(&v->columns->ranks, f->dim, f->gap, rng)};
    s.cut = cp_bart_columns_cut(v->columns, s.rule, rng);
    cp_bart_tree_split(t, v, &s);
}

/* Replaces the subtree of `top` by the tree of a particle.  Memory is reserved. */
static void build_tree(cp_bart_pg *g, const cp_bart_view *v, cp_bart_tree *t, int16_t top, const cp_bart_pg_particle *p,
                       cp_rng *rng) {
    g->new_node[0] = collapse_below(t, v, top);
    for (size_t i = 0, made = 1; i < p->nodes; i++) {
        if (p->split[i] == CP_NONE) continue;
        apply_split(g, v, t, g->new_node[i], &g->propose.pg_nodes.split[p->split[i]], rng);
        g->new_node[made++] = t->node[g->new_node[i]].left;
        g->new_node[made++] = (int16_t)(t->node[g->new_node[i]].left + 1);
    }
}

/* ------------------------------------------------------------------------------------------------------------- step */

/* Reserves for so many leaves and those that MH moves may add, so that a step fails before it has changed anything. */
static copse_status reserve(const cp_bart_pg *g, cp_bart_tree *t, size_t leaves, copse_error *err) {
    size_t most = leaves + g->opt.mh_moves;
    return cp_bart_tree_reserve(t, most < CP_BART_MAX_LEAVES ? most : CP_BART_MAX_LEAVES, err);
}

static copse_status regrow(cp_bart_pg *g, const cp_bart_view *v, cp_bart_tree *t, cp_rng *rng, cp_bart_tally *tally,
                           copse_error *err) {
    int16_t top = choose_node(g, t, rng);
    size_t busy;
    CP_TRY(reserve(g, t, cp_bart_tree_leaves(t), err));
    if (top == CP_NONE) return COPSE_OK;
    CP_TRY(begin(g, v, t, top, err));
    for (;;) {
        CP_TRY(stage(g, t, rng, &busy, err));
        if (!busy) break;
        resample(g, rng);
    }
    if (CP_BROKEN(BROKEN_NEVER_OLD)) g->particle[0].log_w = -INFINITY;
    double sum = find_weights(g);
    const cp_bart_pg_particle *chosen = &g->particle[cp_bart_pg_pick(g->weight, g->opt.particles, sum, rng)];
    CP_TRY(reserve(g, t, chosen->leaves, err));
    tally->proposed[CP_BART_REGROW]++;
    if (is_old(g, chosen)) return COPSE_OK;
    build_tree(g, v, t, top, chosen, rng);
    tally->accepted[CP_BART_REGROW]++;
    return COPSE_OK;
}

static copse_status pg_step(void *sampler, const cp_bart_view *v, cp_bart_tree *t, cp_rng *rng, cp_bart_tally *tally,
                            copse_error *err) {
    cp_bart_pg *g = sampler;
    CP_TRY(regrow(g, v, t, rng, tally, err));
    for (size_t i = 0; i < g->opt.mh_moves; i++) CP_TRY(cp_bart_mh_sampler.step(g->opt_mh, v, t, rng, tally, err));
    return COPSE_OK;
}

const cp_bart_sampler cp_bart_pg_sampler = {.name = "pg", .make = pg_make, .free = pg_free, .step = pg_step};
