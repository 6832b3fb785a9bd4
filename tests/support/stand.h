/* stand - what tests of particles over trees share: made-up rows as a problem for them. */
#ifndef STAND_H
#define STAND_H

#include "sample.h"

#include "btree/btree_problem.h"

typedef struct stand {
    sample s;
    cp_btree_problem b;
} stand;

static inline cp_btree_hyper stand_hyper(void) {
    return (cp_btree_hyper){.split = {0.9, 0.5}, .alpha = 2, .kappa = 0.1, .nu = 3, .lambda = 0.3};
}

/* classes = 0: numbers.  The stand must not move: the problem points into it. */
static inline void make_stand(stand *t, const char *name, size_t n, size_t dims, size_t classes, int steps) {
    copse_error err;
    cp_btree_hyper hyper = stand_hyper();
    t->s = make_sample(name, n, dims, classes, steps);
    must(cp_btree_problem_init(&t->b, &t->s.rows, &hyper, seed_of(name), NULL, &err), err);
}

static inline void free_stand(stand *t) {
    cp_btree_problem_clear(&t->b);
    free_sample(&t->s);
}

#endif
