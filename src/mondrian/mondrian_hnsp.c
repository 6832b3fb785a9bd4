#include "mondrian/mondrian_hnsp.h"

#include <math.h>
#include <string.h>

#include "num/math.h"

/* -------------------------------------------------------------------------------------------------- sets and counts */

copse_status cp_mondrian_hnsp_reserve(cp_mondrian_tree *t, const cp_mondrian_space *s, size_t n, copse_error *err) {
    size_t words = cp_mondrian_hnsp_words(s);
    if (words > 1) CP_TRY(CP_GROW(t->set, t->cap_sets, t->sets + n * words, err));
    /* each of n rows in a mixed leaf needs at most a length and a pair; a list of all classes may have to move */
    return CP_GROW(t->count, t->cap_counts, t->counts + 3 * n + 2 * s->classes + 1, err);
}

static int32_t *leaf_list(const cp_mondrian_tree *t, const cp_mondrian_node *leaf) {
    return t->count + leaf->class_counts;
}

/* Adds `rows` of a class to the list of a mixed leaf.  A list that has to grow moves to the end of t->count. */
static void list_add(cp_mondrian_tree *t, cp_mondrian_node *leaf, int32_t label, int32_t rows) {
    int32_t *list = leaf_list(t, leaf), m = list[0];
    for (int32_t i = 0; i < m; i++)
        if (list[1 + 2 * i] == label) {
            list[2 + 2 * i] += rows;
            return;
        }
    size_t used = 1 + 2 * (size_t)m;
    if (leaf->class_counts + used != t->counts) {
        memcpy(t->count + t->counts, list, used * sizeof *list);
        leaf->class_counts = (uint32_t)t->counts;
        t->counts += used;
        list = leaf_list(t, leaf);
    }
    list[used] = label;
    list[used + 1] = rows;
    list[0]++;
    t->counts += 2;
}

static void list_begin(cp_mondrian_tree *t, cp_mondrian_node *leaf) {
    leaf->label = CP_NONE;
    leaf->class_counts = (uint32_t)t->counts;
    t->count[t->counts++] = 0;
}

void cp_mondrian_hnsp_count(cp_mondrian_tree *t, const cp_mondrian_space *s, cp_mondrian_node *leaf) {
    list_begin(t, leaf);
    for (int32_t r = leaf->head; r != CP_NONE; r = t->next[r]) list_add(t, leaf, s->label[r], 1);
}

void cp_mondrian_hnsp_add(cp_mondrian_tree *t, cp_mondrian_node *leaf, int32_t label) {
    if (leaf->label == label) return; /* still one class; the leaf's count is its count */
    if (leaf->label != CP_NONE) {
        int32_t first = leaf->label;
        list_begin(t, leaf);
        list_add(t, leaf, first, leaf->count);
    }
    list_add(t, leaf, label, 1);
}

static uint32_t *split_set(const cp_mondrian_tree *t, const cp_mondrian_space *s, cp_mondrian_node *split) {
    size_t words = cp_mondrian_hnsp_words(s);
    return words > 1 ? t->set + (size_t)split->class_set * words : &split->class_set;
}

static void set_add(uint32_t *set, int32_t k) {
    set[k / 32] |= UINT32_C(1) << (k % 32);
}

/* Adds the classes under a node to a set. */
static void gather(const cp_mondrian_tree *t, const cp_mondrian_space *s, const cp_mondrian_node *n, uint32_t *set) {
    if (!cp_mondrian_tree_is_leaf(n)) {
        size_t words = cp_mondrian_hnsp_words(s);
        const uint32_t *own = words > 1 ? t->set + (size_t)n->class_set * words : &n->class_set;
        for (size_t i = 0; i < words; i++) set[i] |= own[i];
    } else if (n->label != CP_NONE) {
        set_add(set, n->label);
    } else {
        const int32_t *list = leaf_list(t, n);
        for (int32_t i = 0; i < list[0]; i++) set_add(set, list[1 + 2 * i]);
    }
}

static uint32_t new_set(cp_mondrian_tree *t, size_t words) {
    uint32_t place = t->free_set ? t->free_set - 1 : (uint32_t)(t->sets / words);
    if (t->free_set)
        t->free_set = t->set[place * words];
    else
        t->sets += words;
    return place;
}

void cp_mondrian_hnsp_free_set(cp_mondrian_tree *t, const cp_mondrian_space *s, const cp_mondrian_node *split) {
    size_t words = cp_mondrian_hnsp_words(s);
    if (words < 2) return;
    t->set[split->class_set * words] = t->free_set;
    t->free_set = split->class_set + 1;
}

