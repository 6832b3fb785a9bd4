#include "eval/auc.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

static copse_status reserve(cp_auc_runs *r, size_t n, copse_error *err) {
    CP_TRY(CP_GROW(r->v, r->cap, r->n + n, err));
    return CP_GROW(r->spare, r->cap_spare, r->n + n, err);
}

copse_status cp_auc_reserve(cp_auc *a, size_t n, copse_error *err) {
    CP_TRY(reserve(&a->positive, n, err));
    return reserve(&a->negative, n, err);
}

/* Merges the two sorted runs of `size` rows each that begin at v. */
static void merge(cp_auc_row *v, size_t size, cp_auc_row *spare) {
    memcpy(spare, v, size * sizeof *v);
    size_t i = 0, j = size, to = 0;
    while (i < size) v[to++] = j < 2 * size && v[j].score < spare[i].score ? v[j++] : spare[i++];
}

static void push(cp_auc_runs *r, cp_auc_row row) {
    r->v[r->n++] = row;
    r->weight += row.weight;
    for (size_t size = 1; r->n % (2 * size) == 0; size *= 2) merge(r->v + r->n - 2 * size, size, r->spare);
}

void cp_auc_add(cp_auc *a, cp_auc_row row, int positive) {
    push(positive ? &a->positive : &a->negative, row);
}

/* The weight of the pairs in which the positive scores higher; a tie counts one half.  Both arrays are sorted. */
static double wins(const cp_auc_row *p, size_t np, const cp_auc_row *q, size_t nq) {
    size_t below = 0, upto = 0;                        /* number of negatives < p[i], and <= p[i] */
    double sum = 0, below_weight = 0, upto_weight = 0; /* their weights */
    for (size_t i = 0; i < np; i++) {
        while (below < nq && q[below].score < p[i].score) below_weight += q[below++].weight;
        while (upto < nq && q[upto].score <= p[i].score) upto_weight += q[upto++].weight;
        sum += 0.5 * p[i].weight * (below_weight + upto_weight);
    }
    return sum;
}

/* The largest power of two in n > 0: the length of the first run of n rows. */
static size_t first_run(size_t n) {
    while (n & (n - 1)) n &= n - 1;
    return n;
}

double cp_auc_read(const cp_auc *a) {
    const cp_auc_runs *p = &a->positive, *q = &a->negative;
    if (!p->n || !q->n) return NAN;
    double sum = 0;
    for (size_t i = 0, np; i < p->n; i += np) {
        np = first_run(p->n - i);
        for (size_t j = 0, nq; j < q->n; j += nq) {
            nq = first_run(q->n - j);
            sum += wins(p->v + i, np, q->v + j, nq);
        }
    }
    return sum / (p->weight * q->weight);
}

void cp_auc_clear(cp_auc *a) {
    cp_mem_free(a->positive.v);
    cp_mem_free(a->positive.spare);
    cp_mem_free(a->negative.v);
    cp_mem_free(a->negative.spare);
    *a = (cp_auc){0};
}
