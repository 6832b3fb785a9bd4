/* mondrian_candidates - splits that see the labels: K places are drawn for a split, and the labels choose one.
 *
 * A block waits for its split as in the papers' Mondrian process, Exp(the sum of its box's sides).  Then K candidates
 * are drawn, independently and uniformly over the sides laid end to end, and the split is the candidate of the highest
 * score; equal scores go to the first of them:
 *     numbers  S_L^2 / n_L + S_R^2 / n_R               S: sum of targets on a side (its variance is least)
 *     classes  sum c_L^2 / n_L + sum c_R^2 / n_R       c: rows of each class on a side (Gini impurity is least)
 * K = 1 is the papers' process.  The waiting time and the candidates do not depend on the labels, the choice among them
 * depends on this node's labels alone.  That is why a row can join later (mondrian_rechoose.h).
 *
 * Targets are whole numbers here (rounded once), and scores are functions of whole numbers.  So a score does not depend
 * on the order of the rows, and equal scores are equal in every bit. */
#ifndef CP_MONDRIAN_CANDIDATES_H
#define CP_MONDRIAN_CANDIDATES_H

#include "base/arena.h"
#include "mondrian/mondrian_tree.h"

/* Scratch for blocks of up to n rows. */
typedef struct cp_mondrian_candidates_scratch {
    double *side;            /* dims: sides of a box, added up */
    cp_mondrian_split *draw; /* candidates */
    int64_t *sum;            /* candidates: of whole targets on the left; classes: the score's sums of squares */
    int32_t *left;           /* candidates: rows on the left */
    int32_t *count;          /* classes in the block x candidates: rows of a class on the left */
    int32_t *total, *place;  /* classes: rows of each in the block by place; place of a class, or CP_NONE */
} cp_mondrian_candidates_scratch;
copse_status cp_mondrian_candidates_alloc(cp_mondrian_candidates_scratch *c, size_t n, const cp_mondrian_space *s,
                                          cp_arena *arena, copse_error *err);

/* The sum of the sides of a box; they stay in c->side for draws. */
double cp_mondrian_candidates_extent(const cp_mondrian_candidates_scratch *c, const float *box, size_t dims);
/* A place drawn uniformly from the sides in c->side. */
cp_mondrian_split cp_mondrian_candidates_draw(const cp_mondrian_candidates_scratch *c, const float *box, size_t dims,
                                              cp_rng *rng);

/* How many of a block's n rows choose: its first ones.  All, or with `lazy` n rounded down to two binary digits, two
 * thirds of them at least.  So a lazy node chooses again when its rows have grown by a third or a half, not with every
 * row.  It is a function of n alone: growing online keeps the law of growing from all rows in their order. */
size_t cp_mondrian_candidates_voters(const cp_mondrian_space *s, size_t n);

/* The candidate that rows row[0] ... row[n-1] choose. */
size_t cp_mondrian_candidates_best(const cp_mondrian_candidates_scratch *c, const cp_mondrian_space *s,
                                   const cp_mondrian_split *candidate, const int32_t *row, size_t n);

/* y in whole units, for the space's `whole`; 0 if there is no unit yet. */
int32_t cp_mondrian_candidates_whole(double y, double unit);
/* The unit for targets around their center: 2^-16 of their standard deviation or less; 0 if they are all equal. */
double cp_mondrian_candidates_unit(const double *y, size_t n, double center);

#endif
