/* rule - how a Bayesian tree splits a node: a column and a cell of it.
 *
 * A cell lies between two neighbouring values of the column (data/ranks.h).  All cuts within a cell send the same rows
 * left, so the cut within the cell is integrated out.  The prior probability of a rule in a node is (1 / number of
 * columns that vary) (width of the cell / extent of the column in the node) [Lakshminarayanan, Roy, Teh 2013, eq.
 * 5]. */
#ifndef CP_RULE_H
#define CP_RULE_H

#include "data/ranks.h"
#include "num/rng.h"

/* The rows of a node: numbers into the columns of `ranks`, at least one. */
typedef struct cp_span {
    const uint32_t *row;
    size_t n;
} cp_span;

/* Rows whose rank in column dim is <= cell go left.  A gap between two values of a node may join several cells of the
 * whole column; any of these cells sends the same rows of the node left. */
typedef struct cp_rule {
    uint32_t dim, cell;
} cp_rule;

/* Least and greatest rank of a column in some rows; the column varies if they differ. */
typedef struct cp_extent {
    uint32_t low, high;
} cp_extent;

cp_extent cp_rule_extent(const cp_ranks *r, size_t dim, cp_span s);
int cp_rule_varies(const cp_ranks *r, size_t dim, cp_span s);
/* The number of columns that vary, but at most `most`: with 1, whether the node can be split at all. */
size_t cp_rule_columns(const cp_ranks *r, cp_span s, size_t most);

/* Draws a rule from the prior: tries columns in random order until one varies, which is uniform over those that vary,
 * without looking at all of them.  `order` is scratch for dims numbers.  0 if no column varies. */
int cp_rule_draw(const cp_ranks *r, cp_span s, cp_rng *rng, uint32_t *order, cp_rule *out, cp_extent *out_extent);
/* Draws a cell between ranks e.low and e.high, by its width. */
uint32_t cp_rule_draw_cell(const cp_ranks *r, size_t dim, cp_extent e, cp_rng *rng);
/* log prior probability of the rule in a node with extent e, in which `columns` columns vary; -INFINITY if one side of
 * the rule has no rows. */
double cp_rule_log_prob(const cp_ranks *r, cp_rule rule, cp_extent e, size_t columns);

/* The gap between two values of the node that the rule lies in: the greatest rank to the left, the least to the right.
 * e is the extent of the column in the node; both sides of the rule have rows. */
cp_extent cp_rule_gap(const cp_ranks *r, cp_rule rule, cp_extent e, cp_span s);

/* Copies the rows that go left to out_left and the others to out_right, in their order; returns how many go left.  Both
 * have room for s.n; out_left may be s.row itself. */
size_t cp_rule_partition(const cp_ranks *r, cp_rule rule, cp_span s, uint32_t *out_left, uint32_t *out_right);

#endif
