#include "tree/tree_set.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/mem.h"

enum { FIRST_SLOTS = 64 }; /* a power of 2 */

/* An open-addressing hash table of node numbers, at most half full.  Leaves are hashed by their statistic, splits by
 * all their members. */
typedef struct cp_tree_set_index {
    int32_t *slot; /* CP_NONE: empty */
    size_t slots;
    int32_t *tree; /* by node: the tree whose root it is, or CP_NONE */
    size_t cap_tree;
} cp_tree_set_index;

static const double *stat_of(const cp_tree_set *g, int32_t leaf) {
    return g->stat + (size_t)leaf * g->width;
}

/* -------------------------------------------------------------------------------------------------------- interning */

/* Nodes are compared and hashed by their bits. */
_Static_assert(sizeof(cp_tree_set_node) == 3 * sizeof(int32_t) + 2 * sizeof(float), "a node has padding");

/* opt_stat: the statistic of a leaf, whose number is not known yet; NULL for a split. */
static uint64_t hash_of(const cp_tree_set *g, const cp_tree_set_node *n, const double *opt_stat) {
    return opt_stat ? XXH64(opt_stat, g->width * sizeof *opt_stat, 0) : XXH64(n, sizeof *n, 1);
}

static int is_node(const cp_tree_set *g, const cp_tree_set_node *known, const cp_tree_set_node *n,
                   const double *opt_stat) {
    if (!opt_stat) return memcmp(known, n, sizeof *n) == 0;
    return known->dim == CP_NONE && memcmp(stat_of(g, known->left), opt_stat, g->width * sizeof *opt_stat) == 0;
}

/* The slot of the node, or the empty slot where it belongs. */
static size_t slot_of(const cp_tree_set *g, const cp_tree_set_node *n, const double *opt_stat) {
    const cp_tree_set_index *x = g->index;
    size_t i = (size_t)hash_of(g, n, opt_stat) & (x->slots - 1);
    while (x->slot[i] != CP_NONE && !is_node(g, &g->node[x->slot[i]], n, opt_stat)) i = (i + 1) & (x->slots - 1);
    return i;
}

static copse_status set_slots(cp_tree_set *g, size_t slots, copse_error *err) {
    cp_tree_set_index *x = g->index;
    int32_t *slot;
    CP_TRY(CP_RAW(slot, slots, err));
    for (size_t i = 0; i < slots; i++) slot[i] = CP_NONE;
    cp_mem_free(x->slot);
    x->slot = slot;
    x->slots = slots;
    for (size_t i = 0; i < g->nodes; i++) {
        const cp_tree_set_node *n = &g->node[i];
        x->slot[slot_of(g, n, n->dim == CP_NONE ? stat_of(g, n->left) : NULL)] = (int32_t)i;
    }
    return COPSE_OK;
}

/* Reserves memory for one more node: add_node cannot fail. */
static copse_status make_room(cp_tree_set *g, copse_error *err) {
    cp_tree_set_index *x = g->index;
    if (g->nodes >= INT32_MAX) return cp_fail_memory(err);
    CP_TRY(CP_GROW(g->node, g->cap_nodes, g->nodes + 1, err));
    CP_TRY(CP_GROW(x->tree, x->cap_tree, g->nodes + 1, err));
    return 2 * (g->nodes + 1) > x->slots ? set_slots(g, 2 * x->slots, err) : COPSE_OK;
}

static int32_t add_node(cp_tree_set *g, size_t slot, const cp_tree_set_node *n) {
    g->node[g->nodes] = *n;
    g->index->tree[g->nodes] = CP_NONE;
    return g->index->slot[slot] = (int32_t)g->nodes++;
}

copse_status cp_tree_set_leaf(cp_tree_set *g, const double *stat, int32_t *out_node, copse_error *err) {
    cp_tree_set_node n = {.dim = CP_NONE, .left = (int32_t)g->leaves, .right = CP_NONE};
    CP_TRY(make_room(g, err));
    size_t slot = slot_of(g, &n, stat);
    *out_node = g->index->slot[slot];
    if (*out_node != CP_NONE) return COPSE_OK;
    if (g->width) {
        CP_TRY(CP_GROW(g->stat, g->cap_stat, (g->leaves + 1) * g->width, err));
        memcpy(g->stat + g->leaves * g->width, stat, g->width * sizeof *stat);
    }
    g->leaves++;
    *out_node = add_node(g, slot, &n);
    return COPSE_OK;
}

copse_status cp_tree_set_split(cp_tree_set *g, const cp_tree_set_node *split, int32_t *out_node, copse_error *err) {
    cp_tree_set_node n = *split;
    n.low += 0.0f; /* -0 is 0 */
    n.high += 0.0f;
    CP_TRY(make_room(g, err));
    size_t slot = slot_of(g, &n, NULL);
    *out_node = g->index->slot[slot];
    if (*out_node == CP_NONE) *out_node = add_node(g, slot, &n);
    return COPSE_OK;
}

/* ------------------------------------------------------------------------------------------------------------ trees */

