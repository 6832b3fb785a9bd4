/* posterior - what a sampler's weighted trees say about trees: how large they are, and which features they split on. */
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
    double *inclusion;  /* of each feature: probability that a tree splits on it, or one of a sum of trees does */
    double *splits;     /* and how often, on average */
    copse_share *share; /* sums of trees: the share of its splits that are on the feature; else NULL */
};

/* COPSE_E_USAGE if the method has no weighted trees. */
copse_status cp_posterior_new(const copse_model *m, copse_posterior **out, copse_error *err);
void cp_posterior_free(copse_posterior *p);

#endif
