/* dyntree_step - one row, learnt by all particles: weigh, add, move (dyntree.h). */
#ifndef CP_DYNTREE_STEP_H
#define CP_DYNTREE_STEP_H

#include "base/arena.h"
#include "base/mem.h"
#include "dyntree/dyntree.h"

typedef enum cp_dyntree_move { CP_DYNTREE_STAY, CP_DYNTREE_PRUNE, CP_DYNTREE_GROW, CP_DYNTREE_MOVES } cp_dyntree_move;

/* What a particle may do, and does. */
typedef struct cp_dyntree_choice {
    cp_dyntree_move move;
    int32_t dim; /* the cut it may grow by; CP_NONE: there is none */
    float cut;
    uint32_t left; /* rows below the cut */
    /* prior x marginal likelihood of the tree that each leads to, but for what all three share */
    double log_w[CP_DYNTREE_MOVES];
    double u; /* uniform: it decides */
} cp_dyntree_choice;

/* A tree, and where in it the row falls. */
typedef struct cp_dyntree_place {
    int32_t root, leaf, above;
} cp_dyntree_place;

/* Scratch of all steps, kept from row to row for its memory alone; but `leaf` and `above` are those of the row learnt
 * last, as long as `found` says so. */
typedef struct cp_dyntree_step_scratch {
    /* Of each particle. */
    int32_t *leaf, *above;  /* where the row falls, and the parent of that, CP_NONE at the root */
    size_t found;           /* rows learnt when these were found */
    cp_dyntree_place *copy; /* what it becomes when particles are multiplied */
    int32_t *next;          /* of the same leaf, then of those in it that try the same column; CP_NONE after the last */
    uint32_t *parent;       /* of which particle it becomes a copy */
    double *log_w, *tmp;    /* tmp: two of each */
    cp_dyntree_choice *choice;
    int32_t *group; /* the different leaves */
    /* Of each column. */
    float *low, *high; /* cuts are from low to below high */
    uint32_t *known;   /* the number of the group for which they were found */
    int32_t *first;    /* of the particles that try the column; CP_NONE between groups */
    uint32_t groups;   /* so far, in all rows: the number of the present one */
    /* Of the rows of a leaf, in an arena. */
    cp_arena rows;
    size_t cap_rows;
    float *column;
    int32_t *label;
    double *y;
    uint64_t *key; /* two of each, for sorting */
    uint32_t *order, *end;
    unsigned char *wanted; /* gaps that somebody cuts */
    double *gap, *worth;   /* log marginal likelihood of both sides, by gap, and by the number of rows to the left */
    /* In growing arrays. */
    double *side; /* statistics of the two sides of a cut */
    size_t cap_side;
    int32_t *meet; /* the different nodes above a row */
    size_t met, cap_meet;
    int32_t *path, *todo; /* from a root to where its tree changes; splits to be settled */
    size_t cap_path, cap_todo;
} cp_dyntree_step_scratch;

copse_status cp_dyntree_step_init(cp_dyntree_step_scratch *d, const cp_dyntree *f, copse_error *err);
void cp_dyntree_step_clear(cp_dyntree_step_scratch *d);

/* Where a row falls in each tree: d->leaf and d->above. */
copse_status cp_dyntree_step_find_leaves(cp_dyntree *f, cp_dyntree_step_scratch *d, size_t row, copse_error *err);

/* Weighs and adds the next row, which is kept already; all or nothing. */
copse_status cp_dyntree_step_add(cp_dyntree *f, cp_dyntree_step_scratch *d, copse_error *err);
/* Every particle draws its move for the row that was added last: into d->choice, the trees are as they were. */
copse_status cp_dyntree_choose(cp_dyntree *f, cp_dyntree_step_scratch *d, copse_error *err);
/* And makes it; all or nothing. */
copse_status cp_dyntree_move_all(cp_dyntree *f, cp_dyntree_step_scratch *d, copse_error *err);

#endif
