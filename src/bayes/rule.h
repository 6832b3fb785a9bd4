/* rule - how a Bayesian tree splits a node: a column and a cell of it.
 *
 * The rows see of a cut only its cell (data/ranks.h), so the cut's place in the cell is integrated out.  The
 * probability of a rule is (1 / columns that vary) (width of the cell / extent of the column). */
#ifndef CP_RULE_H
#define CP_RULE_H

#include "data/ranks.h"
#include "num/rng.h"

/* Rows of a node: numbers into the columns of `ranks`, at least one. */
typedef struct cp_span {
    const uint32_t *row;
    size_t n;
} cp_span;

/* Rows whose rank in column dim is <= cell go left.  Where gaps between the values of a node are meant (they join
 * several cells of the whole column), cell is the last one of the gap: any of them parts the node's rows alike. */
typedef struct cp_rule {
    uint32_t dim, cell;
} cp_rule;

/* Least and greatest rank; a column varies where they differ. */
typedef struct cp_extent {
    uint32_t low, high;
} cp_extent;

cp_extent cp_rule_extent(const cp_ranks *r, size_t dim, cp_span s);
int cp_rule_varies(const cp_ranks *r, size_t dim, cp_span s);
/* How many columns vary; stops counting at `most`: 1 asks whether the node can be split at all. */
size_t cp_rule_columns(const cp_ranks *r, cp_span s, size_t most);

/* A rule from the prior: columns are tried in random order until one varies, which makes it uniform over those that do,
 * without looking at all of them.  `order` is scratch for dims numbers.  Returns 0 if none varies. */
int cp_rule_draw(const cp_ranks *r, cp_span s, cp_rng *rng, uint32_t *order, cp_rule *out, cp_extent *out_extent);
/* A cell between low and high, by its width. */
uint32_t cp_rule_draw_cell(const cp_ranks *r, size_t dim, cp_extent e, cp_rng *rng);
/* log of the rule's probability in a node, its `columns` that vary known; -INFINITY if it leaves a side empty. */
double cp_rule_log_prob(const cp_ranks *r, cp_rule rule, cp_extent e, size_t columns);

/* The gap between values of the node that the rule lies in: the greatest rank to the left, the least to the right.  The
 * node's extent in the column is e, and the rule leaves no side empty. */
cp_extent cp_rule_gap(const cp_ranks *r, cp_rule rule, cp_extent e, cp_span s);

/* Rows to the left go to out_left in their order, the others to out_right; returns how many go left.  Both have room
 * for s.n; out_left may be s.row itself. */
size_t cp_rule_partition(const cp_ranks *r, cp_rule rule, cp_span s, uint32_t *out_left, uint32_t *out_right);

#endif
