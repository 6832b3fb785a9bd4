#include "orf/orf_tree.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "num/math.h"

/* ------------------------------------------------------------------------------------------------------- statistics */

void cp_orf_tree_moments_add(cp_orf_moments *m, double y) {
    double off = y - m->mean;
    m->n++;
    m->mean += off / m->n;
    m->m2 += off * (y - m->mean);
}

/* Moments of two sets of rows together (Chan, Golub and LeVeque). */
static cp_orf_moments merge(const cp_orf_moments *a, const cp_orf_moments *b) {
    double n = a->n + b->n, off = b->mean - a->mean;
    if (n == 0) return *a;
    return (cp_orf_moments){n, a->mean + off * (b->n / n), a->m2 + b->m2 + off * off * (a->n * (b->n / n))};
}

cp_orf_moments cp_orf_tree_leaf_moments(const cp_orf_tree *t, const cp_orf_rules *f, size_t leaf) {
    const cp_orf_moments *m = cp_orf_tree_moments(t, f, leaf);
    return merge(&m[0], &m[1]);
}

enum { INHERITED, OWN }; /* the first two statistics of a block */

static double rows_of(const cp_orf_tree *t, const cp_orf_rules *f, size_t leaf, size_t which) {
    if (f->task == COPSE_REGRESS) return cp_orf_tree_moments(t, f, leaf)[which].n;
    const uint32_t *c = cp_orf_tree_counts(t, f, leaf) + which * f->width;
    double n = 0;
    for (size_t k = 0; k < f->classes; k++) n += c[k];
    return n;
}

double cp_orf_tree_leaf_rows(const cp_orf_tree *t, const cp_orf_rules *f, size_t leaf) {
    return rows_of(t, f, leaf, INHERITED) + rows_of(t, f, leaf, OWN);
}

/* Smoothed by `smoothing` more rows, spread evenly over the classes.  A leaf without any rows is uniform. */
void cp_orf_tree_leaf_probs(const cp_orf_tree *t, const cp_orf_rules *f, size_t leaf, double *probs) {
    const uint32_t *inherited = cp_orf_tree_counts(t, f, leaf), *own = inherited + f->width;
    double n = cp_orf_tree_leaf_rows(t, f, leaf) + f->smoothing, even = f->smoothing / (double)f->classes;
    if (n == 0) n = (double)f->classes, even = 1;
    for (size_t k = 0; k < f->classes; k++) probs[k] += ((double)inherited[k] + (double)own[k] + even) / n;
}

/* The class with most rows; the first of them, if tied. */
static int32_t majority_class(const cp_orf_tree *t, const cp_orf_rules *f, size_t leaf) {
    const uint32_t *inherited = cp_orf_tree_counts(t, f, leaf), *own = inherited + f->width;
    size_t best = 0;
    for (size_t k = 1; k < f->classes; k++)
        if (inherited[k] + own[k] > inherited[best] + own[best]) best = k;
    return (int32_t)best;
}

/* ------------------------------------------------------------------------------------------------------------ gains */

/* With class frequencies p, the Gini impurity is L = 1 - sum p^2, and the gain L - n_l/n L_l - n_r/n L_r. */
static double gain_of_counts(const uint32_t *own, const uint32_t *left, size_t classes) {
    double n = 0, nl = 0, all = 0, l = 0, r = 0;
    for (size_t k = 0; k < classes; k++) {
        double c = own[k], cl = left[k];
        n += c;
        nl += cl;
        all += c * c;
        l += cl * cl;
        r += (c - cl) * (c - cl);
    }
    if (nl == 0 || nl == n) return 0;
    return (l / nl + r / (n - nl)) / n - all / (n * n);
}

/* Sum of squares between the sides, over the total sum of squares. */
static double gain_of_moments(const cp_orf_moments *left, const cp_orf_moments *right) {
    cp_orf_moments all = merge(left, right);
    if (left->n == 0 || right->n == 0 || !(all.m2 > 0)) return 0;
    return (all.m2 - left->m2 - right->m2) / all.m2;
}

double cp_orf_tree_gain(const cp_orf_tree *t, const cp_orf_rules *f, size_t leaf, size_t test) {
    if (f->task == COPSE_REGRESS) {
        const cp_orf_moments *side = cp_orf_tree_moments(t, f, leaf) + 2 + 2 * test;
        return gain_of_moments(&side[0], &side[1]);
    }
    const uint32_t *own = cp_orf_tree_counts(t, f, leaf) + f->width;
    return gain_of_counts(own, own + (1 + test) * f->width, f->classes);
}

