/* study - Bayesian optimisation by ask and tell: ask where to evaluate an objective next, tell the value found there.
 *
 * The state of a study is the list of its trials.  All else is derived from that list: the surrogate, the points that
 * are taken, the best trial.  A study may have a file (study_head.h, study_records.h) that several processes share.  A
 * process that holds the file's lock first reads the records that others have appended, then decides, then appends its
 * own.  So all processes agree on the trials and their numbers.  Each process that asks builds its own forest, from the
 * tells in their order.  To learn a tell costs O(log n); a study that stays open learns new tells only.
 *
 *   U1  trial i (from 0) was the i-th to be asked or added; `told` lists the trials with a value, in the order of
 *       telling.
 *   U2  in a study of a list, the points taken in `grid` are those of the trials.
 *   U3  the phase (restarts.h) follows from the records alone: every process that has read them is in the same one. */
#ifndef CP_STUDY_H
#define CP_STUDY_H

#include "base/journal.h"
#include "bo/acq_search.h"
#include "bo/restarts.h"
#include "bo/target_transform.h"

enum { CP_STUDY_TREES_MAX = 10000 };

typedef struct cp_study_trial {
    double value; /* as told */
    copse_trial_state state;
    int32_t point; /* its number in a list; CP_NONE in a box */
} cp_study_trial;

struct copse_study {
    cp_journal *journal; /* NULL: in memory only */
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
    int32_t *pending; /* trials that were asked and not told, in order */
    size_t n_pending, cap_pending;
    cp_map seen; /* of a box: hashes of the points of all trials */
    /* surrogate, see study_forest.h */
    cp_restarts restarts;
    cp_surrogate forest;
    size_t refit_tells; /* the tells that scales and transform were fitted to, the first ones; 0: no forest */
    cp_target_transform transform; /* fitted to those of them whose values the phase uses */
};

/* opt_path: a file that does not exist yet; NULL: in memory only. */
copse_status cp_study_new(const char *opt_path, const copse_study_options *opt, copse_study **out, copse_error *err);
copse_status cp_study_open(const char *path, copse_study **out, copse_error *err);
void cp_study_free(copse_study *s);
copse_status cp_study_ask(copse_study *s, size_t *out_trial, copse_error *err);
/* value: NaN if the evaluation failed. */
copse_status cp_study_tell(copse_study *s, size_t trial, double value, copse_error *err);
/* A new trial that was not asked for, with its value. */
copse_status cp_study_add(copse_study *s, const double *x, double value, size_t *out_trial, copse_error *err);
/* Reads the records that other processes have appended. */
copse_status cp_study_refresh(copse_study *s, copse_error *err);
const char *cp_study_acquisition(const copse_study *s);

/* For study_head.c: checks the options and fills in their defaults.  The space is known. */
copse_status cp_study_set_options(copse_study *s, const copse_study_options *opt, copse_error *err);

static inline const double *cp_study_point(const copse_study *s, size_t trial) {
    return s->x + trial * s->space->dims;
}

/* The value with the sign in which larger is better. */
static inline double cp_study_objective(const copse_study *s, double value) {
    return s->minimise ? -value : value;
}

/* In a box: has a trial exactly these values? */
static inline int cp_study_seen(const copse_study *s, const double *x) {
    return cp_map_find(&s->seen, cp_acq_search_hash(x, s->space->dims)) != CP_NONE;
}

/* The default number of evenly spread points before the first forest. */
static inline size_t cp_study_first_points(const cp_space *space) {
    return space->dims + 3;
}

#endif
