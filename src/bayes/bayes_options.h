/* bayes_options - entries of the option tables (param.h) that methods with Bayesian trees share.  The arguments of the
 * macros are what differs: a default, or the sampler that an option is for. */
#ifndef CP_BAYES_OPTIONS_H
#define CP_BAYES_OPTIONS_H

#include <math.h>

#include "bayes/particle.h"
#include "bayes/tree_prior.h"
#include "leaf/leaf_nig.h"
#include "method/param.h"

#define CP_BAYES_OPTIONS_SPLIT(BETA)                                                                   \
    CP_OPTION_REAL("alpha-split", "0.95", 1e-6, 0.999999, "prior probability that the root is split"), \
        CP_OPTION_REAL(                                                                                \
            "beta-split", BETA, 0, 100,                                                                \
            CP_OPTION_TUNED(.2, 3, "a node at depth d is split with probability alpha-split / (1 + d)^beta-split"))

static inline cp_tree_prior cp_bayes_options_split(const copse_params *p) {
    return (cp_tree_prior){.alpha = cp_param_real(p, "alpha-split"), .beta = cp_param_real(p, "beta-split")};
}

/* Hyperparameters of a leaf of classes (leaf_dirichlet.h), and of a leaf of numbers (leaf_nig.h). */
#define CP_BAYES_OPTIONS_LEAF_CLASSES(ALPHA)  \
    CP_OPTION_REAL("alpha", ALPHA, 1e-6, 1e6, \
                   CP_OPTION_OF_CLASSES("weight of the prior in a leaf, spread evenly over the classes"))
#define CP_BAYES_OPTIONS_LEAF_NUMBERS                                                                               \
    CP_OPTION_REAL("kappa", "0.1", 1e-6, 1e6, CP_OPTION_OF_NUMBERS("rows that the prior mean of a leaf is worth")), \
        CP_OPTION_REAL("nu", "3", 0.1, 1e6,                                                                         \
                       CP_OPTION_OF_NUMBERS("degrees of freedom of the prior variance of a leaf")),                 \
        CP_OPTION_REAL_AUTO(                                                                                        \
            "lambda", 1e-9, 1e9,                                                                                    \
            CP_OPTION_OF_NUMBERS("scale of that variance, in units of var(y); auto: below it with probability .9"))

static inline double cp_bayes_options_lambda(const copse_params *p) {
    double lambda = cp_param_real(p, "lambda");
    return isnan(lambda) ? cp_leaf_nig_lambda(cp_param_real(p, "nu"), 1, 0.9) : lambda;
}

/* The words are in the order of cp_resampling. */
#define CP_BAYES_OPTIONS_RESAMPLING(INITIAL, OF)                                          \
    CP_OPTION_CHOICE("resampling", INITIAL, "multinomial systematic residual stratified", \
                     OF "how particles are multiplied")

static inline cp_resampling cp_bayes_options_resampling(const copse_params *p) {
    return (cp_resampling)cp_param_int(p, "resampling");
}

/* The probability of each cp_move_kind; OF: the sampler that uses all four, if there are others. */
#define CP_BAYES_OPTIONS_MOVES(OF)                                                                                     \
    CP_OPTION_REAL("grow", "0.25", 1e-3, 1, "how often a leaf is to be split; " OF "all four are scaled to sum to 1"), \
        CP_OPTION_REAL("prune", "0.25", 1e-3, 1, "how often two leaves are to be joined"),                             \
        CP_OPTION_REAL("change", "0.4", 0, 1, OF "how often a split gets another cut"),                                \
        CP_OPTION_REAL("swap", "0.1", 0, 1, OF "how often a split and one below it change places")

#endif
