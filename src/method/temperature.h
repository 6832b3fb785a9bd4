/* temperature - corrects class probabilities that are too timid or too bold.
 *
 *     q_k  =  (1 - mix) p_k^power / sum_j p_j^power  +  mix share_k,
 *
 * with the shares of the classes among the training rows.  power is 1 / temperature.  A forest of deep trees is timid:
 * trees that disagree about a row pull its probabilities to the middle, and power is 2 to 3.  Where labels are noisy,
 * leaves that are pure by chance make it bold, and power is below 1.  Because mix is above 0, no class has the
 * probability 0 or 1.
 *
 * Both are fitted to rows that were not learnt from, by the least log loss + 2 (log power)^2: few rows leave
 * the power near 1.  Such rows are often predicted by T trees in place of the M of the model.  Their mean is noisier:
 * now and then all T say that the true class is impossible.  That is what mix absorbs, so the model has T / M of it,
 * and power is that of many trees. */
#ifndef CP_TEMPERATURE_H
#define CP_TEMPERATURE_H

#include "method/rows.h"

#define CP_TEMPERATURE_LEAST_POWER 0.05
#define CP_TEMPERATURE_MOST_POWER  8.0

/* All zeros: nothing is changed. */
typedef struct cp_temperature {
    double power, mix;
    double *share; /* of each class, above 0 */
    double total;  /* of the shares; not quite 1 in a forged file */
    size_t classes;
} cp_temperature;

/* The share of each class among rows, smoothed; power 1 and the least mix that is used. */
copse_status cp_temperature_init(cp_temperature *t, const cp_rows *rows, copse_error *err);
/* Sets the total. */
void cp_temperature_add_up(cp_temperature *t);
void cp_temperature_clear(cp_temperature *t);
/* Changes the probabilities of one row. */
void cp_temperature_apply(const cp_temperature *t, double *probs);

/* Predictions to learn from. */
typedef struct cp_temperature_unseen {
    const double *probs; /* n x classes; rows that sum to 0 are left out */
    size_t n;
    const double *weight; /* n x classes: how much each class weighs among the rows that were predicted so */
    double copies;        /* rows of weight 1 that say no more than one row */
    double votes, trees;  /* T and M */
} cp_temperature_unseen;
/* t is initialised. */
copse_status cp_temperature_fit(cp_temperature *t, const cp_temperature_unseen *u, copse_error *err);

#endif
