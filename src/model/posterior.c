#include "model/posterior.h"

#include <stdlib.h>

#include "base/mem.h"

/* A total order, so that sums over equal values have the same bits with every qsort. */
static int by_value(const void *a, const void *b) {
    const copse_bar *s = a, *t = b;
    if (s->value != t->value) return s->value > t->value ? 1 : -1;
    return (s->probability > t->probability) - (s->probability < t->probability);
}

/* Merges bars of equal value; they are sorted. */
static void merge_equal(cp_posterior_bars *b) {
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
        cp_inspect_shape s = m->method->inspect.tree_shape(m->state, t);
        p->leaves.bar[t] = (copse_bar){s.leaves, s.weight};
        p->depth.bar[t] = (copse_bar){s.depth, s.weight};
    }
    p->leaves.n = p->depth.n = trees;
    p->top = p->leaves.bar[0].probability;
    qsort(p->leaves.bar, trees, sizeof *p->leaves.bar, by_value);
    qsort(p->depth.bar, trees, sizeof *p->depth.bar, by_value);
    merge_equal(&p->leaves);
    merge_equal(&p->depth);
    return COPSE_OK;
}

/* The splits on a feature are those on all its encoded columns. */
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
        m->method->inspect.tree_splits(m->state, t, dims);
        add_tree(m->schema, dims, m->method->inspect.tree_shape(m->state, t).weight, p);
    }
    cp_mem_free(dims);
    return COPSE_OK;
}

/* ---------------------------------------------------------------------------------------------------- sums of trees */

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The mean, and the central interval that holds nine tenths of the draws.  Sorts v. */
static copse_share share_of(double *v, size_t n) {
    copse_share s = {.mean = 0};
    qsort(v, n, sizeof *v, by_size);
    for (size_t i = 0; i < n; i++) s.mean += v[i] / (double)n;
    s.low = v[(size_t)(0.05 * (double)(n - 1) + 0.5)];
    s.high = v[(size_t)(0.95 * (double)(n - 1) + 0.5)];
    return s;
}

/* The number of splits of each draw on each feature: out is features x draws. */
static copse_status count_splits(const copse_model *m, size_t draws, double *out, copse_error *err) {
    const cp_schema *s = m->schema;
    double *dims;
    CP_TRY(CP_RAW(dims, s->dims, err));
    for (size_t k = 0; k < draws; k++) {
        m->method->inspect.draw_splits(m->state, k, dims);
        for (size_t i = 0; i < s->features; i++) {
            const cp_feature *f = &s->feature[i];
            double *splits = &out[i * draws + k];
            *splits = 0;
            for (size_t d = f->first; d < f->first + f->width; d++) *splits += dims[d];
        }
    }
    cp_mem_free(dims);
    return COPSE_OK;
}

/* Turns counts of splits into shares of a draw's splits, and summarises both over the draws. */
static copse_status summarise_shares(size_t draws, double *splits, copse_posterior *p, copse_error *err) {
    double *total;
    CP_TRY(CP_NEW(total, draws, err));
    for (size_t i = 0; i < p->features * draws; i++) {
        total[i % draws] += splits[i];
        p->splits[i / draws] += splits[i] / (double)draws;
        p->inclusion[i / draws] += (splits[i] > 0) / (double)draws;
    }
    for (size_t i = 0; i < p->features * draws; i++)
        if (splits[i] > 0) splits[i] /= total[i % draws];
    for (size_t i = 0; i < p->features; i++) p->share[i] = share_of(splits + i * draws, draws);
    cp_mem_free(total);
    return COPSE_OK;
}

static copse_status find_shares(const copse_model *m, size_t draws, copse_posterior *p, copse_error *err) {
    double *splits;
    p->features = m->schema->features;
    CP_TRY(CP_NEW(p->inclusion, p->features, err));
    CP_TRY(CP_NEW(p->splits, p->features, err));
    CP_TRY(CP_NEW(p->share, p->features, err));
    CP_TRY(CP_RAW(splits, p->features * draws, err));
    copse_status status = count_splits(m, draws, splits, err);
    if (!status) status = summarise_shares(draws, splits, p, err);
    cp_mem_free(splits);
    return status;
}

copse_status cp_posterior_new(const copse_model *m, copse_posterior **out, copse_error *err) {
    copse_posterior *p;
    *out = NULL;
    if (!m->method->inspect.tree_shape)
        return cp_fail(err, COPSE_E_USAGE, "method %s has no posterior over trees", m->method->info.name);
    size_t trees = m->method->trees(m->state);
    CP_TRY(CP_NEW(p, 1, err));
    copse_status status = find_sizes(m, trees, p, err);
    if (!status)
        status =
            m->method->draws ? find_shares(m, m->method->draws(m->state), p, err) : find_features(m, trees, p, err);
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
    cp_mem_free(p->share);
    cp_mem_free(p);
}
