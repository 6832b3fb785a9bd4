/* lesson - what the forest is taught of a value: half how good it is, half how few are better.
 *
 * Values alone would make the last steps of a climb too small to see; ranks alone make every step seem as large as the
 * first, and the search never leaves the hill it is on.  Larger is better, here as in all of bo. */
#ifndef CP_LESSON_H
#define CP_LESSON_H

#include "base/err.h"

typedef struct cp_lesson {
    size_t n;
    double *worth; /* those it goes by, ascending */
} cp_lesson;

enum { CP_LESSON_POOR = 0 }; /* no value has a smaller lesson */

/* Takes the array, which is sorted in place and freed with it. */
void cp_lesson_set(cp_lesson *l, double *worth, size_t n);
void cp_lesson_clear(cp_lesson *l);
/* In [0,1], and 1 for the best of those it goes by if no other is as good; more for a value that is better still.  It
 * never falls as the worth grows.  There is at least one to go by. */
double cp_lesson_of(const cp_lesson *l, double worth);

#endif
