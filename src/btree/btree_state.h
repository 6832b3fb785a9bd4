/* btree_state - the states of particles.  Particles of an island share them: equal states exist once.
 *
 * A state is the decisions taken so far: a parent state, and the decision taken there on one block, the parent's
 * `head`.  So states form a trie, and a particle is the number of a state.
 *
 *      0: head block 0 --split 1--> 1: head block 2 --stop-----> 2: head block 3 ...
 *                                        \----------split 3----> 3: head block 3 ...     (blocks 2 and 3 are split 1's)
 *
 * To open a state is to find its head.  The sides of the last split join the queue of waiting blocks.  Then blocks are
 * popped until one can be split: it is the head.  The blocks popped before it cannot be split and are leaves.  A state
 * without a head is a complete tree.
 *
 *   S1  parents have lower numbers than their children.
 *   S2  no two states have the same parent and decision.
 *   S3  a parent is open; its head can be split.
 *   S4  equal trees are equal states, because the next block depends on the tree alone. */
#ifndef CP_BTREE_STATE_H
#define CP_BTREE_STATE_H

#include "btree/btree_block.h"
#include "btree/btree_queue.h"
#include "btree/btree_smc.h"

enum { CP_BTREE_UNOPENED = -2 };

typedef struct cp_btree_state {
    int32_t parent;         /* CP_NONE: no decision yet */
    int32_t split;          /* the split of the parent's head; CP_NONE: stop, the head is a leaf */
    int32_t head;           /* the block to decide on; CP_NONE: the tree is complete; or CP_BTREE_UNOPENED */
    cp_btree_queue waiting; /* blocks after the head; empty in states without a particle */
} cp_btree_state;

typedef struct cp_btree_states {
    cp_btree_blocks blocks;
    cp_btree_cells cells;
    cp_btree_state *state;
    size_t n, cap;
    cp_map fresh; /* parent and split -> state, for states made since the last cp_btree_state_forget */
    /* Counts after the last compacting. */
    size_t kept_states, kept_cells, kept_rows, kept_splits;
} cp_btree_states;

/* Makes state 0: no decision yet. */
copse_status cp_btree_state_init(cp_btree_states *t, const cp_btree_problem *b, cp_btree_expansion expansion,
                                 copse_error *err);
void cp_btree_state_clear(cp_btree_states *t);

/* Finds the state's head and makes that block.  Does nothing if the state is open. */
copse_status cp_btree_state_open(cp_btree_states *t, int32_t state, copse_error *err);
/* The state after a decision on the head of an open state; split: a split of the head, or CP_NONE to stop. */
copse_status cp_btree_state_next(cp_btree_states *t, int32_t state, int32_t split, int32_t *out_state,
                                 copse_error *err);
/* Forgets which states are new.  To be called when all particles have left the states in which they decided. */
void cp_btree_state_forget(cp_btree_states *t);

/* Is compacting due? */
int cp_btree_state_is_full(const cp_btree_states *t);
/* Drops everything that none of the n particles needs, and renumbers their states, which must be open.  On failure
 * nothing has changed. */
copse_status cp_btree_state_compact(cp_btree_states *t, int32_t *particle, size_t n, copse_error *err);

/* NULL if the invariants hold, those of blocks and cells included; slow. */
const char *cp_btree_state_check(const cp_btree_states *t);

#endif
