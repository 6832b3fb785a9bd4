#include "bo/story.h"

#include <math.h>

static void note_elite(cp_elite *e, int32_t trial, double worth) {
    size_t k = e->n;
    if (k == CP_STORY_ELITES && !(worth > e->worth[k - 1])) return;
    if (k == CP_STORY_ELITES) k--;
    for (; k > 0 && worth > e->worth[k - 1]; k--) {
        e->trial[k] = e->trial[k - 1];
        e->worth[k] = e->worth[k - 1];
    }
    e->trial[k] = trial;
    e->worth[k] = worth;
    e->n += e->n < CP_STORY_ELITES;
}

static double best_of(const cp_elite *e) {
    return e->n ? e->worth[0] : -INFINITY;
}

void cp_story_init(cp_story *s, size_t dims) {
    *s = (cp_story){.dims = dims, .mark = -INFINITY};
}

static void turn(cp_story *s, size_t trials, size_t asked) {
    s->elsewhere = !s->elsewhere;
    s->from = s->elsewhere ? trials : 0;
    s->here = s->elsewhere ? (cp_elite){0} : s->all;
    s->asked = asked;
    s->since = s->tells;
    s->mark = best_of(&s->here);
}

/* So many tells with nothing better, and a chapter is over.  In the long run they are a part of all: a chapter takes a
 * new forest, and costs each tell O(log n) that way. */
static size_t patience(const cp_story *s) {
    size_t few = 2 * s->dims + 30, part = s->tells / 8;
    return few > part ? few : part;
}

int cp_story_note(cp_story *s, int32_t trial, double worth, size_t trials, size_t asked) {
    s->tells++;
    note_elite(&s->all, trial, worth);
    if ((size_t)trial >= s->from) note_elite(&s->here, trial, worth);
    if (best_of(&s->here) > s->mark) {
        s->mark = best_of(&s->here);
        s->since = s->tells;
    }
    if (s->tells - s->since < patience(s)) return 0;
    turn(s, trials, asked);
    return 1;
}
