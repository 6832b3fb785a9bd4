/* dyntree_step - one row is learnt by all particles: weigh and add.  dyntree_choose and dyntree_move do the rest. */
#ifndef CP_DYNTREE_STEP_H
#define CP_DYNTREE_STEP_H

#include "base/arena.h"
#include "base/mem.h"
#include "dyntree/dyntree.h"

typedef enum cp_dyntree_move { CP_DYNTREE_STAY, CP_DYNTREE_PRUNE, CP_DYNTREE_GROW, CP_DYNTREE_MOVES } cp_dyntree_move;

/* The move of a particle, and the moves it had to choose from. */
typedef struct cp_dyntree_choice {
    cp_dyntree_move move;
    int32_t dim; /* the cut that grow tries; CP_NONE: no cut is possible */
    float cut;
    uint32_t left; /* rows left of the cut */
    /* log of prior x marginal likelihood of the tree after each move, without the factors that all three share */
    double log_w[CP_DYNTREE_MOVES];
    double u; /* uniform; picks the move */
} cp_dyntree_choice;

/* A tree, the leaf that the row falls into, and the parent of that leaf. */
typedef struct cp_dyntree_place {
    int32_t root, leaf, above;
} cp_dyntree_place;

/* Scratch of all steps, kept from row to row to reuse its memory.  `leaf` and `above` belong to the row learnt last if
 * `found` == learnt. */
typedef struct cp_dyntree_step_scratch {
    /* One per particle. */
    int32_t *leaf, *above;  /* the leaf that the row falls into, and its parent; CP_NONE: the leaf is the root */
    size_t found;           /* rows learnt when `leaf` and `above` were found */
    cp_dyntree_place *copy; /* its place after resampling */
    int32_t *next;          /* list of particles with the same leaf, then with the same column; ends with CP_NONE */
    uint32_t *parent;       /* resampling: the particle that it is copied from */
    double *log_w, *tmp;    /* tmp: two per particle */
    cp_dyntree_choice *choice;
    int32_t *group; /* the different leaves of all particles */
    /* One per column. */
    float *low, *high; /* cuts in [low, high) leave min_leaf rows on both sides */
    uint32_t *known;   /* the number of the group for which low and high were found */
    int32_t *first;    /* the first particle that tries the column; CP_NONE between groups */
    uint32_t groups;   /* groups so far, in all rows: the number of the current one */
    /* One per row of a leaf, in an arena. */
    cp_arena rows;
    size_t cap_rows;
    float *column;
    int32_t *label;
    double *y;
    uint64_t *key; /* two per row, for sorting */
    uint32_t *order, *end;
    unsigned char *wanted; /* by the number of rows to the left: a particle cuts there */
    double *gap, *log_gap; /* log marginal likelihood of both sides: of the wanted cuts in order; by rows to the left */
    /* Arrays that grow. */
    double *side; /* statistics of the two sides of a cut */
    size_t cap_side;
    int32_t *visited; /* the different nodes on the row's paths in all trees */
    size_t n_visited, cap_visited;
    int32_t *path, *todo; /* nodes from a root to the change of its tree; stack of splits to refresh */
    size_t cap_path, cap_todo;
} cp_dyntree_step_scratch;

copse_status cp_dyntree_step_init(cp_dyntree_step_scratch *d, const cp_dyntree *f, copse_error *err);
void cp_dyntree_step_clear(cp_dyntree_step_scratch *d);

/* Finds the leaf of a row in each tree: d->leaf and d->above. */
copse_status cp_dyntree_step_find_leaves(cp_dyntree *f, cp_dyntree_step_scratch *d, size_t row, copse_error *err);

/* Weighs the particles by the next row, adds the row and resamples; on failure nothing has changed. */
copse_status cp_dyntree_step_add(cp_dyntree *f, cp_dyntree_step_scratch *d, copse_error *err);

#endif
