#include "bart/pg/bart_pg_propose.h"

#include <math.h>

#include "bart/core/bart_split_probs.h"
#include "bart/pg/bart_pg_pick.h"
#include "num/math.h"

copse_status cp_bart_pg_propose_init(cp_bart_pg_proposer *p, const cp_bart_columns *c,
                                     const cp_bart_sampler_options *opt, copse_error *err) {
    size_t dims = c->ranks.dims;
    copse_status status;
    *p = (cp_bart_pg_proposer){.proposal = opt->proposal, .columns = opt->columns};
    CP_TRY_OUT(cp_bart_pg_nodes_init(&p->pg_nodes, c, opt->lookahead, err));
    CP_TRY_OUT(CP_RAW(p->order, dims, err));
    CP_TRY_OUT(CP_RAW(p->log_mass, dims + 1, err));
    CP_TRY_OUT(CP_RAW(p->mass, dims + 1, err));
out:
    if (status) cp_bart_pg_propose_clear(p);
    return status;
}

void cp_bart_pg_propose_clear(cp_bart_pg_proposer *p) {
    cp_bart_pg_nodes_clear(&p->pg_nodes);
    cp_mem_free(p->order);
    cp_mem_free(p->log_mass);
    cp_mem_free(p->mass);
    *p = (cp_bart_pg_proposer){0};
}

static double log_stop(const cp_bart_pg_proposer *p, const cp_bart_pg_node *pg_node) {
    return p->pg_nodes.v->log_stop[pg_node->depth];
}

static double log_split(const cp_bart_pg_proposer *p, const cp_bart_pg_node *pg_node) {
    return p->pg_nodes.v->log_split[pg_node->depth];
}

cp_bart_pg_decision cp_bart_pg_propose_stop(const cp_bart_pg_proposer *p, int32_t pg_node) {
    const cp_bart_pg_node *at = &p->pg_nodes.node[pg_node];
    return (cp_bart_pg_decision){CP_NONE, log_stop(p, at) + at->log_leaf - at->log_value};
}

/* ------------------------------------------------------------------------------------------------------------ prior */

/* Uniform split probabilities: tries columns in random order until one varies, so that few are read. */
static cp_rule draw_rule(cp_bart_pg_proposer *p, cp_span rows, cp_rng *rng) {
    const cp_ranks *ranks = &p->pg_nodes.v->columns->ranks;
    for (uint32_t d = 0; d < ranks->dims; d++) p->order[d] = d;
    for (size_t left = ranks->dims;; left--) {
        CP_BUG(!left); /* some column varies in an open node */
        size_t i = cp_bart_pg_pick_below(left, rng);
        uint32_t dim = p->order[i];
        cp_extent e = cp_bart_pg_nodes_extent(&p->pg_nodes, dim, rows);
        if (e.low != e.high) return (cp_rule){dim, cp_bart_pg_pick_cell(ranks, dim, e, rng)};
        p->order[i] = p->order[left - 1];
    }
}

static copse_status draw_dart_rule(cp_bart_pg_proposer *p, int32_t pg_node, cp_rng *rng, cp_rule *out,
                                   copse_error *err) {
    cp_bart_pg_columns *c;
    double sum = 0;
    CP_TRY(cp_bart_pg_nodes_columns(&p->pg_nodes, pg_node, &c, err));
    for (size_t i = 0; i < c->n; i++) sum += p->mass[i] = cp_math_exp(c->log_prob[i]);
    size_t i = cp_bart_pg_pick(p->mass, c->n, sum, rng);
    *out = (cp_rule){c->dim[i], cp_bart_pg_pick_cell(&p->pg_nodes.v->columns->ranks, c->dim[i], c->extent[i], rng)};
    return COPSE_OK;
}

static copse_status weigh_prior(cp_bart_pg_proposer *p, int32_t pg_node, const cp_rule *opt_rule,
                                cp_bart_pg_decision *out, copse_error *err) {
    double value = p->pg_nodes.node[pg_node].log_value;
    out->split = CP_NONE;
    out->log_w = p->pg_nodes.node[pg_node].log_leaf - value;
    if (!opt_rule) return COPSE_OK;
    CP_TRY(cp_bart_pg_nodes_split(&p->pg_nodes, pg_node, opt_rule->dim,
                                  cp_bart_pg_nodes_gap(&p->pg_nodes, pg_node, *opt_rule), &out->split, err));
    const cp_bart_pg_node *child = &p->pg_nodes.node[p->pg_nodes.split[out->split].left];
    out->log_w = child[0].log_value + child[1].log_value - value;
    return COPSE_OK;
}

static copse_status draw_prior(cp_bart_pg_proposer *p, int32_t pg_node, cp_rng *rng, cp_bart_pg_decision *out,
                               copse_error *err) {
    const cp_bart_pg_node *at = &p->pg_nodes.node[pg_node];
    const double w[2] = {cp_math_exp(log_stop(p, at)), cp_math_exp(log_split(p, at))};
    cp_rule rule;
    if (cp_bart_pg_pick(w, 2, w[0] + w[1], rng) == 0) return weigh_prior(p, pg_node, NULL, out, err);
    if (p->pg_nodes.v->split_probs->opt_s)
        CP_TRY(draw_dart_rule(p, pg_node, rng, &rule, err));
    else
        rule = draw_rule(p, at->rows, rng);
    return weigh_prior(p, pg_node, &rule, out, err);
}

/* ------------------------------------------------------------------------------------------------ optimal and mixed */

/* p->order: numbers into the columns that vary, `want` of them, any set of that many as likely as any other; if first
 * is one of them, any set that holds it. */
