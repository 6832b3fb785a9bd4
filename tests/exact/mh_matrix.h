/* mh_matrix - every tree over a handful of rows, and where the moves of bart_mh.h lead from each: what tests of
 * them share.  The transition matrix is built from the moves' own targets, ratios and results.
 *
 * Residuals and weights have few binary digits, so that float sums of them are exact. */
#ifndef LOCAL_MATRIX_H
#define LOCAL_MATRIX_H

#include "bart/mh/bart_mh.h"
#include "bart_world.h"
#include "ref/ref_btree.h"

enum { LOCAL_KINDS = 4, GROW_AND_PRUNE = 3, CHANGE = 4, SWAP = 8, ALL = 15 };

typedef struct local_case {
    const char *name;
    size_t rows, dims;
    float x[2 * REF_BTREE_ROWS];
    double y[REF_BTREE_ROWS], weight[REF_BTREE_ROWS]; /* no weights: 0 */
    double s[2];                                      /* no shares: 0 */
    cp_tree_prior prior;
    double move_prob[LOCAL_KINDS];
} local_case;

enum { LOCAL_CASES = 8 };
extern const local_case local_cases[LOCAL_CASES];

typedef struct local_world {
    const local_case *of;
    double square[REF_BTREE_ROWS]; /* the targets of a variance tree */
    cp_bart_lambda lambda;
    bart_shape shape;
    bart_world b;
    ref_btree ref;
    ref_btree_list all;
    double *pi;
    char (*key)[REF_BTREE_KEY]; /* of each listed tree */
    cp_bart_mh moves;
    cp_rng rng; /* of cuts */
} local_world;

/* A tree of the mean, or one of the variance, whose targets are the squares of the case's. */
void local_world_init(local_world *w, const local_case *c, int variance);
void local_world_clear(local_world *w);
/* The tree becomes the listed one, and which it is. */
void local_world_plant(local_world *w, size_t state);
size_t local_world_state(const local_world *w);

/* states x states: the mixture of the kinds that are in `kinds` (bits); the others stay where they are. */
double *local_matrix(local_world *w, unsigned kinds);
/* The largest |sum over s of pi(s) P(s,t) - pi(t)|, and |pi(s) P(s,t) - pi(t) P(t,s)|. */
double local_drift(const local_world *w, const double *p);
double local_imbalance(const local_world *w, const double *p);

#endif