void cp_mondrian_hnsp_set_split_classes(cp_mondrian_tree *t, const cp_mondrian_space *s, int32_t split) {
    cp_mondrian_node *n = &t->node[split];
    size_t words = cp_mondrian_hnsp_words(s);
    n->class_set = 0;
    if (words > 1) {
        n->class_set = new_set(t, words);
        memset(split_set(t, s, n), 0, words * sizeof *t->set);
    }
    gather(t, s, &t->node[n->left], split_set(t, s, n));
    gather(t, s, &t->node[n->right], split_set(t, s, n));
}

/* New children stand behind their parents in the array, so a loop from the end meets children first. */
void cp_mondrian_hnsp_set_classes(cp_mondrian_tree *t, const cp_mondrian_space *s, int32_t node, size_t first_new) {
    for (size_t j = t->nodes; j-- > first_new;)
        if (!cp_mondrian_tree_is_leaf(&t->node[j])) cp_mondrian_hnsp_set_split_classes(t, s, (int32_t)j);
    if (!cp_mondrian_tree_is_leaf(&t->node[node])) cp_mondrian_hnsp_set_split_classes(t, s, node);
}

/* A mixed leaf of n rows has a list of at most 1 + 2n numbers, and n is at least 2. */
copse_status cp_mondrian_hnsp_tidy(cp_mondrian_tree *t, copse_error *err) {
    size_t live = 0, cap = 5 * t->rows / 2;
    int32_t *count;
    if (t->counts < 2 * cap + 1024) return COPSE_OK;
    CP_TRY(CP_RAW(count, 2 * cap + 1024, err));
    for (size_t j = 0; j < t->nodes; j++) {
        cp_mondrian_node *leaf = &t->node[j];
        if (!cp_mondrian_tree_is_leaf(leaf) || leaf->label != CP_NONE) continue;
        const int32_t *list = leaf_list(t, leaf);
        size_t n = 1 + 2 * (size_t)list[0];
        memcpy(count + live, list, n * sizeof *list);
        leaf->class_counts = (uint32_t)live;
        live += n;
    }
    cp_mem_free(t->count);
    t->count = count;
    t->counts = live;
    t->cap_counts = 2 * cap + 1024;
    return COPSE_OK;
}

copse_status cp_mondrian_hnsp_reserve_sets(cp_mondrian_tree *t, size_t classes, copse_error *err) {
    size_t words = (classes + 31) / 32;
    return words > 1 ? CP_GROW(t->set, t->cap_sets, t->nodes * words, err) : COPSE_OK;
}

void cp_mondrian_hnsp_rebuild_classes(cp_mondrian_tree *t, const cp_mondrian_space *s, int32_t *order) {
    cp_mondrian_tree_order(t, order);
    t->sets = t->free_set = 0;
    for (size_t i = t->nodes; i-- > 0;)
        if (!cp_mondrian_tree_is_leaf(&t->node[order[i]])) cp_mondrian_hnsp_set_split_classes(t, s, order[i]);
}

int32_t cp_mondrian_hnsp_leaf_count(const cp_mondrian_tree *t, const cp_mondrian_node *leaf, int32_t k) {
    if (leaf->label != CP_NONE) return leaf->label == k ? leaf->count : 0;
    const int32_t *list = leaf_list(t, leaf);
    for (int32_t i = 0; i < list[0]; i++)
        if (list[1 + 2 * i] == k) return list[2 + 2 * i];
    return 0;
}

int cp_mondrian_hnsp_has(const cp_mondrian_tree *t, const cp_mondrian_space *s, const cp_mondrian_node *n, int32_t k) {
    if (cp_mondrian_tree_is_leaf(n)) return cp_mondrian_hnsp_leaf_count(t, n, k) > 0;
    size_t words = cp_mondrian_hnsp_words(s);
    const uint32_t *set = words > 1 ? t->set + (size_t)n->class_set * words : &n->class_set;
    return (int)(set[k / 32] >> (k % 32) & 1);
}

/* ------------------------------------------------------------------------------------------------------- prediction
 *
 * The posterior mean at node j is affine in its parent's, with the same slope for every class [thesis, eq. 5.5]:
 *    G_j = A_j + b_j G_parent,  A_jk = (c_jk - d_j tab_jk) / c_j.,  b_j = d_j tab_j. / c_j.,  d_j = exp(-gamma delta_j)
 * and a point that branches off just above j is in a node with c = tab = tab_j and the expected discount dbar:
 *    (1 - dbar) tab_jk / tab_j. + dbar G_parent.
 * So the prediction is a sum over the path of sparse vectors with scalar factors, added from the leaf upwards: `g` is
 * the factor of G_j in the rest of the sum.  Discounts shrink g quickly; once it is 0, the nodes above add nothing. */

