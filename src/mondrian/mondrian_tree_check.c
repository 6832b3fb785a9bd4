/* mondrian_tree_check - the invariants of mondrian_tree.h, coded once, slowly and from scratch. */
#include <math.h>
#include <string.h>

#include "mondrian/mondrian_counts.h"
#include "mondrian/mondrian_hnsp.h"
#include "mondrian/mondrian_tree.h"

typedef struct checker {
    const cp_mondrian_tree *t;
    const cp_mondrian_space *s;
    unsigned char *seen_row, *seen_node;
    int32_t *member; /* rows under the current node */
    float *hull, *buf;
} checker;

/* The rows under a node, in no particular order; 0 if a list is broken. */
static size_t collect(const checker *in, int32_t j, int32_t *out) {
    const cp_mondrian_node *n = &in->t->node[j];
    if (!cp_mondrian_tree_is_leaf(n)) {
        size_t left = collect(in, n->left, out);
        return left + collect(in, n->right, out + left);
    }
    size_t k = 0;
    for (int32_t r = n->head; r != CP_NONE && k < (size_t)n->count; r = in->t->next[r]) out[k++] = r;
    return k;
}

static const char *check_box(const checker *in, const cp_mondrian_node *n, size_t rows) {
    size_t d = in->s->dims;
    if (cp_mondrian_tree_has_box(n) ? rows < CP_MONDRIAN_BOX_ROWS : rows > CP_MONDRIAN_HULL_ROWS)
        return "N3: a node has a box that it does not need, or lacks one";
    if (!cp_mondrian_tree_has_box(n) && n->box != -(int32_t)rows) return "N3: a node has the wrong number of rows";
    in->s->kern->hull(in->s->x, d, in->member, rows, in->hull);
    const float *box = cp_mondrian_tree_box(in->t, in->s, n, in->buf);
    for (size_t i = 0; i < 2 * d; i++) /* 0 and -0 are the same side */
        if (box[i] != in->hull[i]) return "N3: a box is not the hull of its rows";
    return NULL;
}

/* Rows of class k under a node.  A frozen forest has no labels: its leaves' counts are added up. */
static size_t count_class(const checker *in, const cp_mondrian_node *n, size_t rows, int32_t k) {
    const cp_mondrian_node *node = in->t->node;
    size_t sum = 0;
    if (in->s->label) {
        for (size_t i = 0; i < rows; i++) sum += in->s->label[in->member[i]] == k;
        return sum;
    }
    if (cp_mondrian_tree_is_leaf(n)) return (size_t)cp_mondrian_hnsp_leaf_count(in->t, n, k);
    return count_class(in, &node[n->left], rows, k) + count_class(in, &node[n->right], rows, k);
}

static size_t count_rows(const checker *in, const cp_mondrian_node *n) {
    const cp_mondrian_node *node = in->t->node;
    if (cp_mondrian_tree_is_leaf(n)) return (size_t)n->count;
    return count_rows(in, &node[n->left]) + count_rows(in, &node[n->right]);
}

static const char *check_classes(const checker *in, const cp_mondrian_node *n, size_t rows) {
    int kinds = 0, leaf = cp_mondrian_tree_is_leaf(n);
    size_t sum = 0;
    for (int32_t k = 0; (size_t)k < in->s->classes; k++) {
        size_t true_count = count_class(in, n, rows, k);
        sum += true_count;
        kinds += true_count > 0;
        if (leaf && (size_t)cp_mondrian_hnsp_leaf_count(in->t, n, k) != true_count)
            return "N6: a leaf's counts are wrong";
        if (in->s->keeps_counts && (size_t)cp_mondrian_counts_find(in->t, n, k) != true_count)
            return "N7: a split's counts are not those below";
        if (!in->s->keeps_counts && cp_mondrian_hnsp_has(in->t, in->s, n, k) != (true_count > 0))
            return "N7: a class set is not the classes below";
    }
    if (sum != count_rows(in, n)) return "N6: class counts do not add up";
    if (leaf && (n->label == CP_NONE) != (kinds > 1)) return "N6: a leaf's label is not its one class";
    if (!leaf && kinds < 2) return "N5: a block of one class was split";
    return NULL;
}

