/* boost_sums - the slopes and curvatures of a member's rows as integers, from which a tree is grown. */
#ifndef CP_BOOST_SUMS_H
#define CP_BOOST_SUMS_H

#include "boost/boost_stage.h"

/* A sum of trees that is being fitted. */
typedef struct cp_boost_member {
    cp_boost_list fitted, left_out;
    double total;  /* weight of the fitted rows */
    double *f;     /* rows x heads: scores */
    double bound;  /* squared: no slope of a fitted row is larger */
    double loss;   /* sum over the left-out rows */
    double weight; /* of the left-out rows */
} cp_boost_member;

/* Scratch of a thread. */
typedef struct cp_boost_slopes {
    double *slope, *curve; /* rows x heads; NULL where cp_boost_sums_direct */
    cp_thread_team *team;
} cp_boost_slopes;

/* Are slopes so simple that they are rounded as they are computed, head by head? */
int cp_boost_sums_direct(cp_boost_loss loss);
/* Is the curvature of every row its weight, so that histograms are narrow? */
int cp_boost_sums_narrow(const cp_boost_stage *s);
/* The shift of the histograms (boost_hist.h). */
unsigned cp_boost_sums_shift(const cp_boost_stage *s, double total);
/* Slopes of all heads, for the fitted rows: once a round, unless direct. */
void cp_boost_sums_find(const cp_boost_stage *s, const cp_boost_member *m, cp_boost_slopes *out);
/* Rounds those of a head into g->hist.sum, and sets the scales. */
void cp_boost_sums_round(const cp_boost_stage *s, cp_boost_member *m, const cp_boost_slopes *from, size_t head,
                         cp_boost_grow *g);

/* Squared: the size of the largest slope of a fitted row. */
double cp_boost_sums_bound(const cp_boost_stage *s, const cp_boost_member *m);

#endif
