/* split_four - four floats at a time, by the vectors that compilers have for all processors. */
#ifndef CP_SPLIT_FOUR_H
#define CP_SPLIT_FOUR_H

#include <math.h>
#include <stdint.h>
#include <string.h>

typedef float cp_four __attribute__((vector_size(16)));
typedef int32_t cp_four_mask __attribute__((vector_size(16))); /* all bits, or none, of each */

static inline cp_four cp_four_of(float x) {
    return (cp_four){x, x, x, x};
}
static inline cp_four cp_four_load(const float *p) {
    cp_four v;
    memcpy(&v, p, sizeof v);
    return v;
}
static inline cp_four cp_four_pick(cp_four_mask m, cp_four a, cp_four b) {
    return (cp_four)(((cp_four_mask)a & m) | ((cp_four_mask)b & ~m));
}

/* Smallest and largest value of four columns, or of every fourth row of one; missing ones are passed over. */
typedef struct cp_four_range {
    cp_four low, high;
    cp_four_mask missing;
} cp_four_range;
static inline void cp_four_widen(cp_four_range *r, cp_four x) {
    r->low = cp_four_pick(x < r->low, x, r->low);
    r->high = cp_four_pick(x > r->high, x, r->high);
    r->missing |= x != x;
}
static inline int cp_four_any(cp_four_mask m) {
    return (m[0] | m[1] | m[2] | m[3]) != 0;
}

#endif
