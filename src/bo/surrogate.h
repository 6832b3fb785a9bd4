/* surrogate - the forest that stands for the objective: an online method of the registry on points of the unit cube.
 *
 * It learns values one by one, larger being better, and answers with what an acquisition wants to know. */
#ifndef CP_SURROGATE_H
#define CP_SURROGATE_H

#include "method/method.h"

/* What makes a point worth evaluating, from the forest's answer there.  The sd is that of the whole answer, but the
 * mean is that of the leaves alone (cp_answer.leaf).  The answer's own mean falls back towards that of wider nodes as
 * soon as a point leaves the box of what is known, and boxes about a few good points are tiny: a search by it creeps,
 * one neighbour after the other.  That nothing is known out there is for the sd to say. */
typedef enum cp_acquisition {
    CP_ACQ_UCB, /* mean + kappa sd [2016, sec. 6.3] */
    CP_ACQ_EI,  /* E max(f - best, 0) [Mockus et al. 1978], f Gaussian with this mean, and the sd without noise */
    /* m + z s: mean and sd, without the noise, of one tree drawn at random, and one normal z for all points */
    CP_ACQ_THOMPSON,
    CP_ACQ_RANDOM /* nothing: random search */
} cp_acquisition;

typedef struct cp_surrogate {
    const cp_method *method;
    copse_params *params;
    void *state; /* NULL: nothing learnt */
    size_t cols, trees;
    float *scale; /* of each column: what the forest sees is the point times this */
    float *at;    /* a point so stretched, for whoever walks down next */
    int behind;   /* memory ran out while learning: rows were taken in that not all trees have learnt */
} cp_surrogate;

copse_status cp_surrogate_init(cp_surrogate *s, size_t cols, size_t trees, uint64_t seed, copse_error *err);
void cp_surrogate_clear(cp_surrogate *s);
/* As if nothing had been learnt; the trees to come are those of this seed.  opt_scale: the factor of each column, all 1
 * if NULL; only ratios matter. */
copse_status cp_surrogate_begin(cp_surrogate *s, uint64_t seed, const float *opt_scale, copse_error *err);
/* n points and their values, in order.  After a failure cp_surrogate_rows says how many points were taken in; the next
 * call finishes their learning. */
copse_status cp_surrogate_learn(cp_surrogate *s, const float *x, const double *y, size_t n, copse_error *err);
size_t cp_surrogate_rows(const cp_surrogate *s);

/* How points are to be judged in one ask. */
typedef struct cp_acq_params {
    cp_acquisition kind;
    double kappa;
    double best;  /* EI: value so far */
    int32_t tree; /* Thompson: the one drawn */
    double z;
} cp_acq_params;
/* The acquisition at n points.  Something has been learnt.  opt_open: of each point the share in [0,1] of its
 * uncertainty that is left to gain; sd is that much less. */
copse_status cp_surrogate_acquisition(const cp_surrogate *s, const cp_acq_params *v, const float *x, size_t n,
                                      const double *opt_open, double *out, copse_error *err);
/* The leaf of a tree that a point falls into. */
int32_t cp_surrogate_leaf(const cp_surrogate *s, size_t tree, const float *x);
/* The cell of a point at `depth` splits of a tree, or at its leaf if that comes first: in column c it reaches from
 * out[2c] to out[2c+1].  Returns the splits passed. */
size_t cp_surrogate_cell(const cp_surrogate *s, size_t tree, const float *x, size_t depth, float *out);

#endif
