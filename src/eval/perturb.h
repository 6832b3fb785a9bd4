/* perturb - a model asked about rows in which one feature has been changed: what importance and effects are made of.
 *
 * The rows are encoded once.  Blocks of them are copied, changed and put to the forest, and, where the trees are draws,
 * to each tree alone; nothing of the size of the table is copied. */
#ifndef CP_PERTURB_H
#define CP_PERTURB_H

#include "model/model.h"

typedef struct cp_perturb {
    const copse_model *m;
    float *x;         /* n x dims */
    size_t n, trees;  /* trees is 0 if they are no draws */
    int32_t *tree;    /* if trees have weights or are very many: which ones are asked; else NULL, all are */
    copse_run serial; /* for jobs that are one of many */
} cp_perturb;

/* All rows of a table; the model and the stop flag of `run` are borrowed. */
copse_status cp_perturb_init(cp_perturb *p, const copse_model *m, const copse_table *t, const copse_run *run,
                             copse_error *err);
void cp_perturb_clear(cp_perturb *p);

/* What becomes of the encoded columns of a feature. */
typedef struct cp_perturb_change {
    const cp_feature *feature; /* NULL: nothing is changed */
    const size_t *order;       /* row i gets the columns of row order[i]; or */
    const float *value;        /* every row gets these */
} cp_perturb_change;

/* The answers for rows first ... of tree `who`, or of the forest (CP_NONE). */
typedef void (*cp_perturb_fn)(void *arg, int32_t who, size_t first, const cp_answer *answer);

/* Asks forest and trees about all rows, block by block, on the calling thread. */
copse_status cp_perturb_ask(const cp_perturb *p, const cp_perturb_change *change, cp_perturb_fn fn, void *arg,
                            copse_error *err);

#endif
