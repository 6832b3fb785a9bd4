/* sort - radix sorts of keys whose low half is a position.  They are stable: equal keys keep their order. */
#ifndef CP_SORT_H
#define CP_SORT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Sorts by the high 32 bits.  tmp has room for n keys; the result is in key. */
void cp_sort_wide(uint64_t *key, size_t n, uint64_t *tmp);
/* Sorts by the high 16 bits, which are below `limit` (at most 65536).  tmp has room for n keys. */
void cp_sort_narrow(uint32_t *key, size_t n, uint32_t limit, uint32_t *tmp);

/* The key of a float: an unsigned integer, in the order of the floats.  -0 has the key of 0.  NaN has no place in the
 * order. */
static inline uint32_t cp_sort_from_float(float x) {
    uint32_t bits;
    x += 0.0f;
    memcpy(&bits, &x, sizeof bits);
    return bits ^ (-(bits >> 31) | 0x80000000u);
}
/* The float of a key. */
static inline float cp_sort_to_float(uint32_t key) {
    uint32_t bits = key ^ (((key >> 31) - 1) | 0x80000000u);
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#endif
