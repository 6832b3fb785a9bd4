/* dyntree_move - carries out the moves: a tree copies the path from its root to the change and shares the rest. */
#ifndef CP_DYNTREE_MOVE_H
#define CP_DYNTREE_MOVE_H

#include "dyntree/dyntree_step.h"

/* Every particle makes the move in d->choice; all of them or, on failure, none. */
copse_status cp_dyntree_move_all(cp_dyntree *f, cp_dyntree_step_scratch *d, copse_error *err);

#endif
