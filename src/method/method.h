/* method - what a method is: one constant struct, listed in model/registry.c.  Nobody else knows a method by name.
 *
 * A method sees encoded rows (float, row-major) and targets; it never sees tables, files or options as text. */
#ifndef CP_METHOD_H
#define CP_METHOD_H

#include "method/answer.h"
#include "method/inspect.h"
#include "method/param.h"
#include "method/rows.h"
#include "method/sampler.h"

typedef struct cp_method {
    copse_method_info info; /* name, summary, tasks, online: what users see */
    int wants_unit;         /* features scaled to [0,1] */
    int takes_raw;          /* categories and missing values (NaN) as they are: one encoded column per feature */
    int takes_weights;      /* row weights */
    int has_draws;   /* each tree, or draw of a sum of trees, is a predictor: answers of_mean and of one of them */
    int draws_probs; /* ... and of_mean of classes */
    const cp_param *params;
    size_t n_params;
    const char *memory_hint; /* options that make do with less memory: "fewer --trees" */

    /* Fits on rows; *out_state belongs to the caller and is freed by `clear`.  NULL if there is a sampler. */
    copse_status (*fit)(const cp_rows *rows, const copse_params *p, const copse_run *run, void **out_state,
                        copse_error *err);
    const cp_sampler *sampler;
    /* Learns rows in order.  opt_before: the prediction of each row just before it was learnt.  rows->classes may have
     * grown.  A failure either leaves the state as it was (rows() is unchanged), or leaves it sound, with the rows
     * taken in and their learning to be finished by the next update. */
    copse_status (*update)(void *state, const cp_rows *rows, const copse_params *p, const copse_run *run,
                           cp_answer *opt_before, copse_error *err);
    /* Predicts one block of rows on the calling thread; out is initialised.  model_predict.c makes the blocks. */
    copse_status (*predict)(const void *state, const cp_rows *rows, const copse_params *p, cp_answer *out,
                            copse_error *err);
    /* Would `predict` rather have rows as key blocks, where nothing is missing?  May be NULL: never. */
    int (*takes_key_blocks)(const void *state);
    /* Called once before predictions start, when the state may be stale after updates; may be NULL. */
    copse_status (*refresh)(void *state, const copse_params *p, const copse_run *run, copse_error *err);

    copse_status (*write)(const void *state, const copse_params *p, unsigned flags, cp_writer *w, copse_error *err);
    /* dims, classes and task are the schema's; everything else in the file is checked by `read` itself. */
    copse_status (*read)(cp_reader *r, const copse_params *p, copse_task task, size_t dims, size_t classes,
                         void **out_state, copse_error *err);
    /* The invariants, all of them, slowly: NULL if they hold, else what is broken. */
    const char *(*check)(const void *state);
    void (*clear)(void *state);

    /* takes_raw: the levels of the rows it was fitted on, as in cp_rows, so that a file can be held to its schema. */
    const uint32_t *(*levels)(const void *state);
    size_t (*rows)(const void *state); /* learnt so far */
    size_t (*trees)(const void *state);
    /* Sums of trees: a draw is a sum, and `trees` counts those of all draws, draw after draw.  NULL: each tree is a
     * draw. */
    size_t (*draws)(const void *state);
    int (*can_learn)(const void *state); /* with `update`: not if it was saved without what learning needs */
    size_t (*figures)(const void *state, copse_figure out[COPSE_MAX_FIGURES]);
    size_t (*details)(const void *state, copse_figure *out); /* more of them, for programs; NULL: none */
    /* Samplers: whether to trust the result. */
    void (*diagnose)(const void *state, const copse_params *p, copse_diagnosis *out);
    /* More members of the model's JSON object, if there are any. */
    void (*json)(const void *state, cp_json *j);
    /* The "hyper", "weight" and "nodes" members of the tree's JSON object. */
    copse_status (*tree_json)(const void *state, size_t tree, cp_json *j, copse_error *err);
    /* One node for the text and dot listings. */
    void (*tree_node)(const void *state, size_t tree, int32_t node, cp_inspect_node *out);
    /* For those who look for where an answer changes: one step from a node towards x; 0 at a leaf.  NULL: not to be
     * had. */
    int (*descend)(const void *state, size_t tree, int32_t node, const float *x, cp_inspect_step *out);
    /* Regression: the variance of y about its mean that is part of every answer's components.  NULL: not to be had. */
    double (*noise)(const void *state);
    /* Samplers: weight and size of a tree; how many of its splits are on each encoded column. */
    cp_inspect_shape (*tree_shape)(const void *state, size_t tree);
    void (*tree_splits)(const void *state, size_t tree, double *out_dims);
    /* The same of all trees of a draw, in place of tree_splits where there are `draws`. */
    void (*draw_splits)(const void *state, size_t draw, double *out_dims);
    /* How much the splits of a tree on each encoded column lowered the impurity of the training rows, as shares of the
     * tree's total; NULL if the method does not know. */
    void (*importance)(const void *state, size_t tree, double *out_dims);
} cp_method;

#endif
