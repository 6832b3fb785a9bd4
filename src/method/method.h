/* method - what a method is: one constant struct, listed in model/registry.c.  Nobody else knows a method by name.
 *
 * A method sees encoded rows (float, row-major) and targets; it never sees tables, files or options as text. */
#ifndef CP_METHOD_H
#define CP_METHOD_H

#include "base/bytes.h"
#include "base/json.h"
#include "method/param.h"
#include "num/mixture.h"

/* Encoded rows with their targets; borrowed for the call. */
typedef struct cp_rows {
    copse_task task;
    size_t n, dims, classes;
    const float *x; /* n x dims, row-major */
    float *own;     /* x itself, if it may be overwritten: nobody reads it after the call; else NULL */
    const uint32_t
        *gang; /* in place of x, which is NULL: the rows as gangs of keys (kern.h), for methods that take them; else
                             NULL */
    const double *y;      /* regression, else NULL */
    const int32_t *label; /* classification, else NULL: 0 ... classes-1 */
    /* For methods that take categories and missing values as they are (takes_raw): */
    const uint32_t *levels; /* per column: 0 for numbers, else the levels of a category, whose values are codes 0 ...
                               levels-1, and `levels` for a level unseen in training; NULL: all are numbers */
    const double *weight;   /* of each row, finite and >= 0, some > 0; NULL: all are 1 */
} cp_rows;

/* Rows first ... first+n-1 of them, or as many of these as there are. */
cp_rows cp_rows_part(const cp_rows *rows, size_t first, size_t n);

/* Rows whose Gaussians from one tree lie side by side, a cache line of them: a tree writes whole lines, and the
 * components of a row are on as many lines, one after the other. */
enum { CP_ANSWER_ROWS = 64 / sizeof(cp_gauss) };

/* Predictions of n rows, filled by the method in row order.
 * Classification: probs (n x classes) is zeroed by the caller and the method adds its probabilities.
 * Regression: the method appends components with cp_answer_add and ends each row with cp_answer_end_row; or, if all
 * rows have the same number of Gaussians of equal weight, it writes these where cp_answer_gauss says. */
typedef struct cp_answer {
    copse_task task;
    size_t rows, classes;
    /* What is asked beyond the whole distribution of y; set after cp_answer_init, zero and CP_NONE there.  Only methods
     * with has_draws are asked; but `tree` also those that descend. */
    int of_mean;  /* regression: the distribution of the mean of y, without the spread of y about it; classes (only
                     methods with draws_probs): the probabilities in each draw */
    int32_t tree; /* the answer of this tree alone; of a sum of trees, of this draw of it */
    double *leaf; /* regression, only methods that descend: room for a number a row, zeroed by the caller, for the mean
                     over the trees of what their leaf alone says, wherever the row lies in its cell; else NULL */
    int in_order; /* set by the method: Gaussian k of every row is of one draw, the k-th in the order of sampling */
    double *probs;
    size_t *start; /* rows+1: components of row i are start[i] ... start[i+1]-1 */
    size_t ended;  /* rows ended so far */
    cp_component *comp;
    size_t n_comp, cap_comp;
    cp_gauss *gauss;     /* instead of comp, else NULL: where, says cp_answer_gauss */
    float *drawn;        /* classes, of_mean: where, says cp_answer_drawn; else NULL */
    size_t per_row;      /* Gaussians, or draws, of a row */
    double centre, unit; /* theirs, see cp_mixture */
} cp_answer;

