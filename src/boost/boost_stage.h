/* boost_stage - rounds of boosting for one loss, by one or several members side by side.
 *
 * Each member is a sum of trees of its own, and leaves out some rows, its part.  The loss of all left-out rows together
 * chooses the number of rounds, which is the same for all members; the scores of left-out rows are honest: no tree
 * behind them has seen the row. */
#ifndef CP_BOOST_STAGE_H
#define CP_BOOST_STAGE_H

#include "boost/boost_grow.h"
#include "boost/boost_loss.h"
#include "method/rows.h"

enum { CP_BOOST_MEMBERS = 20, CP_BOOST_ALWAYS = 254, CP_BOOST_NEVER = 255 };

/* What all stages of a fit share. */
typedef struct cp_boost_data {
    const cp_rows *rows;
    const copse_run *run;
    cp_bins bins;
    uint8_t *column; /* the bins again, column by column */
    int whole;       /* all weights are whole: a row of weight k is then the same as k rows */
} cp_boost_data;

static inline double cp_boost_stage_weight(const cp_boost_data *d, size_t i) {
    return d->rows->weight ? d->rows->weight[i] : 1;
}

typedef struct cp_boost_stage {
    const cp_boost_data *data;
    cp_boost_loss loss;
    size_t heads;
    const double *start; /* per head */
    const double *y;     /* numbers: the target in the stage's unit; else NULL */
    /* Of each row: the member that leaves it out, or CP_BOOST_ALWAYS: no member does, or CP_BOOST_NEVER: it is not in
     * the stage. */
    const uint8_t *part;
    size_t members;
    size_t rounds, patience; /* patience 0: all rounds are run */
    cp_boost_rule rule;
    double row_share, column_share;
    uint64_t seed;
    /* Results. */
    cp_tree *tree; /* of round r, member m, head h: (r * members + m) * heads + h */
    size_t trees, cap_trees;
    size_t best;      /* rounds that are kept */
    double held_loss; /* mean over left-out rows after the best round; NaN without patience */
    /* rows x heads: scores of left-out rows after the best round; without patience, those of the first member for all
     * rows; NULL: they are not asked for. */
    double *score;
} cp_boost_stage;

copse_status cp_boost_stage_run(cp_boost_stage *s, copse_error *err);
void cp_boost_stage_clear(cp_boost_stage *s);

#endif
