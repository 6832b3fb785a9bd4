#include "leaf/leaf.h"

#include <string.h>

#include "base/mem.h"

void cp_leaf_clear(cp_leaf *m) {
    cp_mem_free(m->of_rows);
    cp_mem_free(m->of_class);
    *m = (cp_leaf){0};
}

void cp_leaf_add(const cp_leaf *m, double *stat, size_t row) {
    if (!m->prior_only) m->kind->add(m, stat, row);
}

void cp_leaf_gather(const cp_leaf *m, const uint32_t *rows, size_t n, double *out_stat) {
    if (m->prior_only)
        memset(out_stat, 0, m->width * sizeof *out_stat);
    else
        m->kind->gather(m, rows, n, out_stat);
}

double cp_leaf_log_marginal(const cp_leaf *m, const double *stat) {
    return m->kind->log_marginal(m, stat);
}

void cp_leaf_scan(const cp_leaf *m, const cp_leaf_cuts *cuts, const double *whole, void *tmp, double *out_log) {
    if (m->prior_only)
        memset(out_log, 0, cuts->n * sizeof *out_log);
    else
        m->kind->scan(m, cuts, whole, tmp, out_log);
}

void cp_leaf_draw(const cp_leaf *m, const double *stat, cp_rng *rng, double *out) {
    m->kind->draw(m, stat, rng, out);
}

double cp_leaf_draw_target(const cp_leaf *m, const double *parameters, cp_rng *rng) {
    return m->kind->draw_target(m, parameters, rng);
}
