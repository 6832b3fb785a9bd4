/* mondrian - Mondrian forests: the method.  Trees are independent given the rows; the forest is their equal mixture.
 *
 * Rows are kept once per forest, encoded, and trees refer to them by number: a paused leaf that resumes is sampled from
 * its own rows.  Row i of tree m is learnt with the random stream (seed, extend, m, i), so a stream of rows gives the
 * same forest however it is cut, and whatever the number of threads.
 *
 *   F1  trees may lag: tree m has learnt the first tree[m].rows rows.  They are all equal to space.rows unless an
 *       update was stopped or ran out of memory; the next update then first brings the trees that lag up to date. */
#ifndef CP_MONDRIAN_H
#define CP_MONDRIAN_H

#include "method/method.h"
#include "mondrian/mondrian_gauss.h"
#include "mondrian/mondrian_tree.h"

typedef struct cp_mondrian {
    copse_task task;
    cp_mondrian_space space; /* points into the arrays below */
    float *x;
    int32_t *label;
    double *y; /* minus center */
    size_t cap_x, cap_label, cap_y;
    cp_mondrian_tree *tree;
    size_t trees;
    uint64_t seed;

    double gamma; /* classification */

    /* regression */
    int marginal;             /* hyperparameters were fitted and are frozen; else they follow the rows */
    int stale;                /* exact: rows were learnt since the posterior was computed */
    double center;            /* mean of the first targets, taken off so that large offsets lose no digits */
    cp_mondrian_stat moments; /* of y, all rows learnt */
    cp_mondrian_hyper hyper;  /* in centred units */
    double log_marginal;      /* exact: mean over trees */
} cp_mondrian;

extern const cp_method cp_method_mondrian;

/* Rows learnt so far. */
static inline size_t cp_mondrian_learnt(const cp_mondrian *f) {
    return f->space.frozen ? f->space.frozen : f->space.rows;
}

/* Pieces in their own files. */
copse_status cp_mondrian_hyper_fit(cp_mondrian *f, const copse_run *run, copse_error *err);
copse_status cp_mondrian_refresh(cp_mondrian *f, const copse_run *run, copse_error *err);
copse_status cp_mondrian_predict(const void *state, const cp_rows *rows, const copse_params *p, cp_answer *out,
                                 copse_error *err);

copse_status cp_mondrian_file_write(const void *state, const copse_params *p, unsigned flags, cp_writer *w,
                                    copse_error *err);
copse_status cp_mondrian_file_read(cp_reader *r, const copse_params *p, copse_task task, size_t dims, size_t classes,
                                   void **out_state, copse_error *err);
copse_status cp_mondrian_inspect_json(const void *state, size_t tree, cp_json *j, copse_error *err);
void cp_mondrian_inspect_node(const void *state, size_t tree, int32_t node, cp_inspect_node *out);
int cp_mondrian_inspect_descend(const void *state, size_t tree, int32_t node, const float *x, cp_inspect_step *out);

/* An empty forest with the settings of p. */
copse_status cp_mondrian_new(const copse_params *p, copse_task task, size_t dims, size_t classes, cp_mondrian **out,
                             copse_error *err);
void cp_mondrian_free(void *state);

#endif
