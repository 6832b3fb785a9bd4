/* bart_draws - every kept draw of the trees of one sum, stored compactly.
 *
 * Most sweeps leave the rules of most trees unchanged and draw new mu.  So a draw stores the mu of all its leaves, but
 * the shape (the rules) of a tree only if it differs from that of the draw before.  A run is a sequence of draws in
 * which a tree keeps its shape: it lasts until the next run of the same tree begins.
 *
 *     draw 0:  runs of trees 0, 1, 2 ...  mu of tree 0, of tree 1, ...
 *     draw 1:  a run of tree 17           mu of tree 0, of tree 1, ...
 *
 * A shape is a list of rules in preorder.  Each rule splits one slot: rows with x[dim] <= cut stay in it, the others
 * move to the new slot i + 1 of rule i.  So no list of rules, whatever a file says, can have a loop or a dangling link;
 * rows go down a shape without a branch, many rows at a time (bart_walk.h); and equal trees have equal lists, whatever
 * the numbers of their nodes.
 *
 * Invariants, checked by cp_bart_draws_check:
 *   D1  the first draw begins a run of every tree; the runs that a draw begins are in rising order of trees.
 *   D2  rule i of a shape splits a slot <= i; its column is below `dims`, its cut finite; a shape has at most
 *       CP_BART_MAX_LEAVES - 1 rules.
 *   D3  each draw has as many mu as its trees have leaves; no |mu| exceeds CP_BART_DRAWS_MAX_MU, so that sums are
 *       finite. */
#ifndef CP_BART_DRAWS_H
#define CP_BART_DRAWS_H

#include "bart/core/bart_tree.h"

#define CP_BART_DRAWS_MAX_MU    1e30f
#define CP_BART_DRAWS_MAX_TREES 1000000

typedef struct cp_bart_rule {
    uint32_t dim;
    float cut;
    uint8_t slot;
} cp_bart_rule;

typedef struct cp_bart_run {
    size_t rule; /* the first of the shape's rules */
    uint32_t tree;
    uint32_t rules; /* of the shape: leaves - 1 */
} cp_bart_run;

typedef struct cp_bart_draws {
    size_t dims, trees, draws;
    cp_bart_rule *rule;
    size_t rules, cap_rule;
    cp_bart_run *run;
    size_t runs, cap_run;
    float *mu; /* draw after draw, tree after tree, slot after slot */
    size_t mus, cap_mu;
    size_t *end_run, *end_mu; /* of each draw: the ends of its runs and of its mu */
    size_t cap_end_run, cap_end_mu;
    size_t *last_run; /* of each tree: its run in the last draw */
} cp_bart_draws;

/* No draws yet.  1 <= trees <= CP_BART_DRAWS_MAX_TREES. */
copse_status cp_bart_draws_init(cp_bart_draws *d, size_t dims, size_t trees, copse_error *err);
void cp_bart_draws_clear(cp_bart_draws *d);
/* Adds one draw of d->trees trees.  A failure leaves the draws as they were. */
copse_status cp_bart_draws_add(cp_bart_draws *d, const cp_bart_tree *tree, copse_error *err);
/* Appends all draws of src, which has as many trees and columns.  A failure leaves d as it was. */
copse_status cp_bart_draws_append(cp_bart_draws *d, const cp_bart_draws *src, copse_error *err);

static inline size_t cp_bart_draws_first_run(const cp_bart_draws *d, size_t draw) {
    return draw ? d->end_run[draw - 1] : 0;
}

static inline const float *cp_bart_draws_mu(const cp_bart_draws *d, size_t draw) {
    return d->mu + (draw ? d->end_mu[draw - 1] : 0);
}

/* out_run[m]: the run of tree m at a draw. */
void cp_bart_draws_find(const cp_bart_draws *d, size_t draw, size_t *out_run);

/* NULL if the invariants hold, else the first one broken. */
const char *cp_bart_draws_check(const cp_bart_draws *d);
/* The result of a check that ran out of memory: this very pointer, so that a reader can tell it from a damaged file. */
extern const char cp_bart_draws_no_memory[];

#endif
