/* btree_column - all gaps of one column in one block, with the marginal likelihood of a split at each.
 *
 * The block's rows have gaps+1 different values in the column.  Gap g lies between the g-th value and the next; a split
 * there separates the first end[g] rows, in the column's order, from the rest. */
#ifndef CP_BTREE_COLUMN_H
#define CP_BTREE_COLUMN_H

#include "btree/btree_block.h"

typedef struct cp_btree_column {
    const cp_btree_problem *b; /* borrowed */
    uint32_t dim;
    size_t gaps;
    uint32_t *rank;  /* gaps + 1: the values */
    uint32_t *end;   /* gaps */
    double *log_lik; /* gaps: log marginal of both sides */
    /* Set by cp_btree_column_sum only: mass[g] = (width / extent) exp(log_lik[g] - top) and their sum.  log_sum =
     * top + log(sum) is the log likelihood of a split on this column with its place integrated out. */
    double *mass;
    double sum, log_sum;
    /* Scratch. */
    uint32_t *block_rank, *row, *count;
    uint64_t *key;
    double *stat;
} cp_btree_column;

copse_status cp_btree_column_init(cp_btree_column *c, const cp_btree_problem *b, copse_error *err);
void cp_btree_column_clear(cp_btree_column *c);

/* Computes the gaps of a column.  A column that does not vary has none, and the functions below must not be called. */
void cp_btree_column_load(cp_btree_column *c, const cp_btree_view *block, uint32_t dim);
void cp_btree_column_sum(cp_btree_column *c);

/* The gap that contains the cut at share u of the column's extent. */
size_t cp_btree_column_gap_at(const cp_btree_column *c, double u);
/* The gap at share u of the cumulated masses. */
size_t cp_btree_column_gap_by_mass(const cp_btree_column *c, double u);
/* The prior probability of the gap, given the column. */
double cp_btree_column_share(const cp_btree_column *c, size_t gap);

static inline cp_btree_gap cp_btree_column_gap(const cp_btree_column *c, size_t gap) {
    return (cp_btree_gap){.dim = c->dim, .low = c->rank[gap], .high = c->rank[gap + 1]};
}

#endif
