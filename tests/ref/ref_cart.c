#include "ref/ref_cart.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LEVELS = 16 };

static double weight_of(const ref_node *node, size_t i) {
    return node->weight ? node->weight[node->row[i]] : 1;
}

static float value_of(const ref_node *node, size_t i, size_t dim) {
    return node->rows->x[node->row[i] * node->rows->dims + dim];
}

static uint32_t levels_of(const cp_rows *rows, size_t dim) {
    return rows->levels ? rows->levels[dim] : 0;
}

/* NaN, or a level unseen in training. */
static int is_missing(const cp_rows *rows, size_t dim, float x) {
    uint32_t levels = levels_of(rows, dim);
    return isnan(x) || (levels && x >= (float)levels);
}

/* --------------------------------------------------------------------------------------------------------- impurity */

static double total_weight(const ref_node *node) {
    double w = 0;
    for (size_t i = 0; i < node->n; i++) w += weight_of(node, i);
    return w;
}

/* Above the first row's target, which costs no digits even if all are far from zero. */
static double mean_target(const ref_node *node) {
    double w = total_weight(node), mean = 0;
    for (size_t i = 0; i < node->n; i++)
        mean += weight_of(node, i) / w * (node->rows->y[node->row[i]] - node->rows->y[node->row[0]]);
    return mean;
}

static double squared_error(const ref_node *node) {
    double mean = mean_target(node), sum = 0;
    for (size_t i = 0; i < node->n; i++) {
        double d = node->rows->y[node->row[i]] - node->rows->y[node->row[0]] - mean;
        sum += weight_of(node, i) * d * d;
    }
    return sum;
}

static double class_impurity(ref_kind kind, const ref_node *node) {
    double *share = calloc(node->rows->classes, sizeof *share), w = 0, sum = 0;
    for (size_t i = 0; i < node->n; i++) {
        share[node->rows->label[node->row[i]]] += weight_of(node, i);
        w += weight_of(node, i);
    }
    for (size_t k = 0; k < node->rows->classes; k++) {
        double p = share[k] / w;
        if (p > 0) sum += kind == REF_GINI ? p * (1 - p) : -p * log(p);
    }
    free(share);
    return w * sum;
}

double ref_impurity(ref_kind kind, const ref_node *node) {
    if (node->n == 0) return 0;
    return kind == REF_SQUARED ? squared_error(node) : class_impurity(kind, node);
}

static ref_node side_of(const ref_node *node, const int *left, int wanted) {
    ref_node side = {node->rows, node->weight, malloc(node->n * sizeof(size_t)), 0};
    for (size_t i = 0; i < node->n; i++)
        if (!left[i] == !wanted) side.row[side.n++] = node->row[i];
    return side;
}

double ref_gain(ref_kind kind, const ref_node *node, const int *left) {
    ref_node l = side_of(node, left, 1), r = side_of(node, left, 0);
    double gain = ref_impurity(kind, node) - ref_impurity(kind, &l) - ref_impurity(kind, &r);
    free(l.row);
    free(r.row);
    return gain;
}

/* ------------------------------------------------------------------------------------------------------- candidates */

static int is_allowed(const ref_rule *rule, const ref_node *node, const int *left) {
    ref_node l = side_of(node, left, 1), r = side_of(node, left, 0);
    double least = rule->min_leaf_weight * (1 - 1e-9);
    int fine = l.n >= rule->min_leaf && r.n >= rule->min_leaf && l.n > 0 && r.n > 0 && total_weight(&l) >= least &&
               total_weight(&r) >= least;
    free(l.row);
    free(r.row);
    return fine;
}

/* The search: a division under trial, and the best gain so far. */
typedef struct search {
    const ref_rule *rule;
    const ref_node *node;
    size_t dim;
    int *left;
    int unsure; /* the candidate may not be among those of everybody */
    ref_best best;
} search;

static void try_division(search *s) {
    if (!is_allowed(s->rule, s->node, s->left)) return;
    double gain = ref_gain(s->rule->kind, s->node, s->left);
    if (gain < 0) gain = 0; /* rounding */
    if (gain > s->best.most) s->best.most = gain;
    if (gain > s->best.least && !s->unsure) s->best.least = gain;
}

static void try_cut(search *s, float last_left, int missing_left) {
    for (size_t i = 0; i < s->node->n; i++) {
        float x = value_of(s->node, i, s->dim);
        s->left[i] = is_missing(s->node->rows, s->dim, x) ? missing_left : x <= last_left;
    }
    try_division(s);
}

