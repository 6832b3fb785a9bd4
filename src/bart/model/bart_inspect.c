#include "bart/model/bart_inspect.h"

#include <math.h>
#include <stdio.h>

#include "bart/model/bart_diagnose.h"
#include "base/mem.h"
#include "num/math.h"

/* ------------------------------------------------------------------------------------------------------------ trees */

static size_t trees_of_draw(const cp_bart_model *b) {
    return b->sums * b->trees + b->noise_trees;
}

size_t cp_bart_inspect_trees(const void *state) {
    const cp_bart_model *b = state;
    return cp_bart_model_draw_count(b) * trees_of_draw(b);
}

/* The tree with a given number. */
typedef struct tree_id {
    size_t draw, sum, tree;
} tree_id;

static tree_id id_of(const cp_bart_model *b, size_t number) {
    size_t all = trees_of_draw(b), at = number % all, sum = at / b->trees < b->sums ? at / b->trees : b->sums;
    return (tree_id){.draw = number / all, .sum = sum, .tree = at - sum * b->trees};
}

/* The last run of the tree that begins at the draw or before, by binary search: runs are numbered in the order in which
 * they begin. */
static const cp_bart_run *find_run(const cp_bart_model *b, tree_id at) {
    const cp_bart_draws *d = &b->draws[at.sum];
    const size_t *run_of = b->run_of[at.sum];
    size_t low = b->first[at.sum][at.tree], high = b->first[at.sum][at.tree + 1], end = d->end_run[at.draw];
    while (high - low > 1) {
        size_t mid = low + (high - low) / 2;
        if (run_of[mid] < end)
            low = mid;
        else
            high = mid;
    }
    return &d->run[run_of[low]];
}

static const float *find_mu(const cp_bart_model *b, tree_id at) {
    const float *mu = cp_bart_draws_mu(&b->draws[at.sum], at.draw);
    for (tree_id other = {at.draw, at.sum, 0}; other.tree < at.tree; other.tree++) mu += find_run(b, other)->rules + 1;
    return mu;
}

/* The nodes of a shape with their links.  Rules come in preorder, so the node of a slot is known when a rule splits
 * it. */
typedef struct node_list {
    const cp_bart_rule *rule; /* of the shape */
    size_t nodes;
    int32_t left[2 * CP_BART_MAX_LEAVES], parent[2 * CP_BART_MAX_LEAVES]; /* CP_NONE: a leaf; the root */
    uint8_t of[2 * CP_BART_MAX_LEAVES]; /* the rule of an inner node; the slot of a leaf */
    size_t depth[2 * CP_BART_MAX_LEAVES];
} node_list;

static void list_nodes(const cp_bart_model *b, tree_id at, node_list *out) {
    const cp_bart_run *run = find_run(b, at);
    int32_t node_of[CP_BART_MAX_LEAVES] = {0};
    out->rule = b->draws[at.sum].rule + run->rule;
    out->nodes = 1;
    out->left[0] = out->parent[0] = CP_NONE;
    out->of[0] = 0;
    out->depth[0] = 0;
    for (size_t i = 0; i < run->rules; i++) {
        uint8_t slot[2] = {out->rule[i].slot, (uint8_t)(i + 1)};
        int32_t node = node_of[slot[0]];
        out->left[node] = (int32_t)out->nodes;
        out->of[node] = (uint8_t)i;
        for (int side = 0; side < 2; side++) {
            size_t child = out->nodes++;
            node_of[slot[side]] = (int32_t)child;
            out->left[child] = CP_NONE;
            out->parent[child] = node;
            out->of[child] = slot[side];
            out->depth[child] = out->depth[node] + 1;
        }
    }
}

cp_inspect_shape cp_bart_inspect_shape(const void *state, size_t tree) {
    const cp_bart_model *b = state;
    node_list o;
    cp_inspect_shape s = {.weight = 1 / (double)cp_bart_inspect_trees(b)};
    list_nodes(b, id_of(b, tree), &o);
    s.leaves = (o.nodes + 1) / 2;
    for (size_t i = 0; i < o.nodes; i++)
        if (o.depth[i] > s.depth) s.depth = o.depth[i];
    return s;
}

