/* ref_kernel - every tree over a handful of rows with its posterior (ref_btree.h), and the transition matrices of the
 * moves, built by listing all they can choose.
 *
 * A tree is a string: '.' for a leaf, else column ('a' ...), cell ('0' ...) and the two subtrees. */
#ifndef REF_KERNEL_H
#define REF_KERNEL_H

#include "bayes/moves.h"
#include "bayes/moves_tree_check.h"
#include "leaf/leaf_dirichlet.h"
#include "leaf/leaf_nig.h"

enum { REF_ROWS = 6, REF_CODE = 4 * REF_ROWS };

typedef struct ref_case {
    const char *name;
    size_t rows, dims, classes; /* classes 0: numbers */
    float x[REF_ROWS * 2];      /* row-major */
    int32_t label[REF_ROWS];
    double y[REF_ROWS];
    cp_tree_prior prior;
    double share[CP_MOVES];
} ref_case;

/* What the moves need of a case. */
typedef struct ref_world {
    const ref_case *of;
    cp_ranks ranks;
    cp_leaf leaf;
    cp_moves_tree_model model;
    cp_moves moves;
    cp_moves_tree tree;
} ref_world;

void ref_world_init(ref_world *w, const ref_case *c);
void ref_world_clear(ref_world *w);
/* Makes w->tree the tree with this code, by growing it. */
void ref_world_plant(ref_world *w, const char *code);
void ref_world_code(const ref_world *w, char out[REF_CODE]);

typedef struct ref_kernel {
    size_t states;
    char (*code)[REF_CODE]; /* sorted */
    double *pi, *prior;     /* posterior and prior of each, summing to 1 */
    double log_evidence;
    double *p[CP_MOVES]; /* states x states: given the kind */
} ref_kernel;

void ref_kernel_init(ref_kernel *k, const ref_case *c);
void ref_kernel_clear(ref_kernel *k);
size_t ref_kernel_find(const ref_kernel *k, const char *code);
/* The probability of the rule in the node, whose rows are the bits of `rows`; 0 if a side were empty. */
double ref_rule_prob(const ref_world *w, unsigned rows, cp_rule rule);
unsigned ref_rows_of(const ref_world *w, int32_t node);
/* The largest |sum over s of pi(s) P(s,t) - pi(t)|, P the mixture of the kinds that are in `kinds` (bits). */
double ref_kernel_drift(const ref_kernel *k, const ref_case *c, unsigned kinds);
/* The largest |pi(s) P(s,t) - pi(t) P(t,s)|. */
double ref_kernel_imbalance(const ref_kernel *k, const ref_case *c, unsigned kinds);

#endif
