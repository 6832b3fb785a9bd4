/* btree_hyper - the hyperparameters of the prior: from options, and to and from model files. */
#ifndef CP_BTREE_HYPER_H
#define CP_BTREE_HYPER_H

#include "bayes/tree_prior.h"
#include "method/method.h"

typedef struct cp_btree_hyper {
    cp_tree_prior split;
    double alpha;             /* classification: the Dirichlet prior of a leaf */
    double kappa, nu, lambda; /* regression: the prior of a leaf, in units of the standardised targets */
} cp_btree_hyper;

cp_btree_hyper cp_btree_hyper_of(const copse_params *p);
copse_status cp_btree_hyper_write(const cp_btree_hyper *h, cp_writer *w, copse_error *err);
/* COPSE_E_MODEL if a value is impossible. */
copse_status cp_btree_hyper_read(cp_reader *r, cp_btree_hyper *out, copse_error *err);

#endif
