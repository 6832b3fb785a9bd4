/* bart_draws - what a chain leaves: every kept draw of all its trees, compactly.
 *
 * Most sweeps leave most trees' rules as they were and draw new mu.  So a draw is the mu of all its leaves, and the
 * shapes of those trees only whose shape is not that of the draw before: a shape once begun runs on until the next one.
 *
 *     draw 0:  runs of trees 0, 1, 2 ...  mu of tree 0, of tree 1, ...
 *     draw 1:  a run of tree 17           mu of tree 0, of tree 1, ...
 *
 * A shape is a list of rules in preorder, each of which splits one slot: rows with x[dim] <= cut stay in it, the others
 * move to the slot that is new with this rule, number i + 1 for rule i.  So no list of rules is a loop or a wrong turn,
 * whatever a file says; a row is taken down a shape without a branch, many rows at a time (bart_walk.h); and equal
 * trees are equal lists, however their nodes were numbered.
 *
 * Invariants, checked by cp_bart_draws_check:
 *   D1  the first draw begins a run of every tree; the runs that a draw begins are of rising trees.
 *   D2  rule i of a shape splits a slot <= i; its column is one of `dims`, its cut finite; a shape has at most
 *       CP_BART_MAX_LEAVES - 1 of them.
 *   D3  each draw has as many mu as its trees have leaves; no |mu| is above CP_BART_DRAWS_MAX_MU, so that sums are
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
    uint32_t rules; /* leaves - 1 */
} cp_bart_run;

typedef struct cp_bart_draws {
    size_t dims, trees, draws;
    cp_bart_rule *rule;
    size_t rules, cap_rule;
    cp_bart_run *run;
    size_t runs, cap_run;
    float *mu; /* draw after draw, tree after tree, slot after slot */
    size_t mus, cap_mu;
    size_t *end_run, *end_mu; /* of each draw: where its runs and mu end */
    size_t cap_end_run, cap_end_mu;
    size_t *now; /* of each tree: its run in the last draw */
} cp_bart_draws;

/* No draws yet.  1 <= trees <= CP_BART_DRAWS_MAX_TREES. */
copse_status cp_bart_draws_init(cp_bart_draws *d, size_t dims, size_t trees, copse_error *err);
void cp_bart_draws_clear(cp_bart_draws *d);
/* One more draw: d->trees of them.  A failure leaves the draws as they were. */
copse_status cp_bart_draws_add(cp_bart_draws *d, const cp_bart_tree *tree, copse_error *err);
/* All draws of src, of as many trees and columns, after those of d.  A failure leaves d as it was. */
copse_status cp_bart_draws_append(cp_bart_draws *d, const cp_bart_draws *src, copse_error *err);

static inline size_t cp_bart_draws_first_run(const cp_bart_draws *d, size_t draw) {
    return draw ? d->end_run[draw - 1] : 0;
}

static inline const float *cp_bart_draws_mu(const cp_bart_draws *d, size_t draw) {
    return d->mu + (draw ? d->end_mu[draw - 1] : 0);
}

/* The run that each tree is in at a draw. */
void cp_bart_draws_find(const cp_bart_draws *d, size_t draw, size_t *out_run);

/* NULL if the invariants hold, else what is broken. */
const char *cp_bart_draws_check(const cp_bart_draws *d);
/* What a check says that could not be made: this very text, so that a reader can tell it from a fault of its file. */
extern const char cp_bart_draws_no_memory[];

/* In bart_draws_file.c.  Read, draws can be added to as if they had never been away; there may be none yet.  All that
 * is read is checked, and after a failure `out` holds nothing. */
copse_status cp_bart_draws_file_write(const cp_bart_draws *d, cp_writer *w, copse_error *err);
copse_status cp_bart_draws_file_read(cp_reader *r, size_t dims, size_t trees, cp_bart_draws *out, copse_error *err);

#endif
