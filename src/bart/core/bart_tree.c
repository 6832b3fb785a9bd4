#include "bart/core/bart_tree.h"

#include <math.h>
#include <string.h>

#include "bart/core/bart_parallel.h"
#include "bart/core/bart_split_probs.h"
#include "base/mem.h"
#include "num/draw.h"
#include "num/math.h"

static size_t rows_of(const cp_bart_view *v) {
    return v->columns->ranks.rows;
}

/* ----------------------------------------------------------------------------------------------------------- making */

copse_status cp_bart_tree_reserve(cp_bart_tree *t, size_t leaves, copse_error *err) {
    size_t cap = 2 * t->cap > leaves ? 2 * t->cap : leaves;
    if (leaves <= t->cap) return COPSE_OK;
    if (cap > CP_BART_MAX_LEAVES) cap = CP_BART_MAX_LEAVES;
    void *node = cp_mem_resize(t->node, 2 * cap - 1, sizeof *t->node);
    if (!node) return cp_fail_memory(err);
    t->node = node;
    void *leaf = cp_mem_resize(t->leaf, cap, sizeof *t->leaf);
    if (!leaf) return cp_fail_memory(err);
    t->leaf = leaf;
    t->cap = cap;
    return COPSE_OK;
}

/* A cut at the greatest code sends all rows left, so cp_bart_parallel_left sums all weights; without a residual, it
 * sums nothing else. */
void cp_bart_tree_reset(cp_bart_tree *t, const cp_bart_view *v) {
    cp_bart_view weights_only = *v;
    weights_only.r = NULL;
    memset(t->slot, 0, rows_of(v));
    memset(t->mu, 0, CP_BART_MAX_LEAVES * sizeof *t->mu);
    t->pairs = 0;
    t->node[0] = (cp_bart_node){.parent = CP_NONE, .left = CP_NONE};
    t->leaf[0] = (cp_bart_leaf){.rows = (uint32_t)rows_of(v)};
    const cp_leaf_pass_cut none = {v->columns->code, UINT16_MAX};
    t->leaf[0].sum_w = cp_bart_parallel_left(&weights_only, (cp_bart_group){t->slot, 0}, none).sum_w;
    t->leaf[0].open = (uint32_t)cp_bart_tree_is_open(t, v, 0);
}

copse_status cp_bart_tree_init(cp_bart_tree *t, const cp_bart_view *v, uint8_t *slot, copse_error *err) {
    enum { FEW = 8 };
    copse_status status;
    *t = (cp_bart_tree){.slot = slot};
    CP_TRY_OUT(cp_bart_tree_reserve(t, FEW, err));
    CP_TRY_OUT(CP_RAW(t->mu, CP_BART_MAX_LEAVES, err));
    cp_bart_tree_reset(t, v);
out:
    if (status) cp_bart_tree_clear(t);
    return status;
}

void cp_bart_tree_clear(cp_bart_tree *t) {
    cp_mem_free(t->node);
    cp_mem_free(t->leaf);
    cp_mem_free(t->mu);
    *t = (cp_bart_tree){0};
}

/* ------------------------------------------------------------------------------------------------------------- open */

static int are_alike(const cp_bart_columns *c, size_t a, size_t b) {
    const uint16_t *code = c->code;
    for (size_t d = 0; d < c->ranks.dims; d++, code += c->ranks.rows)
        if (code[a] != code[b]) return 0;
    return 1;
}

/* 1 if some column varies among the rows of a group on one side of a cut.  Compares row after row with the first: if
 * columns have many values, the first column of the second row decides. */
static uint32_t varies(const cp_bart_columns *c, cp_bart_group g, cp_leaf_pass_cut cut, int right) {
    size_t n = c->ranks.rows, first = c->leaf_pass->next(g.slot, g.id, cut, right, 0, n), i = first;
    while (i < n && (i = c->leaf_pass->next(g.slot, g.id, cut, right, i + 1, n)) < n)
        if (!are_alike(c, i, first)) return 1;
    return 0;
}

int cp_bart_tree_is_open(const cp_bart_tree *t, const cp_bart_view *v, uint8_t slot) {
    const cp_leaf_pass_cut none = {v->columns->code, UINT16_MAX};
    return (int)varies(v->columns, (cp_bart_group){t->slot, slot}, none, 0);
}

/* ---------------------------------------------------------------------------------------------------------- changes */

