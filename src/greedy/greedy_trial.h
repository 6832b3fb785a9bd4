/* greedy_trial - rows that trees have not seen, found for the forests that have no out-of-bag rows, to learn by them how
 * far from a leaf's mean a new row may lie (greedy_spread.h).
 *
 *   cart           a tenth of the rows is held out and one tree grown on the others, until 2000 rows have been tried or all
 *   bf, ebf, ert   a fifth, at most 2000 rows, is held out and a few trees grown on the others, until 2000 rows have been
 *                  tried or all.  Above 10000 rows these are 4 trees, below at most 10; below 1000, where they take
 *                  thousandths of a second, 40
 *   ssf            the trees of a subset have not seen the others: nothing is grown */
#ifndef CP_GREEDY_TRIAL_H
#define CP_GREEDY_TRIAL_H

#include "greedy/greedy_spread.h"

/* The fit that asks. */
typedef struct cp_greedy_trial {
    const cp_forest *forest; /* grown */
    const cp_greedy_data *data;
    const cp_greedy_weight *weight;
    uint64_t seed;
} cp_greedy_trial;

/* Grows out->trees trees like those of the forest from n rows; `row` becomes the callee's.  Calls of a fit are for equally
 * many trees, and no other has the same number. */
typedef copse_status (*cp_greedy_regrow)(void *fit, uint32_t *row, size_t n, uint32_t call, cp_forest *out,
                                         copse_error *err);
copse_status cp_greedy_trial_hold_out(const cp_greedy_trial *t, cp_greedy_regrow regrow, void *fit, cp_greedy_spread *s,
                                      copse_error *err);

/* For trees of `parts` >= 2 parts, equally many of each and in their order; rows of part k are
 * weight->row[start[k]] ... weight->row[start[k + 1] - 1]. */
copse_status cp_greedy_trial_parts(const cp_greedy_trial *t, const size_t *start, size_t parts, cp_greedy_spread *s,
                                   copse_error *err);

#endif
