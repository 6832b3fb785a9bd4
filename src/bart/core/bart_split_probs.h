/* bart_split_probs - the prior of a rule: the split probability of each column, and rules drawn from it.
 *
 * In a node, a rule splits on column j with probability s_j / (sum of s over the columns that vary in the node); its
 * cell is drawn by width.  s is uniform, or sampled with s ~ Dirichlet(theta/D, ..., theta/D) [Linero 2018]:
 * bart_dart.h. */
#ifndef CP_BART_SPLIT_PROBS_H
#define CP_BART_SPLIT_PROBS_H

#include "bart/core/bart_view.h"

struct cp_bart_split_probs {
    size_t dims;
    double *opt_s;   /* of each column, summing to 1; NULL: all equal */
    double *opt_sum; /* running sums of opt_s */
};

/* All columns equal; `dart` allocates opt_s and opt_sum, so that cp_bart_split_probs_set can change them. */
copse_status cp_bart_split_probs_init(cp_bart_split_probs *s, size_t dims, int dart, copse_error *err);
void cp_bart_split_probs_clear(cp_bart_split_probs *s);
/* Takes these probabilities, each raised to 1e-200 at least: a column of a rule in a tree must keep a positive
 * probability. */
void cp_bart_split_probs_set(cp_bart_split_probs *s, const double *probability);
/* Draws a column by opt_s, whether or not it varies. */
uint32_t cp_bart_split_probs_draw(const cp_bart_split_probs *s, cp_rng *rng);

static inline double cp_bart_split_probs_of(const cp_bart_split_probs *s, size_t dim) {
    return s->opt_s ? s->opt_s[dim] : 1 / (double)s->dims;
}

/* Draws a rule from the prior for a node with these rows; 0 if no column varies. */
int cp_bart_split_probs_draw_rule(const cp_bart_view *v, cp_bart_group rows, cp_rng *rng, cp_rule *out);
/* The sum of s over the columns that vary among the rows. */
double cp_bart_split_probs_mass(const cp_bart_view *v, cp_bart_group rows);
/* log probability of a rule; -INFINITY if one side of the rule has no rows. */
double cp_bart_split_probs_log_rule(const cp_bart_view *v, cp_rule rule, cp_bart_group rows);

#endif