/* Cuts after each value; after the largest it is "missing against all others". */
static void try_numbers(search *s) {
    for (size_t i = 0; i < s->node->n; i++) {
        float x = value_of(s->node, i, s->dim);
        if (isnan(x)) continue;
        for (int missing_left = 0; missing_left <= 1; missing_left++) try_cut(s, x, missing_left);
    }
}

static void try_set(search *s, uint32_t set) {
    for (int missing_left = 0; missing_left <= 1; missing_left++) {
        for (size_t i = 0; i < s->node->n; i++) {
            float x = value_of(s->node, i, s->dim);
            s->left[i] = is_missing(s->node->rows, s->dim, x) ? missing_left : (int)(set >> (uint32_t)x & 1);
        }
        try_division(s);
    }
}

/* The mean target of a level, or the share of class k >= 0; NaN if the node has no such row. */
static double level_key(const search *s, uint32_t level, int32_t k) {
    double w = 0, sum = 0;
    for (size_t i = 0; i < s->node->n; i++) {
        if (value_of(s->node, i, s->dim) != (float)level) continue;
        size_t row = s->node->row[i];
        w += weight_of(s->node, i);
        sum += weight_of(s->node, i) * (k < 0 ? s->node->rows->y[row] : s->node->rows->label[row] == k);
    }
    return sum / w;
}

/* Sets `unsure` after a level that is tied with the next. */
static void try_prefixes(search *s, int32_t k) {
    uint32_t levels = levels_of(s->node->rows, s->dim), set = 0, last = levels;
    double key[MOST_LEVELS];
    for (uint32_t c = 0; c < levels; c++) key[c] = level_key(s, c, k);
    for (;; set |= 1u << last) {
        uint32_t next = levels;
        for (uint32_t c = 0; c < levels; c++)
            if (!(set >> c & 1) && !isnan(key[c]) && (next == levels || key[c] < key[next])) next = c;
        s->unsure = k < 0 && next < levels && last < levels && key[next] - key[last] <= 1e-9 * fabs(key[next]);
        if (set) try_set(s, set);
        if (next == levels) return;
        last = next;
    }
}

static int has_class(const ref_node *node, int32_t k) {
    for (size_t i = 0; i < node->n; i++)
        if (node->rows->label[node->row[i]] == k) return 1;
    return 0;
}

static void try_categories(search *s) {
    const cp_rows *rows = s->node->rows;
    uint32_t levels = levels_of(rows, s->dim);
    int few = rows->y || rows->classes <= 2;
    int bound = s->rule->min_leaf > 1 || s->rule->min_leaf_weight > 0;
    if (s->rule->any_cut || (few && !bound)) {
        for (uint32_t set = 1; set < 1u << levels; set++) try_set(s, set);
        return;
    }
    if (rows->y) {
        s->unsure = 1;
        for (uint32_t set = 1; set < 1u << levels; set++) try_set(s, set);
        try_prefixes(s, CP_NONE);
        return;
    }
    for (size_t k = few ? 1 : 0; k < rows->classes; k++)
        if (has_class(s->node, (int32_t)k)) try_prefixes(s, (int32_t)k);
    for (uint32_t c = 0; !few && c < levels; c++) try_set(s, 1u << c);
}

ref_best ref_best_of_column(const ref_rule *rule, const ref_node *node, size_t dim) {
    search s = {rule, node, dim, calloc(node->n, sizeof(int)), 0, {-1, -1}};
    if (levels_of(node->rows, dim) > MOST_LEVELS) abort(); /* the test asks too much of subsets */
    if (levels_of(node->rows, dim))
        try_categories(&s);
    else
        try_numbers(&s);
    free(s.left);
    return s.best;
}

/* ---------------------------------------------------------------------------------------------------------- judging */

typedef struct court {
    const cp_tree *tree;
    const ref_rule *rule;
    const cp_rows *rows;
    double centre, scale;
    double unit;    /* of the leaves' weights; 0: not known yet */
    ref_best *best; /* per node of the tree: the gain it could have, < 0 if it cannot or may not be split */
    char said[300];
} court;

#define OBJECT(...) return snprintf(c->said, sizeof c->said, __VA_ARGS__), 0

int ref_goes_left(const cp_rows *rows, const cp_tree *tree, const cp_tree_node *split, size_t row) {
    uint32_t dim = cp_tree_dim(split);
    float x = rows->x[row * rows->dims + dim];
    if (is_missing(rows, dim, x)) return (split->what & CP_TREE_MISSING_LEFT) != 0;
    if (!(split->what & CP_TREE_CATEGORY)) return x <= split->at.cut;
    return (int)(tree->set[split->at.set + (uint32_t)x / 32] >> (uint32_t)x % 32 & 1);
}