void cp_bart_inspect_splits(const void *state, size_t draw, double *out_dims) {
    const cp_bart_model *b = state;
    for (size_t d = 0; d < b->dims; d++) out_dims[d] = 0;
    for (tree_id at = {.draw = draw}; at.sum < b->sums; at.sum++)
        for (at.tree = 0; at.tree < b->trees; at.tree++) {
            const cp_bart_run *run = find_run(b, at);
            for (size_t i = 0; i < run->rules; i++) out_dims[b->draws[at.sum].rule[run->rule + i].dim]++;
        }
}

static void describe_node(const node_list *o, int32_t node, cp_inspect_node *out) {
    *out = (cp_inspect_node){.left = CP_NONE, .right = CP_NONE, .label = CP_NONE, .rows = CP_ROWS_UNKNOWN};
    if (o->left[node] == CP_NONE) return;
    const cp_bart_rule *rule = &o->rule[o->of[node]];
    out->left = o->left[node];
    out->right = o->left[node] + 1;
    out->dim = rule->dim;
    out->cut = (double)rule->cut;
}

static int is_variance_tree(const cp_bart_model *b, tree_id at) {
    return at.sum == b->sums;
}

/* The mu of a leaf in the targets' units, or in those of the probit; of a variance tree, lambda. */
static double value_of(const cp_bart_model *b, tree_id at, const node_list *o, int32_t node) {
    double mu = (double)find_mu(b, at)[o->of[node]];
    return is_variance_tree(b, at) ? cp_math_exp(fmin(mu, 700)) : b->scale * mu;
}

void cp_bart_inspect_node(const void *state, size_t tree, int32_t node, cp_inspect_node *out) {
    const cp_bart_model *b = state;
    tree_id at = id_of(b, tree);
    node_list o;
    list_nodes(b, at, &o);
    describe_node(&o, node, out);
    if (out->left == CP_NONE)
        snprintf(out->note, sizeof out->note, is_variance_tree(b, at) ? "noise variance times %.4g" : "adds %.4g",
                 value_of(b, at, &o, node));
}

/* ------------------------------------------------------------------------------------------------------------- JSON */

static void json_place(const cp_bart_model *b, tree_id at, cp_json *j) {
    cp_json_integer(j, "draw", (int64_t)at.draw);
    cp_json_integer(j, "chain", (int64_t)(at.draw / b->samples));
    if (b->sums > 1) cp_json_integer(j, "class", (int64_t)at.sum);
    if (b->noise_trees) cp_json_text(j, "of", is_variance_tree(b, at) ? "noise" : "mean");
    cp_json_integer(j, "tree", (int64_t)at.tree);
    cp_json_number(j, "weight", 1 / (double)cp_bart_model_draw_count(b));
    if (b->task == COPSE_CLASS) {
        cp_json_number(j, "offset", b->offset[at.sum]);
    } else {
        cp_json_number(j, "offset", b->centre);
        cp_json_number(j, "sigma", b->series[CP_BART_SIGMA][at.draw]);
    }
}

static void json_hyper(const cp_bart_model *b, cp_json *j) {
    cp_json_object(j, "hyper");
    cp_json_number(j, "leaf_sd", b->scale * sqrt(b->hyper.leaf_var));
    if (b->task == COPSE_REGRESS) {
        cp_json_number(j, "nu", b->hyper.nu);
        cp_json_number(j, "lambda", b->scale * b->scale * b->hyper.lambda);
    }
    cp_json_close_object(j);
}

static void json_node(const cp_bart_model *b, tree_id at, const node_list *o, int32_t node, cp_json *j) {
    cp_inspect_node v;
    describe_node(o, node, &v);
    cp_json_object(j, NULL);
    cp_json_integer(j, "id", node);
    cp_json_integer(j, "parent", o->parent[node]);
    cp_json_integer(j, "left", v.left);
    cp_json_integer(j, "right", v.right);
    if (v.left == CP_NONE)
        cp_json_number(j, is_variance_tree(b, at) ? "noise_variance_times" : "adds", value_of(b, at, o, node));
    else
        cp_inspect_node_json(&v, 0, 0, j);
    cp_json_close_object(j);
}

