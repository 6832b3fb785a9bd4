#include "btree/btree_propose.h"

#include <math.h>

#include "base/mem.h"
#include "num/math.h"

/* tests/broken builds this file with known bugs, one at a time, to check that the tests find them. */
#ifndef CP_BROKEN
#define CP_BROKEN(bug) 0
#endif

/* Cached values of a column: valid if `varies_in`, or `sum_in`, is the serial number of the current block. */
typedef struct cp_btree_column_known {
    uint32_t varies_in, sum_in;
    int varies;
    double log_sum;
} known;

copse_status cp_btree_propose_init(cp_btree_proposer *p, const cp_btree_problem *b, const cp_btree_smc_options *opt,
                                   copse_error *err) {
    size_t dims = b->ranks.dims;
    copse_status status;
    *p = (cp_btree_proposer){.b = b, .opt = opt};
    CP_TRY_OUT(cp_btree_column_init(&p->column, b, err));
    CP_TRY_OUT(CP_NEW(p->known, dims, err));
    CP_TRY_OUT(CP_RAW(p->order, dims, err));
    CP_TRY_OUT(CP_RAW(p->swapped, dims, err));
    CP_TRY_OUT(CP_RAW(p->chosen, dims, err));
    CP_TRY_OUT(CP_RAW(p->log_mass, dims + 1, err));
    for (size_t d = 0; d < dims; d++) p->order[d] = (uint32_t)d;
out:
    if (status) cp_btree_propose_clear(p);
    return status;
}

void cp_btree_propose_clear(cp_btree_proposer *p) {
    cp_btree_column_clear(&p->column);
    cp_mem_free(p->known);
    cp_mem_free(p->order);
    cp_mem_free(p->swapped);
    cp_mem_free(p->chosen);
    cp_mem_free(p->log_mass);
    *p = (cp_btree_proposer){0};
}

/* ---------------------------------------------------------------------------------------------------------- columns */

static int varies(cp_btree_proposer *p, uint32_t dim) {
    known *k = &p->known[dim];
    if (k->varies_in != p->now) {
        k->varies = cp_rule_varies(&p->b->ranks, dim, p->block.span);
        k->varies_in = p->now;
    }
    return k->varies;
}

static void load_column(cp_btree_proposer *p, uint32_t dim) {
    if (p->column_in == p->now && p->column.dim == dim) return;
    cp_btree_column_load(&p->column, &p->block, dim);
    if (p->opt->proposal >= CP_BTREE_OPTIMAL && p->column.gaps) cp_btree_column_sum(&p->column);
    p->column_in = p->now;
}

/* Read before each column, because a column of very many rows takes long. */
static int halted(cp_btree_proposer *p) {
    if (p->stop && atomic_load_explicit(p->stop, memory_order_relaxed)) p->halted = 1;
    return p->halted;
}

static double log_sum_of(cp_btree_proposer *p, uint32_t dim) {
    known *k = &p->known[dim];
    if (halted(p)) return -INFINITY;
    if (k->sum_in != p->now) {
        load_column(p, dim);
        k->log_sum = p->column.log_sum;
        k->sum_in = p->now;
    }
    return k->log_sum;
}

/* Chooses a uniform random set of `want` columns that vary: the first ones of a shuffle that is drawn only as far as
 * needed, so that few columns are looked at.  The order is restored afterwards, so that a particle's draws depend on
 * its stream alone. */
static void choose_columns(cp_btree_proposer *p, size_t want, cp_rng *rng) {
    size_t dims = p->b->ranks.dims, tried = 0;
    p->n_chosen = 0;
    for (; tried < dims && p->n_chosen < want; tried++) {
        size_t other = tried + (size_t)cp_rng_below(rng, dims - tried);
        uint32_t dim = p->order[other];
        p->order[other] = p->order[tried];
        p->order[tried] = dim;
        p->swapped[tried] = (uint32_t)other;
        if (varies(p, dim)) p->chosen[p->n_chosen++] = dim;
    }
    while (tried-- > 0) {
        uint32_t dim = p->order[tried];
        p->order[tried] = p->order[p->swapped[tried]];
        p->order[p->swapped[tried]] = dim;
    }
}

