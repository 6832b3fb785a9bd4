/* sha256 - the hash function SHA-256 (FIPS 180-4). */
#include "base/sha256.h"

#include <string.h>

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t round_constant[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate_right(uint32_t x, int by) {
    return x >> by | x << (32 - by);
}

void cp_sha256_init(cp_sha256 *h) {
    static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(h->state, first, sizeof first);
    h->bytes = 0;
}

/* FIPS 180-4, section 6.2.2, step 1: the message schedule. */
static void schedule(const unsigned char *block, uint32_t w[64]) {
    for (size_t t = 0; t < 16; t++) {
        const unsigned char *b = block + 4 * t;
        w[t] = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
    }
    for (int t = 16; t < 64; t++) {
        uint32_t early = rotate_right(w[t - 15], 7) ^ rotate_right(w[t - 15], 18) ^ w[t - 15] >> 3;
        uint32_t late = rotate_right(w[t - 2], 17) ^ rotate_right(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = w[t - 16] + early + w[t - 7] + late;
    }
}

/* Steps 2 to 4: 64 rounds over the working variables a ... h, which are v[0] ... v[7]. */
static void compress(cp_sha256 *hash, const unsigned char *block) {
    uint32_t w[64], v[8];
    schedule(block, w);
    memcpy(v, hash->state, sizeof v);
    for (int t = 0; t < 64; t++) {
        uint32_t sum1 = rotate_right(v[4], 6) ^ rotate_right(v[4], 11) ^ rotate_right(v[4], 25);
        uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
        uint32_t sum0 = rotate_right(v[0], 2) ^ rotate_right(v[0], 13) ^ rotate_right(v[0], 22);
        uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        uint32_t t1 = v[7] + sum1 + choice + round_constant[t] + w[t];
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t1;
        v[0] = t1 + sum0 + majority;
    }
    for (int i = 0; i < 8; i++) hash->state[i] += v[i];
}

void cp_sha256_add(cp_sha256 *h, const void *bytes, size_t n) {
    const unsigned char *from = bytes;
    while (n) {
        size_t used = (size_t)(h->bytes % CP_SHA256_BLOCK), part = CP_SHA256_BLOCK - used;
        if (part > n) part = n;
        memcpy(h->block + used, from, part);
        h->bytes += part;
        from += part;
        n -= part;
        if (used + part == CP_SHA256_BLOCK) compress(h, h->block);
    }
}

static void put_big_endian(unsigned char *to, uint64_t value, int bytes) {
    for (int i = bytes - 1; i >= 0; i--, value >>= 8) to[i] = (unsigned char)value;
}

void cp_sha256_finish(cp_sha256 *h, unsigned char out[CP_SHA256_BYTES]) {
    static const unsigned char mark = 0x80, zero = 0;
    unsigned char length[8];
    put_big_endian(length, 8 * h->bytes, 8);
    cp_sha256_add(h, &mark, 1);
    while (h->bytes % CP_SHA256_BLOCK != CP_SHA256_BLOCK - sizeof length) cp_sha256_add(h, &zero, 1);
    cp_sha256_add(h, length, sizeof length);
    for (size_t i = 0; i < 8; i++) put_big_endian(out + 4 * i, h->state[i], 4);
}

void cp_sha256_hex(const unsigned char hash[CP_SHA256_BYTES], char out[CP_SHA256_HEX]) {
    static const char digit[] = "0123456789abcdef";
    for (size_t i = 0; i < CP_SHA256_BYTES; i++) {
        out[2 * i] = digit[hash[i] >> 4];
        out[2 * i + 1] = digit[hash[i] & 15];
    }
    out[CP_SHA256_HEX - 1] = '\0';
}
