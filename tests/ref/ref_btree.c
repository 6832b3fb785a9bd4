#include "ref/ref_btree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static int has(unsigned rows, size_t i) {
    return (rows >> i & 1) != 0;
}

static float value_of(const ref_btree *b, size_t i, size_t dim) {
    return b->x[i * b->dims + dim];
}

/* --------------------------------------------------------------------------------------------------------- the leaf */

/* One target after another, each predicted from those before. */
static double log_leaf_of_classes(const ref_btree *b, unsigned rows) {
    double sum = 0;
    unsigned before = 0;
    for (size_t i = 0; i < b->n; i++) {
        if (!has(rows, i)) continue;
        sum += log(ref_btree_leaf_predict(b, before, b->label[i]));
        before |= 1u << i;
    }
    return sum;
}

typedef struct posterior {
    double n, kappa, mean, a, rate; /* mu | s2 ~ N(mean, s2/kappa), s2 ~ inverse gamma(a, rate) */
} posterior;

/* With the spread about the rows' own mean, which shares no difference of large numbers with other formulas. */
static posterior posterior_of(const ref_btree *b, unsigned rows) {
    double n = 0, mean = 0, spread = 0;
    for (size_t i = 0; i < b->n; i++)
        if (has(rows, i)) mean += (b->y[i] - mean) / ++n;
    for (size_t i = 0; i < b->n; i++)
        if (has(rows, i)) spread += (b->y[i] - mean) * (b->y[i] - mean);
    return (posterior){.n = n,
                       .kappa = b->kappa + n,
                       .mean = n * mean / (b->kappa + n),
                       .a = (b->nu + n) / 2,
                       .rate = b->nu * b->lambda / 2 + spread / 2 + b->kappa * n * mean * mean / (2 * (b->kappa + n))};
}

static double log_leaf_of_numbers(const ref_btree *b, unsigned rows) {
    posterior p = posterior_of(b, rows), q = posterior_of(b, 0);
    return lgamma(p.a) - lgamma(q.a) + q.a * log(q.rate) - p.a * log(p.rate) + 0.5 * log(q.kappa / p.kappa) -
           0.5 * p.n * log(2 * pi);
}

static double log_normal(double x, double mean, double var) {
    return -0.5 * (log(2 * pi * var) + (x - mean) * (x - mean) / var);
}

/* One number after another, each predicted from those before. */
static double log_leaf_of_means(const ref_btree *b, unsigned rows) {
    double sum = 0, mean = 0, var = b->leaf_var;
    for (size_t i = 0; i < b->n; i++) {
        if (!has(rows, i)) continue;
        double noise = b->noise_var / (b->weight ? b->weight[i] : 1), gain = var / (var + noise);
        sum += log_normal(b->y[i], mean, var + noise) - log_normal(b->y[i], 0, noise);
        mean += gain * (b->y[i] - mean);
        var -= gain * var;
    }
    return sum;
}

/* Integrated over t = log l by the trapezoidal rule, which is exact to rounding for such integrands. */
static double log_leaf_of_squares(const ref_btree *b, unsigned rows) {
    double sum = 0, step = 1. / 64;
    for (double t = -40; t < 40; t += step) {
        double log_p = b->lambda_shape * (log(b->lambda_rate) - t) - lgamma(b->lambda_shape) - b->lambda_rate * exp(-t);
        for (size_t i = 0; i < b->n; i++)
            if (has(rows, i)) log_p -= (b->weight ? b->weight[i] : 1) / 2 * (t + b->y[i] * exp(-t));
        sum += exp(log_p) * step;
    }
    return log(sum);
}

double ref_btree_log_leaf(const ref_btree *b, unsigned rows) {
    if (b->lambda_shape > 0) return log_leaf_of_squares(b, rows);
    if (b->leaf_var > 0) return log_leaf_of_means(b, rows);
    return b->classes ? log_leaf_of_classes(b, rows) : log_leaf_of_numbers(b, rows);
}

static double student(double x, double df, double loc, double scale) {
    double z = (x - loc) / scale;
    return exp(lgamma((df + 1) / 2) - lgamma(df / 2)) / (scale * sqrt(df * pi)) * pow(1 + z * z / df, -(df + 1) / 2);
}