int cp_bart_tree_divide(const cp_bart_view *v, cp_bart_group rows, const cp_bart_leaf *whole, cp_rule rule,
                        cp_bart_leaf out[2]) {
    const cp_bart_columns *c = v->columns;
    const cp_leaf_pass_cut cut = {cp_bart_columns_code(c, rule.dim), (uint16_t)rule.cell};
    cp_leaf_pass_side left = cp_bart_parallel_left(v, rows, cut);
    if (left.rows == 0 || left.rows == whole->rows) return 0;
    out[0] = (cp_bart_leaf){.rows = (uint32_t)left.rows, .sum_w = left.sum_w, .sum_wr = left.sum_wr};
    out[1] = (cp_bart_leaf){.rows = whole->rows - out[0].rows,
                            .sum_w = fmax(0, whole->sum_w - left.sum_w),
                            .sum_wr = whole->sum_wr - left.sum_wr};
    for (int side = 0; side < 2; side++) out[side].open = out[side].rows > 1 && varies(c, rows, cut, side);
    return 1;
}

int cp_bart_tree_try_split(const cp_bart_tree *t, const cp_bart_view *v, cp_bart_split *s) {
    uint16_t slot = t->node[s->node].slot;
    cp_bart_leaf side[2] = {{0}};
    int can = cp_bart_tree_divide(v, (cp_bart_group){t->slot, (uint8_t)slot}, &t->leaf[slot], s->rule, side);
    s->left = side[0];
    s->right = side[1];
    return can;
}

void cp_bart_tree_split(cp_bart_tree *t, const cp_bart_view *v, const cp_bart_split *s) {
    cp_bart_node *n = &t->node[s->node];
    uint16_t slot = n->slot, fresh = (uint16_t)cp_bart_tree_leaves(t), depth = (uint16_t)(n->depth + 1);
    int16_t left = (int16_t)cp_bart_tree_nodes(t), right = (int16_t)(left + 1);
    n->left = left;
    n->rule = s->rule;
    n->cut = s->cut;
    t->node[left] = (cp_bart_node){.parent = s->node, .left = CP_NONE, .slot = slot, .depth = depth};
    t->node[right] = (cp_bart_node){.parent = s->node, .left = CP_NONE, .slot = fresh, .depth = depth};
    t->leaf[slot] = s->left;
    t->leaf[slot].node = left;
    t->leaf[fresh] = s->right;
    t->leaf[fresh].node = right;
    t->mu[fresh] = t->mu[slot];
    t->pairs++;
    const cp_leaf_pass_cut cut = {cp_bart_columns_code(v->columns, s->rule.dim), (uint16_t)s->rule.cell};
    cp_bart_parallel_split(v, t->slot, (uint8_t)slot, cut, (uint8_t)fresh);
}

/* Frees a slot, which no row has: the last slot gets its number. */
static void drop_slot(cp_bart_tree *t, const cp_bart_view *v, uint16_t slot) {
    uint16_t last = (uint16_t)(cp_bart_tree_leaves(t) - 1);
    if (slot != last) {
        t->leaf[slot] = t->leaf[last];
        t->mu[slot] = t->mu[last];
        t->node[t->leaf[slot].node].slot = slot;
        cp_bart_parallel_rename(v, t->slot, (uint8_t)last, (uint8_t)slot);
    }
    t->mu[last] = 0;
}

/* Frees a pair of nodes, which has no parent: the last pair gets its numbers. */
static void drop_pair(cp_bart_tree *t, int16_t left) {
    int16_t last = (int16_t)(cp_bart_tree_nodes(t) - 2);
    if (left == last) return;
    t->node[t->node[last].parent].left = left;
    for (int16_t i = 0; i < 2; i++) {
        int16_t to = (int16_t)(left + i);
        const cp_bart_node *n = &t->node[to];
        t->node[to] = t->node[last + i];
        if (n->left == CP_NONE)
            t->leaf[n->slot].node = to;
        else
            t->node[n->left].parent = t->node[n->left + 1].parent = to;
    }
}

void cp_bart_tree_collapse(cp_bart_tree *t, const cp_bart_view *v, int16_t at) {
    cp_bart_node *n = &t->node[at];
    int16_t left = n->left;
    uint16_t slot = t->node[left].slot, gone = t->node[left + 1].slot;
    cp_bart_leaf *leaf = &t->leaf[slot];
    const cp_bart_leaf *other = &t->leaf[gone];
    *leaf = (cp_bart_leaf){.rows = leaf->rows + other->rows,
                           .open = 1, /* the column of the old rule varies */
                           .node = at,
                           .sum_w = leaf->sum_w + other->sum_w,
                           .sum_wr = leaf->sum_wr + other->sum_wr};
    *n = (cp_bart_node){.parent = n->parent, .left = CP_NONE, .slot = slot, .depth = n->depth};
    cp_bart_parallel_rename(v, t->slot, (uint8_t)gone, (uint8_t)slot);
    drop_slot(t, v, gone);
    drop_pair(t, left);
    t->pairs--;
}

/* --------------------------------------------------------------------------------------------------- walks and sums */