/* Word i of the set of classes under a node. */
static uint32_t set_word(const cp_mondrian_tree *t, const cp_mondrian_node *n, size_t words, size_t i) {
    if (!cp_mondrian_tree_is_leaf(n)) return words > 1 ? t->set[(size_t)n->class_set * words + i] : n->class_set;
    if (n->label != CP_NONE) return (size_t)n->label / 32 == i ? UINT32_C(1) << (n->label % 32) : 0;
    const int32_t *list = leaf_list(t, n);
    uint32_t word = 0;
    for (int32_t k = 0; k < list[0]; k++)
        if ((size_t)list[1 + 2 * k] / 32 == i) word |= UINT32_C(1) << (list[1 + 2 * k] % 32);
    return word;
}

static unsigned count_bits(uint32_t v) {
    v -= v >> 1 & 0x55555555u;
    v = (v & 0x33333333u) + (v >> 2 & 0x33333333u);
    return ((v + (v >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}

static void add_bits(double *probs, uint32_t bits, double amount) {
    for (; bits; bits &= bits - 1) probs[__builtin_ctz(bits)] += amount;
}

/* Factors of a node j in the sum: g A_j, where A_j has the discount d, and branch tab_j / tab_j. */
typedef struct factors {
    double g, d, branch;
} factors;

/* Adds the two terms of a split j to probs; returns tab_j. / c_j. */
static double add_split(const cp_mondrian_tree *t, const cp_mondrian_space *s, const cp_mondrian_node *n, factors f,
                        double *probs) {
    const cp_mondrian_node *left = &t->node[n->left], *right = &t->node[n->right];
    size_t words = cp_mondrian_hnsp_words(s);
    unsigned any = 0, both = 0; /* classes on at least one side; on both sides */
    for (size_t i = 0; i < words; i++) {
        uint32_t l = set_word(t, left, words, i), r = set_word(t, right, words, i);
        any += count_bits(l | r);
        both += count_bits(l & r);
    }
    double c = (double)any + both, per_side = f.g / c, per_class = f.branch / any - f.g * f.d / c;
    for (size_t i = 0; i < words; i++) {
        uint32_t l = set_word(t, left, words, i), r = set_word(t, right, words, i);
        add_bits(probs + 32 * i, l & r, 2 * per_side + per_class);
        add_bits(probs + 32 * i, l ^ r, per_side + per_class);
    }
    return any / c;
}

/* The same of a leaf. */
static double add_leaf(const cp_mondrian_tree *t, const cp_mondrian_node *n, factors f, double *probs) {
    double rows = n->count;
    if (n->label != CP_NONE) {
        probs[n->label] += f.g * (rows - f.d) / rows + f.branch;
        return 1 / rows;
    }
    const int32_t *list = leaf_list(t, n);
    double kinds = list[0];
    for (int32_t i = 0; i < list[0]; i++)
        probs[list[1 + 2 * i]] += f.g * (list[2 + 2 * i] - f.d) / rows + f.branch / kinds;
    return kinds / rows;
}

/* exp(-z), or 0 where it is too small to change a sum of probabilities. */
static double decay(double z) {
    return z < 45 ? cp_math_exp(-z) : 0;
}

/* E[exp(-gamma T)] for T exponential with rate eta, truncated at delta:
 *     eta / (eta+gamma) * (1 - exp(-(eta+gamma) delta)) / (1 - exp(-eta delta)). */
static double expected_discount(const cp_mondrian_branch_point *b, double gamma) {
    double rate = b->outside + gamma, z = rate * b->delta;
    return b->outside / (rate * b->p_branch) * (z < 45 ? -cp_math_expm1(-z) : 1);
}

void cp_mondrian_hnsp_predict(const cp_mondrian_tree *t, const cp_mondrian_space *s, double gamma,
                              const cp_mondrian_path *path, double *probs) {
    const double negligible = 1e-17;
    const cp_mondrian_branch_point *b = path->branch_point + path->branch_points; /* the next on the way up is b[-1] */
    double g = path->p_stay;
    for (size_t i = path->n; i-- > 0;) {
        if (g < negligible) { /* the next branch point above is the next node that adds something */
            if (b == path->branch_point) return;
            i = b[-1].depth;
        }
        const cp_mondrian_node *n = &t->node[cp_mondrian_path_node(path, i)];
        double d = decay(gamma * (n->time - cp_mondrian_path_since(path, t, i))), weight = 0, dbar = 0;
        if (b > path->branch_point && b[-1].depth == i) {
            b--;
            weight = b->weight;
            dbar = expected_discount(b, gamma);
        }
        factors f = {g, d, weight * (1 - dbar)};
        double ratio = cp_mondrian_tree_is_leaf(n) ? add_leaf(t, n, f, probs) : add_split(t, s, n, f, probs);
        g = g * d * ratio + weight * dbar;
    }
    for (size_t k = 0; k < s->classes; k++) probs[k] += g / (double)s->classes;
}