static void choose_columns(cp_bart_pg_proposer *p, size_t varying, size_t want, size_t opt_first, cp_rng *rng) {
    size_t done = 0;
    for (uint32_t i = 0; i < varying; i++) p->order[i] = i;
    if (opt_first < varying) {
        p->order[0] = (uint32_t)opt_first;
        p->order[opt_first] = 0;
        done = 1;
    }
    for (; done < want && want < varying; done++) {
        size_t other = done + cp_bart_pg_pick_below(varying - done, rng);
        uint32_t i = p->order[other];
        p->order[other] = p->order[done];
        p->order[done] = i;
    }
}

/* p->mass: the masses of stopping and of the chosen columns, divided by the greatest; log_sum is log Z of
 * bart_pg_propose.h. */
typedef struct masses {
    cp_bart_pg_columns *columns;
    size_t chosen;
    double sum, log_sum;
} masses;

static copse_status find_masses(cp_bart_pg_proposer *p, int32_t pg_node, masses *m, copse_error *err) {
    const cp_bart_pg_columns *c = m->columns;
    double top = p->log_mass[0] = log_stop(p, &p->pg_nodes.node[pg_node]) + p->pg_nodes.node[pg_node].log_leaf;
    double split = log_split(p, &p->pg_nodes.node[pg_node]) + cp_math_log((double)c->n / (double)m->chosen);
    for (size_t i = 0; i < m->chosen; i++) {
        cp_bart_pg_gaps *g;
        CP_TRY(cp_bart_pg_nodes_gaps(&p->pg_nodes, pg_node, p->order[i], &g, err));
        p->log_mass[i + 1] = split + c->log_prob[p->order[i]] + g->log_mean;
        top = fmax(top, p->log_mass[i + 1]);
    }
    m->sum = 0;
    for (size_t i = 0; i <= m->chosen; i++) m->sum += p->mass[i] = cp_math_exp(p->log_mass[i] - top);
    m->log_sum = top + cp_math_log(m->sum);
    return COPSE_OK;
}

static size_t wanted(const cp_bart_pg_proposer *p, size_t varying) {
    return p->proposal == CP_BART_PG_OPTIMAL || p->columns > varying ? varying : p->columns;
}

static double weight_of(const cp_bart_pg_proposer *p, int32_t pg_node, const masses *m, int32_t split) {
    double log_w = m->log_sum - p->pg_nodes.node[pg_node].log_value;
    if (split == CP_NONE) return log_w;
    const cp_bart_pg_node *child = &p->pg_nodes.node[p->pg_nodes.split[split].left];
    for (int side = 0; side < 2; side++) log_w += child[side].log_value - child[side].log_lookahead;
    return log_w;
}

static copse_status draw_scored(cp_bart_pg_proposer *p, int32_t pg_node, cp_rng *rng, cp_bart_pg_decision *out,
                                copse_error *err) {
    masses m;
    CP_TRY(cp_bart_pg_nodes_columns(&p->pg_nodes, pg_node, &m.columns, err));
    m.chosen = wanted(p, m.columns->n);
    choose_columns(p, m.columns->n, m.chosen, m.columns->n, rng);
    CP_TRY(find_masses(p, pg_node, &m, err));
    size_t pick = cp_bart_pg_pick(p->mass, m.chosen + 1, m.sum, rng);
    out->split = CP_NONE;
    if (pick) {
        uint32_t column = p->order[pick - 1];
        const cp_bart_pg_gaps *g = &m.columns->gaps[column];
        size_t gap = cp_bart_pg_pick(g->mass, g->gaps, g->sum, rng);
        const cp_extent between = {g->rank[gap], g->rank[gap + 1]};
        CP_TRY(cp_bart_pg_nodes_split(&p->pg_nodes, pg_node, m.columns->dim[column], between, &out->split, err));
    }
    out->log_w = weight_of(p, pg_node, &m, out->split);
    return COPSE_OK;
}

static copse_status weigh_scored(cp_bart_pg_proposer *p, int32_t pg_node, const cp_rule *opt_rule, cp_rng *rng,
                                 cp_bart_pg_decision *out, copse_error *err) {
    masses m;
    CP_TRY(cp_bart_pg_nodes_columns(&p->pg_nodes, pg_node, &m.columns, err));
    size_t first = opt_rule ? 0 : m.columns->n;
    while (first < m.columns->n && m.columns->dim[first] != opt_rule->dim) first++;
    m.chosen = wanted(p, m.columns->n);
    choose_columns(p, m.columns->n, m.chosen, first, rng);
    CP_TRY(find_masses(p, pg_node, &m, err));
    out->split = CP_NONE;
    if (opt_rule) {
        cp_extent gap = cp_bart_pg_nodes_gap(&p->pg_nodes, pg_node, *opt_rule);
        CP_TRY(cp_bart_pg_nodes_split(&p->pg_nodes, pg_node, opt_rule->dim, gap, &out->split, err));
    }
    out->log_w = weight_of(p, pg_node, &m, out->split);
    return COPSE_OK;
}

/* ------------------------------------------------------------------------------------------------------------------ */

copse_status cp_bart_pg_propose_draw(cp_bart_pg_proposer *p, int32_t pg_node, cp_rng *rng, cp_bart_pg_decision *out,
                                     copse_error *err) {
    return p->proposal == CP_BART_PG_PRIOR ? draw_prior(p, pg_node, rng, out, err)
                                           : draw_scored(p, pg_node, rng, out, err);
}

copse_status cp_bart_pg_propose_given(cp_bart_pg_proposer *p, int32_t pg_node, const cp_rule *opt_rule, cp_rng *rng,
                                      cp_bart_pg_decision *out, copse_error *err) {
    return p->proposal == CP_BART_PG_PRIOR ? weigh_prior(p, pg_node, opt_rule, out, err)
                                           : weigh_scored(p, pg_node, opt_rule, rng, out, err);
}
