/* greedy_votes - the class probabilities that trees give to rows they have not seen, and what is learnt from them
 * (method/temperature.h). */
#ifndef CP_GREEDY_VOTES_H
#define CP_GREEDY_VOTES_H

#include "greedy/greedy.h"

/* Rows, or groups of rows of equal x, one prediction each. */
typedef struct cp_greedy_class_votes {
    size_t n, classes;
    double *probs;   /* n x classes: sums over trees */
    double *weight;  /* n x classes: of the rows of each class */
    double *squares; /* n: sums over trees of the squared length of their probabilities */
} cp_greedy_class_votes;

copse_status cp_greedy_votes_init(cp_greedy_class_votes *v, size_t n, size_t classes, copse_error *err);
void cp_greedy_votes_clear(cp_greedy_class_votes *v);
/* Adds a leaf's probabilities, smoothed by `alpha`, to `probs`; returns the sum of their squares. */
double cp_greedy_votes_add(const cp_tree *t, uint32_t leaf, double alpha, size_t classes, double *probs);
/* The Brier score of the rows of prediction i, summed with their weights, which are added to *total: of `votes` trees,
 * less `fewer` times the variance between them. */
double cp_greedy_votes_brier(const cp_greedy_class_votes *v, size_t i, double votes, double fewer, double *total);
/* Fits g->temperature; a row was predicted by `votes` trees on average, a group has `copies` rows. */
copse_status cp_greedy_votes_fit(const cp_greedy_class_votes *v, double votes, double copies, cp_greedy *g,
                                 copse_error *err);

#endif
