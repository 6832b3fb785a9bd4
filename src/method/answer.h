/* answer - the predictions of a block of rows, filled in by a method. */
#ifndef CP_ANSWER_H
#define CP_ANSWER_H

#include "method/rows.h"
#include "method/workspace.h"
#include "num/mixture.h"

/* For each tree the Gaussians of this many rows lie side by side and fill a cache line.  A tree then writes whole
 * lines, and the components of a row lie on as many lines as there are trees, one after the other. */
enum { CP_ANSWER_ROWS = 64 / sizeof(cp_gauss) };

/* Predictions of n rows, filled by the method in row order.
 *
 * Classification: probs (n x classes) is zeroed by the caller, and the method adds its probabilities.
 * Regression: the method appends components with cp_answer_add and ends each row with cp_answer_end_row.  If all rows
 * have the same number of Gaussians of equal weight, it calls cp_answer_fill instead and writes them at
 * cp_answer_gauss. */
typedef struct cp_answer {
    copse_task task;
    size_t rows, classes;
    /* What the caller asks for besides the whole distribution of y.  cp_answer_init sets 0, CP_NONE and NULL; the
     * caller changes them afterwards.  Only methods with has_draws are asked; `tree` also those with `descend`. */
    int of_mean;  /* regression: the distribution of the mean of y, without the variance of y about it; classes (only
                     methods with draws_probs): the probabilities in each draw */
    int32_t tree; /* the prediction of this tree alone; for sums of trees, of this draw alone */
    double *leaf; /* regression, only methods with `descend`: n numbers, zeroed by the caller, to which the method adds
                     the mean over the trees of the value of the row's leaf, wherever the row lies in its cell; else
                     NULL */
    cp_workspace *workspace; /* scratch memory for the method to keep, or NULL */
    /* Set by the method: Gaussian k of every row belongs to one draw, the k-th in the order of sampling. */
    int in_order;
    double *probs;
    size_t *start; /* rows+1: components of row i are start[i] ... start[i+1]-1 */
    size_t ended;  /* rows ended so far */
    cp_component *comp;
    size_t n_comp, cap_comp;
    cp_gauss *gauss;     /* in place of comp, addressed by cp_answer_gauss; else NULL */
    float *drawn;        /* classes with of_mean, addressed by cp_answer_drawn; else NULL */
    size_t per_row;      /* Gaussians, or draws, of a row */
    double centre, unit; /* of the Gaussians, see cp_mixture */
    /* The memory that gauss and drawn point to, kept by cp_answer_reset, and its size; sizes of probs and start. */
    cp_gauss *gauss_room;
    float *drawn_room;
    size_t cap_gauss, cap_drawn, cap_probs, cap_start;
} cp_answer;

copse_status cp_answer_init(cp_answer *a, copse_task task, size_t rows, size_t classes, copse_error *err);
/* The same for an answer that is all zeros or was used before: its memory is used again. */
copse_status cp_answer_reset(cp_answer *a, copse_task task, size_t rows, size_t classes, copse_error *err);
copse_status cp_answer_add(cp_answer *a, cp_component c, copse_error *err);
/* Room for `more` components, which cp_answer_push then adds without a check. */
copse_status cp_answer_reserve(cp_answer *a, size_t more, copse_error *err);
static inline void cp_answer_push(cp_answer *a, cp_component c) {
    a->comp[a->n_comp++] = c;
}
/* Ends a row: drops components of negligible weight (cp_mixture_tidy) and normalises the others. */
void cp_answer_end_row(cp_answer *a);
/* Allocates `per_row` Gaussians for every row; the caller writes them. */
copse_status cp_answer_fill(cp_answer *a, size_t per_row, double centre, double unit, copse_error *err);
/* The k-th Gaussian of a row.  Those of the next rows, up to a multiple of CP_ANSWER_ROWS, follow it in memory. */
static inline cp_gauss *cp_answer_gauss(const cp_answer *a, size_t row, size_t k) {
    return a->gauss + (row / CP_ANSWER_ROWS * a->per_row + k) * CP_ANSWER_ROWS + row % CP_ANSWER_ROWS;
}
/* Allocates `draws` probabilities for every row and class; the caller writes them. */
copse_status cp_answer_fill_drawn(cp_answer *a, size_t draws, copse_error *err);
/* The probabilities of class k of a row in all draws, in the order of sampling. */
static inline float *cp_answer_drawn(const cp_answer *a, size_t row, size_t k) {
    return a->drawn + (row * a->classes + k) * a->per_row;
}
/* Copies the rows of `part` (same task; it may have fewer classes) to row `first` of a.  Regression: parts come in
 * order, so `first` is the number of rows ended so far.  Gaussians: `first` is a multiple of CP_ANSWER_ROWS. */
copse_status cp_answer_place(cp_answer *a, size_t first, const cp_answer *part, copse_error *err);

/* Prequential prediction: trees that learn in parallel predict each row before they learn it, a piece of the rows at a
 * time.  Each tree has an answer of its own; afterwards the answers are merged. */
copse_status cp_answer_new_each(size_t trees, copse_task task, size_t rows, size_t classes, cp_answer **out,
                                copse_error *err);
void cp_answer_free_each(cp_answer *each, size_t trees);
/* Rows in a piece, so that the answers of all trees take about 32 MB.  per_row: components of a tree for a row. */
size_t cp_answer_piece(size_t trees, copse_task task, size_t classes, size_t per_row);
/* Adds `weight` times the answer of each tree, in the order of the trees, to rows first ... of a.  Regression: pieces
 * come in order, as in cp_answer_place. */
copse_status cp_answer_merge(cp_answer *a, size_t first, const cp_answer *each, size_t trees, double weight,
                             copse_error *err);

/* Classification: raises probabilities below `least` to it, and lowers the others so that each row sums to 1. */
void cp_answer_raise(cp_answer *a, double least);

/* The distribution of a row of a regression answer. */
cp_mixture cp_answer_mixture(const cp_answer *a, size_t row);
/* The most probable class of a row; the first of several. */
size_t cp_answer_label(const cp_answer *a, size_t row);
void cp_answer_clear(cp_answer *a);

#endif
