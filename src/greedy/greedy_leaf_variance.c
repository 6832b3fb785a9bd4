#include "greedy/greedy_leaf_variance.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

int cp_greedy_leaf_variance_check(const cp_greedy_leaf_variance *s) {
    double all[] = {s->var, s->rows, s->stretch, s->floor};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!(all[i] > 0 && isfinite(all[i]))) return 0;
    return (float)sqrt(s->floor) > 0; /* leaves keep it as a float */
}

/* The variance of the targets, in units of the leaves; by Welford's recursion. */
static double target_var(const cp_forest *f, const cp_rows *rows, const cp_greedy_weight *weight) {
    double mean = 0, squares = 0, total = 0;
    for (size_t i = 0; i < weight->rows; i++) {
        uint32_t row = weight->row[i];
        double w = cp_greedy_weight_own(weight, row), delta = (rows->y[row] - f->centre) / f->scale - mean;
        total += w;
        mean += delta * w / total;
        squares += w * delta * delta * (1 - w / total);
    }
    return squares / total;
}

void cp_greedy_leaf_variance_init(cp_greedy_leaf_variance *s, const cp_forest *f, const cp_rows *rows,
                                  const cp_greedy_weight *weight) {
    double sum = 0, n = 0;
    for (size_t m = 0; m < f->trees; m++)
        for (size_t k = 0; k < f->tree[m].leaves; k++) {
            const cp_tree_value *v = &f->tree[m].value[k];
            double count = weight->are_counts ? (double)v->weight : (double)v->rows;
            sum += count * (double)v->var;
            n += count;
        }
    double floor = fmax(1e-6 * target_var(f, rows, weight), 1e-12 / (f->scale * f->scale));
    *s = (cp_greedy_leaf_variance){
        .var = fmax(sum / n, floor), .rows = f->trees > 1 ? 1 : 10, .stretch = 1, .floor = floor};
}

copse_status cp_greedy_leaf_variance_leaves(const cp_greedy_leaf_variance *s, cp_forest *f, copse_error *err) {
    for (size_t m = 0; m < f->trees; m++) {
        cp_tree *t = &f->tree[m];
        CP_TRY(CP_RAW(t->gauss, t->leaves, err));
        for (size_t k = 0; k < t->leaves; k++)
            t->gauss[k] = (cp_gauss){t->value[k].mean, (float)sqrt(cp_greedy_leaf_variance_of(s, &t->value[k]))};
    }
    return COPSE_OK;
}

/* ------------------------------------------------------------------------------------------------------ rows unseen */

static const double share_within = 0.9, z_squared = 2.705543454095414; /* the squared normal quantile at .95 */
static const double least_stretch = 0.3;
static const double least_within = 0.3; /* of what is between trees */

cp_greedy_unseen_row cp_greedy_leaf_variance_evaluate(const cp_greedy_unseen_votes *h, double y, double weight,
                                                      size_t trees) {
    double mean = h->mean / h->votes, error = y - mean, scatter = fmax(0, h->square - h->votes * mean * mean);
    double between = h->votes > 1 ? scatter / (h->votes - 1) : 0;
    return (cp_greedy_unseen_row){.weight = weight,
                                  .square = error * error,
                                  .between = between * (1 + 1 / h->votes - 2 / (double)trees),
                                  .within = h->var / h->votes,
                                  .shrunk = h->shrunk / h->votes};
}

/* Raises v0 where leaves have hardly a variance of their own. */
static void raise_least(cp_greedy_leaf_variance *s, const cp_greedy_unseen *u) {
    double between = 0, within = 0, shrunk = 0;
    for (size_t i = 0; i < u->n; i++) {
        between += u->row[i].weight * u->row[i].between;
        within += u->row[i].weight * u->row[i].within;
        shrunk += u->row[i].weight * u->row[i].shrunk;
    }
    double more = (least_within * between - within) / shrunk;
    if (!(more > 0 && isfinite(more))) return;
    s->var += more;
    for (size_t i = 0; i < u->n; i++) u->row[i].within += more * u->row[i].shrunk;
}

static double stretch_of_mean(const cp_greedy_unseen_row *row, size_t n, double floor) {
    double excess = 0, within = 0;
    for (size_t i = 0; i < n; i++) {
        excess += row[i].weight * (row[i].square - row[i].between - floor);
        within += row[i].weight * row[i].within;
    }
    return excess / within;
}

/* The c at which a row lies exactly on the end of its interval. */
typedef struct edge {
    double stretch, weight;
} edge;

static int by_stretch(const void *a, const void *b) {
    double x = ((const edge *)a)->stretch, y = ((const edge *)b)->stretch;
    return (x > y) - (x < y);
}

/* The .9-quantile of the edges.  Its rank is .9 (n + 1), as in split conformal prediction: a new row may be beyond all
 * n.  Rows of a group count as one row. */
static double edge_quantile(edge *e, size_t n, double copies) {
    double total = 0, sum = 0;
    qsort(e, n, sizeof *e, by_stretch);
    for (size_t i = 0; i < n; i++) total += e[i].weight;
    double rank = share_within * (total + total * copies / (double)n) * (1 - 1e-12);
    for (size_t i = 0; i < n; i++)
        if ((sum += e[i].weight) >= rank) return e[i].stretch;
    return e[n - 1].stretch;
}

copse_status cp_greedy_leaf_variance_fit(cp_greedy_leaf_variance *s, const cp_greedy_unseen *u, copse_error *err) {
    edge *e;
    size_t known = 0;
    raise_least(s, u);
    CP_TRY(CP_RAW(e, u->n, err));
    for (size_t i = 0; i < u->n; i++) {
        const cp_greedy_unseen_row *r = &u->row[i];
        if (r->weight > 0) e[known++] = (edge){(r->square / z_squared - r->between - s->floor) / r->within, r->weight};
    }
    if (known > 0) {
        double c = edge_quantile(e, known, u->copies), mean = stretch_of_mean(u->row, u->n, s->floor);
        if (u->votes == CP_GREEDY_VOTES_FEW) c = fmin(c, fmax(1, mean));
        if (u->votes == CP_GREEDY_VOTES_ONE) c = fmax(c, mean / 3);
        s->stretch = fmin(fmax(least_stretch, c), CP_GREEDY_LEAF_VARIANCE_MOST_STRETCH);
    }
    cp_mem_free(e);
    return COPSE_OK;
}
