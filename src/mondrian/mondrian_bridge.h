/* mondrian_bridge - the predictive mixture of a point that branches off an edge of a tree, over the time of branching
 * off. */
#ifndef CP_MONDRIAN_BRIDGE_H
#define CP_MONDRIAN_BRIDGE_H

#include "mondrian/mondrian_gauss.h"

/* Branching off above node j at time t: a new node on the edge from the parent p to j, its posterior the Gaussian
 * bridge between the two, and below it a new leaf for x:
 *     a = (s(t) - s(tau_p)) / phi_j                    mean      (1-a) m_p + a m_j
 *     variance  (1-a)^2 V_p + a^2 V_j + 2a(1-a) C_pj + phi_j a(1-a) + s(lifetime) - s(t) + noise.
 * s(t) = gamma1 / (1 + exp(-gamma2 t)). */
typedef struct cp_mondrian_bridge {
    double start, stop; /* exp(-gamma2 t) at tau_p and at the lifetime */
    double fall;        /* 1 - exp(-gamma2 (tau_j - tau_p)) */
    double mp, vp, mj, vj, c;
} cp_mondrian_bridge;

/* Appends the mixture over the time of branching off at this point of the path. */
copse_status cp_mondrian_bridge_emit(const cp_mondrian_gauss_sink *sink, const cp_mondrian_bridge *b,
                                     const cp_mondrian_branch_point *x, copse_error *err);
/* Appends one Gaussian. */
copse_status cp_mondrian_bridge_add(const cp_mondrian_gauss_sink *sink, double weight, double mean, double var,
                                    copse_error *err);

#endif
