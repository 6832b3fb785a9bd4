/* float4 - four floats at a time, with the vector types that compilers provide for all processors. */
#ifndef CP_FLOAT4_H
#define CP_FLOAT4_H

#include <math.h>
#include <stdint.h>
#include <string.h>

typedef float cp_float4 __attribute__((vector_size(16)));
typedef int32_t cp_float4_mask __attribute__((vector_size(16))); /* all bits of a lane set, or none */

static inline cp_float4 cp_float4_splat(float x) {
    return (cp_float4){x, x, x, x};
}
static inline cp_float4 cp_float4_load(const float *p) {
    cp_float4 v;
    memcpy(&v, p, sizeof v);
    return v;
}
static inline cp_float4 cp_float4_select(cp_float4_mask m, cp_float4 a, cp_float4 b) {
    return (cp_float4)(((cp_float4_mask)a & m) | ((cp_float4_mask)b & ~m));
}

/* The range of four columns, or of every fourth row of one column.  NaN is a missing value: it sets `missing` and
 * leaves the range alone. */
typedef struct cp_float4_range {
    cp_float4 low, high;
    cp_float4_mask missing;
} cp_float4_range;
static inline void cp_float4_widen(cp_float4_range *r, cp_float4 x) {
    r->low = cp_float4_select(x < r->low, x, r->low);
    r->high = cp_float4_select(x > r->high, x, r->high);
    r->missing |= x != x;
}
static inline int cp_float4_any(cp_float4_mask m) {
    return (m[0] | m[1] | m[2] | m[3]) != 0;
}

#endif
