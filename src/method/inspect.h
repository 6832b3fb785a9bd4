/* inspect - what a method shows of a fitted model, to people and to programs. */
#ifndef CP_INSPECT_H
#define CP_INSPECT_H

#include "base/json.h"
#include "method/param.h"
#include "method/rows.h"
#include "tree/tree.h"

#define CP_ROWS_UNKNOWN SIZE_MAX

/* A node of a tree as it is listed; the root is node 0. */
typedef struct cp_inspect_node {
    int32_t left, right;  /* CP_NONE at a leaf */
    size_t dim;           /* split: encoded column */
    double cut;           /* split: in scaled units; NaN when the levels of a category are split */
    double cut_halfwidth; /* split: the cut is uniform on cut +- this, in the units of cut; 0 if it is exact */
    const uint32_t *set;  /* category: bit c says that level c goes left, else NULL */
    int missing_left;     /* missing and unseen values go left */
    size_t rows;          /* leaf: rows in it, or CP_ROWS_UNKNOWN */
    int32_t label;        /* leaf: its class, CP_NONE if it has several or none */
    char note[96];        /* free text: the time of a split, the mean of a leaf */
} cp_inspect_node;

/* A step from a node to the child that holds a given point. */
typedef struct cp_inspect_step {
    int32_t child;
    size_t dim; /* encoded column that is split */
    float cut;
    int is_left; /* 1: the child is the left one, which holds x <= cut; 0: it is the right one, x > cut */
} cp_inspect_step;

/* The size of a tree, and its weight among all trees. */
typedef struct cp_inspect_shape {
    double weight;
    size_t leaves, depth;
} cp_inspect_shape;

/* A number that a sampler keeps of each draw, for all chains. */
typedef struct cp_inspect_trace {
    copse_trace info;
    double (*value)(const void *state, size_t i, size_t chain, size_t draw); /* i: the number of the trace */
} cp_inspect_trace;

/* The functions of a method that show a model.  `figures`, `tree_json` and `tree_node` are always there; the others may
 * be NULL. */
typedef struct cp_inspect {
    /* Numbers that describe the model, for people; returns how many. */
    size_t (*figures)(const void *state, copse_figure out[COPSE_MAX_FIGURES]);
    /* More of them, for programs. */
    size_t (*details)(const void *state, copse_figure *out);
    /* Samplers: whether to trust the result. */
    void (*diagnose)(const void *state, const copse_params *p, copse_diagnosis *out);
    /* More members of the model's JSON object. */
    void (*json)(const void *state, cp_json *j);
    /* The "hyper", "weight" and "nodes" members of the tree's JSON object. */
    copse_status (*tree_json)(const void *state, size_t tree, cp_json *j, copse_error *err);
    /* One node for the text and dot listings. */
    void (*tree_node)(const void *state, size_t tree, int32_t node, cp_inspect_node *out);
    /* One step from a node towards x; 0 at a leaf.  A search for the places where a prediction changes follows it. */
    int (*descend)(const void *state, size_t tree, int32_t node, const float *x, cp_inspect_step *out);
    /* Regression: the variance of y about its mean, which every component of a prediction includes. */
    double (*noise)(const void *state);
    /* Samplers: weight and size of a tree. */
    cp_inspect_shape (*tree_shape)(const void *state, size_t tree);
    /* Samplers: how many splits a tree has on each encoded column. */
    void (*tree_splits)(const void *state, size_t tree, double *out_dims);
    /* In place of tree_splits where the method has `draws`: the same for all trees of a draw together. */
    void (*draw_splits)(const void *state, size_t draw, double *out_dims);
    /* Samplers that keep chains: trace i; 0 after the last. */
    int (*trace)(const void *state, size_t i, cp_inspect_trace *out);
    /* How much the splits of a tree on each encoded column lowered the impurity of the training rows, as shares of the
     * tree's total. */
    void (*importance)(const void *state, size_t tree, double *out_dims);
} cp_inspect;

/* A node of a tree of tree/tree.h; returns 0 if it is a leaf, of which the caller says what it holds. */
int cp_inspect_tree_node(const cp_tree *t, int32_t node, cp_inspect_node *out);
/* Writes the member "options": every option with its value. */
void cp_inspect_options_json(const copse_params *p, cp_json *j);
/* Writes the members of a split's JSON object: feature; cut (of a number) or levels (the codes of a category that go
 * left); and for methods that take missing values the side to which these go.  `levels` is the number of levels of the
 * category, 0 for a number. */
void cp_inspect_node_json(const cp_inspect_node *v, uint32_t levels, int takes_missing, cp_json *j);

#endif