static int is_pure(const ref_node *node) {
    for (size_t i = 1; i < node->n; i++) {
        size_t a = node->row[0], b = node->row[i];
        if (node->rows->y ? node->rows->y[a] != node->rows->y[b] : node->rows->label[a] != node->rows->label[b])
            return 0;
    }
    return 1;
}

/* The gain a split of the node must have, < 0 if there must be none.  `dim`: the column it was found in. */
static ref_best gain_due(const court *c, const ref_node *node, size_t depth, size_t dim) {
    ref_best all = {-1, -1};
    if (is_pure(node) || (c->rule->max_depth && depth >= c->rule->max_depth)) return all;
    if (c->rule->features < c->rows->dims && dim < c->rows->dims) return ref_best_of_column(c->rule, node, dim);
    for (size_t d = 0; d < c->rows->dims; d++) {
        ref_best one = ref_best_of_column(c->rule, node, d);
        all.least = fmax(all.least, one.least);
        all.most = fmax(all.most, one.most);
    }
    return all;
}

static int near(double a, double b, double size, double tol) {
    return fabs(a - b) <= tol * (fabs(b) + size);
}

/* Halfway between the neighbours on either side, or beyond all values where missing ones are set apart. */
static int judge_cut(court *c, const ref_node *node, const cp_tree_node *split) {
    float low = -INFINITY, high = INFINITY, cut = split->at.cut;
    for (size_t i = 0; i < node->n; i++) {
        float x = value_of(node, i, cp_tree_dim(split));
        if (x <= cut && x > low) low = x;
        if (x > cut && x < high) high = x;
    }
    if (c->rule->any_cut || isinf(high) || isinf(low)) return 1;
    double halfway = ((double)low + (double)high) / 2;
    float a = (float)halfway, before = nextafterf(a, -INFINITY), after = nextafterf(a, INFINITY);
    int tight = cut == low && nextafterf(low, INFINITY) == high; /* halfway may round to the upper one */
    if (!tight && cut != a && cut != before && cut != after)
        OBJECT("column %u is cut at %.9g, between %.9g and %.9g", cp_tree_dim(split), (double)cut, (double)low,
               (double)high);
    return 1;
}

/* Where a missing value would go if none was there to learn from: with the heavier side. */
static int judge_default(court *c, const ref_node *node, const cp_tree_node *split, const int *left) {
    double lw = 0, rw = 0;
    for (size_t i = 0; i < node->n; i++) {
        if (is_missing(c->rows, cp_tree_dim(split), value_of(node, i, cp_tree_dim(split)))) return 1;
        *(left[i] ? &lw : &rw) += weight_of(node, i);
    }
    if (near(lw, rw, 0, 1e-9)) return 1;
    if ((lw > rw) != ((split->what & CP_TREE_MISSING_LEFT) != 0)) OBJECT("missing values go to the lighter side");
    return 1;
}

static int judge_split(court *c, const ref_node *node, size_t id, const int *left) {
    const cp_tree_node *split = &c->tree->node[id];
    double gain = ref_gain(c->rule->kind, node, left), size = ref_impurity(c->rule->kind, node);
    if (c->best[id].most < 0) OBJECT("node %zu of %zu rows is split, and must not be", id, node->n);
    if (!is_allowed(c->rule, node, left)) OBJECT("node %zu: a side is too small", id);
    double slack = 1e-9 * (gain + 1e-3 * size), least = c->best[id].least, most = c->best[id].most;
    if (!c->rule->any_cut && !(gain >= least - slack && gain <= most + slack))
        OBJECT("node %zu of %zu rows: gain %.17g by column %u, best is %.17g", id, node->n, gain, cp_tree_dim(split),
               most);
    c->best[id].least = c->best[id].most = fmax(gain, 0);
    if (!c->rule->any_cut && !judge_default(c, node, split, left)) return 0;
    return split->what & CP_TREE_CATEGORY ? 1 : judge_cut(c, node, split);
}

static int judge_weight(court *c, double told, double weight) {
    if (c->unit == 0) c->unit = told / weight;
    return near(told / c->unit, weight, 0, 1e-6);
}

static int judge_value(court *c, const ref_node *node, const cp_tree_value *v) {
    double w = total_weight(node), var = squared_error(node) / w;
    double mean = (c->rows->y[node->row[0]] - c->centre + mean_target(node)) / c->scale;
    var = var / c->scale / c->scale;
    if (!near((double)v->mean, mean, 1e-2, 2e-7) || !near((double)v->var, var, 1e-7, 1e-6) ||
        !judge_weight(c, (double)v->weight, w) || v->rows != node->n)
        OBJECT("a leaf says mean %.9g var %.9g weight %.9g rows %u, its rows say %.9g %.9g %.9g %zu", (double)v->mean,
               (double)v->var, (double)v->weight, v->rows, mean, var, w, node->n);
    return 1;
}

