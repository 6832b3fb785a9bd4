/* scripted - random numbers as told: a stand-in for num/rng.c in programs that list what a sampler can do.
 *
 * Linked before the library it takes the place of rng.c, so the sampler is the very code that users run.  The k-th
 * number asked for, of whatever stream, is value[k] while k < given; behind that, numbers of no importance follow.
 * What was asked for is written down. */
#ifndef SCRIPTED_H
#define SCRIPTED_H

#include <stddef.h>
#include <stdint.h>

enum { SCRIPTED_MOST = 256 };

typedef struct scripted {
    double value[SCRIPTED_MOST]; /* in (0,1), or a whole number below `below` */
    size_t given;
    unsigned turn;                 /* which numbers of no importance */
    uint64_t below[SCRIPTED_MOST]; /* of each number asked for: below what; 0: in (0,1) */
    size_t asked;
} scripted;

extern scripted script;

#endif
