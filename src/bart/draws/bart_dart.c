/* Target: p(s, theta | trees) ~ p(theta) Dirichlet(s; theta/D, ...) prod over rules of s_j / V, where j is the column
 * of the rule and V the sum of s over the columns that vary in its node.
 * How we differ from Linero (2018): there V is 1, because every column can be split on in every node, and s given the
 * trees is Dirichlet(theta/D + rules on column j).  Here it is not a Dirichlet, unless all columns vary in all nodes.
 * Move: a Gibbs step with auxiliary variables.  Write s_j = g_j / G with independent g_j ~ gamma(theta/D) and G = sum
 * of g.  Then s_j / V = g_j / V', V' = sum of g over the columns that vary, and with one exponential t of rate V' per
 * node
 *
 *     g_j / V' = g_j  integral of exp(-t V') dt
 *
 * Given all t the g_j are independent again: gamma of shape theta/D + (rules on column j) and of rate
 * 1 + (sum of t over the nodes where j varies).  G given s and trees is gamma of shape theta, as in the prior.  Nothing
 * here is approximate.  With t = E / (G V), E a standard exponential, all rates are 1/G times G + (sum of E/V).  Only
 * ratios of the g_j matter, so the factor 1/G is left out: G may be far too small to divide by.
 * theta given s is drawn from a grid of CP_BART_DART_THETAS values. */
#include "bart/draws/bart_dart.h"

#include <math.h>

#include "base/mem.h"
#include "num/draw.h"
#include "num/math.h"
#include "num/special.h"

#ifndef CP_BROKEN
#define CP_BROKEN(bug) 0
#endif

enum { PIECE = 4096 }; /* rows tested together: one piece is mostly enough to see that columns vary */

/* theta/(theta + D) is the middle of one of equal parts of (0,1), each with its probability under Beta(1/2, 1). */
static void make_grid(cp_bart_dart *dart) {
    double d = (double)dart->dims;
    for (size_t i = 0; i < CP_BART_DART_THETAS; i++) {
        double ratio = ((double)i + 0.5) / CP_BART_DART_THETAS, theta = d * ratio / (1 - ratio);
        double mass = sqrt((double)(i + 1) / CP_BART_DART_THETAS) - sqrt((double)i / CP_BART_DART_THETAS);
        dart->theta_of[i] = theta;
        dart->log_of[i] = cp_math_log(mass) + cp_special_log_gamma(theta) - d * cp_special_log_gamma(theta / d);
    }
}

copse_status cp_bart_dart_init(cp_bart_dart *dart, size_t dims, copse_error *err) {
    dart->dims = dims;
    dart->theta = (double)dims;
    CP_TRY(CP_RAW(dart->log_s, dims, err));
    CP_TRY(CP_RAW(dart->splits, dims, err));
    CP_TRY(CP_RAW(dart->rate, dims, err));
    CP_TRY(CP_RAW(dart->row, PIECE, err));
    CP_TRY(CP_RAW(dart->constant, dims, err));
    CP_TRY(CP_RAW(dart->varying, dims, err));
    for (size_t d = 0; d < dims; d++) dart->log_s[d] = -cp_math_log((double)dims);
    make_grid(dart);
    return COPSE_OK;
}

void cp_bart_dart_clear(cp_bart_dart *dart) {
    cp_mem_free(dart->log_s);
    cp_mem_free(dart->splits);
    cp_mem_free(dart->rate);
    cp_mem_free(dart->row);
    cp_mem_free(dart->constant);
    cp_mem_free(dart->varying);
}

void cp_bart_dart_set_probs(cp_bart_dart *dart, cp_bart_split_probs *probs) {
    for (size_t d = 0; d < dart->dims; d++) dart->rate[d] = cp_math_exp(dart->log_s[d]);
    cp_bart_split_probs_set(probs, dart->rate);
}

/* ------------------------------------------------------------------------------------------------ what varies where */

static int is_below(const cp_bart_tree *t, int16_t node, int16_t top) {
    while (node != top && node != CP_NONE) node = t->node[node].parent;
    return node == top;
}

/* Moves the columns that take two values among n rows and `first` from dart->constant to dart->varying. */
static size_t find_varying(cp_bart_dart *dart, const cp_bart_columns *c, size_t n, uint32_t first, size_t constant,
                           size_t *varying) {
    size_t left = 0;
    for (size_t k = 0; k < constant; k++) {
        const uint16_t *code = cp_bart_columns_code(c, dart->constant[k]);
        size_t i = 0;
        while (i < n && code[dart->row[i]] == code[first]) i++;
        if (i < n)
            dart->varying[(*varying)++] = dart->constant[k];
        else
            dart->constant[left++] = dart->constant[k];
    }
    return left;
}

