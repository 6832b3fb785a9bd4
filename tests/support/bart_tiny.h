/* bart_tiny - one tree's conditional posterior on a handful of rows, and all its trees: what samplers of a tree of a
 * sum are judged by.  Which gap a rule lies in is what counts, so a tree is known by which rows go left where. */
#ifndef BART_TINY_H
#define BART_TINY_H

#include "bart/core/bart_sampler.h"
#include "bart/core/bart_split_probs.h"
#include "tiny.h"

enum { TINY_KEY = 8 * REF_BTREE_NODES };

typedef struct bart_tiny {
    const tiny *of;
    cp_bart_columns columns;
    cp_bart_split_probs split_probs;
    cp_bart_view view;
    double log_split[CP_BART_MAX_DEPTHS], log_stop[CP_BART_MAX_DEPTHS];
    float r[REF_BTREE_ROWS], weight[REF_BTREE_ROWS];
    uint8_t slot[REF_BTREE_ROWS];
    ref_btree_list all;
    double *pi; /* of each tree, summing to 1 */
    char (*key)[TINY_KEY];
} bart_tiny;

/* log density of rows in one leaf, up to a constant for each row, one after another: each is normal about what those
 * before say of the mean. */
static inline double bart_tiny_log_leaf(const bart_tiny *w, unsigned rows) {
    double mean = 0, var = w->view.leaf_var, sum = 0;
    for (size_t i = 0; i < w->of->n; i++) {
        if (!(rows >> i & 1)) continue;
        double noise = w->view.noise_var / (double)w->weight[i], spread = var + noise, off = (double)w->r[i] - mean;
        sum -= 0.5 * (log(spread) + off * off / spread);
        mean += var / spread * off;
        var *= noise / spread;
    }
    return sum;
}

static inline void bart_tiny_judge(bart_tiny *w) {
    double total = 0;
    w->pi = malloc(w->all.n * sizeof *w->pi);
    for (size_t i = 0; i < w->all.n; i++) {
        const ref_btree_tree *t = &w->all.tree[i];
        double log_p = t->log_prior;
        for (size_t k = 0; k < t->nodes; k++)
            if (t->node[k].dim < 0) log_p += bart_tiny_log_leaf(w, t->node[k].rows);
        total += w->pi[i] = exp(log_p);
    }
    for (size_t i = 0; i < w->all.n; i++) w->pi[i] /= total;
}

static inline char *bart_tiny_write(const ref_btree_tree *t, int node, char *out) {
    const ref_btree_node *n = &t->node[node];
    if (n->dim < 0) return out + sprintf(out, ".");
    out += sprintf(out, "%c%02x", 'a' + n->dim, t->node[n->left].rows);
    return bart_tiny_write(t, n->right, bart_tiny_write(t, n->left, out));
}

static inline void bart_tiny_init(bart_tiny *w, const tiny *t, double leaf_var, double noise_var) {
    copse_error err;
    ref_btree ref = tiny_reference(t, 1);
    const cp_tree_prior prior = {ref.alpha_split, ref.beta_split};
    *w = (bart_tiny){.of = t, .split_probs = {.dims = t->dims}};
    const cp_bart_matrix matrix = {.x = t->x, .rows = t->n, .dims = t->dims};
    must(cp_bart_columns_init(&w->columns, &matrix, CP_BART_CUTS_UNIFORM, 0, &(copse_run){.threads = 1}, &err), err);
    for (size_t d = 0; d < CP_BART_MAX_DEPTHS; d++) {
        w->log_split[d] = d + 1 < CP_BART_MAX_DEPTHS ? cp_tree_prior_log_split(&prior, d) : -INFINITY;
        w->log_stop[d] = d + 1 < CP_BART_MAX_DEPTHS ? cp_tree_prior_log_stop(&prior, d) : 0;
    }
    for (size_t i = 0; i < t->n; i++) {
        w->r[i] = (float)t->y[i];
        w->weight[i] = 0.5f + (float)(i % 3);
    }
    w->view = (cp_bart_view){.columns = &w->columns,
                             .split_probs = &w->split_probs,
                             .log_split = w->log_split,
                             .log_stop = w->log_stop,
                             .r = w->r,
                             .opt_weight = w->weight,
                             .leaf_var = leaf_var,
                             .noise_var = noise_var};
    w->all = ref_btree_all(&ref, REF_BTREE_GAPS);
    bart_tiny_judge(w);
    w->key = calloc(w->all.n, sizeof *w->key);
    for (size_t i = 0; i < w->all.n; i++) bart_tiny_write(&w->all.tree[i], 0, w->key[i]);
}

