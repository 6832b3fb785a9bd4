/* effect - what a model predicts, on average over rows, when one feature is set to a value: partial dependence.
 *
 *   f(v) = 1/n sum over rows i of E[y | x_i with the feature set to v]          [Friedman 2001, eq. 53]
 *
 * for every v of a grid; for classes the probabilities instead of E[y].  Where the trees are draws, each tree has its
 * own f(v), and their quantiles make an interval: what the forest knows of its own ignorance about f. */
#ifndef CP_EFFECT_H
#define CP_EFFECT_H

#include "model/model.h"

struct copse_effect {
    size_t points, outputs; /* outputs: 1, or the classes */
    size_t rows;            /* averaged over */
    size_t left_out;        /* levels that are not among the points */
    double level;           /* of the interval; 0: there is none */
    double *value;          /* numbers; levels: their index in the model; NaN: missing */
    char **text;            /* levels, NULL among them for missing; else NULL */
    double *mean, *lo, *hi; /* points x outputs; lo and hi are NULL without an interval */
};

/* As copse_effect_new, whose defaults have been filled in. */
copse_status cp_effect_new(const copse_model *m, const copse_table *data, const copse_effect_options *opt,
                           const copse_run *run, copse_effect **out, copse_error *err);
void cp_effect_free(copse_effect *e);

#endif