/* Lists the columns that vary among the rows below a node in dart->varying; returns how many. */
static size_t list_varying(cp_bart_dart *dart, const cp_bart_columns *c, const cp_bart_tree *t, int16_t top) {
    uint8_t in[CP_LEAF_PASS_MAX] = {0};
    size_t constant = dart->dims, varying = 0, n = c->ranks.rows;
    int64_t first = -1;
    for (size_t k = 0; k < cp_bart_tree_leaves(t); k++) in[k] = (uint8_t)is_below(t, t->leaf[k].node, top);
    for (size_t d = 0; d < dart->dims; d++) dart->constant[d] = (uint32_t)d;
    for (size_t at = 0; at < n && constant; at += PIECE) {
        size_t some = c->leaf_pass->list(t->slot + at, in, n - at < PIECE ? n - at : PIECE, dart->row);
        for (size_t i = 0; i < some; i++) dart->row[i] += (uint32_t)at;
        if (first < 0 && some) first = dart->row[0];
        constant = find_varying(dart, c, some, first < 0 ? 0 : (uint32_t)first, constant, &varying);
    }
    return varying;
}

/* ---------------------------------------------------------------------------------------------------------- drawing */

static void add_node(cp_bart_dart *dart, const cp_bart_split_probs *probs, const cp_bart_view *v, const cp_bart_tree *t,
                     int16_t node, cp_rng *rng) {
    size_t varying = list_varying(dart, v->columns, t, node);
    double in = 0;
    for (size_t k = 0; k < varying; k++) in += probs->opt_s[dart->varying[k]];
    double time = cp_draw_exp(rng) / in;
    if (CP_BROKEN(BROKEN_DIRICHLET)) return;
    for (size_t k = 0; k < varying; k++) dart->rate[dart->varying[k]] += time;
}

static void draw_probs(cp_bart_dart *dart, cp_rng *rng) {
    double shape = dart->theta / (double)dart->dims;
    for (size_t d = 0; d < dart->dims; d++)
        dart->log_s[d] = cp_draw_log_gamma(rng, shape + dart->splits[d]) - cp_math_log(fmax(dart->rate[d], 1e-300));
    double all = cp_special_log_sum_exp(dart->log_s, dart->dims);
    for (size_t d = 0; d < dart->dims; d++) dart->log_s[d] -= all;
}

/* log density of s given theta = log Gamma(theta) - D log Gamma(theta/D) + (theta/D - 1) sum of log s */
static void draw_theta(cp_bart_dart *dart, cp_rng *rng) {
    double logs = 0, density[CP_BART_DART_THETAS];
    for (size_t d = 0; d < dart->dims; d++) logs += dart->log_s[d];
    for (size_t i = 0; i < CP_BART_DART_THETAS; i++)
        density[i] = dart->log_of[i] + dart->theta_of[i] / (double)dart->dims * logs;
    double all = cp_special_log_sum_exp(density, CP_BART_DART_THETAS), u = cp_rng_unit(rng);
    size_t i = 0;
    for (; i + 1 < CP_BART_DART_THETAS; i++) {
        u -= cp_math_exp(density[i] - all);
        if (u < 0) break;
    }
    dart->theta = dart->theta_of[i];
}

void cp_bart_dart_draw(cp_bart_dart *dart, cp_bart_split_probs *probs, const cp_bart_view *v, const cp_bart_tree *tree,
                       size_t trees, cp_rng *rng) {
    double total = cp_math_exp(cp_draw_log_gamma(rng, dart->theta));
    for (size_t d = 0; d < dart->dims; d++) {
        dart->splits[d] = 0;
        dart->rate[d] = total;
    }
    for (size_t m = 0; m < trees; m++)
        for (size_t u = 0; u <= 2 * tree[m].pairs; u++) {
            const cp_bart_node *node = &tree[m].node[u];
            if (node->left == CP_NONE) continue;
            dart->splits[node->rule.dim]++;
            add_node(dart, probs, v, &tree[m], (int16_t)u, rng);
        }
    draw_probs(dart, rng);
    draw_theta(dart, rng);
    cp_bart_dart_set_probs(dart, probs);
}