double ref_btree_leaf_predict(const ref_btree *b, unsigned rows, double target) {
    if (!b->classes) {
        posterior p = posterior_of(b, rows);
        return student(target, 2 * p.a, p.mean, sqrt(p.rate / p.a * (p.kappa + 1) / p.kappa));
    }
    double n = 0, same = 0;
    for (size_t i = 0; i < b->n; i++) {
        n += has(rows, i);
        same += has(rows, i) && b->label[i] == (int32_t)target;
    }
    return (same + b->alpha / (double)b->classes) / (n + b->alpha);
}

/* ---------------------------------------------------------------------------------------------------- all the rules */

/* Different values of a column in some rows, rising; returns how many. */
static size_t values_of(const ref_btree *b, unsigned rows, size_t dim, float *out) {
    size_t n = 0;
    for (size_t i = 0; i < b->n; i++) {
        size_t at = 0;
        if (!has(rows, i)) continue;
        while (at < n && out[at] < value_of(b, i, dim)) at++;
        if (at < n && out[at] == value_of(b, i, dim)) continue;
        memmove(out + at + 1, out + at, (n - at) * sizeof *out);
        out[at] = value_of(b, i, dim);
        n++;
    }
    return n;
}

/* How much of the columns that vary this one is. */
static double share_of(const ref_btree *b, unsigned rows, size_t dim) {
    float v[REF_BTREE_ROWS];
    double sum = 0;
    for (size_t d = 0; d < b->dims; d++)
        if (values_of(b, rows, d, v) > 1) sum += b->share ? b->share[d] : 1;
    return (b->share ? b->share[dim] : 1) / sum;
}

typedef struct rule {
    size_t dim;
    float low, high;
    uint32_t cell;
    double prob;
    unsigned left; /* the rows that go there */
} rule;

enum { MOST_RULES = 64 };

static rule make_rule(const ref_btree *b, unsigned rows, size_t dim, float low, float high) {
    float v[REF_BTREE_ROWS], all[REF_BTREE_ROWS];
    size_t n = values_of(b, rows, dim, v), cells = values_of(b, (1u << b->n) - 1, dim, all);
    rule r = {.dim = dim, .low = low, .high = high};
    r.prob = ((double)high - low) / ((double)v[n - 1] - v[0]) * share_of(b, rows, dim);
    for (size_t c = 0; c < cells; c++)
        if (all[c] < high) r.cell = (uint32_t)c;
    for (size_t i = 0; i < b->n; i++)
        if (has(rows, i) && value_of(b, i, dim) <= low) r.left |= 1u << i;
    return r;
}

double ref_btree_rule_prob(const ref_btree *b, unsigned rows, size_t dim, uint32_t cell) {
    float own[REF_BTREE_ROWS], all[REF_BTREE_ROWS];
    size_t n = values_of(b, rows, dim, own), m = values_of(b, (1u << b->n) - 1, dim, all);
    if (cell + 1 >= m || all[cell] < own[0] || all[cell + 1] > own[n - 1]) return 0;
    return make_rule(b, rows, dim, all[cell], all[cell + 1]).prob;
}

/* Intervals between neighbouring values of `from` that lie within the extent of the node's rows. */
static size_t list_rules(const ref_btree *b, unsigned rows, ref_btree_space space, rule *out) {
    size_t count = 0;
    for (size_t d = 0; d < b->dims; d++) {
        float own[REF_BTREE_ROWS], v[REF_BTREE_ROWS];
        size_t n = values_of(b, rows, d, own);
        size_t m = values_of(b, space == REF_BTREE_CELLS ? (1u << b->n) - 1 : rows, d, v);
        for (size_t i = 0; i + 1 < m; i++)
            if (v[i] >= own[0] && v[i + 1] <= own[n - 1]) out[count++] = make_rule(b, rows, d, v[i], v[i + 1]);
    }
    return count;
}

/* ---------------------------------------------------------------------------------------------------- all the trees */

static void append(ref_btree_list *list, const ref_btree_tree *t) {
    if ((list->n & (list->n - 1)) == 0) {
        size_t room = list->n ? 2 * list->n : 1;
        list->tree = realloc(list->tree, room * sizeof *list->tree);
        if (!list->tree) abort();
    }
    list->tree[list->n++] = *t;
}

/* The nodes of `sub` behind those of t; returns the number of its root. */
static int graft(ref_btree_tree *t, const ref_btree_tree *sub) {
    int at = (int)t->nodes;
    for (size_t i = 0; i < sub->nodes; i++) {
        ref_btree_node node = sub->node[i];
        if (node.dim >= 0) {
            node.left += at;
            node.right += at;
        }
        t->node[t->nodes++] = node;
    }
    t->log_prior += sub->log_prior;
    t->log_likelihood += sub->log_likelihood;
    return at;
}

