/* restarts - which trials are the best ones, and when to look elsewhere.
 *
 * An acquisition that likes what is good stays on the hill it climbed first.  So a study has chapters.  The first one
 * knows all values as they are.  When nothing better has come for a while it is over, and one begins that looks
 * elsewhere: whatever was asked for before counts as poor, a few points are spread evenly, and the climb begins anew.
 * When that one brings nothing better of its own any more, the next has all values again, and so on.
 *
 * The last steps on top of a hill are ever smaller and have no end.  So what is better counts only when it lies
 * somewhere else than what was best when something last counted: 1/32 of a scale away, or on another level.
 *
 *   B1  an elite's trials are the best of those noted, best first; the first of equals comes first. */
#ifndef CP_RESTARTS_H
#define CP_RESTARTS_H

#include "base/fail.h"

enum { CP_TOP_TRIALS_MAX = 8 };

typedef struct cp_top_trials {
    size_t n;
    int32_t trial[CP_TOP_TRIALS_MAX];
    double worth[CP_TOP_TRIALS_MAX]; /* larger is better, here and below */
} cp_top_trials;

typedef struct cp_restarts {
    size_t dims, tells;
    cp_top_trials all, here; /* of all trials; of those whose value the chapter knows */
    /* the chapter */
    size_t turns; /* chapters before it */
    int elsewhere;
    size_t from;  /* the first trial that it knows the value of: 0 unless it is elsewhere */
    size_t asked; /* asks before it */
    size_t known; /* tells whose value it knows */
    size_t since; /* tells when it last came ahead, or began */
    int32_t mark; /* its best trial then; CP_NONE: there was none */
} cp_restarts;

void cp_restarts_init(cp_restarts *s, size_t dims);
/* One more tell.  off: how far the trial is from the mark, 0 ... 1, if there is one.  trials, asked: how many there are
 * by now.  Returns whether a chapter began with it. */
int cp_restarts_update(cp_restarts *s, int32_t trial, double worth, double off, size_t trials, size_t asked);

#endif
