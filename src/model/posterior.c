#include "model/posterior.h"

#include <stdlib.h>

#include "base/mem.h"

/* In one order whatever the sort, so that sums are the same everywhere. */
static int by_value(const void *a, const void *b) {
    const copse_bar *s = a, *t = b;
    if (s->value != t->value) return s->value > t->value ? 1 : -1;
    return (s->probability > t->probability) - (s->probability < t->probability);
}

/* Equal values become one. */
static void sum_up(cp_bars *b) {
    size_t n = 0;
    for (size_t i = 0; i < b->n; i++) {
        if (n && b->bar[n - 1].value == b->bar[i].value)
            b->bar[n - 1].probability += b->bar[i].probability;
        else
            b->bar[n++] = b->bar[i];
    }
    b->n = n;
}

static copse_status find_sizes(const copse_model *m, size_t trees, copse_posterior *p, copse_error *err) {
    CP_TRY(CP_RAW(p->leaves.bar, trees, err));
    CP_TRY(CP_RAW(p->depth.bar, trees, err));
    for (size_t t = 0; t < trees; t++) {
        cp_shape s = m->method->tree_shape(m->state, t);
        p->leaves.bar[t] = (copse_bar){s.leaves, s.weight};
        p->depth.bar[t] = (copse_bar){s.depth, s.weight};
    }
    p->leaves.n = p->depth.n = trees;
    p->top = p->leaves.bar[0].probability;
    qsort(p->leaves.bar, trees, sizeof *p->leaves.bar, by_value);
    qsort(p->depth.bar, trees, sizeof *p->depth.bar, by_value);
    sum_up(&p->leaves);
    sum_up(&p->depth);
    return COPSE_OK;
}

/* What the user knows as one feature may be several columns. */
static void add_tree(const cp_schema *s, const double *dims, double weight, copse_posterior *p) {
    for (size_t i = 0; i < s->features; i++) {
        const cp_feature *f = &s->feature[i];
        double splits = 0;
        for (size_t d = f->first; d < f->first + f->width; d++) splits += dims[d];
        p->splits[i] += weight * splits;
        p->inclusion[i] += splits > 0 ? weight : 0;
    }
}

static copse_status find_features(const copse_model *m, size_t trees, copse_posterior *p, copse_error *err) {
    double *dims;
    p->features = m->schema->features;
    CP_TRY(CP_NEW(p->inclusion, p->features, err));
    CP_TRY(CP_NEW(p->splits, p->features, err));
    CP_TRY(CP_RAW(dims, m->schema->dims, err));
    for (size_t t = 0; t < trees; t++) {
        m->method->tree_splits(m->state, t, dims);
        add_tree(m->schema, dims, m->method->tree_shape(m->state, t).weight, p);
    }
    cp_mem_free(dims);
    return COPSE_OK;
}

copse_status cp_posterior_new(const copse_model *m, copse_posterior **out, copse_error *err) {
    copse_posterior *p;
    *out = NULL;
    if (!m->method->tree_shape)
        return cp_fail(err, COPSE_E_USAGE, "method %s has no posterior over trees", m->method->info.name);
    size_t trees = m->method->trees(m->state);
    CP_TRY(CP_NEW(p, 1, err));
    copse_status status = find_sizes(m, trees, p, err);
    if (!status) status = find_features(m, trees, p, err);
    if (status)
        cp_posterior_free(p);
    else
        *out = p;
    return status;
}

void cp_posterior_free(copse_posterior *p) {
    if (!p) return;
    cp_mem_free(p->leaves.bar);
    cp_mem_free(p->depth.bar);
    cp_mem_free(p->inclusion);
    cp_mem_free(p->splits);
    cp_mem_free(p);
}
