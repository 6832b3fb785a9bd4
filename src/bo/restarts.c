#include "bo/restarts.h"

static const double ELSEWHERE = 1. / 32;

static void note_elite(cp_top_trials *e, int32_t trial, double worth) {
    size_t k = e->n;
    if (k == CP_TOP_TRIALS_MAX && !(worth > e->worth[k - 1])) return;
    if (k == CP_TOP_TRIALS_MAX) k--;
    for (; k > 0 && worth > e->worth[k - 1]; k--) {
        e->trial[k] = e->trial[k - 1];
        e->worth[k] = e->worth[k - 1];
    }
    e->trial[k] = trial;
    e->worth[k] = worth;
    e->n += e->n < CP_TOP_TRIALS_MAX;
}

static int32_t best_of(const cp_top_trials *e) {
    return e->n ? e->trial[0] : CP_NONE;
}

void cp_restarts_init(cp_restarts *s, size_t dims) {
    *s = (cp_restarts){.dims = dims, .mark = CP_NONE};
}

static void turn(cp_restarts *s, size_t trials, size_t asked) {
    s->turns++;
    s->elsewhere = !s->elsewhere;
    s->from = s->elsewhere ? trials : 0;
    s->here = s->elsewhere ? (cp_top_trials){0} : s->all;
    s->known = s->elsewhere ? 0 : s->tells;
    s->asked = asked;
    s->since = s->tells;
    s->mark = best_of(&s->here);
}

/* So many tells with nothing better, and a chapter is over.  The first one gets most: its hill is the only one known.
 * One elsewhere is to see soon whether a climb leads anywhere, which takes longer in more dimensions; and those that
 * come back to all values had their chance before.  In the long run it is a part of all tells: a chapter takes a new
 * forest, and costs each tell O(log n) that way. */
static size_t patience(const cp_restarts *s) {
    size_t first = 2 * s->dims + 30, part = s->tells / 8;
    size_t few = s->elsewhere ? 6 * s->dims + 5 : s->turns ? first / 3 : first;
    return few > part ? few : part;
}

int cp_restarts_update(cp_restarts *s, int32_t trial, double worth, double off, size_t trials, size_t asked) {
    s->tells++;
    note_elite(&s->all, trial, worth);
    if ((size_t)trial >= s->from) {
        s->known++;
        note_elite(&s->here, trial, worth);
    }
    if (best_of(&s->here) == trial && (s->mark == CP_NONE || off > ELSEWHERE)) {
        s->mark = trial;
        s->since = s->tells;
    }
    if (s->tells - s->since < patience(s)) return 0;
    turn(s, trials, asked);
    return 1;
}
