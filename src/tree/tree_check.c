#include "tree/tree_check.h"

#include <math.h>

static const char *check_split(const cp_tree *t, const cp_forest *f, const cp_tree_node *n) {
    const uint32_t known = CP_TREE_DIM | CP_TREE_CATEGORY | CP_TREE_MISSING_LEFT;
    uint32_t dim = cp_tree_dim(n);
    if (n->what & ~known) return "N3: a split has an unknown flag";
    if (dim >= f->dims) return "N3: a split on a column that is not there";
    uint32_t levels = f->levels ? f->levels[dim] : 0;
    if (!(n->what & CP_TREE_CATEGORY) != !levels) return "N3: a set for a number, or a cut for a category";
    if (!levels) return isnan(n->at.cut) ? "N3: a cut is not a number" : NULL;
    size_t words = cp_tree_words(levels);
    if (words > t->sets || n->at.set > t->sets - words) return "N3: a set lies beyond the sets";
    return NULL;
}

static const char *check_nodes(const cp_tree *t, const cp_forest *f) {
    size_t leaves = 0;
    for (size_t i = 0; i < t->nodes; i++) {
        const cp_tree_node *n = &t->node[i];
        if (cp_tree_is_leaf(n)) {
            if (n->what != CP_TREE_LEAF || n->next != (int32_t)i) return "N2: a leaf does not lead to itself";
            if (n->at.leaf != leaves++) return "N1: leaves are not numbered in node order";
            continue;
        }
        const char *wrong = check_split(t, f, n);
        if (wrong) return wrong;
    }
    return leaves == t->leaves ? NULL : "N1: the number of leaves is wrong";
}

/* Nodes first and first + 1 are siblings, and all below them must end at `end`.  Returns 1 if their children are where
 * N2 puts them; the run below the right sibling then begins at *middle. */
static int divides_run(const cp_tree *t, size_t first, size_t end, size_t *middle) {
    const cp_tree_node *left = &t->node[first], *right = left + 1;
    if (!cp_tree_is_leaf(right) && (right->next < 0 || (size_t)right->next >= end)) return 0;
    *middle = cp_tree_is_leaf(right) ? end : (size_t)right->next;
    if (*middle < first + 2 || (*middle - first) % 2) return 0;
    if (cp_tree_is_leaf(left)) return *middle == first + 2;
    return *middle > first + 2 && left->next == (int32_t)first + 2;
}

/* Checks N2 by dividing the run of all nodes into the runs of the children, and so on: each node is visited once.  The
 * shorter run is taken first, so the stack holds at most log2(nodes) runs.  The lengths of all runs are even. */
static const char *check_shape(const cp_tree *t) {
    size_t waiting[32][2], n = 0, first = 1, end = t->nodes, middle;
    if (cp_tree_is_leaf(&t->node[0]) != (t->nodes == 1)) return "N2: the number of nodes does not fit the root";
    if (t->nodes > 1 && t->node[0].next != 1) return "N2: the root's children do not follow it";
    for (;;) {
        if (first == end) {
            if (!n--) return NULL;
            first = waiting[n][0];
            end = waiting[n][1];
            continue;
        }
        if (!divides_run(t, first, end, &middle)) return "N2: children are out of order";
        int left_first = middle - (first + 2) < end - middle;
        waiting[n][0] = left_first ? middle : first + 2;
        waiting[n++][1] = left_first ? end : middle;
        first = left_first ? first + 2 : middle;
        end = left_first ? middle : end;
    }
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

static const char *check_class_weights(const cp_tree *t, const cp_forest *f) {
    if (t->start[0] != 0) return "N4: the first leaf's class weights do not come first";
    for (size_t k = 0; k < t->leaves; k++) {
        if (t->start[k + 1] <= t->start[k] || t->start[k + 1] > t->cap_class_weight)
            return "N4: a leaf's class weights are misplaced";
        if (t->rows[k] < 1) return "N4: a leaf has no rows";
        for (size_t i = t->start[k]; i < t->start[k + 1]; i++) {
            const cp_tree_class_weight *s = &t->class_weight[i];
            if (s->label >= f->classes) return "N4: a leaf has an unknown class";
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
    if (!wrong) wrong = check_shape(t);
    if (wrong) return wrong;
    if (f->task == COPSE_REGRESS) return t->cap_value < t->leaves ? "N4: leaves without values" : check_values(t);
    if (t->cap_start < t->leaves + 1 || t->cap_rows < t->leaves) return "N4: leaves without class weights";
    return check_class_weights(t, f);
}
