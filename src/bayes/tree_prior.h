/* tree_prior - the prior of decision trees given the rows' features [Chipman, George, McCulloch 1998; Lakshminarayanan,
 * Roy, Teh 2013, eq. 4 and 5].
 *
 * A node at depth d (the root has depth 0) whose rows differ in some column is split with probability
 * alpha / (1+d)^beta; a node whose rows are all alike is never split.  The column is uniform over those that vary in
 * the node, the cut uniform between the least and the greatest value of the column in the node: bayes/rule.h. */
#ifndef CP_TREE_PRIOR_H
#define CP_TREE_PRIOR_H

#include "bayes/rule.h"

typedef struct cp_tree_prior {
    double alpha, beta; /* 0 < alpha < 1, beta >= 0 */
} cp_tree_prior;

/* The probability that a node is split, given that its rows differ; its logarithm; and that of not splitting. */
double cp_tree_prior_split(const cp_tree_prior *p, size_t depth);
double cp_tree_prior_log_split(const cp_tree_prior *p, size_t depth);
double cp_tree_prior_log_stop(const cp_tree_prior *p, size_t depth);

/* These logarithms by depth, computed once; deeper nodes, which are rare, compute them each time. */
enum { CP_TREE_PRIOR_DEPTHS = 64 };
typedef struct cp_tree_prior_table {
    cp_tree_prior prior;
    double log_split[CP_TREE_PRIOR_DEPTHS], log_stop[CP_TREE_PRIOR_DEPTHS];
} cp_tree_prior_table;

void cp_tree_prior_table_init(cp_tree_prior_table *t, cp_tree_prior p);
static inline double cp_tree_prior_table_split(const cp_tree_prior_table *t, size_t depth) {
    return depth < CP_TREE_PRIOR_DEPTHS ? t->log_split[depth] : cp_tree_prior_log_split(&t->prior, depth);
}
static inline double cp_tree_prior_table_stop(const cp_tree_prior_table *t, size_t depth) {
    return depth < CP_TREE_PRIOR_DEPTHS ? t->log_stop[depth] : cp_tree_prior_log_stop(&t->prior, depth);
}

#endif
