#include "method/holdout.h"

#include <string.h>

uint64_t cp_holdout_mix(uint64_t h) {
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

uint64_t cp_holdout_hash(const float *x, size_t dims, uint64_t seed) {
    uint64_t h = cp_holdout_mix(seed + 0x9e3779b97f4a7c15u);
    size_t d = 0;
    for (; d + 1 < dims; d += 2) {
        h = (h ^ (bits_of(x[d]) | (uint64_t)bits_of(x[d + 1]) << 32)) * 0xd6e8feb86659fd93u;
        h ^= h >> 32;
    }
    return cp_holdout_mix(d < dims ? h ^ bits_of(x[d]) : h);
}

int cp_holdout_has(const float *x, size_t dims, uint64_t seed, double share) {
    return (double)(cp_holdout_hash(x, dims, seed) >> 11) * 0x1p-53 < share;
}