static const char *check_split(const checker *in, const cp_mondrian_node *n, size_t rows) {
    const cp_mondrian_tree *t = in->t;
    size_t dim = (size_t)n->dim;
    if (count_rows(in, n) < in->s->min_split) return "N5: a block of too few rows was split";
    if (!(t->node[n->left].time > n->time) || !(t->node[n->right].time > n->time))
        return "N2: times do not grow downwards";
    if (!(in->hull[dim] <= n->cut && n->cut < in->hull[in->s->dims + dim])) return "N4: a cut is outside its box";
    size_t left = collect(in, n->left, in->member);
    for (size_t i = 0; i < rows; i++) {
        if (i == left) collect(in, n->right, in->member + left);
        if ((cp_mondrian_tree_row(in->s, in->member[i])[dim] <= n->cut) != (i < left))
            return "N4: a row is on the wrong side";
    }
    return NULL;
}

/* The candidates of node j are inside its box and have its split. */
static const char *check_candidates(const checker *in, int32_t j, size_t rows) {
    const cp_mondrian_tree *t = in->t;
    const cp_mondrian_node *n = &t->node[j];
    int keeps = !cp_mondrian_tree_is_leaf(n) && rows >= in->s->record_rows, has = 0;
    if ((t->chosen[j] != CP_NONE) != keeps) return "N8: a node has candidates that it does not need, or lacks them";
    if (!keeps) return NULL;
    const cp_mondrian_split *c = t->candidate + (size_t)t->chosen[j] * in->s->candidates;
    for (size_t k = 0; k < in->s->candidates; k++, c++) {
        if (!(in->hull[c->dim] <= c->cut && c->cut < in->hull[in->s->dims + (size_t)c->dim]))
            return "N8: a candidate is outside its box";
        has |= c->dim == n->dim && c->cut == n->cut;
    }
    if (t->choice[t->chosen[j]].rows != (int32_t)rows) return "N8: a choice has the wrong number of rows";
    return has ? NULL : "N8: a split is none of its candidates";
}

static const char *check_node(const checker *in, int32_t j) {
    const cp_mondrian_node *n = &in->t->node[j];
    size_t rows = collect(in, j, in->member);
    const char *wrong = check_box(in, n, rows);
    if (!wrong && in->s->classes) wrong = check_classes(in, n, rows);
    if (!wrong && in->t->chosen) wrong = check_candidates(in, j, rows);
    if (wrong) return wrong;
    if (!cp_mondrian_tree_is_leaf(n)) return check_split(in, n, rows);
    if (n->time != in->s->lifetime) return "N2: a leaf's time is not the lifetime";
    for (size_t i = 0; i < rows; i++) {
        if (in->seen_row[in->member[i]]++) return "N1: a row is in two leaves";
    }
    if (in->s->frozen ? rows > (size_t)n->count : rows != (size_t)n->count)
        return "N1: a leaf's list is not as long as its count";
    return NULL;
}

static const char *check_all(const checker *in) {
    for (size_t j = 0; j < in->t->nodes; j++) {
        const cp_mondrian_node *n = &in->t->node[j];
        if (cp_mondrian_tree_is_leaf(n)) continue;
        if (in->seen_node[n->left]++ || in->seen_node[n->right]++) return "N1: a node has two parents";
    }
    for (size_t j = 0; j < in->t->nodes; j++) {
        if (in->seen_node[j] != (j > 0)) return "N1: a node has no parent, or the root has one";
        const char *wrong = check_node(in, (int32_t)j);
        if (wrong) return wrong;
    }
    for (size_t i = 0; i < in->t->rows; i++)
        if (!in->seen_row[i]) return "N1: a row is in no leaf";
    if (in->s->frozen && count_rows(in, in->t->node) != in->s->frozen)
        return "N1: a frozen tree has the wrong number of rows";
    return NULL;
}

const char *cp_mondrian_tree_check(const cp_mondrian_tree *t, const cp_mondrian_space *s) {
    checker in = {
        .t = t,
        .s = s,
        .seen_row = cp_mem_new(s->rows + 1, 1),
        .seen_node = cp_mem_new(t->nodes + 1, 1),
        .member = cp_mem_new(s->rows + 1, sizeof(int32_t)),
        .hull = cp_mem_new(2 * s->dims, sizeof(float)),
        .buf = cp_mem_new(2 * s->dims, sizeof(float)),
    };
    int ready = in.seen_row && in.seen_node && in.member && in.hull && in.buf;
    const char *wrong = ready ? check_all(&in) : "no memory to check";
    cp_mem_free(in.seen_row);
    cp_mem_free(in.seen_node);
    cp_mem_free(in.member);
    cp_mem_free(in.hull);
    cp_mem_free(in.buf);
    return wrong;
}