/* ----------------------------------------------------------------------------------------------- making and freeing */

static copse_status reserve(cp_orf_tree *t, const cp_orf_rules *f, size_t leaves, copse_error *err) {
    size_t block = cp_orf_tree_block_size(f);
    if (leaves > INT32_MAX / 2) return cp_fail(err, COPSE_E_DATA, "a tree of more than %d leaves", INT32_MAX / 2);
    CP_TRY(CP_GROW(t->node, t->cap_nodes, 2 * leaves - 1, err));
    CP_TRY(CP_GROW(t->test, t->cap_test, leaves * f->tests, err));
    if (f->task == COPSE_CLASS) return CP_GROW(t->count, t->cap_count, leaves * block, err);
    return CP_GROW(t->moment, t->cap_moment, leaves * block, err);
}

static void clear_block(cp_orf_tree *t, const cp_orf_rules *f, size_t leaf) {
    size_t block = cp_orf_tree_block_size(f);
    if (f->task == COPSE_CLASS)
        memset(cp_orf_tree_counts(t, f, leaf), 0, block * sizeof *t->count);
    else
        memset(cp_orf_tree_moments(t, f, leaf), 0, block * sizeof *t->moment);
}

/* A uniform column, and a uniform cut in the range of its values so far.  The cut is below the upper end, so that some
 * values go right. */
static void draw_tests(cp_orf_tree *t, const cp_orf_rules *f, size_t leaf, cp_rng *rng) {
    cp_orf_test *test = t->test + leaf * f->tests;
    for (size_t i = 0; i < f->tests; i++) {
        size_t d = (size_t)cp_rng_below(rng, f->dims);
        double low = (double)t->range[d], high = (double)t->range[f->dims + d];
        float cut = (float)(low + (high - low) * cp_rng_unit(rng));
        if (!(cut < t->range[f->dims + d])) cut = nextafterf(t->range[f->dims + d], -INFINITY);
        test[i] = (cp_orf_test){(int32_t)d, cut};
    }
}

copse_status cp_orf_tree_reset(cp_orf_tree *t, const cp_orf_rules *f, uint32_t slot, copse_error *err) {
    cp_rng rng;
    CP_TRY(reserve(t, f, 1, err));
    cp_rng_init(&rng, f->seed, CP_FOR_GROW, slot, t->rows);
    t->node[0] = (cp_orf_node){.left = CP_NONE};
    t->nodes = t->leaves = 1;
    t->born = t->rows;
    t->oob_rows = t->oob_errors = 0;
    clear_block(t, f, 0);
    draw_tests(t, f, 0, &rng);
    return COPSE_OK;
}

void cp_orf_tree_clear(cp_orf_tree *t) {
    cp_mem_free(t->node);
    cp_mem_free(t->test);
    cp_mem_free(t->count);
    cp_mem_free(t->moment);
    cp_mem_free(t->range);
    *t = (cp_orf_tree){0};
}

copse_status cp_orf_tree_reserve(cp_orf_tree *t, const cp_orf_rules *f, size_t width, copse_error *err) {
    return CP_GROW(t->count, t->cap_count, t->leaves * (2 + f->tests) * width, err);
}

/* Moves the statistics from the last to the first: each moves up, so none is overwritten before it has moved. */
void cp_orf_tree_widen(cp_orf_tree *t, const cp_orf_rules *f, size_t width) {
    for (size_t i = t->leaves * (2 + f->tests); i-- > 0;) {
        memmove(t->count + i * width, t->count + i * f->width, f->width * sizeof *t->count);
        memset(t->count + i * width + f->width, 0, (width - f->width) * sizeof *t->count);
    }
}

/* --------------------------------------------------------------------------------------------------------- learning */

size_t cp_orf_tree_draw_copies(cp_rng *rng) {
    double u = cp_rng_unit(rng), p = cp_math_exp(-1.0);
    size_t k = 0;
    /* 18 copies or more have probability below 1/18!, which is less than the spacing of the values of u */
    for (; u > p && k < 18; p /= (double)k) {
        u -= p;
        k++;
    }
    return k;
}

int32_t cp_orf_tree_find(const cp_orf_tree *t, const float *x) {
    int32_t j = 0;
    for (const cp_orf_node *n = t->node; n->left != CP_NONE; n = t->node + j) j = n->left + !(x[n->dim] <= n->cut);
    return j;
}

