/* method - what a method is: one constant struct, listed in model/registry.c.  Only the registry knows a method by
 * name.
 *
 * A method sees encoded rows (float, row-major) and targets; it never sees tables, files or options as text.  This
 * header declares types only. */
#ifndef CP_METHOD_H
#define CP_METHOD_H

#include "method/answer.h"
#include "method/inspect.h"
#include "method/param.h"
#include "method/rows.h"
#include "method/sampler.h"

typedef struct cp_method {
    copse_method_info info; /* what users see; takes_missing and takes_categories are those of takes_raw */
    int wants_unit;         /* features scaled to [0,1] */
    int takes_raw;          /* categories and missing values (NaN) as they are: one encoded column per feature */
    int has_draws;   /* each tree, or each draw of a sum of trees, is a predictor: cp_answer's of_mean and tree work */
    int draws_probs; /* of_mean works for classes too */
    const cp_param *params;
    size_t n_params;
    const char *memory_hint; /* the options that save memory, for a message: "fewer `trees`" */

    /* Fits on rows; *out_state belongs to the caller and is freed by `clear`.  NULL if there is a sampler. */
    copse_status (*fit)(const cp_rows *rows, const copse_params *p, const copse_run *run, void **out_state,
                        copse_error *err);
    const cp_sampler *sampler; /* NULL if there is `fit` */
    /* Learns rows in order.  opt_before: the prediction of each row just before it was learnt.  rows->classes may have
     * grown.  A failure leaves the state valid.  Either it is as before (rows() is unchanged), or it has taken in the
     * rows and the next update finishes learning them. */
    copse_status (*update)(void *state, const cp_rows *rows, const copse_params *p, const copse_run *run,
                           cp_answer *opt_before, copse_error *err);
    /* Predicts one block of rows on the calling thread; out is initialised.  model_predict.c makes the blocks. */
    copse_status (*predict)(const void *state, const cp_rows *rows, const copse_params *p, cp_answer *out,
                            copse_error *err);
    /* Whether `predict` prefers rows as key blocks where no value is missing.  NULL: never. */
    int (*takes_key_blocks)(const void *state);
    /* Brings the state up to date after updates; called once before predictions start.  May be NULL. */
    copse_status (*refresh)(void *state, const copse_params *p, const copse_run *run, copse_error *err);

    copse_status (*write)(const void *state, const copse_params *p, unsigned flags, cp_writer *w, copse_error *err);
    /* dims, classes and task are the schema's; `read` checks everything else in the file. */
    copse_status (*read)(cp_reader *r, const copse_params *p, cp_rows_shape shape, void **out_state, copse_error *err);
    /* Checks all invariants, slowly: NULL if they hold, else what is broken. */
    const char *(*check)(const void *state);
    void (*clear)(void *state);

    /* takes_raw: the levels of the rows it was fitted on, as in cp_rows, to compare a file with its schema. */
    const uint32_t *(*levels)(const void *state);
    size_t (*rows)(const void *state); /* learnt so far */
    size_t (*trees)(const void *state);
    /* Sums of trees: the number of draws.  Each draw is a sum; `trees` counts the trees of all draws, draw after draw.
     * NULL: each tree is a draw. */
    size_t (*draws)(const void *state);
    /* Methods with `update`: 0 if the model was saved without what learning needs. */
    int (*can_learn)(const void *state);

    cp_inspect inspect;
} cp_method;

#endif
