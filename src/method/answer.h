/* answer - the predictions of a block of rows, as a method fills them in. */
#ifndef CP_ANSWER_H
#define CP_ANSWER_H

#include "method/rows.h"
#include "num/mixture.h"

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

#endif
