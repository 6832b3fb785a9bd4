/* bart_pg_nodes - the nodes of particles, and their lookahead function.
 *
 * A cp_bart_pg_node is a node of a partial tree: its rows and what follows from them.  It is immutable and has no link
 * to a parent, so particles share it: those that made the same decisions on the way to it, and copies.  The children of
 * a node for a gap, and the masses of a column's gaps, are computed once.
 *
 * The lookahead function of a node, h(N), stands for the likelihood of its rows while the node is undecided.  It
 * decides which particles are resampled on the way; the weight of a complete tree does not depend on it.  So it may be
 * anything, and the better it predicts the final likelihood of the rows, the better.
 *   leaf     the likelihood of the rows in one leaf, as in the thesis.  While the noise is far below the differences
 *            between rows, the particle that is ahead by this measure outweighs all others by hundreds of nats, though
 *            all may end equal.
 *   levels   the likelihood of the rows' levels (bart_pg_levels.h), each in a leaf of its own, minus a penalty for each
 *            leaf but the first; or the likelihood in one leaf, if that is greater.  It is the value of the rows if all
 *            further splits separate level from level.  A split that separates levels keeps the value; a split through
 *            a level makes two leaves of it.  A level that is larger than usual may be several levels that happen to
 *            look alike and that no tree can join: it counts as several, and to split it into halves of the usual size
 *            costs nothing.
 * The levels are found once, among all rows of the regrown subtree.  With one level, `levels` equals `leaf`.
 *
 * Everything lives in an arena from one `begin` to the next.  Nodes and splits are numbers, because their arrays
 * move. */
#ifndef CP_BART_PG_NODES_H
#define CP_BART_PG_NODES_H

#include "bart/core/bart_sampler.h"
#include "bart/pg/bart_pg_levels.h"
#include "base/arena.h"
#include "base/mem.h"

/* Over rows of weight w and residual r: how many, sum of w, sum of w r. */
typedef struct cp_bart_pg_sums {
    size_t n;
    double w, wr;
} cp_bart_pg_sums;

/* All gaps of one column in one node.  Gap g lies between the g-th value of the node's rows and the next. */
typedef struct cp_bart_pg_gaps {
    size_t gaps;     /* 0 until computed */
    uint32_t *rank;  /* gaps + 1: the values */
    double *mass;    /* (width of the gap / extent of the column) h(L) h(R), over exp(top) */
    double sum;      /* of mass */
    double log_mean; /* top + log(sum): log of the mean of h(L) h(R) over the cuts of this column */
} cp_bart_pg_gaps;

/* The columns that vary in a node. */
typedef struct cp_bart_pg_columns {
    size_t n;
    uint32_t *dim;
    cp_extent *extent;
    double *log_prob; /* log of the prior probability of the column */
    cp_bart_pg_gaps *gaps;
} cp_bart_pg_columns;

typedef struct cp_bart_pg_node {
    cp_span rows; /* rising */
    size_t depth;
    int varies; /* some column varies */
    int open;   /* some column varies, and the prior allows a split at this depth */
    cp_bart_pg_sums sums;
    double log_leaf;      /* log likelihood as a leaf */
    double log_lookahead; /* log h(N) */
    double log_value;     /* log_lookahead if open, else log_leaf */
    int32_t first_split;  /* head of the list of its splits; CP_NONE: none yet */
    cp_bart_pg_columns *opt_columns;
} cp_bart_pg_node;

/* A split of a node in the gap between ranks low and high; the children are nodes left and left + 1. */
typedef struct cp_bart_pg_split {
    uint32_t dim;
    cp_extent gap;
    int32_t left;
    int32_t next; /* split of the same node */
} cp_bart_pg_split;

typedef struct cp_bart_pg_nodes {
    const cp_bart_view *v;
    cp_bart_pg_lookahead lookahead;
    cp_arena arena;
    cp_bart_pg_node *node;
    size_t n, cap;
    cp_bart_pg_split *split;
    size_t splits, cap_split;
    cp_bart_pg_levels levels;
    /* Scratch. */
    uint64_t *key;            /* 2 x rows */
    double *log_mass;         /* rows */
    cp_bart_pg_sums *side[2]; /* for each level: its rows to the left, to the right */
    double *log_side[2];      /* for each level: level_value of these rows */
} cp_bart_pg_nodes;

copse_status cp_bart_pg_nodes_init(cp_bart_pg_nodes *b, const cp_bart_columns *c, cp_bart_pg_lookahead lookahead,
                                   copse_error *err);
void cp_bart_pg_nodes_clear(cp_bart_pg_nodes *b);

/* Drops all nodes and makes node 0 of these rows, which are copied. */
copse_status cp_bart_pg_nodes_begin(cp_bart_pg_nodes *b, const cp_bart_view *v, cp_span rows, size_t depth,
                                    copse_error *err);
/* The split of a node in this gap; made if there is none yet. */
copse_status cp_bart_pg_nodes_split(cp_bart_pg_nodes *b, int32_t pg_node, uint32_t dim, cp_extent gap, int32_t *out,
                                    copse_error *err);
/* Least and greatest rank of a column in a node's rows.  All rows have all ranks: then no row is read. */
cp_extent cp_bart_pg_nodes_extent(const cp_bart_pg_nodes *b, uint32_t dim, cp_span rows);
/* The gap that a rule lies in. */
cp_extent cp_bart_pg_nodes_gap(const cp_bart_pg_nodes *b, int32_t pg_node, cp_rule rule);
/* The columns that vary in a node, and the gaps of the i-th of them. */
copse_status cp_bart_pg_nodes_columns(cp_bart_pg_nodes *b, int32_t pg_node, cp_bart_pg_columns **out, copse_error *err);
copse_status cp_bart_pg_nodes_gaps(cp_bart_pg_nodes *b, int32_t pg_node, size_t i, cp_bart_pg_gaps **out,
                                   copse_error *err);

#endif