copse_status cp_answer_init(cp_answer *a, copse_task task, size_t rows, size_t classes, copse_error *err);
copse_status cp_answer_add(cp_answer *a, cp_component c, copse_error *err);
void cp_answer_end_row(cp_answer *a); /* tidies the row's mixture */
/* Room for `per_row` Gaussians of every row, for the caller to write. */
copse_status cp_answer_fill(cp_answer *a, size_t per_row, double centre, double unit, copse_error *err);
/* The k-th Gaussian of a row; those of the rows up to the next multiple of CP_ANSWER_ROWS follow it. */
static inline cp_gauss *cp_answer_gauss(const cp_answer *a, size_t row, size_t k) {
    return a->gauss + (row / CP_ANSWER_ROWS * a->per_row + k) * CP_ANSWER_ROWS + row % CP_ANSWER_ROWS;
}
/* Room for `draws` of every row and class, for the caller to write. */
copse_status cp_answer_fill_drawn(cp_answer *a, size_t draws, copse_error *err);
/* The probabilities of class k of a row in all draws, in the order of sampling. */
static inline float *cp_answer_drawn(const cp_answer *a, size_t row, size_t k) {
    return a->drawn + (row * a->classes + k) * a->per_row;
}
/* Puts the rows of `part` (same task; it may know fewer classes) at row `first` of a.  Regression: in order, `first` is
 * the number of rows ended so far, a multiple of CP_ANSWER_ROWS if they have Gaussians. */
copse_status cp_answer_place(cp_answer *a, size_t first, const cp_answer *part, copse_error *err);
/* Trees that learn side by side, and say of each row before they learn it what they think, answer each on its own, for
 * a piece of the rows at a time.  One answer for each tree: */
copse_status cp_answer_new_each(size_t trees, copse_task task, size_t rows, size_t classes, cp_answer **out,
                                copse_error *err);
void cp_answer_free_each(cp_answer *each, size_t trees);
/* Rows in a piece: all those answers are to fit into some 32 MB if a tree says `per_row` components of a number. */
size_t cp_answer_piece(size_t trees, copse_task task, size_t classes, size_t per_row);
/* Adds `weight` times what each tree says, in their order, to rows first ... of a.  Regression: as in
 * cp_answer_place. */
copse_status cp_answer_merge(cp_answer *a, size_t first, const cp_answer *each, size_t trees, double weight,
                             copse_error *err);
/* The distribution of a row of a regression answer. */
cp_mixture cp_answer_mixture(const cp_answer *a, size_t row);
/* The most probable class of a row; the first, if tied. */
size_t cp_answer_label(const cp_answer *a, size_t row);
void cp_answer_clear(cp_answer *a);

#define CP_ROWS_UNKNOWN SIZE_MAX

/* A node as people look at it; the root is node 0. */
typedef struct cp_node_view {
    int32_t left, right; /* CP_NONE at a leaf */
    size_t dim;          /* split: encoded column */
    double cut;          /* split: in scaled units; NaN when the levels of a category are split */
    double give;         /* split: the cut may lie so much to either side, anywhere alike */
    const uint32_t *set; /* category: bit c says that level c goes left, else NULL */
    int missing_left;    /* missing and unseen values go left */
    size_t rows;         /* leaf: rows in it, or CP_ROWS_UNKNOWN */
    int32_t label;       /* leaf: its class, CP_NONE if there are several or none */
    char note[96];       /* what else is worth saying: the time of a split, the mean of a leaf */
} cp_node_view;

/* A step from a node down towards a point. */
typedef struct cp_step {
    int32_t child;
    size_t dim; /* encoded column that is split */
    float cut;
    int is_left; /* the child is the left one: x <= cut there, else x > cut */
} cp_step;

/* The members of a split's JSON object: feature, cut (of a number) or levels (the codes of a category that go left),
 * and for methods that take missing values the way these go.  levels: of the category, else 0. */
void cp_node_json(const cp_node_view *v, uint32_t levels, int takes_missing, cp_json *j);

/* One of several trees with weights. */
typedef struct cp_shape {
    double weight;
    size_t leaves, depth;
} cp_shape;

