/* mondrian_gauss - numbers: a Gaussian hierarchy on the tree [thesis, ch. 6].
 *
 * With s(t) = gamma1 sigmoid(gamma2 t) and tau = lifetime at a leaf,
 *     mu_root ~ N(mean, s(tau_root) - s(0)),   mu_j | mu_parent ~ N(mu_parent, phi_j = s(tau_j) - s(tau_parent)),
 *     y_n ~ N(mu_leaf(n), noise).
 * exact: the posterior of every mu by belief propagation, up and then down, O(nodes).  Messages are kept as mean and
 *     variance, not precision: deep down the sigmoid saturates and phi_j is exactly 0, which is legal here.
 * fast:  the posterior at a node is the mean and variance of its own rows [thesis, sec. 6.3.3], O(depth) per row.
 *
 * The authors' script hands a variance over as a precision at the root and forgets phi_j on the way down; we do
 * neither, and are compared with dense Gaussian conditioning in tests/exact. */
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

/* Moments of a leaf's rows, in the order of its list; of a frozen forest, as they were. */
cp_mondrian_stat cp_mondrian_gauss_leaf(const cp_mondrian_tree *t, const cp_mondrian_space *s,
                                        const cp_mondrian_node *leaf);

/* fast: moments of a new subtree, `node` and all nodes from first_new on.  Room is there. */
void cp_mondrian_gauss_moments(cp_mondrian_tree *t, const cp_mondrian_space *s, int32_t node, size_t first_new);

/* The upward pass for one tree, all in units of gamma1 = 1 (noise and phi divided by gamma1):
 *     log p(Y | tree) = base - (rows/2) log gamma1 - [quad + (up - mean)^2 / spread] / (2 gamma1). */
typedef struct cp_mondrian_gauss_evidence {
    double rows, base, quad, up, spread;
} cp_mondrian_gauss_evidence;
double cp_mondrian_gauss_log_marginal(const cp_mondrian_gauss_evidence *e, double gamma1, double mean);

/* A tree laid out for repeated passes: parents before children. */
typedef struct cp_mondrian_gauss_layout {
    size_t nodes;
    int32_t *order, *parent; /* node ids in order; position of the parent in order, CP_NONE for the root */
    double *time;            /* by position */
    cp_mondrian_stat *leaf;  /* by position: moments at leaves, n = 0 at splits */
    double *up, *var;        /* by position: message from below */
} cp_mondrian_gauss_layout;
copse_status cp_mondrian_gauss_init(cp_mondrian_gauss_layout *c, const cp_mondrian_tree *t, const cp_mondrian_space *s,
                                    copse_error *err);
void cp_mondrian_gauss_clear(cp_mondrian_gauss_layout *c);

/* Upward messages under gamma2 and noise/gamma1. */
cp_mondrian_gauss_evidence cp_mondrian_gauss_up(cp_mondrian_gauss_layout *c, double gamma2, double noise_ratio);
/* After `up` with h's gamma2 and noise / gamma1: the posterior of every node into t->stat, which has room. */
void cp_mondrian_gauss_down(const cp_mondrian_gauss_layout *c, const cp_mondrian_hyper *h, cp_mondrian_tree *t);

/* Closed forms of thesis, sec. 6.3.2, from the number, mean and variance of the targets. */
cp_mondrian_hyper cp_mondrian_gauss_heuristic(size_t dims, double rows, double mean, double var);

/* Appends the tree's mixture at the end of a path to `out`, every weight times `share`. */
copse_status cp_mondrian_gauss_predict(const cp_mondrian_tree *t, const cp_mondrian_space *s,
                                       const cp_mondrian_hyper *h, const cp_mondrian_path *path, double share,
                                       double center, cp_answer *out, copse_error *err);

#endif
