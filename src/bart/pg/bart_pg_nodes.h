/* bart_pg_nodes - the nodes of particles.
 *
 * A cp_bart_pg_node is a node of a partial tree: its rows and what follows from them.  It does not change and knows
 * no parent, so particles share it: those that took the same decisions on the way, and those that were copied.  What
 * is found out about a node - its children by this gap or that, the masses of a column's gaps - is found out once.
 *
 * What an undecided node counts for, its promise, decides which particles are copied on the way, and not what a tree is
 * worth in the end; so it may be anything, and the better it foresees what will become of the node's rows, the better.
 *   leaf     the likelihood of the rows in one leaf, as in the thesis.  While the noise is far below what rows differ
 *            by, the particle that is ahead by this measure outweighs all others by hundreds of nats, though all may
 *            end equal;
 *   levels   the likelihood of its levels (bart_pg_levels.h) in leaves of their own, and a price for each leaf but the
 *            first: what the rows are worth if all further cuts part level from level; or their likelihood in one leaf,
 *            if that is more.  A cut that parts levels keeps what was promised, one that goes through a level makes two
 *            leaves of it.  A level that is larger than levels usually are may be several that happen to look alike,
 *            which no tree can join: it counts as so many, and to cut it in halves of the usual size costs nothing.
 * Levels are found once, among all rows that are grown anew.  With one level, the second is the first.
 *
 * All lives in an arena, from `begin` to the next `begin`; nodes and splits are numbers, because their arrays move. */
#ifndef CP_BART_PG_NODES_H
#define CP_BART_PG_NODES_H

#include "bart/core/bart_sampler.h"
#include "bart/pg/bart_pg_levels.h"
#include "base/arena.h"
#include "base/mem.h"

/* Sums over rows of weight w and residual r. */
typedef struct cp_bart_pg_sums {
    size_t n;
    double w, wr;
} cp_bart_pg_sums;

/* All gaps of one column in one node.  Gap g lies between the g-th value of the node's rows and the next. */
typedef struct cp_bart_pg_gaps {
    size_t gaps;     /* 0 until looked at */
    uint32_t *rank;  /* gaps + 1: the values */
    double *mass;    /* share of the extent times what both sides promise, over exp(top) */
    double sum;      /* of mass */
    double log_mean; /* top + log(sum): what a split on this column promises, its place integrated out */
} cp_bart_pg_gaps;

/* The columns that vary in a node. */
typedef struct cp_bart_pg_columns {
    size_t n;
    uint32_t *dim;
    cp_extent *extent;
    double *log_share; /* prior probability of the column */
    cp_bart_pg_gaps *gaps;
} cp_bart_pg_columns;

typedef struct cp_bart_pg_node {
    cp_span rows; /* rising */
    size_t depth;
    int varies; /* some column does */
    int open;   /* and the prior allows a split */
    cp_bart_pg_sums sums;
    double log_leaf;    /* likelihood as a leaf */
    double log_promise; /* what it counts for while it is undecided: see above */
    double log_value;   /* promise if open, else leaf */
    int32_t first;      /* of its splits; CP_NONE: none yet */
    cp_bart_pg_columns *opt_columns;
} cp_bart_pg_node;

/* By the gap between ranks low and high; the children are nodes left and left + 1. */
typedef struct cp_bart_pg_split {
    uint32_t dim;
    cp_extent gap;
    int32_t left, next;
} cp_bart_pg_split;

typedef struct cp_bart_pg_nodes {
    const cp_bart_view *v;
    cp_bart_pg_lookahead promise;
    cp_arena arena;
    cp_bart_pg_node *pg_node;
    size_t n, cap;
    cp_bart_pg_split *fork;
    size_t forks, cap_fork;
    cp_bart_pg_levels levels;
    /* Scratch. */
    uint64_t *key;            /* 2 x rows */
    double *log_mass;         /* rows */
    cp_bart_pg_sums *side[2]; /* of each level: rows to the left, to the right */
    double *log_side[2];      /* their likelihood in a leaf */
} cp_bart_pg_nodes;

copse_status cp_bart_pg_nodes_init(cp_bart_pg_nodes *b, const cp_bart_columns *c, cp_bart_pg_lookahead promise,
                                   copse_error *err);
void cp_bart_pg_nodes_clear(cp_bart_pg_nodes *b);

/* Forgets all nodes; node 0 has these rows, which are copied. */
copse_status cp_bart_pg_nodes_begin(cp_bart_pg_nodes *b, const cp_bart_view *v, cp_span rows, size_t depth,
                                    copse_error *err);
/* The fork of a node by this gap. */
copse_status cp_bart_pg_nodes_split(cp_bart_pg_nodes *b, int32_t pg_node, uint32_t dim, cp_extent gap, int32_t *out,
                                    copse_error *err);
/* The gap a rule lies in. */
cp_extent cp_bart_pg_nodes_gap(const cp_bart_pg_nodes *b, int32_t pg_node, cp_rule rule);
/* The columns that vary, and the gaps of the i-th of them. */
copse_status cp_bart_pg_nodes_columns(cp_bart_pg_nodes *b, int32_t pg_node, cp_bart_pg_columns **out, copse_error *err);
copse_status cp_bart_pg_nodes_gaps(cp_bart_pg_nodes *b, int32_t pg_node, size_t i, cp_bart_pg_gaps **out,
                                   copse_error *err);

#endif
