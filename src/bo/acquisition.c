#include "bo/acquisition.h"

#include <math.h>
#include <string.h>

#include "num/dens.h"
#include "num/math.h"

/* Study files hold these names. */
static const char *const names[CP_ACQUISITIONS] = {
    [CP_ACQ_UCB] = "ucb", [CP_ACQ_EI] = "ei", [CP_ACQ_THOMPSON] = "thompson", [CP_ACQ_RANDOM] = "random"};

const char *cp_acquisition_name(cp_acquisition kind) {
    return names[kind];
}

cp_acquisition cp_acquisition_find(const char *name) {
    int kind = 0;
    while (kind < CP_ACQUISITIONS && strcmp(names[kind], name) != 0) kind++;
    return (cp_acquisition)kind;
}

/* E max(f - best, 0), f Gaussian, or a point mass if sd is 0. */
static double expected_improvement(double mean, double sd, double best) {
    double gain = mean - best;
    if (!(sd > 0)) return fmax(gain, 0);
    double z = gain / sd;
    return gain * cp_dens_normal_cdf(z) + sd * cp_math_exp(cp_dens_normal_log(z));
}

/* The expected improvement is that of a Gaussian, not that of the mixture itself.  The mixture's would be small near
 * all known points: a leaf of one point has no variance, so all improvement would come from the probability of
 * branching off high in the trees, which is largest far from every good point. */
double cp_acquisition_value(const cp_acquisition_params *a, cp_acquisition_moments m) {
    if (a->kind == CP_ACQ_UCB) return m.mean + a->kappa * m.remaining * sqrt(m.var);
    double sd = m.remaining * sqrt(fmax(0, m.var - m.noise));
    return a->kind == CP_ACQ_EI ? expected_improvement(m.mean, sd, a->best) : m.mean + a->z * sd;
}
