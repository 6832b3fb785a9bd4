/* effect - partial dependence: the mean prediction over rows when one feature is set to a value.
 *
 *   f(v) = 1/n sum over rows i of E[y | x_i with the feature set to v]          [Friedman 2001, eq. 53]
 *
 * for every v of a grid.  For classes, class probabilities take the place of E[y].  If the trees are posterior draws,
 * each tree has its own f(v), and their quantiles are an interval: the forest's uncertainty about f. */
#ifndef CP_EFFECT_H
#define CP_EFFECT_H

#include "model/model.h"

struct copse_effect {
    size_t points, outputs; /* outputs: 1, or the number of classes */
    size_t rows;            /* averaged over */
    size_t left_out;        /* levels that are not among the points */
    double level;           /* of the interval; 0: there is none */
    double *value;          /* numbers; for levels their index in the model; NaN: missing */
    char **text;            /* the names of levels, NULL for missing; the array is NULL for numbers */
    double *mean, *lo, *hi; /* points x outputs; lo and hi are NULL without an interval */
};

/* See copse_effect_new.  The options have no defaults left to fill in. */
copse_status cp_effect_new(const copse_model *m, const copse_table *data, const copse_effect_options *opt,
                           const copse_run *run, copse_effect **out, copse_error *err);
void cp_effect_free(copse_effect *e);

#endif
