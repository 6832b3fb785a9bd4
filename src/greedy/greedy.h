/* greedy - CART and the forests made of it: cart, rf, ert, bf, ssf, ebf.
 *
 * All are greedy_grow's trees.  They differ in the rows and weights each tree sees (greedy_weight.h), in the splits it
 * may try (cp_greedy_rule), and in whether trees stand on parts of the rows: ssf on random subsets, ebf on the leaves
 * of a trunk they share.  A fitted ebf tree is an ordinary tree whose top is the trunk, so that from here on nobody has
 * to know by which of the six a forest was made. */
#ifndef CP_GREEDY_H
#define CP_GREEDY_H

#include "greedy/greedy_grow.h"
#include "greedy/greedy_leaf_variance.h"
#include "greedy/greedy_weight.h"
#include "method/method.h"
#include "tree/tree.h"

typedef enum cp_greedy_weighting { CP_GREEDY_NONE, CP_GREEDY_BOOTSTRAP, CP_GREEDY_EXPONENTIAL } cp_greedy_weighting;
typedef enum cp_greedy_partition { CP_GREEDY_WHOLE, CP_GREEDY_SUBSETS, CP_GREEDY_TRUNK } cp_greedy_partition;

/* What sets the six apart. */
typedef struct cp_greedy_kind {
    cp_greedy_weighting draws;
    cp_greedy_partition parts;
    int one_tree;    /* there is no option --trees */
    int random_cuts; /* one random cut per column tried */
} cp_greedy_kind;

typedef struct cp_greedy {
    cp_forest forest;
    size_t rows;                    /* learnt from, those of weight 0 apart */
    size_t trunk;                   /* ebf: leaves of the trunk, else 0 */
    cp_greedy_leaf_variance spread; /* regression */
    /* rf: root mean squared error and r^2, or accuracy and log loss, of rows by trees that have not seen them; NaN
     * where there are none. */
    double oob[2];
} cp_greedy;

extern const cp_method cp_method_cart, cp_method_rf, cp_method_ert, cp_method_bf, cp_method_ssf, cp_method_ebf;

/* In greedy_fit.c. */
copse_status cp_greedy_fit(const cp_greedy_kind *kind, const cp_rows *rows, const copse_params *p, const copse_run *run,
                           cp_greedy **out, copse_error *err);
void cp_greedy_free(void *state);
/* How trees may grow under these options. */
copse_status cp_greedy_fit_rule(cp_greedy_rule *rule, const cp_greedy_kind *kind, const cp_rows *rows,
                                const copse_params *p, copse_error *err);

/* In greedy_predict.c. */
copse_status cp_greedy_predict(const void *state, const cp_rows *rows, const copse_params *p, cp_answer *out,
                               copse_error *err);

/* In greedy_oob.c. */
typedef struct cp_greedy_bag {
    const cp_rows *rows;
    const cp_greedy_weight *weight;
    double alpha;
    const uint64_t *bit; /* for each tree ceil(rows->n / 64) words: bit i is set if it has seen row i */
} cp_greedy_bag;
copse_status cp_greedy_oob(cp_greedy *g, const cp_greedy_bag *bag, const copse_run *run, copse_error *err);

/* In greedy_inspect.c. */
copse_status cp_greedy_inspect_json(const void *state, size_t tree, cp_json *j, copse_error *err);
void cp_greedy_inspect_node(const void *state, size_t tree, int32_t node, cp_inspect_node *out);

#endif
