/* dyntree_choose - which cut a particle tries, the weights of stay, prune and grow, and the move that it draws. */
#ifndef CP_DYNTREE_CHOOSE_H
#define CP_DYNTREE_CHOOSE_H

#include "dyntree/dyntree_step.h"

/* Every particle draws its move for the row that was added last, into d->choice.  The trees do not change. */
copse_status cp_dyntree_choose(cp_dyntree *f, cp_dyntree_step_scratch *d, copse_error *err);

#endif
