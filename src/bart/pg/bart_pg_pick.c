#include "bart/pg/bart_pg_pick.h"

/* Rounding may lead past the end: then the last i with w[i] > 0 is returned. */
size_t cp_bart_pg_pick(const double *w, size_t n, double sum, cp_rng *rng) {
    double at = cp_rng_unit(rng) * sum;
    size_t last = 0;
    for (size_t i = 0; i < n; i++) {
        if (!(w[i] > 0)) continue;
        if (at < w[i]) return i;
        at -= w[i];
        last = i;
    }
    return last;
}

size_t cp_bart_pg_pick_below(size_t n, cp_rng *rng) {
    return (size_t)cp_rng_below(rng, n);
}

uint32_t cp_bart_pg_pick_cell(const cp_ranks *r, size_t dim, cp_extent e, cp_rng *rng) {
    return cp_rule_draw_cell(r, dim, e, rng);
}