static void choose_all_columns(cp_btree_proposer *p) {
    p->n_chosen = 0;
    for (uint32_t d = 0; d < p->b->ranks.dims; d++)
        if (varies(p, d)) p->chosen[p->n_chosen++] = d;
}

/* ------------------------------------------------------------------------------------------------------------ steps */

void cp_btree_propose_begin(cp_btree_proposer *p, const cp_btree_view *block) {
    p->block = *block;
    p->split = cp_tree_prior_split(&p->b->prior, block->depth);
    p->log_split = cp_tree_prior_log_split(&p->b->prior, block->depth);
    p->log_stop = cp_tree_prior_log_stop(&p->b->prior, block->depth);
    if (!++p->now) { /* the serial numbers have wrapped around: invalidate the cache */
        for (size_t d = 0; d < p->b->ranks.dims; d++) p->known[d].varies_in = p->known[d].sum_in = 0;
        p->column_in = 0;
        p->now = 1;
    }
    if (p->opt->proposal == CP_BTREE_OPTIMAL) choose_all_columns(p);
}

static void propose_from_prior(cp_btree_proposer *p, cp_rng *rng, cp_btree_choice *out) {
    *out = (cp_btree_choice){.dim = CP_NONE};
    if (cp_rng_unit(rng) >= p->split) return;
    choose_columns(p, 1, rng);
    out->dim = (int32_t)p->chosen[0];
    out->u = cp_rng_unit(rng);
}

/* Draws among stopping and the chosen columns in proportion to their masses.  The sum of the masses is the weight
 * factor times l(N). */
static void propose_by_mass(cp_btree_proposer *p, cp_rng *rng, cp_btree_choice *out) {
    double each = p->log_split - cp_math_log((double)p->n_chosen);
    double *mass = p->log_mass, top, sum = 0;
    top = mass[0] = p->log_stop + p->block.log_lik;
    for (size_t i = 0; i < p->n_chosen; i++) {
        mass[i + 1] = each + log_sum_of(p, p->chosen[i]);
        top = fmax(top, mass[i + 1]);
    }
    for (size_t i = 0; i <= p->n_chosen; i++) sum += cp_math_exp(mass[i] - top);
    double left = cp_rng_unit(rng) * sum;
    size_t pick = 0;
    for (size_t i = 0; i <= p->n_chosen; i++) {
        double m = cp_math_exp(mass[i] - top);
        if (!(m > 0)) continue;
        pick = i;
        left -= m;
        if (left < 0) break;
    }
    *out = (cp_btree_choice){.dim = pick ? (int32_t)p->chosen[pick - 1] : CP_NONE, .u = cp_rng_unit(rng)};
    out->log_weight = top + cp_math_log(sum) - p->block.log_lik;
}

void cp_btree_propose_column(cp_btree_proposer *p, cp_rng *rng, cp_btree_choice *out) {
    switch (p->opt->proposal) {
        case CP_BTREE_PRIOR:
        case CP_BTREE_EMPIRICAL: propose_from_prior(p, rng, out); break;
        case CP_BTREE_MIXED:
            choose_columns(p, p->opt->columns, rng);
            propose_by_mass(p, rng, out);
            break;
        case CP_BTREE_OPTIMAL: propose_by_mass(p, rng, out); break;
    }
}

void cp_btree_propose_gap(cp_btree_proposer *p, cp_btree_choice *c) {
    if (c->dim == CP_NONE || halted(p)) return;
    load_column(p, (uint32_t)c->dim);
    const cp_btree_column *t = &p->column;
    size_t gap;
    if (p->opt->proposal >= CP_BTREE_OPTIMAL) {
        gap = cp_btree_column_gap_by_mass(t, c->u);
    } else if (p->opt->proposal == CP_BTREE_PRIOR) {
        gap = cp_btree_column_gap_at(t, c->u);
        c->log_weight = t->log_lik[gap] - p->block.log_lik;
    } else {
        gap = (size_t)(c->u * (double)t->gaps);
        if (gap == t->gaps) gap--;
        double count = (double)t->gaps + CP_BROKEN(BROKEN_COUNTS_VALUES);
        c->log_weight = cp_math_log(count * cp_btree_column_share(t, gap)) + t->log_lik[gap] - p->block.log_lik;
    }
    c->gap = cp_btree_column_gap(t, gap);
}
