#include "method/holdout.h"

#include <string.h>

static uint64_t mix(uint64_t h) {
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
    return h ^ h >> 32;
}

static uint32_t bits_of(float x) {
    uint32_t bits;
    if (x == 0) return 0;
    if (x != x) return 0x7fc00000u;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

double cp_holdout_place(const float *x, size_t dims, uint64_t seed) {
    uint64_t h = mix(seed + 0x9e3779b97f4a7c15u);
    for (size_t d = 0; d < dims; d++) h = mix(h * 0x9e3779b97f4a7c15u + bits_of(x[d]));
    return (double)(h >> 11) * 0x1p-53;
}

int cp_holdout_has(const float *x, size_t dims, uint64_t seed, double share) {
    return cp_holdout_place(x, dims, seed) < share;
}
