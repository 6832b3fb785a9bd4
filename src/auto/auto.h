/* auto - the default of `copse fit`: a linear pool of our own methods, weighted and calibrated on rows that its members
 * have not seen, with intervals that widen away from the data.
 *
 *   numbers   F(x) = sum_m w_m S(F_m(x); s_m) + w_0 N(centre, width^2), then S( ; spread) about the pool's mean, then
 *             the gate's excess is added to the variance of every component.  S(F; s) moves every component to s times
 *             its distance from the mean of F, and multiplies its scale by s.
 *   classes   p(x) = T(sum_m w_m T(p_m(x); t_m) + w_0 prior; t), T(p; t) being proportional to p^(1/t).
 *
 * The background w_0 bounds the log score of every row: the weights of the pool are learnt by log score, and one row at
 * which all members are wrong must not decide them.
 *
 * How it is fitted (auto_fit): rows that would tell each other's answer are put into one fold
 * (auto_folds).  Every candidate of the table
 * in auto_members is fitted on each fold's complement and predicts the fold.  auto_pool finds the members' own factors,
 * the weights (EM) and the pool's factor from these predictions.  Candidates of negligible weight are dropped, and the
 * others are fitted again on all rows.  auto_gate is described in its header.
 *
 * Rows are raw.  Members that want unit rows get them from one cp_recode (auto_rows). */
#ifndef CP_AUTO_H
#define CP_AUTO_H

#include "data/recode.h"
#include "method/method.h"

typedef struct cp_auto_member {
    const cp_method *method;
    copse_params *params;
    void *state;
    double weight, score;                 /* score: mean log score of unseen rows, alone; NaN if there were none */
    double factor;                        /* s_m or t_m > 0 */
    char weight_name[32], score_name[32]; /* of its figures */
} cp_auto_member;

/* A Mondrian forest whose variance tells how far a row is from the data; see auto_gate.h. */
typedef struct cp_auto_gate {
    const cp_method *method;
    copse_params *params;
    void *state; /* NULL: there is no gate */
    double reference, factor;
} cp_auto_gate;

typedef struct cp_auto {
    copse_task task;
    size_t dims, classes, rows;
    uint32_t *levels; /* as in cp_rows; NULL: all columns are numbers */
    size_t members;
    cp_auto_member *member;
    double background;    /* w_0 > 0 */
    double centre, width; /* numbers */
    double *prior;        /* classes: one per class */
    double factor;        /* of the pool: spread or t */
    size_t scored;        /* rows that weights and factors were learnt from; 0: none, they are the same for all */
    cp_auto_gate gate;
    cp_recode recode; /* of the gate, and of members that want unit rows */
} cp_auto;

extern const cp_method cp_method_auto;
void cp_auto_free(void *state);
void cp_auto_clear_member(cp_auto_member *m);

#endif
