/* btree_column - all gaps of one column in one block, with the likelihood of a split at each.
 *
 * The block's rows have gaps+1 different values in the column; gap g lies between the g-th and the next, and parts the
 * first end[g] rows in the column's order from the rest. */
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
    /* Filled by cp_btree_column_sum only: mass[g] = (width / extent) exp(log_lik[g] - top), their sum, and
     * log_sum = top + log(sum), the likelihood of a split on this column, its place integrated out. */
    double *mass;
    double sum, log_sum;
    /* Scratch. */
    uint32_t *near, *row, *count;
    uint64_t *key;
    double *stat;
} cp_btree_column;

copse_status cp_btree_column_init(cp_btree_column *c, const cp_btree_problem *b, copse_error *err);
void cp_btree_column_clear(cp_btree_column *c);

/* The table of a column; one that does not vary has no gaps, and nothing below may be asked of it. */
void cp_btree_column_load(cp_btree_column *c, const cp_btree_view *block, uint32_t dim);
void cp_btree_column_sum(cp_btree_column *c);

/* The gap in which the cut lies that is a share u of the extent from its lower end. */
size_t cp_btree_column_gap_at(const cp_btree_column *c, double u);
/* The gap at share u of the masses laid end to end. */
size_t cp_btree_column_gap_by_mass(const cp_btree_column *c, double u);
/* The prior probability of the gap, given the column. */
double cp_btree_column_share(const cp_btree_column *c, size_t gap);

static inline cp_btree_gap cp_btree_column_gap(const cp_btree_column *c, size_t gap) {
    return (cp_btree_gap){.dim = c->dim, .low = c->rank[gap], .high = c->rank[gap + 1]};
}

#endif
