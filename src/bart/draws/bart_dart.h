/* bart_dart - DART: split probabilities of the columns are sampled [Linero 2018].
 *
 * Prior: s ~ Dirichlet(theta/D, ..., theta/D), theta/(theta + D) ~ Beta(1/2, 1).
 * bart_dart.c derives the conditional distribution of s given the trees. */
#ifndef CP_BART_DART_H
#define CP_BART_DART_H

#include "bart/core/bart_split_probs.h"
#include "bart/core/bart_tree.h"

enum { CP_BART_DART_THETAS = 256 };
typedef struct cp_bart_dart {
    size_t dims;
    double theta;
    double *log_s; /* of each column; s itself may be too small for a double */
    /* The grid of thetas, and the terms of their log density that do not depend on s. */
    double theta_of[CP_BART_DART_THETAS], log_of[CP_BART_DART_THETAS];
    /* Scratch. */
    double *splits, *rate;        /* of each column: rules that split on it; rate of its gamma */
    uint32_t *row;                /* a piece of rows */
    uint32_t *constant, *varying; /* columns that are constant in the rows of a node seen so far; that vary */
} cp_bart_dart;

/* All columns equal. */
copse_status cp_bart_dart_init(cp_bart_dart *dart, size_t dims, copse_error *err);
void cp_bart_dart_clear(cp_bart_dart *dart);
/* Draws s given theta and the trees, then theta given s; both exactly. */
void cp_bart_dart_draw(cp_bart_dart *dart, cp_bart_split_probs *probs, const cp_bart_view *v, const cp_bart_tree *tree,
                       size_t trees, cp_rng *rng);
/* Sets probs to exp(log_s). */
void cp_bart_dart_set_probs(cp_bart_dart *dart, cp_bart_split_probs *probs);

#endif
