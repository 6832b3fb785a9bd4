/* tree_check - the invariants of tree.h, coded once. */
#include <math.h>

#include "tree/tree.h"

static const char *check_split(const cp_tree *t, const cp_forest *f, const cp_tree_node *n) {
    const uint32_t known = CP_TREE_DIM | CP_TREE_SET | CP_TREE_MISSING_LEFT;
    uint32_t dim = cp_tree_dim(n);
    if (n->what & ~known) return "N3: a split has an unknown mark";
    if (dim >= f->dims) return "N3: a split asks for a column that is not there";
    uint32_t levels = f->levels ? f->levels[dim] : 0;
    if (!(n->what & CP_TREE_SET) != !levels) return "N3: a set for a number, or a cut for a category";
    if (!levels) return isnan(n->at.cut) ? "N3: a cut is not a number" : NULL;
    size_t words = cp_tree_words(levels);
    if (words > t->sets || n->at.set > t->sets - words) return "N3: a set lies beyond the sets";
    return NULL;
}

static const char *check_nodes(const cp_tree *t, const cp_forest *f) {
    size_t splits = 0, leaves = 0;
    for (size_t i = 0; i < t->nodes; i++) {
        const cp_tree_node *n = &t->node[i];
        if (cp_tree_is_leaf(n)) {
            if (n->what != CP_TREE_LEAF || n->next != (int32_t)i) return "N2: a leaf does not lead to itself";
            if (n->at.leaf != leaves++) return "N1: leaves are not numbered in node order";
            continue;
        }
        if (n->next != (int32_t)(2 * splits++ + 1)) return "N2: children are not in the order of their parents";
        if ((size_t)n->next <= i || (size_t)n->next + 1 >= t->nodes) return "N2: a child comes before its parent";
        const char *wrong = check_split(t, f, n);
        if (wrong) return wrong;
    }
    return leaves == t->leaves ? NULL : "N1: the number of leaves is wrong";
}

static const char *check_values(const cp_tree *t) {
    for (size_t k = 0; k < t->leaves; k++) {
        const cp_tree_value *v = &t->value[k];
        if (!isfinite(v->mean)) return "N4: a leaf's mean is not finite";
        if (!(v->var >= 0 && v->var < INFINITY)) return "N4: a leaf's variance is impossible";
        if (!(v->weight > 0 && v->weight < INFINITY)) return "N4: a leaf's weight is impossible";
        if (v->rows < 1) return "N4: a leaf has no rows";
    }
    return NULL;
}

static const char *check_shares(const cp_tree *t, const cp_forest *f) {
    if (t->start[0] != 0) return "N4: the first leaf's shares do not come first";
    for (size_t k = 0; k < t->leaves; k++) {
        if (t->start[k + 1] <= t->start[k] || t->start[k + 1] > t->cap_share)
            return "N4: a leaf's shares are misplaced";
        if (t->rows[k] < 1) return "N4: a leaf has no rows";
        for (size_t i = t->start[k]; i < t->start[k + 1]; i++) {
            const cp_tree_share *s = &t->share[i];
            if (s->label >= f->classes) return "N4: a leaf speaks of an unknown class";
            if (i > t->start[k] && s[-1].label >= s->label) return "N4: a leaf's classes are not in order";
            if (!(s->weight > 0 && s->weight < INFINITY)) return "N4: a class's weight is impossible";
        }
    }
    return NULL;
}

const char *cp_tree_check(const cp_tree *t, const cp_forest *f) {
    if (t->nodes < 1 || t->nodes % 2 == 0 || t->nodes > INT32_MAX || t->nodes > t->cap_nodes)
        return "N1: an impossible number of nodes";
    if (t->leaves != (t->nodes + 1) / 2) return "N1: the number of leaves is wrong";
    const char *wrong = check_nodes(t, f);
    if (wrong) return wrong;
    if (f->task == COPSE_REGRESS) return t->cap_value < t->leaves ? "N4: leaves without values" : check_values(t);
    if (t->cap_start < t->leaves + 1 || t->cap_rows < t->leaves) return "N4: leaves without shares";
    return check_shares(t, f);
}
