/* restarts - the best trials so far, and when the search restarts elsewhere.
 *
 * An acquisition that favours good values stays near the first local optimum that it finds.  So a study consists of
 * phases.  The first phase uses all values.  When it has not improved for a while, a restart begins: a phase in which
 * every trial asked for before it counts as poor, a few points are spread evenly over the space, and the search begins
 * anew.  When the restart does not improve any more, the next phase uses all values again, then comes another restart,
 * and so on.
 *
 * The last steps towards a local optimum get ever smaller and never end.  So a better trial is an improvement only if
 * it lies away from the incumbent, which is the phase's best trial at its last improvement: by more than 1/32 of the
 * scale of some dimension, or at another level of a category.
 *
 *   B1  top trials are the best of those added, best first; of equal trials the one added first comes first. */
#ifndef CP_RESTARTS_H
#define CP_RESTARTS_H

#include "base/fail.h"

enum { CP_TOP_TRIALS_MAX = 8 };

typedef struct cp_top_trials {
    size_t n;
    int32_t trial[CP_TOP_TRIALS_MAX];
    double objective[CP_TOP_TRIALS_MAX]; /* larger is better */
} cp_top_trials;

typedef struct cp_restarts {
    size_t dims, tells;
    cp_top_trials overall, in_phase; /* of all trials; of the trials whose values the phase uses */
    /* The current phase. */
    size_t phases;        /* before this one */
    int is_restart;       /* the phase uses no value of a trial before first_trial */
    size_t first_trial;   /* 0 unless it is a restart */
    size_t asked_before;  /* asks before the phase began */
    size_t known;         /* tells whose values the phase uses */
    size_t last_improved; /* the number of tells at the last improvement, or when the phase began */
    int32_t incumbent;    /* CP_NONE: the phase had no trial yet */
} cp_restarts;

void cp_restarts_init(cp_restarts *r, size_t dims);
/* Takes the value of a trial.  distance: of the trial from the incumbent, 0 ... 1 (cp_space_distance), if there is an
 * incumbent.  trials, asked: the numbers of trials and of asks by now.  Returns whether a new phase begins. */
int cp_restarts_update(cp_restarts *r, int32_t trial, double objective, double distance, size_t trials, size_t asked);

#endif