static ref_btree_list subtrees(const ref_btree *b, unsigned rows, unsigned depth, ref_btree_space space);

static void add_splits(const ref_btree *b, const ref_btree_tree *root, const rule *r, ref_btree_space space,
                       ref_btree_list *list) {
    const ref_btree_node *n = root->node;
    ref_btree_list left = subtrees(b, r->left, n->depth + 1, space);
    ref_btree_list right = subtrees(b, n->rows & ~r->left, n->depth + 1, space);
    for (size_t i = 0; i < left.n; i++)
        for (size_t j = 0; j < right.n; j++) {
            ref_btree_tree t = *root;
            t.node[0].dim = (int)r->dim;
            t.node[0].low = r->low;
            t.node[0].high = r->high;
            t.node[0].cell = r->cell;
            t.node[0].left = graft(&t, &left.tree[i]);
            t.node[0].right = graft(&t, &right.tree[j]);
            append(list, &t);
        }
    free(left.tree);
    free(right.tree);
}

static ref_btree_list subtrees(const ref_btree *b, unsigned rows, unsigned depth, ref_btree_space space) {
    ref_btree_list list = {0};
    rule rules[MOST_RULES];
    size_t count = list_rules(b, rows, space, rules);
    double split = count ? b->alpha_split / pow(1.0 + depth, b->beta_split) : 0;
    ref_btree_tree leaf = {.node = {{.dim = -1, .rows = rows, .depth = depth}},
                           .nodes = 1,
                           .log_prior = log(1 - split),
                           .log_likelihood = ref_btree_log_leaf(b, rows)};
    append(&list, &leaf);
    for (size_t i = 0; i < count; i++) {
        ref_btree_tree root = leaf;
        root.log_prior = log(split * rules[i].prob);
        root.log_likelihood = 0;
        add_splits(b, &root, &rules[i], space, &list);
    }
    return list;
}

ref_btree_list ref_btree_all(const ref_btree *b, ref_btree_space space) {
    return subtrees(b, (1u << b->n) - 1, 0, space);
}

double ref_btree_log_z(const ref_btree_list *all) {
    double top = -INFINITY, sum = 0;
    for (size_t i = 0; i < all->n; i++) top = fmax(top, all->tree[i].log_prior + all->tree[i].log_likelihood);
    for (size_t i = 0; i < all->n; i++) sum += exp(all->tree[i].log_prior + all->tree[i].log_likelihood - top);
    return top + log(sum);
}

double ref_btree_posterior(const ref_btree_list *all, size_t tree) {
    return exp(all->tree[tree].log_prior + all->tree[tree].log_likelihood - ref_btree_log_z(all));
}

/* ------------------------------------------------------------------------------------------------------ predictions */

static double walk(const ref_btree *b, const ref_btree_tree *t, int at, const float *x, double target) {
    const ref_btree_node *n = &t->node[at];
    if (n->dim < 0) return ref_btree_leaf_predict(b, n->rows, target);
    float v = x[n->dim];
    double left = v <= n->low ? 1 : v >= n->high ? 0 : ((double)n->high - v) / ((double)n->high - n->low);
    return left * walk(b, t, n->left, x, target) + (1 - left) * walk(b, t, n->right, x, target);
}

double ref_btree_tree_predict(const ref_btree *b, const ref_btree_tree *t, const float *x, double target) {
    return walk(b, t, 0, x, target);
}

double ref_btree_predict(const ref_btree *b, const ref_btree_list *all, const float *x, double target) {
    double sum = 0, log_z = ref_btree_log_z(all);
    for (size_t i = 0; i < all->n; i++) {
        const ref_btree_tree *t = &all->tree[i];
        sum += exp(t->log_prior + t->log_likelihood - log_z) * ref_btree_tree_predict(b, t, x, target);
    }
    return sum;
}

static size_t write_key(const ref_btree_tree *t, int at, char *out, size_t used) {
    const ref_btree_node *n = &t->node[at];
    const char *blank = used ? " " : "";
    if (n->dim < 0) return used + (size_t)snprintf(out + used, REF_BTREE_KEY - used, "%s.", blank);
    used += (size_t)snprintf(out + used, REF_BTREE_KEY - used, "%s%d:%u", blank, n->dim, n->cell);
    used = write_key(t, n->left, out, used);
    return write_key(t, n->right, out, used);
}

void ref_btree_key(const ref_btree_tree *t, char out[REF_BTREE_KEY]) {
    write_key(t, 0, out, 0);
}
