/* mondrian_split - the choice of a split: a uniform point on the sides of a box, without a look at the targets.
 *
 * The draws lay intervals end to end and draw a point uniformly from them.  The interval that holds the point
 * gives the dimension, its place in the interval gives the cut; so a dimension is chosen in proportion to its interval.
 * `total`, the sum of the intervals, is > 0. */
#ifndef CP_MONDRIAN_SPLIT_H
#define CP_MONDRIAN_SPLIT_H

#include "mondrian/mondrian_tree.h"

/* A split of a box: the intervals are its sides.  [2014, alg. 2, lines 6 and 7] */
cp_mondrian_split cp_mondrian_split_draw(const float *box, size_t dims, double total, cp_rng *rng);
/* A split between a box and a point outside it: the intervals are the gaps.  [2014, alg. 4, lines 4 and 5] */
cp_mondrian_split cp_mondrian_split_draw_outside(const cp_mondrian_space *s, const float *box, const float *x,
                                                 double total, cp_rng *rng);

/* lower + offset as a float in [lower, upper), lower < upper: a cut that separates rows at the two ends. */
float cp_mondrian_split_cut(float lower, float upper, double offset);

/* Moves rows with x[dim] <= cut to the front and returns how many they are.  Stable.  tmp has room for n rows. */
size_t cp_mondrian_split_rows(const cp_mondrian_space *s, cp_mondrian_split split, int32_t *row, size_t n,
                              int32_t *tmp);

#endif