/* A fit that takes its time, as a thing that can be stopped, saved and taken up again without a trace in the result. */
typedef struct cp_sampler {
    /* The rows are borrowed until clear. */
    copse_status (*begin)(const cp_rows *rows, const copse_params *p, const copse_run *run, void **out_job,
                          copse_error *err);
    /* Goes on for `amount` units of work, whatever these are; 0: to the end.  After any failure, COPSE_E_STOPPED among
     * them, the job can be saved or go on. */
    copse_status (*advance)(void *job, size_t amount, const copse_run *run, int *out_done, copse_error *err);
    /* What is left of a job that is done; it stays as it is. */
    copse_status (*finish)(void *job, const copse_run *run, void **out_state, copse_error *err);
    void (*clear)(void *job);
    copse_status (*write)(void *job, cp_writer *w, copse_error *err);
    /* In place of begin, with the rows and options the job was written with; but `grows`, if it has a name, is an
     * option that may have grown since, even if the job was done. */
    copse_status (*read)(cp_reader *r, const cp_rows *rows, const copse_params *p, const copse_run *run, void **out_job,
                         copse_error *err);
    const char *grows;
} cp_sampler;

typedef struct cp_method {
    copse_method_info info; /* name, summary, tasks, online: what users see */
    int wants_unit;         /* features scaled to [0,1] */
    int takes_raw;          /* categories and missing values (NaN) as they are: one encoded column per feature */
    int takes_weights;      /* row weights */
    int has_draws;   /* each tree, or draw of a sum of trees, is a predictor: answers of_mean and of one of them */
    int draws_probs; /* ... and of_mean of classes */
    const cp_param *params;
    size_t n_params;
    const char *thrift; /* options that make do with less memory: "fewer --trees" */

    /* Fits on rows; *out_state belongs to the caller and is freed by `clear`.  NULL if there is a sampler. */
    copse_status (*fit)(const cp_rows *rows, const copse_params *p, const copse_run *run, void **out_state,
                        copse_error *err);
    const cp_sampler *sampler;
    /* Learns rows in order.  opt_before: the prediction of each row just before it was learnt.  rows->classes may have
     * grown.  A failure either leaves the state as it was (rows() is unchanged), or leaves it sound, with the rows
     * taken in and their learning to be finished by the next update. */
    copse_status (*update)(void *state, const cp_rows *rows, const copse_params *p, const copse_run *run,
                           cp_answer *opt_before, copse_error *err);
    /* Predicts one block of rows on the calling thread; out is initialised.  model.c cuts and threads. */
    copse_status (*predict)(const void *state, const cp_rows *rows, const copse_params *p, cp_answer *out,
                            copse_error *err);
    /* Would `predict` rather have rows as gangs, where nothing is missing?  May be NULL: never. */
    int (*takes_gangs)(const void *state);
    /* Called once before predictions start, when the state may be stale after updates; may be NULL. */
    copse_status (*settle)(void *state, const copse_params *p, const copse_run *run, copse_error *err);

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
    void (*tree_node)(const void *state, size_t tree, int32_t node, cp_node_view *out);
    /* For those who look for where an answer changes: one step from a node towards x; 0 at a leaf.  NULL: not to be
     * had. */
    int (*descend)(const void *state, size_t tree, int32_t node, const float *x, cp_step *out);
    /* Regression: the variance of y about its mean that is part of every answer's components.  NULL: not to be had. */
    double (*noise)(const void *state);
    /* Samplers: weight and size of a tree; how many of its splits are on each encoded column. */
    cp_shape (*tree_shape)(const void *state, size_t tree);
    void (*tree_splits)(const void *state, size_t tree, double *out_dims);
    /* The same of all trees of a draw, in place of tree_splits where there are `draws`. */
    void (*draw_splits)(const void *state, size_t draw, double *out_dims);
    /* How much the splits of a tree on each encoded column lowered the impurity of the training rows, as shares of the
     * tree's total; NULL if the method does not know. */
    void (*importance)(const void *state, size_t tree, double *out_dims);
} cp_method;

#endif
