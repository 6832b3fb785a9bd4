/* sort - radix sorts of keys that carry a position in their low half; stable, so equal keys keep their order. */
#ifndef CP_SORT_H
#define CP_SORT_H

#include <stddef.h>
#include <stdint.h>

/* By the high 32 bits.  tmp has room for n; the result is in key. */
void cp_sort_wide(uint64_t *key, size_t n, uint64_t *tmp);
/* By the high 16 bits, which are below `limit` (at most 65536). */
void cp_sort_narrow(uint32_t *key, size_t n, uint32_t limit, uint32_t *tmp);

/* Floats as integers of the same order; -0 is 0.  And back. */
static inline uint32_t cp_sort_from_float(float x) {
    union {
        float f;
        uint32_t u;
    } v = {.f = x + 0.0f};
    return v.u & 0x80000000u ? ~v.u : v.u | 0x80000000u;
}
static inline float cp_sort_to_float(uint32_t k) {
    union {
        uint32_t u;
        float f;
    } v = {.u = k & 0x80000000u ? k & 0x7fffffffu : ~k};
    return v.f;
}

#endif