static void count_row(cp_orf_tree *t, const cp_orf_rules *f, size_t leaf, const float *x, int32_t label) {
    const cp_orf_test *test = t->test + leaf * f->tests;
    uint32_t *own = cp_orf_tree_counts(t, f, leaf) + f->width, *left = own + f->width;
    own[label]++;
    for (size_t i = 0; i < f->tests; i++) left[i * f->width + (size_t)label] += x[test[i].dim] <= test[i].cut;
}

static void measure_row(cp_orf_tree *t, const cp_orf_rules *f, size_t leaf, const float *x, double y) {
    const cp_orf_test *test = t->test + leaf * f->tests;
    cp_orf_moments *own = cp_orf_tree_moments(t, f, leaf) + 1, *side = own + 1;
    cp_orf_tree_moments_add(own, y);
    for (size_t i = 0; i < f->tests; i++)
        cp_orf_tree_moments_add(&side[2 * i + (x[test[i].dim] <= test[i].cut ? 0 : 1)], y);
}

/* The children of a split inherit the statistics of the test's two sides.  The left one takes over the block of the
 * leaf that is split. */
static void inherit(cp_orf_tree *t, const cp_orf_rules *f, size_t leaf, size_t right, size_t test) {
    clear_block(t, f, right);
    if (f->task == COPSE_REGRESS) {
        cp_orf_moments *m = cp_orf_tree_moments(t, f, leaf), side[2] = {m[2 + 2 * test], m[3 + 2 * test]};
        clear_block(t, f, leaf);
        m[0] = side[0];
        cp_orf_tree_moments(t, f, right)[0] = side[1];
        return;
    }
    uint32_t *c = cp_orf_tree_counts(t, f, leaf), *to = cp_orf_tree_counts(t, f, right);
    const uint32_t *own = c + f->width, *left = own + (1 + test) * f->width;
    for (size_t k = 0; k < f->classes; k++) {
        to[k] = own[k] - left[k];
        c[k] = left[k];
    }
    memset(c + f->width, 0, (cp_orf_tree_block_size(f) - f->width) * sizeof *c);
}

/* Room is reserved. */
static void split(cp_orf_tree *t, const cp_orf_rules *f, int32_t node, size_t test, cp_rng *rng) {
    cp_orf_node *n = &t->node[node];
    size_t leaf = (size_t)n->dim, right = t->leaves++;
    const cp_orf_test chosen = t->test[leaf * f->tests + test];
    inherit(t, f, leaf, right, test);
    n->left = (int32_t)t->nodes;
    n->dim = chosen.dim;
    n->cut = chosen.cut;
    t->node[t->nodes++] = (cp_orf_node){.left = CP_NONE, .dim = (int32_t)leaf, .depth = n->depth + 1};
    t->node[t->nodes++] = (cp_orf_node){.left = CP_NONE, .dim = (int32_t)right, .depth = n->depth + 1};
    draw_tests(t, f, leaf, rng);
    draw_tests(t, f, right, rng);
}

/* The test with the largest gain, if the leaf has seen min_samples (alpha) own rows and the gain is above 0 and at
 * least min_gain (beta); else CP_NONE. */
static int32_t find_split(const cp_orf_tree *t, const cp_orf_rules *f, const cp_orf_node *n) {
    size_t leaf = (size_t)n->dim;
    int32_t best = CP_NONE;
    double most = 0;
    if ((double)n->depth >= f->max_depth || rows_of(t, f, leaf, OWN) < f->min_samples) return CP_NONE;
    for (size_t i = 0; i < f->tests; i++) {
        double gain = cp_orf_tree_gain(t, f, leaf, i);
        if (gain <= most || gain < f->min_gain) continue;
        most = gain;
        best = (int32_t)i;
    }
    return best;
}

static void learn_copy(cp_orf_tree *t, const cp_orf_rules *f, const float *x, double y, cp_rng *rng) {
    int32_t node = cp_orf_tree_find(t, x);
    size_t leaf = (size_t)t->node[node].dim;
    if (cp_orf_tree_leaf_rows(t, f, leaf) >= CP_ORF_TREE_MAX_ROWS) return;
    if (f->task == COPSE_CLASS)
        count_row(t, f, leaf, x, (int32_t)y);
    else
        measure_row(t, f, leaf, x, y);
    int32_t best = find_split(t, f, &t->node[node]);
    if (best != CP_NONE) split(t, f, node, (size_t)best, rng);
}