copse_status cp_bart_inspect_json(const void *state, size_t tree, cp_json *j, copse_error *err) {
    const cp_bart_model *b = state;
    tree_id at = id_of(b, tree);
    node_list o;
    (void)err;
    list_nodes(b, at, &o);
    json_hyper(b, j);
    json_place(b, at, j);
    cp_json_array(j, "nodes");
    for (size_t i = 0; i < o.nodes; i++) json_node(b, at, &o, (int32_t)i, j);
    cp_json_close_array(j);
    return COPSE_OK;
}

/* ---------------------------------------------------------------------------------------------------------- figures */

static double mean_of(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i];
    return sum / (double)n;
}

static size_t worst_figures(const cp_bart_model *b, copse_figure *out) {
    double rhat = 1, ess = INFINITY, tail = INFINITY;
    size_t n = 0;
    for (int i = 0; i < CP_BART_SERIES_KINDS; i++) {
        if (!cp_bart_model_series(b, (cp_bart_series)i)) continue;
        if (isnan(b->converge[i].rhat)) return 0;
        rhat = fmax(rhat, b->converge[i].rhat);
        ess = fmin(ess, b->converge[i].bulk);
        tail = fmin(tail, b->converge[i].tail);
    }
    out[n++] = (copse_figure){"rhat", rhat};
    out[n++] = (copse_figure){"ess", ess};
    out[n++] = (copse_figure){"ess_tail", tail};
    return n;
}

size_t cp_bart_inspect_figures(const void *state, copse_figure out[COPSE_MAX_FIGURES]) {
    const cp_bart_model *b = state;
    size_t n = 0, draws = cp_bart_model_draw_count(b);
    out[n++] = (copse_figure){"draws", (double)draws};
    out[n++] =
        (copse_figure){"leaves_per_tree", mean_of(b->series[CP_BART_LEAF_COUNT], b->sums * draws) / (double)b->trees};
    if (b->task == COPSE_REGRESS) out[n++] = (copse_figure){"sigma", mean_of(b->series[CP_BART_SIGMA], draws)};
    n += worst_figures(b, out + n);
    for (int i = 0; i < CP_BART_MOVES; i++) {
        double accepted = cp_bart_diagnose_acceptance(b, (cp_bart_move)i);
        if (!isnan(accepted)) out[n++] = (copse_figure){cp_bart_diagnose_accepted[i], accepted};
    }
    return n;
}

/* ----------------------------------------------------------------------------------------------------------- traces */

/* The kind of trace i, and its number among the series of that kind; CP_BART_SERIES_KINDS after the last. */
static cp_bart_series series_of(const cp_bart_model *b, size_t *i) {
    cp_bart_series kind = CP_BART_SIGMA;
    for (; kind < CP_BART_SERIES_KINDS; kind++) {
        size_t n = cp_bart_model_series(b, kind);
        if (*i < n) break;
        *i -= n;
    }
    return kind;
}

static double trace_value(const void *state, size_t i, size_t chain, size_t draw) {
    const cp_bart_model *b = state;
    cp_bart_series kind = series_of(b, &i);
    return b->series[kind][(i * b->chains + chain) * b->samples + draw];
}

int cp_bart_inspect_trace(const void *state, size_t i, cp_inspect_trace *out) {
    static const char *const name[CP_BART_SERIES_KINDS] = {"sigma", "log_likelihood", "leaves", "fitted", "noise"};
    const cp_bart_model *b = state;
    cp_bart_series kind = series_of(b, &i);
    if (kind == CP_BART_SERIES_KINDS) return 0;
    *out = (cp_inspect_trace){.info = {.chains = b->chains, .draws = b->samples}, .value = trace_value};
    if (cp_bart_model_series(b, kind) > 1)
        snprintf(out->info.name, sizeof out->info.name, "%s_%zu", name[kind], i + 1);
    else
        snprintf(out->info.name, sizeof out->info.name, "%s", name[kind]);
    return 1;
}
