#include "data/schema_weights.h"

#include <math.h>

#include "data/table_match.h"

static copse_status bad_weight(const copse_table *t, const cp_column *c, size_t row, copse_error *err) {
    char place[300];
    long at = (long)row + 1, col = (long)(c - t->col) + 1;
    double w = c->number[row];
    cp_table_where(t, row, place, sizeof place);
    if (isnan(w))
        return cp_fail_at(err, COPSE_E_DATA, at, col, "%s: the weight '%s' is missing: fill it in or leave the row out",
                          place, c->name);
    return cp_fail_at(err, COPSE_E_DATA, at, col,
                      "%s: the weight '%s' is %g: weights are numbers, 0 or from 1e-30 to 1e30", place, c->name, w);
}

copse_status cp_schema_weights(const copse_table *t, const char *name, double *out, copse_error *err) {
    size_t j;
    int some = 0;
    CP_TRY(cp_table_match_name(t, name, COPSE_E_USAGE, &j, err));
    const cp_column *c = &t->col[j];
    if (c->kind == COPSE_TEXT)
        return cp_fail(err, COPSE_E_DATA, "the weights '%s' are text: they must be numbers", c->name);
    for (size_t i = 0; i < t->rows; i++) {
        double w = c->number[i];
        if (!(w >= 0 && w <= CP_SCHEMA_WEIGHT_MAX) || (w > 0 && w < 1 / CP_SCHEMA_WEIGHT_MAX))
            return bad_weight(t, c, i, err);
        some |= w > 0;
        out[i] = w;
    }
    if (!some) return cp_fail(err, COPSE_E_DATA, "every weight in '%s' is 0: no row counts", c->name);
    return COPSE_OK;
}
