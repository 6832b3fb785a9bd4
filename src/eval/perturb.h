/* perturb - predictions for rows in which one feature has been changed: the basis of importance and effect.
 *
 * The rows are encoded once.  Blocks of them are copied, changed and predicted by the forest and, if the trees are
 * posterior draws, by each tree alone.  Only one block is copied at a time, never the table. */
#ifndef CP_PERTURB_H
#define CP_PERTURB_H

#include "model/model.h"

typedef struct cp_perturb {
    const copse_model *m;
    float *x;         /* n x dims */
    size_t n, trees;  /* trees that predict alone; 0 if the trees are no draws */
    int32_t *tree;    /* if trees have weights or are very many: those that predict; NULL: all do */
    copse_run serial; /* one thread: callers run many jobs in parallel */
} cp_perturb;

/* Encodes all rows of a table.  The model and the stop flag of `run` are borrowed. */
copse_status cp_perturb_init(cp_perturb *p, const copse_model *m, const copse_table *t, const copse_run *run,
                             copse_error *err);
void cp_perturb_clear(cp_perturb *p);

/* How the encoded columns of a feature are changed. */
typedef struct cp_perturb_change {
    const cp_feature *feature; /* NULL: nothing is changed */
    const size_t *order;       /* row i gets the columns of row order[i]; or */
    const float *value;        /* every row gets these */
} cp_perturb_change;

/* Takes the answers for rows first, first + 1, ... of tree `tree_id`, or of the forest if that is CP_NONE. */
typedef void (*cp_perturb_fn)(void *arg, int32_t tree_id, size_t first, const cp_answer *answer);

/* Predicts all rows by the forest and the trees, block by block, on the calling thread. */
copse_status cp_perturb_ask(const cp_perturb *p, const cp_perturb_change *change, cp_perturb_fn fn, void *arg,
                            copse_error *err);

#endif
