/* acquisition - how much a point is worth evaluating next, computed from the surrogate's prediction there.
 *
 * Larger values of the objective are better, here as in all of bo. */
#ifndef CP_ACQUISITION_H
#define CP_ACQUISITION_H

#include "base/fail.h"

/* The mean is that of the leaves alone (cp_answer.leaf), the standard deviation that of the whole mixture.  The mean of
 * the mixture is not used: it falls back towards the means of wider nodes as soon as a point leaves the bounding box of
 * the known points, and the boxes of a few good points are tiny.  A search by that mean would move from one point to
 * its nearest neighbour only.  The sd alone expresses that nothing is known outside the boxes. */
typedef enum cp_acquisition {
    CP_ACQ_UCB,      /* mean + kappa sd [2016, sec. 6.3] */
    CP_ACQ_EI,       /* E max(f - best, 0) [Mockus et al. 1978], f Gaussian with this mean and the sd without noise */
    CP_ACQ_THOMPSON, /* mean + z sd of one tree drawn at random, sd without noise, one normal z for all points */
    CP_ACQ_RANDOM,   /* random search: no acquisition is computed */
    CP_ACQUISITIONS
} cp_acquisition;

/* What is fixed for all points of one ask. */
typedef struct cp_acquisition_params {
    cp_acquisition kind;
    double kappa;
    double best;  /* EI: the best transformed target so far */
    int32_t tree; /* Thompson: the tree that was drawn */
    double z;     /* Thompson: the normal that was drawn */
} cp_acquisition_params;

/* The surrogate's prediction at one point. */
typedef struct cp_acquisition_moments {
    double mean, var;
    double noise;     /* the part of var that is the variance of y about its mean */
    double remaining; /* in [0,1]: the sd is reduced to this share of itself, see acq_search.c */
} cp_acquisition_moments;

double cp_acquisition_value(const cp_acquisition_params *a, cp_acquisition_moments m);

const char *cp_acquisition_name(cp_acquisition kind);
/* CP_ACQUISITIONS if there is none of that name. */
cp_acquisition cp_acquisition_find(const char *name);

#endif
