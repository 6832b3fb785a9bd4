/* mondrian - Mondrian forests: the method.  Trees are independent given the rows; the forest is their equal mixture.
 *
 * [2014]: Lakshminarayanan, Roy, Teh, "Mondrian forests: efficient online random forests".  Thesis:
 * Lakshminarayanan, "Decision trees and forests: a probabilistic perspective", 2016.
 *
 * The forest keeps each row once, encoded, and its trees refer to rows by number: a leaf whose pause ends is sampled
 * from its own rows.  Tree m learns row i with the random stream (seed, extend, m, i).  So the same rows give the same
 * forest, however the stream is cut and whatever the number of threads.
 *
 *   F1  tree m has learnt the first tree[m].rows rows.  These are all rows (space.rows), unless an update was stopped
 *       or ran out of memory: then some trees lag behind, and the next update first lets them catch up. */
#ifndef CP_MONDRIAN_H
#define CP_MONDRIAN_H

#include "method/method.h"
#include "mondrian/mondrian_gauss.h"
#include "mondrian/mondrian_honest.h"
#include "mondrian/mondrian_tree.h"

typedef struct cp_mondrian {
    copse_task task;
    cp_mondrian_space space; /* points into the arrays below */
    float *x;
    int32_t *label;
    double *y;      /* minus the center */
    int32_t *whole; /* candidates > 1: y in units of `unit`, rounded */
    size_t cap_x, cap_label, cap_y, cap_whole;
    cp_mondrian_tree *tree;
    size_t trees;
    uint64_t seed;

    double gamma; /* classification, papers' model */
    cp_mondrian_honest honest;

    /* regression */
    int marginal;             /* hyperparameters were fitted and stay; else they follow the rows */
    int stale;                /* exact: rows were learnt since the posterior was computed */
    double unit;              /* of `whole`: found once; 0: all targets were equal so far */
    double center;            /* mean of the targets of `fit`; taken off so that large offsets lose no digits */
    cp_mondrian_stat moments; /* of y, all rows */
    cp_mondrian_hyper hyper;  /* in units of y minus the center */
    double log_marginal;      /* exact: mean over trees */
} cp_mondrian;

extern const cp_method cp_method_mondrian;

/* Rows learnt so far. */
static inline size_t cp_mondrian_learnt(const cp_mondrian *f) {
    return f->space.frozen ? f->space.frozen : f->space.rows;
}

/* An empty forest with the settings of p. */
copse_status cp_mondrian_new(const copse_params *p, copse_task task, size_t dims, size_t classes, cp_mondrian **out,
                             copse_error *err);
void cp_mondrian_free(void *state);

/* Brings the exact posterior of all trees up to date with the rows. */
copse_status cp_mondrian_refresh(cp_mondrian *f, const copse_run *run, copse_error *err);

#endif