copse_status cp_orf_tree_learn(cp_orf_tree *t, const cp_orf_rules *f, uint32_t slot, const float *x, double y,
                               copse_error *err) {
    cp_rng rng;
    cp_rng_init(&rng, f->seed, CP_FOR_EXTEND, slot, t->rows);
    size_t copies = cp_orf_tree_draw_copies(&rng);
    CP_TRY(reserve(t, f, t->leaves + copies, err));
    f->kern->include(t->range, x, f->dims);
    for (size_t i = 0; i < copies; i++) learn_copy(t, f, x, y, &rng);
    if (!copies && f->forget > 0) {
        t->oob_rows++;
        t->oob_errors += majority_class(t, f, (size_t)t->node[cp_orf_tree_find(t, x)].dim) != (int32_t)y;
    }
    t->rows++;
    return COPSE_OK;
}

/* --------------------------------------------------------------------------------------------------------- checking */

enum { IS_CHILD = 1, IS_LEAF = 2 }; /* flags in `seen`: node j is a child; leaf number j was seen */

static const char *check_split(const cp_orf_tree *t, const cp_orf_rules *f, size_t j, unsigned char *seen) {
    const cp_orf_node *n = &t->node[j];
    if (n->left <= (int32_t)j || (size_t)n->left + 1 >= t->nodes) return "O1: a split has impossible children";
    for (int32_t k = n->left; k <= n->left + 1; k++) {
        if (seen[k] & IS_CHILD) return "O1: a node has two parents";
        seen[k] |= IS_CHILD;
        if (t->node[k].depth != n->depth + 1) return "O1: a depth is wrong";
    }
    if (n->dim < 0 || (size_t)n->dim >= f->dims || !isfinite(n->cut)) return "O3: a split is impossible";
    return NULL;
}

/* There are twice as many children as splits, and each node is a child at most once: so all nodes but the root are. */
static const char *check_nodes(const cp_orf_tree *t, const cp_orf_rules *f, unsigned char *seen) {
    size_t leaves = 0;
    if (t->leaves < 1 || t->nodes != 2 * t->leaves - 1 || t->node[0].depth != 0) return "O1: the tree has no root";
    for (size_t j = 0; j < t->nodes; j++) {
        const cp_orf_node *n = &t->node[j];
        if (n->left == CP_NONE) {
            if (n->dim < 0 || (size_t)n->dim >= t->leaves || seen[n->dim] & IS_LEAF)
                return "O2: a leaf has an impossible number";
            seen[n->dim] |= IS_LEAF;
            leaves++;
            continue;
        }
        const char *wrong = check_split(t, f, j, seen);
        if (wrong) return wrong;
    }
    return leaves == t->leaves ? NULL : "O2: the number of leaves is wrong";
}

static int counts_add_up(const cp_orf_tree *t, const cp_orf_rules *f, size_t leaf) {
    const uint32_t *own = cp_orf_tree_counts(t, f, leaf) + f->width;
    for (size_t i = 1; i <= f->tests; i++)
        for (size_t k = 0; k < f->classes; k++)
            if (own[i * f->width + k] > own[k]) return 0;
    return 1;
}

static int moments_add_up(const cp_orf_tree *t, const cp_orf_rules *f, size_t leaf) {
    const cp_orf_moments *m = cp_orf_tree_moments(t, f, leaf);
    for (size_t i = 0; i < cp_orf_tree_block_size(f); i++)
        if (!(m[i].n >= 0 && m[i].m2 >= 0 && isfinite(m[i].mean) && isfinite(m[i].m2) && m[i].n == floor(m[i].n)))
            return 0;
    for (size_t i = 1; i <= f->tests; i++)
        if (m[2 * i].n + m[2 * i + 1].n != m[1].n) return 0;
    return 1;
}

const char *cp_orf_tree_check(const cp_orf_tree *t, const cp_orf_rules *f, unsigned char *seen) {
    const char *wrong = check_nodes(t, f, seen);
    if (wrong) return wrong;
    for (size_t i = 0; i < t->leaves * f->tests; i++)
        if (t->test[i].dim < 0 || (size_t)t->test[i].dim >= f->dims || !isfinite(t->test[i].cut))
            return "O3: a test is impossible";
    for (size_t leaf = 0; leaf < t->leaves; leaf++) {
        int fine = f->task == COPSE_CLASS ? counts_add_up(t, f, leaf) : moments_add_up(t, f, leaf);
        if (!fine) return "O4: the statistics of a test are not those of its leaf";
        if (!(cp_orf_tree_leaf_rows(t, f, leaf) <= CP_ORF_TREE_MAX_ROWS)) return "O5: a leaf has too many rows";
    }
    return NULL;
}
