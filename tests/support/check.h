/* check - what every test program includes: cmocka and its forerunners, in the order it wants. */
#ifndef CHECK_H
#define CHECK_H

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "copse.h"

/* A call that must succeed; prints the message if it does not. */
#define must(call, err)                                               \
    do {                                                              \
        if ((call) != COPSE_OK) fail_msg("%s: %s", #call, (err).msg); \
    } while (0)

/* |a - b| <= tol * max(1, |a|, |b|), and infinities are near only themselves */
#define assert_near(a, b, tol)                                                                                  \
    do {                                                                                                        \
        double near_a_ = (a), near_b_ = (b);                                                                    \
        double near_s_ = fmax(1, fmax(fabs(near_a_), fabs(near_b_)));                                           \
        if (near_a_ != near_b_ && !(isfinite(near_s_) && fabs(near_a_ - near_b_) <= (tol)*near_s_))             \
            fail_msg("%s = %.17g, %s = %.17g, apart by more than %g", #a, near_a_, #b, near_b_, (double)(tol)); \
    } while (0)

/* |a - b| <= tol |b|: what tails need. */
#define assert_rel(a, b, tol)                                                                                 \
    do {                                                                                                      \
        double rel_a_ = (a), rel_b_ = (b);                                                                    \
        if (!(fabs(rel_a_ - rel_b_) <= (tol)*fabs(rel_b_) + DBL_MIN))                                         \
            fail_msg("%s = %.17g, %s = %.17g, relatively %.3g", #a, rel_a_, #b, rel_b_, rel_a_ / rel_b_ - 1); \
    } while (0)

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* A seed from the test's name, so that nobody picks seeds. */
static inline uint64_t seed_of(const char *name) {
    uint64_t h = 1469598103934665603u;
    for (; *name; name++) h = (h ^ (unsigned char)*name) * 1099511628211u;
    return h;
}

#endif
