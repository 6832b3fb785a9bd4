/* posterior - the posterior distribution of trees, from the weighted trees of a sampler: their size, and the features
 * they split on. */
#ifndef CP_POSTERIOR_H
#define CP_POSTERIOR_H

#include "model/model.h"

typedef struct cp_posterior_bars {
    copse_bar *bar; /* by rising value */
    size_t n;
} cp_posterior_bars;

struct copse_posterior {
    double top; /* weight of tree 0 */
    cp_posterior_bars leaves, depth;
    size_t features;
    double *inclusion;  /* per feature: the probability that a draw (a tree, or a sum of trees) splits on it */
    double *splits;     /* per feature: the mean number of a draw's splits on it */
    copse_share *share; /* per feature, sums of trees only: the share of a draw's splits that are on it; else NULL */
};

/* COPSE_E_USAGE if the method has no weighted trees. */
copse_status cp_posterior_new(const copse_model *m, copse_posterior **out, copse_error *err);
void cp_posterior_free(copse_posterior *p);

#endif
