/* study - asking where to evaluate an objective next, and telling what came out.
 *
 * A study is the list of its trials, and everything else is made from that: the forest, what is taken, the best.  Its
 * file is a ledger (base/ledger.h): the head says what the space and the options are, and a record is what happened:
 *
 *   asked   the point of a new trial
 *   told    a trial's number and its value, NaN if its evaluation failed
 *   added   the point of a new trial and its value
 *
 * Whoever has the lock reads what others have appended, then decides, then appends: so processes that share a file
 * agree on the trials and their numbers.  A forest is built by whoever asks, from the tells in their order, each of
 * which costs O(log n); one that stays open only learns what is new.
 *
 *   U1  trial i (from 0) was the i-th to be asked or added; `told` lists those with a value, in the order of telling.
 *   U2  of a list, the points taken are those of the trials.
 *   U3  chapters (bo/restarts.h) follow from the records alone: whoever reads them is in the same one. */
#ifndef CP_STUDY_H
#define CP_STUDY_H

#include "base/journal.h"
#include "bo/acq_search.h"
#include "bo/restarts.h"
#include "bo/target_transform.h"

typedef struct cp_study_trial {
    double value; /* as told */
    copse_trial_state state;
    int32_t point; /* of the list, else CP_NONE */
} cp_study_trial;

struct copse_study {
    cp_journal *ledger; /* NULL: in memory */
    cp_space *space;
    cp_grid grid; /* of a list */
    /* options */
    int minimise;
    cp_acquisition acquisition;
    double kappa;
    size_t trees, initial;
    uint64_t seed;
    /* trials */
    size_t n, tells, asked;
    cp_study_trial *trial;
    double *x; /* n x dims */
    int32_t *told;
    size_t cap_trial, cap_x, cap_told;
    int32_t *pending; /* trials without an answer, in order */
    size_t pendings, cap_pending;
    cp_map seen; /* of a box: hashes of points */
    cp_restarts restarts;
    cp_surrogate forest;
    size_t grown;                  /* the forest is for so many tells, the first ones; 0: there is none */
    cp_target_transform transform; /* by those of them that the chapter knows */
};

copse_status cp_study_new(const char *opt_path, const copse_study_options *opt, copse_study **out, copse_error *err);
copse_status cp_study_open(const char *path, copse_study **out, copse_error *err);
void cp_study_free(copse_study *s);
copse_status cp_study_ask(copse_study *s, size_t *out_trial, copse_error *err);
copse_status cp_study_tell(copse_study *s, size_t trial, double value, copse_error *err);
copse_status cp_study_add(copse_study *s, const double *x, double value, size_t *out_trial, copse_error *err);
copse_status cp_study_look(copse_study *s, copse_error *err);
const char *cp_study_acquisition(const copse_study *s);

/* ----------------------------------------------------------------------------------- for study_choose.c and study.c */

/* Where the next trial is to be: x gets the values, *point its number in a list or CP_NONE.  Everything told is known
 * by then. */
copse_status cp_study_choose(copse_study *s, double *x, int32_t *point, copse_error *err);
/* One more trial may be noted. */
copse_status cp_study_has_room(const copse_study *s, copse_error *err);

static inline const double *cp_study_point(const copse_study *s, size_t trial) {
    return s->x + trial * s->space->dims;
}

/* Larger is better. */
static inline double cp_study_worth(const copse_study *s, double value) {
    return s->minimise ? -value : value;
}

/* Of a box: whether a trial had exactly these values. */
static inline int cp_study_seen(const copse_study *s, const double *x) {
    return cp_map_find(&s->seen, cp_acq_search_hash(x, s->space->dims)) != CP_NONE;
}

/* Spread evenly before the forest is asked, unless the options say otherwise. */
static inline size_t cp_study_first_points(const cp_space *space) {
    return space->dims + 3;
}

#endif
