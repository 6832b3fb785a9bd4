/* auto_members - the candidates for the pool: one static table. */
#ifndef CP_AUTO_MEMBERS_H
#define CP_AUTO_MEMBERS_H

#include "auto/auto.h"

typedef enum cp_auto_effort { CP_AUTO_LOW = 1, CP_AUTO_NORMAL = 2, CP_AUTO_HIGH = 4 } cp_auto_effort;

typedef struct cp_auto_candidate {
    const cp_method *method;
    copse_task task;
    unsigned efforts;          /* for which it is tried */
    size_t least, most;        /* training rows for which it is tried */
    size_t classes;            /* classes, at most */
    const char *options;       /* "name=value name=value" */
    const char *trial_options; /* added to them, or in their place, for fits whose predictions are only scored */
} cp_auto_candidate;

/* What decides on the candidates. */
typedef struct cp_auto_shape {
    copse_task task;
    cp_auto_effort effort;
    size_t rows, dims, classes;
} cp_auto_shape;

/* The forest that auto_gate fits. */
extern const cp_auto_candidate cp_auto_members_gate;
/* The i-th candidate for such data; NULL after the last.  There is at least one. */
const cp_auto_candidate *cp_auto_members_get(const cp_auto_shape *s, size_t i);
/* Its options.  `trial`: those of a fit that is only scored.  opt_trees: the user's, NULL for our own. */
copse_status cp_auto_members_params(const cp_auto_candidate *c, int trial, uint64_t seed, const char *opt_trees,
                                    copse_params **out, copse_error *err);
/* The method of that name if it may be a member; else NULL. */
const cp_method *cp_auto_members_find(const char *name);
/* The same for the gate. */
const cp_method *cp_auto_members_find_gate(const char *name);

#endif