copse_status cp_tree_set_init(cp_tree_set *g, size_t dims, size_t width, copse_error *err) {
    *g = (cp_tree_set){.dims = dims, .width = width};
    copse_status status = CP_NEW(g->index, 1, err);
    if (!status) status = set_slots(g, FIRST_SLOTS, err);
    if (status) cp_tree_set_clear(g);
    return status;
}

copse_status cp_tree_set_add(cp_tree_set *g, int32_t root, double weight, copse_error *err) {
    int32_t *tree = &g->index->tree[root];
    if (weight == 0) return COPSE_OK;
    if (*tree == CP_NONE) {
        CP_TRY(CP_GROW(g->root, g->cap_root, g->trees + 1, err));
        CP_TRY(CP_GROW(g->weight, g->cap_weight, g->trees + 1, err));
        g->root[g->trees] = root;
        g->weight[g->trees] = 0;
        *tree = (int32_t)g->trees++;
    }
    g->weight[*tree] += weight;
    return COPSE_OK;
}

copse_status cp_tree_set_merge(cp_tree_set *g, const cp_tree_set *src, double factor, copse_error *err) {
    copse_status status = COPSE_OK;
    int32_t *here;
    CP_BUG(g->width != src->width || g->dims != src->dims);
    CP_TRY(CP_RAW(here, src->nodes, err));
    for (size_t i = 0; i < src->nodes; i++) {
        cp_tree_set_node n = src->node[i];
        if (n.dim == CP_NONE) {
            CP_TRY_OUT(cp_tree_set_leaf(g, stat_of(src, n.left), &here[i], err));
            continue;
        }
        n.left = here[n.left];
        n.right = here[n.right];
        CP_TRY_OUT(cp_tree_set_split(g, &n, &here[i], err));
    }
    for (size_t t = 0; t < src->trees; t++)
        CP_TRY_OUT(cp_tree_set_add(g, here[src->root[t]], factor * src->weight[t], err));
out:
    cp_mem_free(here);
    return status;
}

typedef struct weighted {
    double weight;
    int32_t root;
} weighted;

static int heavier_first(const void *a, const void *b) {
    const weighted *s = a, *t = b;
    if (s->weight != t->weight) return s->weight > t->weight ? -1 : 1;
    return (s->root > t->root) - (s->root < t->root);
}

static void index_free(cp_tree_set_index *x) {
    if (!x) return;
    cp_mem_free(x->slot);
    cp_mem_free(x->tree);
    cp_mem_free(x);
}

copse_status cp_tree_set_finish(cp_tree_set *g, copse_error *err) {
    weighted *order;
    double sum = 0;
    size_t kept = 0;
    for (size_t t = 0; t < g->trees; t++) sum += g->weight[t];
    CP_BUG(!(sum > 0 && sum < INFINITY));
    CP_TRY(CP_RAW(order, g->trees, err));
    for (size_t t = 0; t < g->trees; t++) {
        order[kept] = (weighted){g->weight[t] / sum, g->root[t]};
        kept += order[kept].weight > 0;
    }
    qsort(order, kept, sizeof *order, heavier_first);
    for (size_t t = 0; t < kept; t++) {
        g->weight[t] = order[t].weight;
        g->root[t] = order[t].root;
    }
    g->trees = kept;
    cp_mem_free(order);
    index_free(g->index);
    g->index = NULL;
    return COPSE_OK;
}

void cp_tree_set_clear(cp_tree_set *g) {
    cp_mem_free(g->node);
    cp_mem_free(g->stat);
    cp_mem_free(g->root);
    cp_mem_free(g->weight);
    index_free(g->index);
    *g = (cp_tree_set){0};
}

/* ----------------------------------------------------------------------------------------------------------- checks */

static const char *check_node(const cp_tree_set *g, size_t i) {
    const cp_tree_set_node *n = &g->node[i];
    int32_t below = (int32_t)i;
    if (n->dim == CP_NONE) {
        if (n->left < 0 || (size_t)n->left >= g->leaves) return "a leaf that is not there";
        return n->right == CP_NONE && n->low == 0 && n->high == 0 ? NULL : "a leaf that is also a split";
    }
    if (n->dim < 0 || (size_t)n->dim >= g->dims) return "a split on a column that is not there";
    if (!(isfinite(n->low) && isfinite(n->high) && n->low <= n->high)) return "an impossible cut";
    if (n->left < 0 || n->left >= below || n->right < 0 || n->right >= below)
        return "a child that is not below its parent";
    return NULL;
}

static const char *check_trees(const cp_tree_set *g) {
    double sum = 0;
    if (!g->trees) return "no trees";
    for (size_t t = 0; t < g->trees; t++) {
        if (g->root[t] < 0 || (size_t)g->root[t] >= g->nodes) return "a root that is not there";
        if (!(g->weight[t] > 0 && g->weight[t] <= 1)) return "an impossible weight";
        if (t &&
            heavier_first(&(weighted){g->weight[t - 1], g->root[t - 1]}, &(weighted){g->weight[t], g->root[t]}) >= 0)
            return "trees that are not ordered by weight";
        sum += g->weight[t];
    }
    return fabs(sum - 1) < 1e-9 ? NULL : "weights that do not sum to 1";
}

