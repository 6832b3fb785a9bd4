/* sha256 - the SHA-256 hash (FIPS 180-4) of bytes that arrive in pieces. */
#ifndef CP_SHA256_H
#define CP_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { CP_SHA256_BYTES = 32, CP_SHA256_BLOCK = 64, CP_SHA256_HEX = 2 * CP_SHA256_BYTES + 1 };

typedef struct cp_sha256 {
    uint32_t state[8];
    uint64_t bytes;                       /* hashed so far */
    unsigned char block[CP_SHA256_BLOCK]; /* its first bytes % CP_SHA256_BLOCK are waiting */
} cp_sha256;

void cp_sha256_init(cp_sha256 *h);
void cp_sha256_add(cp_sha256 *h, const void *bytes, size_t n);
void cp_sha256_finish(cp_sha256 *h, unsigned char out[CP_SHA256_BYTES]);
/* Lower-case hexadecimal digits, with a terminator. */
void cp_sha256_hex(const unsigned char hash[CP_SHA256_BYTES], char out[CP_SHA256_HEX]);

#endif
