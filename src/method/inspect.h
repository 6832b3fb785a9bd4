/* inspect - what a method shows of its trees to people and to programs. */
#ifndef CP_INSPECT_H
#define CP_INSPECT_H

#include "base/json.h"
#include "method/rows.h"

#define CP_ROWS_UNKNOWN SIZE_MAX

/* A node as people look at it; the root is node 0. */
typedef struct cp_inspect_node {
    int32_t left, right; /* CP_NONE at a leaf */
    size_t dim;          /* split: encoded column */
    double cut;          /* split: in scaled units; NaN when the levels of a category are split */
    double give;         /* split: the cut may lie so much to either side, anywhere alike */
    const uint32_t *set; /* category: bit c says that level c goes left, else NULL */
    int missing_left;    /* missing and unseen values go left */
    size_t rows;         /* leaf: rows in it, or CP_ROWS_UNKNOWN */
    int32_t label;       /* leaf: its class, CP_NONE if there are several or none */
    char note[96];       /* what else is worth saying: the time of a split, the mean of a leaf */
} cp_inspect_node;

/* A step from a node down towards a point. */
typedef struct cp_inspect_step {
    int32_t child;
    size_t dim; /* encoded column that is split */
    float cut;
    int is_left; /* the child is the left one: x <= cut there, else x > cut */
} cp_inspect_step;

/* The members of a split's JSON object: feature, cut (of a number) or levels (the codes of a category that go left),
 * and for methods that take missing values the way these go.  levels: of the category, else 0. */
void cp_inspect_node_json(const cp_inspect_node *v, uint32_t levels, int takes_missing, cp_json *j);

/* One of several trees with weights. */
typedef struct cp_inspect_shape {
    double weight;
    size_t leaves, depth;
} cp_inspect_shape;

#endif
