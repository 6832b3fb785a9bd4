/* boost_grow - one tree of a boosted sum, grown leaf by leaf: the split that gains most comes first.
 *
 * A leaf adds -G / (H + l2) times the shrinkage to its head, where G and H are the sums of slopes and curvatures of its
 * rows.  A split gains GL^2 / (HL + l2) + GR^2 / (HR + l2) - G^2 / (H + l2).  Sums are integers, so they are exact in
 * any order: see docs/decisions/006. */
#ifndef CP_BOOST_GROW_H
#define CP_BOOST_GROW_H

#include "base/arena.h"
#include "base/thread_team.h"
#include "data/bins.h"
#include "split/split.h"
#include "tree/tree.h"

typedef struct cp_boost_rule {
    size_t max_leaves, max_depth, min_rows;
    double min_curve, l2, shrinkage;
    double most_step; /* of a leaf, before shrinkage */
} cp_boost_rule;

/* What the trees of a fit share.  sum[i] belongs to row i: w = rows << shift | curvature, s = slope, in units of
 * 1/curve_scale and 1/slope_scale. */
typedef struct cp_boost_grow {
    const cp_bins *bins;
    const uint32_t *levels; /* as in cp_rows */
    const cp_boost_rule *rule;
    cp_thread_team *team;
    cp_sum *sum;
    unsigned shift;
    double slope_scale, curve_scale;
    const uint8_t *use; /* per column: may this tree split it? */
    uint32_t *row;      /* the rows of the tree; each leaf's lie together */
    uint32_t *spare;    /* room for as many */
    size_t rows;
    double *f; /* scores of the tree's head, `stride` apart; the tree is added to those of its rows */
    size_t stride;
    cp_arena arena; /* of one tree */
} cp_boost_grow;

/* Grows a tree on g->row and adds it to the scores of these rows. */
copse_status cp_boost_grow_tree(cp_boost_grow *g, cp_tree *out, copse_error *err);

#endif
