/* mondrian_path - where a point goes in a tree, and where it may branch off on the way.
 *
 * At node j, split at tau_j, below a parent split at tau_p, a point at distance eta outside the node's box parts from
 * the rows under j before tau_j with probability 1 - exp(-eta (tau_j - tau_p)).  [2014, app. B] */
#ifndef CP_MONDRIAN_PATH_H
#define CP_MONDRIAN_PATH_H

#include "mondrian/mondrian_tree.h"

typedef struct cp_mondrian_step {
    int32_t node;
    double delta;   /* tau_j - tau_parent */
    double outside; /* eta; 0 inside the box */
    double weight;  /* probability of branching off just above this node */
} cp_mondrian_step;

/* Reused from point to point. */
typedef struct cp_mondrian_path {
    cp_mondrian_step *step;
    size_t n, cap;
    size_t first_off; /* first step with outside > 0; n if there is none */
    double stay;      /* probability of arriving in the last step's leaf */
} cp_mondrian_path;

copse_status cp_mondrian_path_walk(cp_mondrian_path *p, const cp_mondrian_tree *t, const cp_mondrian_space *s,
                                   const float *x, copse_error *err);
void cp_mondrian_path_clear(cp_mondrian_path *p);

#endif
