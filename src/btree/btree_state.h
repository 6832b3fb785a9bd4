/* btree_state - the states that particles are in, each different one once in an island.
 *
 * A state is what has been decided so far: its parent state, and the decision taken there on one block, the parent's
 * `head`.  So states form a trie, and a particle is the number of one of them.
 *
 *      0: head block 0 --split 1--> 1: head block 2 --stop-----> 2: head block 3 ...
 *                                        \----------split 3----> 3: head block 3 ...     (blocks 2 and 3 are split 1's)
 *
 * To open a state is to look which block comes next: the sides of the last split join the queue of blocks that wait,
 * and the first that can be split at all is taken out; those before it have nothing to decide and are leaves.  A state
 * without a head is a whole tree.
 *
 *   S1  parents have lower numbers than their children.
 *   S2  no two states have the same parent and decision.
 *   S3  a parent is open; its head can be split.
 *   S4  equal trees are equal states: which block comes next depends on the tree alone. */
#ifndef CP_BTREE_STATE_H
#define CP_BTREE_STATE_H

#include "btree/btree_block.h"
#include "btree/btree_queue.h"
#include "btree/btree_smc.h"

enum { CP_BTREE_UNOPENED = -2 };

typedef struct cp_btree_state {
    int32_t parent;         /* CP_NONE: nothing decided */
    int32_t split;          /* of the parent's head; CP_NONE: it stops, is a leaf */
    int32_t head;           /* the next block; CP_NONE: the tree is whole; CP_BTREE_UNOPENED */
    cp_btree_queue waiting; /* after it; empty in states where no particle is */
} cp_btree_state;

typedef struct cp_btree_states {
    cp_btree_blocks blocks;
    cp_btree_cells cells;
    cp_btree_state *state;
    size_t n, cap;
    cp_map fresh; /* parent and split -> state, for states made since the last cp_btree_state_settle */
    /* What remained after the last compacting. */
    size_t kept_states, kept_cells, kept_rows, kept_splits;
} cp_btree_states;

/* One state, 0: nothing decided. */
copse_status cp_btree_state_init(cp_btree_states *t, const cp_btree_problem *b, cp_btree_expansion expansion,
                                 copse_error *err);
void cp_btree_state_clear(cp_btree_states *t);

/* Finds the state's head, and makes it; does nothing the second time. */
copse_status cp_btree_state_open(cp_btree_states *t, int32_t state, copse_error *err);
/* The state after a decision on the head of an open one; split is one of its head, or CP_NONE to stop. */
copse_status cp_btree_state_next(cp_btree_states *t, int32_t state, int32_t split, int32_t *out_state,
                                 copse_error *err);
/* All particles have left the states they were in. */
void cp_btree_state_settle(cp_btree_states *t);

/* Has so much been made since the last compacting that it is time for the next? */
int cp_btree_state_is_full(const cp_btree_states *t);
/* Forgets what none of the n particles needs, and renumbers them.  They are in open states.  On failure nothing has
 * changed. */
copse_status cp_btree_state_compact(cp_btree_states *t, int32_t *particle, size_t n, copse_error *err);

/* NULL if the invariants hold, of blocks and cells too; slow. */
const char *cp_btree_state_check(const cp_btree_states *t);

#endif
