#include "mondrian/mondrian_hnsp.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------- sets and counts */

copse_status cp_mondrian_hnsp_reserve(cp_mondrian_tree *t, const cp_mondrian_space *s, size_t n, copse_error *err) {
    size_t words = cp_mondrian_hnsp_words(s);
    if (words > 1) CP_TRY(CP_GROW(t->set, t->cap_sets, t->sets + n * words, err));
    /* n rows in mixed leaves: at most a length and a pair for each row; or a list of all classes that must move */
    return CP_GROW(t->count, t->cap_counts, t->counts + 3 * n + 2 * s->classes + 1, err);
}

static int32_t *leaf_list(const cp_mondrian_tree *t, const cp_mondrian_node *leaf) {
    return t->count + leaf->marks;
}

/* Adds `rows` of a class to the list of a mixed leaf; the list moves to the end of the pool if it must grow. */
static void list_add(cp_mondrian_tree *t, cp_mondrian_node *leaf, int32_t label, int32_t rows) {
    int32_t *list = leaf_list(t, leaf), m = list[0];
    for (int32_t i = 0; i < m; i++)
        if (list[1 + 2 * i] == label) {
            list[2 + 2 * i] += rows;
            return;
        }
    size_t used = 1 + 2 * (size_t)m;
    if (leaf->marks + used != t->counts) {
        memcpy(t->count + t->counts, list, used * sizeof *list);
        leaf->marks = (uint32_t)t->counts;
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
    leaf->marks = (uint32_t)t->counts;
    t->count[t->counts++] = 0;
}

void cp_mondrian_hnsp_count(cp_mondrian_tree *t, const cp_mondrian_space *s, cp_mondrian_node *leaf) {
    list_begin(t, leaf);
    for (int32_t r = leaf->head; r != CP_NONE; r = t->next[r]) list_add(t, leaf, s->label[r], 1);
}

void cp_mondrian_hnsp_add(cp_mondrian_tree *t, const cp_mondrian_space *s, cp_mondrian_node *leaf, int32_t label) {
    (void)s;
    if (leaf->label == label) return; /* still one class; its count is the leaf's */
    if (leaf->label != CP_NONE) {
        int32_t first = leaf->label;
        list_begin(t, leaf);
        list_add(t, leaf, first, leaf->count);
    }
    list_add(t, leaf, label, 1);
}

static uint32_t *split_set(const cp_mondrian_tree *t, const cp_mondrian_space *s, cp_mondrian_node *split) {
    size_t words = cp_mondrian_hnsp_words(s);
    return words > 1 ? t->set + (size_t)split->marks * words : &split->marks;
}

static void set_add(uint32_t *set, int32_t k) {
    set[k / 32] |= UINT32_C(1) << (k % 32);
}

void cp_mondrian_hnsp_see(cp_mondrian_tree *t, const cp_mondrian_space *s, cp_mondrian_node *split, int32_t label) {
    set_add(split_set(t, s, split), label);
}

/* Adds the classes under a node to a set. */
static void gather(const cp_mondrian_tree *t, const cp_mondrian_space *s, const cp_mondrian_node *n, uint32_t *set) {
    if (!cp_mondrian_is_leaf(n)) {
        size_t words = cp_mondrian_hnsp_words(s);
        const uint32_t *own = words > 1 ? t->set + (size_t)n->marks * words : &n->marks;
        for (size_t i = 0; i < words; i++) set[i] |= own[i];
    } else if (n->label != CP_NONE) {
        set_add(set, n->label);
    } else {
        const int32_t *list = leaf_list(t, n);
        for (int32_t i = 0; i < list[0]; i++) set_add(set, list[1 + 2 * i]);
    }
}

void cp_mondrian_hnsp_mark_split(cp_mondrian_tree *t, const cp_mondrian_space *s, int32_t split) {
    cp_mondrian_node *n = &t->node[split];
    size_t words = cp_mondrian_hnsp_words(s);
    n->marks = 0;
    if (words > 1) {
        n->marks = (uint32_t)(t->sets / words);
        memset(t->set + t->sets, 0, words * sizeof *t->set);
        t->sets += words;
    }
    gather(t, s, &t->node[n->left], split_set(t, s, n));
    gather(t, s, &t->node[n->right], split_set(t, s, n));
}

/* New children stand behind their parents in the array. */
void cp_mondrian_hnsp_mark(cp_mondrian_tree *t, const cp_mondrian_space *s, int32_t node, size_t first_new) {
    for (size_t j = t->nodes; j-- > first_new;)
        if (!cp_mondrian_is_leaf(&t->node[j])) cp_mondrian_hnsp_mark_split(t, s, (int32_t)j);
    if (!cp_mondrian_is_leaf(&t->node[node])) cp_mondrian_hnsp_mark_split(t, s, node);
}

copse_status cp_mondrian_hnsp_remark(cp_mondrian_tree *t, const cp_mondrian_space *s, copse_error *err) {
    int32_t *order;
    size_t words = cp_mondrian_hnsp_words(s);
    if (words > 1) CP_TRY(CP_GROW(t->set, t->cap_sets, t->nodes * words, err));
    CP_TRY(CP_RAW(order, t->nodes, err));
    cp_mondrian_tree_order(t, order);
    t->sets = 0;
    for (size_t i = t->nodes; i-- > 0;)
        if (!cp_mondrian_is_leaf(&t->node[order[i]])) cp_mondrian_hnsp_mark_split(t, s, order[i]);
    cp_mem_free(order);
    return COPSE_OK;
}

int32_t cp_mondrian_hnsp_leaf_count(const cp_mondrian_tree *t, const cp_mondrian_node *leaf, int32_t k) {
    if (leaf->label != CP_NONE) return leaf->label == k ? leaf->count : 0;
    const int32_t *list = leaf_list(t, leaf);
    for (int32_t i = 0; i < list[0]; i++)
        if (list[1 + 2 * i] == k) return list[2 + 2 * i];
    return 0;
}

int cp_mondrian_hnsp_has(const cp_mondrian_tree *t, const cp_mondrian_space *s, const cp_mondrian_node *n, int32_t k) {
    if (cp_mondrian_is_leaf(n)) return cp_mondrian_hnsp_leaf_count(t, n, k) > 0;
    size_t words = cp_mondrian_hnsp_words(s);
    const uint32_t *set = words > 1 ? t->set + (size_t)n->marks * words : &n->marks;
    return (int)(set[k / 32] >> (k % 32) & 1);
}

/* ------------------------------------------------------------------------------------------------------ prediction
 *
 * The posterior mean at node j is affine in its parent's, with the same slope for every class [thesis, eq. 5.5]:
 *     G_j = A_j + b_j G_parent,   A_jk = (c_jk - d_j tab_jk) / c_j.,   b_j = d_j tab_j. / c_j.,   d_j = exp(-gamma delta_j)
 * and a point that branches off just above j sees a node with c = tab = tab_j and the expected discount dbar:
 *     (1 - dbar) tab_jk / tab_j. + dbar G_parent.
 * So the answer is a sum over the path of sparse vectors with scalar factors, found from the leaf upwards: `g` is the
 * factor of G_j in what is still to be added.  Discounts shrink it quickly, and nothing above matters once it is 0. */

/* One word of the class sets of a split's two sides. */
typedef struct sides {
    uint32_t left[32], right[32]; /* up to 1024 classes at a time */
} sides;

enum { SIDE_WORDS = 32 };

static void word_range(const cp_mondrian_tree *t, const cp_mondrian_space *s, const cp_mondrian_node *n, size_t from,
                       size_t count, uint32_t *out) {
    size_t words = cp_mondrian_hnsp_words(s);
    memset(out, 0, count * sizeof *out);
    if (!cp_mondrian_is_leaf(n)) {
        const uint32_t *set = words > 1 ? t->set + (size_t)n->marks * words : &n->marks;
        memcpy(out, set + from, count * sizeof *out);
    } else if (n->label != CP_NONE) {
        if ((size_t)n->label / 32 - from < count) set_add(out, n->label - (int32_t)(from * 32));
    } else {
        const int32_t *list = leaf_list(t, n);
        for (int32_t i = 0; i < list[0]; i++)
            if ((size_t)list[1 + 2 * i] / 32 - from < count) set_add(out, list[1 + 2 * i] - (int32_t)(from * 32));
    }
}

static void add_bits(double *probs, uint32_t bits, double amount) {
    for (; bits; bits &= bits - 1) probs[__builtin_ctz(bits)] += amount;
}

typedef struct tally {
    double both, any; /* classes counted on each side; classes on any side */
} tally;

/* Sums over all words: |left| + |right| and |left or right|. */
static tally count_sides(const cp_mondrian_tree *t, const cp_mondrian_space *s, const cp_mondrian_node *n) {
    tally sum = {0};
    sides side;
    size_t words = cp_mondrian_hnsp_words(s);
    for (size_t from = 0; from < words; from += SIDE_WORDS) {
        size_t count = words - from < SIDE_WORDS ? words - from : SIDE_WORDS;
        word_range(t, s, &t->node[n->left], from, count, side.left);
        word_range(t, s, &t->node[n->right], from, count, side.right);
        for (size_t i = 0; i < count; i++) {
            sum.both += __builtin_popcount(side.left[i]) + __builtin_popcount(side.right[i]);
            sum.any += __builtin_popcount(side.left[i] | side.right[i]);
        }
    }
    return sum;
}

/* probs += each class once per side it is on, times per_side, plus each class on any side times per_class. */
static void add_sides(const cp_mondrian_tree *t, const cp_mondrian_space *s, const cp_mondrian_node *n, double per_side,
                      double per_class, double *probs) {
    sides side;
    size_t words = cp_mondrian_hnsp_words(s);
    for (size_t from = 0; from < words; from += SIDE_WORDS) {
        size_t count = words - from < SIDE_WORDS ? words - from : SIDE_WORDS;
        word_range(t, s, &t->node[n->left], from, count, side.left);
        word_range(t, s, &t->node[n->right], from, count, side.right);
        for (size_t i = 0; i < count; i++) {
            double *p = probs + 32 * (from + i);
            uint32_t both = side.left[i] & side.right[i];
            add_bits(p, both, 2 * per_side + per_class);
            add_bits(p, (side.left[i] | side.right[i]) & ~both, per_side + per_class);
        }
    }
}

/* Adds g A_j (from the counts) and off (1 - dbar) tab / tab. (the branch) of a split; returns b_j / d_j = tab. / c. */
static double add_split(const cp_mondrian_tree *t, const cp_mondrian_space *s, const cp_mondrian_node *n, double g,
                        double d, double branch, double *probs) {
    tally c = count_sides(t, s, n);
    add_sides(t, s, n, g / c.both, branch / c.any - g * d / c.both, probs);
    return c.any / c.both;
}

static double add_leaf(const cp_mondrian_tree *t, const cp_mondrian_node *n, double g, double d, double branch,
                       double *probs) {
    double rows = n->count;
    if (n->label != CP_NONE) {
        probs[n->label] += g * (rows - d) / rows + branch;
        return 1 / rows;
    }
    const int32_t *list = leaf_list(t, n);
    double kinds = list[0];
    for (int32_t i = 0; i < list[0]; i++) probs[list[1 + 2 * i]] += g * (list[2 + 2 * i] - d) / rows + branch / kinds;
    return kinds / rows;
}

/* E[exp(-gamma T)] for T exponential with rate eta, cut off at delta.  With d = exp(-gamma delta), 1-exp(-(eta+gamma)
 * delta) is written so that no difference of nearly equal numbers is formed. */
static double expected_discount(double eta, double gamma, double delta) {
    double share = eta / (eta + gamma);
    if (isinf(delta)) return share;
    return share * expm1(-(eta + gamma) * delta) / expm1(-eta * delta);
}

copse_status cp_mondrian_hnsp_predict(const cp_mondrian_tree *t, const cp_mondrian_space *s, double gamma,
                                      const float *x, cp_mondrian_path *path, double *probs, copse_error *err) {
    const double nothing = 1e-17;
    CP_TRY(cp_mondrian_path_walk(path, t, s, x, err));
    double g = path->stay;
    for (size_t i = path->n; i-- > 0;) {
        const cp_mondrian_step *step = &path->step[i];
        const cp_mondrian_node *n = &t->node[step->node];
        double d = exp(-gamma * step->delta), dbar = 0, branch = 0;
        if (step->outside > 0) {
            dbar = expected_discount(step->outside, gamma, step->delta);
            branch = step->weight * (1 - dbar);
        }
        double ratio =
            cp_mondrian_is_leaf(n) ? add_leaf(t, n, g, d, branch, probs) : add_split(t, s, n, g, d, branch, probs);
        g = g * d * ratio + step->weight * dbar;
        if (g < nothing && i <= path->first_off) return COPSE_OK;
    }
    for (size_t k = 0; k < s->classes; k++) probs[k] += g / (double)s->classes;
    return COPSE_OK;
}