static int judge_shares(court *c, const ref_node *node, uint32_t leaf) {
    uint32_t at = c->tree->start[leaf];
    if (c->tree->rows[leaf] != node->n) OBJECT("leaf %u: %u rows, not %zu", leaf, c->tree->rows[leaf], node->n);
    for (size_t k = 0; k < c->rows->classes; k++) {
        double w = 0;
        for (size_t i = 0; i < node->n; i++)
            if (c->rows->label[node->row[i]] == (int32_t)k) w += weight_of(node, i);
        if (w == 0) continue;
        const cp_tree_class_weight *s = &c->tree->class_weight[at++];
        if (at > c->tree->start[leaf + 1] || s->label != k || !judge_weight(c, (double)s->weight, w))
            OBJECT("leaf %u: class %u has weight %.9g, wanted class %zu with %.9g", leaf, s->label, (double)s->weight,
                   k, w);
    }
    if (at != c->tree->start[leaf + 1]) OBJECT("leaf %u has too many classes", leaf);
    return 1;
}

static int judge_node(court *c, const ref_node *node, size_t id, size_t depth) {
    const cp_tree_node *here = &c->tree->node[id];
    int leaf = cp_tree_is_leaf(here), fine;
    c->best[id] = gain_due(c, node, depth, leaf ? SIZE_MAX : cp_tree_dim(here));
    if (leaf) {
        if (node->n == 0) OBJECT("leaf %u has no rows", here->at.leaf);
        if (c->best[id].least >= 0 && !c->rule->max_leaves && !(c->rule->any_cut && c->rule->min_leaf > 1))
            OBJECT("node %zu of %zu rows is a leaf; a split gains %g", id, node->n, c->best[id].least);
        return c->rows->y ? judge_value(c, node, &c->tree->value[here->at.leaf]) : judge_shares(c, node, here->at.leaf);
    }
    int *left = calloc(node->n + 1, sizeof *left);
    for (size_t i = 0; i < node->n; i++) left[i] = ref_goes_left(c->rows, c->tree, here, node->row[i]);
    fine = judge_split(c, node, id, left);
    for (int right = 0; fine && right <= 1; right++) {
        ref_node side = side_of(node, left, !right);
        fine = judge_node(c, &side, (size_t)here->next + (size_t)right, depth + 1);
        free(side.row);
    }
    free(left);
    return fine;
}

/* Best first: of the nodes that are open the one with most to gain is split next.  Of equals it may be any, and since
 * children may gain more than their parents, it matters which: all are tried. */
static int judge_order(court *c, char *open, size_t leaves) {
    const cp_tree_node *node = c->tree->node;
    double most = -1;
    for (size_t i = 0; i < c->tree->nodes; i++)
        if (open[i]) most = fmax(most, c->best[i].least);
    if (most < 0 || leaves == c->rule->max_leaves) {
        if (leaves != c->tree->leaves) OBJECT("%zu leaves, wanted %zu", c->tree->leaves, leaves);
        return 1;
    }
    snprintf(c->said, sizeof c->said, "%zu leaves: the next split should gain %g", leaves, most);
    for (size_t i = 0; i < c->tree->nodes; i++) {
        if (!open[i] || cp_tree_is_leaf(&node[i]) || c->best[i].most < most - 1e-9 * (most + c->best[0].most)) continue;
        char *next = malloc(c->tree->nodes);
        memcpy(next, open, c->tree->nodes);
        next[i] = 0;
        next[node[i].next] = next[node[i].next + 1] = 1;
        int fine = judge_order(c, next, leaves + 1);
        free(next);
        if (fine) return 1;
    }
    return 0;
}

const char *ref_judge(const cp_tree *tree, const ref_rule *rule, const cp_rows *rows, const double *weight,
                      double centre, double scale) {
    static court c; /* its message outlives the call */
    ref_node root = {rows, weight, malloc((rows->n + 1) * sizeof(size_t)), 0};
    c = (court){tree, rule, rows, centre, scale, rule->any_unit ? 0 : 1, calloc(tree->nodes, sizeof(ref_best)), ""};
    for (size_t i = 0; i < rows->n; i++)
        if (!weight || weight[i] > 0) root.row[root.n++] = i;
    int fine = judge_node(&c, &root, 0, 0);
    char *open = calloc(tree->nodes, 1);
    open[0] = 1;
    if (fine && rule->max_leaves) fine = judge_order(&c, open, 1);
    free(open);
    free(root.row);
    free(c.best);
    c.best = NULL;
    return fine ? NULL : c.said;
}
