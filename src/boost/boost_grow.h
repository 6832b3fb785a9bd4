/* boost_grow - one tree of a boosted sum, grown leaf by leaf: the split that gains most comes first.
 *
 * A leaf adds -G / (H + l2) times the shrinkage to its head, where G and H are the sums of slopes and curvatures of its
 * rows.  A split gains GL^2 / (HL + l2) + GR^2 / (HR + l2) - G^2 / (H + l2).  Sums are integers, so they are exact in
 * any order: see docs/decisions/006. */
#ifndef CP_BOOST_GROW_H
#define CP_BOOST_GROW_H

#include "base/arena.h"
#include "boost/boost_hist.h"
#include "tree/tree.h"

typedef struct cp_boost_rule {
    size_t max_leaves, max_depth, min_rows;
    double min_curve, l2, shrinkage;
} cp_boost_rule;

/* A list of rows; those of a leaf lie together. */
typedef struct cp_boost_list {
    uint32_t *row;
    size_t n;
} cp_boost_list;

/* What a tree is grown from.  hist.sum[i] belongs to row i, in units of 1/slope_scale and 1/curve_scale. */
typedef struct cp_boost_grow {
    cp_boost_hist hist;
    const uint8_t *column;  /* the bins again, column by column: that of row i is column[dim * hist.bins->rows + i] */
    const uint32_t *levels; /* as in cp_rows */
    const cp_boost_rule *rule;
    double slope_scale, curve_scale;
    double most_step; /* of a leaf, before shrinkage */
    /* Quantiles: a leaf's step, before shrinkage, is the quantile of this level of y - f over its rows.  NULL: it is
     * the Newton step. */
    const double *y, *weight; /* weight NULL: all 1 */
    double level;
    cp_boost_list grown; /* the rows that it is grown on */
    cp_boost_list rest;  /* rows that only fall through it */
    uint32_t *spare;     /* room for the longer list */
    double *f;           /* scores of the tree's head, `stride` apart.  The tree is added to those of both lists */
    size_t stride;
    cp_arena arena; /* of one tree */
} cp_boost_grow;

/* Grows a tree and adds it to the scores.  Returns in *out_step the size of its largest step. */
copse_status cp_boost_grow_tree(cp_boost_grow *g, cp_tree *out, double *out_step, copse_error *err);

#endif
