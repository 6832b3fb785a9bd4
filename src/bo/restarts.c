#include "bo/restarts.h"

static const double MIN_DISTANCE = 1. / 32; /* of an improvement from the incumbent */

static void add_trial(cp_top_trials *t, int32_t trial, double objective) {
    size_t k = t->n;
    if (k == CP_TOP_TRIALS_MAX && !(objective > t->objective[k - 1])) return;
    if (k == CP_TOP_TRIALS_MAX) k--;
    for (; k > 0 && objective > t->objective[k - 1]; k--) {
        t->trial[k] = t->trial[k - 1];
        t->objective[k] = t->objective[k - 1];
    }
    t->trial[k] = trial;
    t->objective[k] = objective;
    t->n += t->n < CP_TOP_TRIALS_MAX;
}

static int32_t best_of(const cp_top_trials *t) {
    return t->n ? t->trial[0] : CP_NONE;
}

void cp_restarts_init(cp_restarts *r, size_t dims) {
    *r = (cp_restarts){.dims = dims, .incumbent = CP_NONE};
}

static void begin_phase(cp_restarts *r, size_t trials, size_t asked) {
    r->phases++;
    r->is_restart = !r->is_restart;
    r->first_trial = r->is_restart ? trials : 0;
    r->in_phase = r->is_restart ? (cp_top_trials){0} : r->overall;
    r->known = r->is_restart ? 0 : r->tells;
    r->asked_before = asked;
    r->last_improved = r->tells;
    r->incumbent = best_of(&r->in_phase);
}

/* The number of tells without an improvement after which the phase ends.  The first phase gets most, because no other
 * optimum is known.  A restart must show soon whether it leads anywhere, which takes longer in more dimensions.  Later
 * phases that use all values had their chance before.  In the long run the patience is a share of all tells: a new
 * phase needs a new forest, which then costs each tell O(log n). */
static size_t patience(const cp_restarts *r) {
    size_t first = 2 * r->dims + 30, share = r->tells / 8;
    size_t least = r->is_restart ? 6 * r->dims + 5 : r->phases ? first / 3 : first;
    return least > share ? least : share;
}

int cp_restarts_update(cp_restarts *r, int32_t trial, double objective, double distance, size_t trials, size_t asked) {
    r->tells++;
    add_trial(&r->overall, trial, objective);
    if ((size_t)trial >= r->first_trial) {
        r->known++;
        add_trial(&r->in_phase, trial, objective);
    }
    if (best_of(&r->in_phase) == trial && (r->incumbent == CP_NONE || distance > MIN_DISTANCE)) {
        r->incumbent = trial;
        r->last_improved = r->tells;
    }
    if (r->tells - r->last_improved < patience(r)) return 0;
    begin_phase(r, trials, asked);
    return 1;
}
