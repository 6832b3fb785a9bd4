#include "bayes/tree_prior.h"

#include <math.h>

#include "num/math.h"

double cp_tree_prior_split(const cp_tree_prior *p, size_t depth) {
    return p->alpha / cp_math_pow(1 + (double)depth, p->beta);
}

double cp_tree_prior_log_split(const cp_tree_prior *p, size_t depth) {
    return cp_math_log(p->alpha) - p->beta * cp_math_log1p((double)depth);
}

double cp_tree_prior_log_stop(const cp_tree_prior *p, size_t depth) {
    return cp_math_log1p(-cp_tree_prior_split(p, depth));
}

void cp_tree_prior_table_init(cp_tree_prior_table *t, cp_tree_prior p) {
    t->prior = p;
    for (size_t d = 0; d < CP_TREE_PRIOR_DEPTHS; d++) {
        t->log_split[d] = cp_tree_prior_log_split(&p, d);
        t->log_stop[d] = cp_tree_prior_log_stop(&p, d);
    }
}
