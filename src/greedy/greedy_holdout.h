/* greedy_holdout - fits the leaf variance (greedy_leaf_variance.h), or the temperature of classes (greedy_votes.h), of
 * forests without out-of-bag rows, on rows that are held out from a few more trees.  Rows of a group (row_groups.h) are
 * held out together: below, "rows" are groups.
 *
 *   cart           a tenth of the rows is held out and one tree grown on the others; repeated with other rows until
 *                  2000 rows, or all, have been predicted
 *   bf, ebf, ert   a fifth of the rows, at most 2000, is held out and a few trees grown on the others; repeated until
 *                  2000 rows, or all, have been predicted.  In all that takes 4 trees above 10000 rows, at most 10
 *                  below, and 40 below 1000 rows, where they take thousandths of a second
 *   of classes     a fifth of the rows, at most 2000, is held out from 8 more trees (16 below 5000 rows; fewer if the
 *                  model has less than 100 trees; cart: 1); repeated until 500 rows, or all, have been predicted
 *   ssf            the trees of one subset have not seen the rows of the others: no tree is grown
 *
 * A tree of numbers that is grown for held-out rows is needed only in the leaves in which these lie: it is grown where
 * they go (query rows, greedy_grow.h).  On a million rows of which 2000 are held out, that saves a third to a half of
 * the work. */
#ifndef CP_GREEDY_HOLDOUT_H
#define CP_GREEDY_HOLDOUT_H

#include "greedy/greedy.h"
#include "method/row_groups.h"

/* With so many groups, a fit takes the first of them and needs no others. */
enum { CP_GREEDY_HOLDOUT_GROUPS = 20000 };

/* The fit that learns its leaf variance, or the temperature of its classes. */
typedef struct cp_greedy_holdout {
    cp_greedy *g; /* its trees are grown */
    const cp_greedy_data *data;
    const cp_greedy_weight *weight;
    const cp_row_groups *groups; /* of the rows of weight above 0 */
    double alpha;                /* classes: smoothing of the leaves */
} cp_greedy_holdout;

/* A few more trees.  All jobs of a fit are for equally many trees. */
typedef struct cp_greedy_regrow_job {
    uint32_t *row; /* the rows the trees are grown on; the callee frees them */
    size_t rows;
    const uint32_t *query_row; /* the held-out rows the trees will predict */
    size_t query_rows;
    uint32_t number; /* of the job, for its random numbers */
} cp_greedy_regrow_job;
/* Grows out->trees trees by the rule of the forest. */
typedef copse_status (*cp_greedy_regrow)(void *fit, const cp_greedy_regrow_job *job, cp_forest *out, copse_error *err);
copse_status cp_greedy_holdout_run(const cp_greedy_holdout *h, cp_greedy_regrow regrow, void *fit, copse_error *err);

/* How wrong a few trees are that are grown by that rule on some 2000 rows, about others: the mean squared error or
 * Brier score, as it would be with as many trees as the model has.  NaN if there are too few rows.  The forest has no
 * trees yet, but knows how many. */
copse_status cp_greedy_holdout_pilot(const cp_greedy_holdout *h, cp_greedy_regrow regrow, void *fit, double *out_score,
                                     copse_error *err);

/* For a forest on `subsets` >= 2 subsets of the rows: equally many trees of each, in the order of the subsets; the rows
 * of subset k are weight->row[start[k]] ... weight->row[start[k + 1] - 1]. */
copse_status cp_greedy_holdout_subsets(const cp_greedy_holdout *h, const size_t *start, size_t subsets,
                                       copse_error *err);

#endif
