/* broken_smc - a copy of the sampler of islands with bugs that others have had, switched on by a variable. */
#ifndef BROKEN_SMC_H
#define BROKEN_SMC_H

typedef enum bug {
    NO_BUG,
    BROKEN_COUNTS_VALUES, /* the empirical proposal's density is 1 / (U gap), U being the values and not the gaps */
    BROKEN_KEEPS_WEIGHTS, /* copies of resampled particles keep the weights that made them copies */
    BUGS
} bug;
static bug broken;
static const char *const bug_name[BUGS] = {"no bug", "counts values", "keeps weights"};

#define CP_BROKEN(bug) (broken == (bug))
#include "../../src/btree/btree_propose.c"
#include "../../src/btree/btree_stage.c"

#endif
