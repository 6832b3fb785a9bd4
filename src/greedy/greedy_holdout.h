/* greedy_holdout - rows that trees have not seen, found for the forests that have no out-of-bag rows, to learn by them
 * how far from a leaf's mean a new row may lie (greedy_leaf_variance.h).
 *
 *   cart           a tenth of the rows is held out and one tree grown on the others, until 2000 rows have been tried or
 *                  all
 *   bf, ebf, ert   a fifth, at most 2000 rows, is held out and a few trees grown on the others, until 2000 rows have
 *                  been tried or all.  Above 10000 rows these are 4 trees, below at most 10; below 1000, where they
 *                  take thousandths of a second, 40
 *   ssf            the trees of a subset have not seen the others: nothing is grown
 *
 * Of a tree that is grown for rows held out, only the leaves are wanted in which these lie: it is grown where they go,
 * and left at that elsewhere.  On a million rows, of which 2000 are held out, that saves a third to a half of the
 * work. */
#ifndef CP_GREEDY_HOLDOUT_H
#define CP_GREEDY_HOLDOUT_H

#include "greedy/greedy_leaf_variance.h"

/* The fit that asks. */
typedef struct cp_greedy_holdout {
    const cp_forest *forest; /* grown */
    const cp_greedy_data *data;
    const cp_greedy_weight *weight;
    uint64_t seed;
} cp_greedy_holdout;

/* What trees are grown from once more, and which rows they will be asked about.  Calls of a fit are for equally many
 * trees, and no other has the same number. */
typedef struct cp_greedy_regrow_job {
    uint32_t *row; /* becomes the callee's */
    size_t rows;
    const uint32_t *query_row;
    size_t query_rows;
    uint32_t number;
} cp_greedy_regrow_job;
/* Grows out->trees trees like those of the forest. */
typedef copse_status (*cp_greedy_regrow)(void *fit, const cp_greedy_regrow_job *call, cp_forest *out, copse_error *err);
copse_status cp_greedy_holdout_run(const cp_greedy_holdout *t, cp_greedy_regrow regrow, void *fit,
                                   cp_greedy_leaf_variance *s, copse_error *err);

/* For trees of `parts` >= 2 parts, equally many of each and in their order; rows of part k are
 * weight->row[start[k]] ... weight->row[start[k + 1] - 1]. */
copse_status cp_greedy_holdout_subsets(const cp_greedy_holdout *t, const size_t *start, size_t parts,
                                       cp_greedy_leaf_variance *s, copse_error *err);

#endif
