/* auto_gate - widens intervals away from the data, whatever the members of the pool are.
 *
 * The gate is a Mondrian forest (`posterior` fast) of a sample of the rows.  In the place of their targets it learns
 * the pool's means of rows that its members had not seen: so it knows of the signal, and not of noise, which may be
 * large where rows are many.  Its variance at x grows with the distance of x from the boxes of its nodes.  The
 * reference is the .9-quantile of that variance at rows which the forest had not seen.  Where the variance v(x) is
 * above it, the excess
 *     factor * (v(x) - reference)
 * is added to the variance of every component of the pool. */
#ifndef CP_AUTO_GATE_H
#define CP_AUTO_GATE_H

#include "auto/auto.h"
#include "auto/auto_folds.h"

/* Fits a->gate on the rows, which are in the order of the folds (folds >= 2); numbers only. */
copse_status cp_auto_gate_fit(cp_auto *a, const cp_rows *rows, const cp_auto_folds *folds, uint64_t seed,
                              const copse_run *run, copse_error *err);
/* Scratch that a caller may keep from call to call; all zeros at first. */
typedef struct cp_auto_gate_room {
    cp_answer answer;
    cp_workspace work;
} cp_auto_gate_room;
/* What is to be added to the variance of each row, from unit rows; all zeros without a gate. */
copse_status cp_auto_gate_excess(const cp_auto_gate *g, const cp_rows *unit, cp_auto_gate_room *room, double *out,
                                 copse_error *err);
void cp_auto_gate_clear(cp_auto_gate *g);

#endif
