/* ref_cart - weighted CART as a textbook would write it: slow, literal, in plain doubles.
 *
 * Nothing is sorted, summed up ahead or shared between candidates: for every candidate the rows are divided and the
 * impurities of both sides are computed anew.  A tree that was grown elsewhere is judged node by node, so that of
 * several equally good splits any may have been taken.
 *
 * Candidates of a node:
 *   numbers      between neighbouring different values of the node's rows
 *   categories   regression and two classes: all subsets of the levels there are; with more classes, or where sides
 *                must have a minimal size: levels ordered by mean target or, for each class the node has, by its share
 *                (ties by code), and every prefix of that order; with more than two classes also each level against the
 *                others
 *   missing      with the left side, with the right side, or against all others */
#ifndef REF_CART_H
#define REF_CART_H

#include "method/method.h"
#include "tree/tree.h"

typedef enum ref_kind { REF_SQUARED, REF_GINI, REF_ENTROPY } ref_kind;

typedef struct ref_rule {
    ref_kind kind;
    size_t features;        /* fewer than there are columns: a split must be the best of its own column only */
    size_t min_leaf;        /* at least 1 */
    double min_leaf_weight; /* compared with a margin of 1e-9, rounding being nobody's fault */
    size_t max_depth, max_leaves;
    int any_cut;  /* cuts are random: anything that divides is as good as the best */
    int any_unit; /* leaves may hold their weights in any unit, if it is the same for all */
} ref_rule;

typedef struct ref_node {
    const cp_rows *rows;
    const double *weight; /* by row number; NULL: 1 */
    size_t *row;          /* numbers of the node's rows, all of weight > 0 */
    size_t n;
} ref_node;

/* Squared error about the mean, weight times Gini's index, weight times entropy (natural). */
double ref_impurity(ref_kind kind, const ref_node *node);
/* Impurity taken away by a division: the i-th row of the node goes left if left[i]. */
double ref_gain(ref_kind kind, const ref_node *node, const int *left);
/* The largest gain of all candidates of one column; < 0 if there is none.  Where levels are tied in their mean targets
 * and sides have a minimal size, the order of the tied ones, hence the gain, is left to rounding: it is at least
 * `least`. */
typedef struct ref_best {
    double least, most;
} ref_best;
ref_best ref_best_of_column(const ref_rule *rule, const ref_node *node, size_t dim);

/* Walks the node's row number `row`: does it go left at `split`? */
int ref_goes_left(const cp_rows *rows, const cp_tree *tree, const cp_tree_node *split, size_t row);

/* Judges a whole tree: each split is a candidate with the largest gain and its cut lies halfway; what could be split is
 * split, within the limits, best first where leaves are limited; leaves hold what their rows say.
 * y = centre + scale * leaf.  NULL if all is well, else what is not, in a static buffer. */
const char *ref_judge(const cp_tree *tree, const ref_rule *rule, const cp_rows *rows, const double *weight,
                      double centre, double scale);

#endif
