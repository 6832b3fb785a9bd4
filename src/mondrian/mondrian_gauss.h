/* mondrian_gauss - numbers: a Gaussian hierarchy on the tree [thesis, ch. 6].
 *
 * With s(t) = gamma1 sigmoid(gamma2 t) and tau = lifetime at a leaf,
 *     mu_root ~ N(mean, s(tau_root) - s(0)),   mu_j | mu_parent ~ N(mu_parent, phi_j = s(tau_j) - s(tau_parent)),
 *     y_n ~ N(mu_leaf(n), noise).
 * exact: the posterior of every mu by belief propagation, up and then down, O(nodes).  Messages are kept as mean and
 *     variance, not as precision: deep in the tree the sigmoid saturates and phi_j is exactly 0, which variances allow.
 * fast:  the posterior at a node is the mean and variance of its own rows [thesis, sec. 6.3.3], O(depth) per row.
 *
 * How we differ: the authors' script uses a variance as a precision at the root and leaves phi_j out on the way down.
 * We do neither; tests/exact compares with dense Gaussian conditioning. */
#ifndef CP_MONDRIAN_GAUSS_H
#define CP_MONDRIAN_GAUSS_H

#include "method/method.h"
#include "mondrian/mondrian_path.h"
#include "mondrian/mondrian_tree.h"

typedef struct cp_mondrian_hyper {
    double mean, gamma1, gamma2, noise;
    double floor; /* least variance of a predictive component */
} cp_mondrian_hyper;

/* One more number in the moments of a node (Welford). */
static inline void cp_mondrian_gauss_learn(cp_mondrian_stat *st, double y) {
    st->n += 1;
    double off = y - st->mean;
    st->mean += off / st->n;
    st->m2 += off * (y - st->mean);
}

/* Moments of a leaf's rows, in the order of its list; in a frozen forest, the stored ones. */
cp_mondrian_stat cp_mondrian_gauss_leaf(const cp_mondrian_tree *t, const cp_mondrian_space *s,
                                        const cp_mondrian_node *leaf);

/* fast: sets the moments of a new subtree, `node` and all nodes from first_new on.  Room is reserved. */
void cp_mondrian_gauss_moments(cp_mondrian_tree *t, const cp_mondrian_space *s, int32_t node, size_t first_new);

/* fast: sets the moments of a node from its children's, or from its rows. */
void cp_mondrian_gauss_set_moments(cp_mondrian_tree *t, const cp_mondrian_space *s, size_t node);

/* The result of the upward pass for one tree, in units of gamma1 = 1 (noise and phi divided by gamma1):
 *     log p(Y | tree) = base - (rows/2) log gamma1 - [quad + (up - mean)^2 / spread] / (2 gamma1). */
typedef struct cp_mondrian_gauss_evidence {
    double rows, base, quad, up, spread;
} cp_mondrian_gauss_evidence;
double cp_mondrian_gauss_log_marginal(const cp_mondrian_gauss_evidence *e, double gamma1, double mean);

/* A tree laid out for repeated passes: parents before children.  A position is an index into `order`. */
typedef struct cp_mondrian_gauss_layout {
    size_t nodes;
    int32_t *order, *parent; /* by position: the node; position of its parent, CP_NONE for the root */
    double *time;            /* by position */
    cp_mondrian_stat *leaf;  /* by position: moments at leaves, n = 0 at splits */
    double *up, *var;        /* by position: mean and variance of the message from below */
    double *fade, *drift;    /* by position, set by `up`: exp(-gamma2 time); (s(time) - s(parent's time)) / gamma1 */
} cp_mondrian_gauss_layout;
copse_status cp_mondrian_gauss_init(cp_mondrian_gauss_layout *c, const cp_mondrian_tree *t, const cp_mondrian_space *s,
                                    copse_error *err);
void cp_mondrian_gauss_clear(cp_mondrian_gauss_layout *c);

/* Upward messages under gamma2 and noise/gamma1. */
cp_mondrian_gauss_evidence cp_mondrian_gauss_up(cp_mondrian_gauss_layout *c, double gamma2, double noise_ratio);
/* After `up` with the gamma2 and noise / gamma1 of h: writes the posterior of every node to t->stat, which has room. */
void cp_mondrian_gauss_down(const cp_mondrian_gauss_layout *c, const cp_mondrian_hyper *h, cp_mondrian_tree *t);

/* The closed forms of the thesis, sec. 6.3.2, from the number, mean and variance of the targets. */
cp_mondrian_hyper cp_mondrian_gauss_heuristic(size_t dims, double rows, double mean, double var);

/* Where the components of a tree's predictive mixture go. */
typedef struct cp_mondrian_gauss_sink {
    const cp_mondrian_hyper *h;
    double center; /* is added to every mean */
    double weight; /* of the tree: every component's weight is multiplied by it */
    cp_answer *out;
    double *opt_size; /* fast: to which the mean of log2 of the nodes' rows is added (mondrian_honest.h), or NULL */
} cp_mondrian_gauss_sink;
/* Appends the tree's predictive mixture for the point of a path. */
copse_status cp_mondrian_gauss_predict(const cp_mondrian_tree *t, const cp_mondrian_space *s,
                                       const cp_mondrian_path *path, const cp_mondrian_gauss_sink *sink,
                                       copse_error *err);

#endif
