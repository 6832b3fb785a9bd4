/* surrogate - the forest that models the objective on points of the unit cube, by an online method of the registry.
 *
 * It learns values one by one and evaluates acquisitions.  Each column of a point is multiplied by a scale before the
 * forest sees it (ard_scales.h). */
#ifndef CP_SURROGATE_H
#define CP_SURROGATE_H

#include "bo/acquisition.h"
#include "method/method.h"

typedef struct cp_surrogate {
    const cp_method *method;
    copse_params *params;
    void *state; /* NULL: nothing learnt */
    size_t cols, trees;
    float *scale;   /* of each column */
    float *scaled;  /* scratch: one point times its scales */
    int unfinished; /* memory ran out while learning: rows were taken in that not all trees have learnt */
} cp_surrogate;

copse_status cp_surrogate_init(cp_surrogate *s, size_t cols, size_t trees, uint64_t seed, copse_error *err);
void cp_surrogate_clear(cp_surrogate *s);
/* Forgets everything learnt.  The next trees are those of this seed.  opt_scale: the factor of each column, all 1 if
 * NULL; only their ratios matter. */
copse_status cp_surrogate_reset(cp_surrogate *s, uint64_t seed, const float *opt_scale, copse_error *err);
/* Learns n points and their values, in order.  After a failure cp_surrogate_rows is the number of points taken in; the
 * next call finishes learning them. */
copse_status cp_surrogate_update(cp_surrogate *s, const float *u, const double *y, size_t n, copse_error *err);
size_t cp_surrogate_rows(const cp_surrogate *s);

/* Points at which an acquisition is evaluated. */
typedef struct cp_surrogate_points {
    const float *u; /* n x cols */
    size_t n;
    const double *opt_remaining; /* of each point, see cp_acquisition_moments; NULL: all 1 */
} cp_surrogate_points;
/* out has n entries.  The surrogate must have learnt something. */
copse_status cp_surrogate_acquisition(const cp_surrogate *s, const cp_acquisition_params *a,
                                      const cp_surrogate_points *points, double *out, copse_error *err);

/* The leaf of a tree that a point falls into. */
int32_t cp_surrogate_leaf(const cp_surrogate *s, size_t tree, const float *u);
/* The cell of a point after `depth` splits of a tree, or its leaf's if that comes first.  In column c the cell reaches
 * from out[2c] to out[2c+1].  Returns the number of splits passed. */
size_t cp_surrogate_cell(const cp_surrogate *s, size_t tree, const float *u, size_t depth, float *out);

#endif