int16_t cp_bart_tree_next(const cp_bart_tree *t, int16_t at, int16_t top) {
    if (!cp_bart_tree_is_leaf(t, at)) return t->node[at].left;
    while (at != top && at % 2 == 0) at = t->node[at].parent; /* right children are even */
    return at == top ? CP_NONE : (int16_t)(at + 1);
}

void cp_bart_tree_below(const cp_bart_tree *t, int16_t node, uint8_t out_in[CP_BART_MAX_LEAVES]) {
    memset(out_in, 0, CP_BART_MAX_LEAVES);
    for (int16_t u = node; u != CP_NONE; u = cp_bart_tree_next(t, u, node))
        if (cp_bart_tree_is_leaf(t, u)) out_in[t->node[u].slot] = 1;
}

uint8_t cp_bart_tree_first(const cp_bart_tree *t, int16_t node) {
    while (!cp_bart_tree_is_leaf(t, node)) node = t->node[node].left;
    return (uint8_t)t->node[node].slot;
}

typedef struct merging {
    const cp_leaf_pass *k;
    const cp_bart_tree *t;
    int16_t node;
    uint8_t *out_slot;
} merging;

static void merge_rows(void *arg, size_t from, size_t to) {
    const merging *m = arg;
    uint8_t id = cp_bart_tree_first(m->t, m->node), *slot = m->out_slot + from;
    memcpy(slot, m->t->slot + from, to - from);
    for (int16_t u = m->node; u != CP_NONE; u = cp_bart_tree_next(m->t, u, m->node))
        if (cp_bart_tree_is_leaf(m->t, u) && m->t->node[u].slot != id)
            m->k->rename(slot, (uint8_t)m->t->node[u].slot, id, to - from);
}

cp_bart_group cp_bart_tree_merge(const cp_bart_tree *t, const cp_bart_view *v, int16_t node, uint8_t *out_slot) {
    merging m = {v->columns->leaf_pass, t, node, out_slot};
    cp_bart_parallel_each(v->opt_parallel, rows_of(v), merge_rows, &m);
    return (cp_bart_group){out_slot, cp_bart_tree_first(t, node)};
}

size_t cp_bart_tree_depth(const cp_bart_tree *t) {
    size_t most = 0;
    for (size_t i = 0; i < cp_bart_tree_nodes(t); i++) most = t->node[i].depth > most ? t->node[i].depth : most;
    return most;
}

double cp_bart_tree_log_likelihood(const cp_bart_tree *t, const cp_bart_view *v) {
    double sum = 0;
    for (size_t s = 0; s < cp_bart_tree_leaves(t); s++)
        sum += cp_bart_view_log_leaf(v, t->leaf[s].sum_w, t->leaf[s].sum_wr);
    return sum;
}

double cp_bart_tree_log_prior(const cp_bart_tree *t, const cp_bart_view *v, uint8_t *slot) {
    double sum = 0;
    for (int16_t u = 0; (size_t)u < cp_bart_tree_nodes(t); u++) {
        const cp_bart_node *n = &t->node[u];
        if (n->left == CP_NONE)
            sum += t->leaf[n->slot].open ? v->log_stop[n->depth] : 0;
        else
            sum += v->log_split[n->depth] + cp_bart_split_probs_log_rule(v, n->rule, cp_bart_tree_merge(t, v, u, slot));
    }
    return sum;
}

/* mu = log lambda; 1/lambda ~ Gamma(shape + n/2, rate + S/2) given the rows of the leaf. */
static void draw_log_lambda(cp_bart_tree *t, const cp_bart_view *v, cp_rng *rng) {
    for (size_t s = 0; s < cp_bart_tree_leaves(t); s++) {
        double n = v->r ? t->leaf[s].sum_w : 0, squares = v->r ? t->leaf[s].sum_wr : 0;
        double rate = cp_math_log(v->opt_lambda->rate + 0.5 * fmax(0, squares));
        float mu = (float)(rate - cp_draw_log_gamma(rng, v->opt_lambda->shape + 0.5 * n));
        t->mu[s] = fminf(fmaxf(mu, -CP_BART_TREE_MOST_LOG_LAMBDA), CP_BART_TREE_MOST_LOG_LAMBDA);
    }
}

void cp_bart_tree_draw_mu(cp_bart_tree *t, const cp_bart_view *v, cp_rng *rng) {
    double normal[2];
    if (v->opt_lambda) {
        draw_log_lambda(t, v, rng);
        return;
    }
    for (size_t s = 0; s < cp_bart_tree_leaves(t); s++) {
        double sum_w = v->r ? t->leaf[s].sum_w : 0, sum_wr = v->r ? t->leaf[s].sum_wr : 0;
        double all = v->noise_var + v->leaf_var * sum_w;
        if (s % 2 == 0) cp_draw_normals(rng, normal);
        t->mu[s] = (float)(v->leaf_var * sum_wr / all + sqrt(v->noise_var * v->leaf_var / all) * normal[s % 2]);
    }
}