const char *cp_tree_set_check(const cp_tree_set *g) {
    for (size_t i = 0; i < g->nodes; i++) {
        const char *wrong = check_node(g, i);
        if (wrong) return wrong;
    }
    for (size_t i = 0; i < g->leaves * g->width; i++)
        if (!isfinite(g->stat[i])) return "a leaf's statistic is not a number";
    return check_trees(g);
}

void cp_tree_set_measure(const cp_tree_set *g, cp_tree_set_size *out) {
    for (size_t i = 0; i < g->nodes; i++) {
        const cp_tree_set_node *n = &g->node[i];
        if (n->dim == CP_NONE) {
            out[i] = (cp_tree_set_size){.leaves = 1};
            continue;
        }
        cp_tree_set_size l = out[n->left], r = out[n->right];
        out[i].leaves = l.leaves > UINT32_MAX - r.leaves ? UINT32_MAX : l.leaves + r.leaves;
        out[i].depth = 1 + (l.depth > r.depth ? l.depth : r.depth);
    }
}

/* ------------------------------------------------------------------------------------------------------------ walks */

copse_status cp_tree_set_walker_init(cp_tree_set_walker *w, const cp_tree_set *g, copse_error *err) {
    *w = (cp_tree_set_walker){.g = g};
    copse_status status = CP_NEW(w->share, g->nodes, err);
    size_t words = g->nodes / 64 + 1;
    if (!status) status = CP_NEW(w->waiting, words + words / 64 + 1, err);
    if (!status) w->words = w->waiting + words;
    if (!status) status = CP_RAW(w->arrival, g->leaves, err);
    if (status) cp_tree_set_walker_clear(w);
    return status;
}

void cp_tree_set_walker_clear(cp_tree_set_walker *w) {
    cp_mem_free(w->share);
    cp_mem_free(w->waiting);
    cp_mem_free(w->arrival);
    *w = (cp_tree_set_walker){0};
}

static void push(cp_tree_set_walker *w, int32_t node) {
    w->waiting[node / 64] |= (uint64_t)1 << node % 64;
    w->words[node / 4096] |= (uint64_t)1 << node / 64 % 64;
}

/* The share of a node goes on to its children; enqueue: they are put into w->waiting. */
static inline void visit(cp_tree_set_walker *w, int32_t node, const float *x, int enqueue) {
    const cp_tree_set_node *n = &w->g->node[node];
    double share = w->share[node];
    w->share[node] = 0;
    if (n->dim == CP_NONE) {
        w->arrival[w->arrivals++] = (cp_tree_set_arrival){n->left, share};
        return;
    }
    float at = x[n->dim];
    if (at > n->low && at < n->high) {
        double left = share * (((double)n->high - (double)at) / ((double)n->high - (double)n->low));
        w->share[n->left] += left;
        w->share[n->right] += share - left;
        if (!enqueue) return;
        push(w, n->left);
        push(w, n->right);
        return;
    }
    int32_t to = at <= n->low ? n->left : n->right;
    w->share[to] += share;
    if (enqueue) push(w, to);
}

static size_t top_bit(uint64_t word) {
    return 63 - (size_t)__builtin_clzll(word);
}

/* Visits the waiting nodes of a word by falling number, including those that are added meanwhile. */
static void visit_word(cp_tree_set_walker *w, size_t i, const float *x) {
    while (w->waiting[i]) {
        size_t bit = top_bit(w->waiting[i]);
        w->waiting[i] &= ~((uint64_t)1 << bit);
        visit(w, (int32_t)(64 * i + bit), x, 1);
    }
    w->words[i / 64] &= ~((uint64_t)1 << i % 64);
}

static void walk_one(cp_tree_set_walker *w, int32_t root, const float *x) {
    w->share[root] = 1;
    push(w, root);
    for (size_t i = (size_t)root / 4096 + 1; i-- > 0;)
        while (w->words[i]) visit_word(w, 64 * i + top_bit(w->words[i]), x);
}

/* x reaches about every second node, so looking at each node is cheaper than keeping a queue. */
static void walk_all(cp_tree_set_walker *w, const float *x) {
    const cp_tree_set *g = w->g;
    for (size_t t = 0; t < g->trees; t++) w->share[g->root[t]] += g->weight[t];
    for (int32_t node = (int32_t)g->nodes; node-- > 0;)
        if (w->share[node] > 0) visit(w, node, x, 0);
}

/* Nodes are visited by falling number, parents before children: all shares of a node have arrived when it is
 * visited. */
void cp_tree_set_walk(cp_tree_set_walker *w, int32_t tree, const float *x) {
    w->arrivals = 0;
    if (tree == CP_NONE)
        walk_all(w, x);
    else
        walk_one(w, w->g->root[tree], x);
}