static inline void bart_tiny_clear(bart_tiny *w) {
    cp_bart_columns_clear(&w->columns);
    free(w->all.tree);
    free(w->pi);
    free(w->key);
}

static inline cp_bart_leaf bart_tiny_leaf(const bart_tiny *w, unsigned rows) {
    cp_bart_leaf leaf = {0};
    size_t first = REF_BTREE_ROWS;
    for (size_t i = 0; i < w->of->n; i++) {
        if (!(rows >> i & 1)) continue;
        first = first == REF_BTREE_ROWS ? i : first;
        for (size_t d = 0; d < w->of->dims; d++)
            leaf.open |= w->of->x[i * w->of->dims + d] != w->of->x[first * w->of->dims + d];
        leaf.rows++;
        leaf.sum_w += (double)w->weight[i];
        leaf.sum_wr += (double)w->weight[i] * (double)w->r[i];
    }
    return leaf;
}

/* Makes t, which is initialised and one leaf, the k-th of all trees. */
static inline void bart_tiny_plant(const bart_tiny *w, size_t k, cp_bart_tree *t) {
    copse_error err;
    cp_rng rng;
    const ref_btree_tree *from = &w->all.tree[k];
    int16_t node[REF_BTREE_NODES] = {0};
    cp_rng_init(&rng, k, CP_FOR_TEST, 0, 0);
    must(cp_bart_tree_reserve(t, REF_BTREE_ROWS, &err), err);
    t->leaf[0].sum_wr = bart_tiny_leaf(w, from->node[0].rows).sum_wr;
    for (size_t i = 0; i < from->nodes; i++) {
        const ref_btree_node *n = &from->node[i];
        if (n->dim < 0) continue;
        cp_bart_split s = {.node = node[i], .rule = {(uint32_t)n->dim, n->cell}};
        s.left = bart_tiny_leaf(w, from->node[n->left].rows);
        s.right = bart_tiny_leaf(w, from->node[n->right].rows);
        s.cut = cp_bart_columns_cut(&w->columns, s.rule, &rng);
        cp_bart_tree_split(t, &w->view, &s);
        node[n->left] = t->node[node[i]].left;
        node[n->right] = (int16_t)(t->node[node[i]].left + 1);
    }
}

static inline unsigned bart_tiny_rows(const bart_tiny *w, const cp_bart_tree *t, int16_t node) {
    const cp_bart_node *n = &t->node[node];
    unsigned rows = 0;
    if (n->left != CP_NONE) return bart_tiny_rows(w, t, n->left) | bart_tiny_rows(w, t, (int16_t)(n->left + 1));
    for (size_t i = 0; i < w->of->n; i++) rows |= (unsigned)(t->slot[i] == n->slot) << i;
    return rows;
}

static inline char *bart_tiny_read(const bart_tiny *w, const cp_bart_tree *t, int16_t node, char *out) {
    const cp_bart_node *n = &t->node[node];
    if (n->left == CP_NONE) return out + sprintf(out, ".");
    out += sprintf(out, "%c%02x", 'a' + (int)n->rule.dim, bart_tiny_rows(w, t, n->left));
    return bart_tiny_read(w, t, (int16_t)(n->left + 1), bart_tiny_read(w, t, n->left, out));
}

/* Which of all trees it is. */
static inline size_t bart_tiny_find(const bart_tiny *w, const cp_bart_tree *t) {
    char key[TINY_KEY];
    bart_tiny_read(w, t, 0, key);
    for (size_t i = 0; i < w->all.n; i++)
        if (!strcmp(key, w->key[i])) return i;
    fail_msg("no such tree: %s", key);
    return 0;
}

#endif
