/* digits - converts up to eight decimal digits in one 64-bit word, the first digit in the lowest byte.
 *
 * Numbers in a file have all lengths.  A branch that depends on the length is mispredicted so often that it costs more
 * than the whole conversion.  So digits are processed a word at a time. */
#ifndef CP_DIGITS_H
#define CP_DIGITS_H

#include <stdint.h>
#include <string.h>

/* The 8 bytes at p, digits as 0 ... 9. */
static inline uint64_t cp_digits_load(const char *p) {
    uint64_t v;
    memcpy(&v, p, sizeof v);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    return v ^ 0x3030303030303030u;
}

/* Moves the first n bytes, 1 <= n <= 8, to the top: zeros come in as leading digits. */
static inline uint64_t cp_digits_push(uint64_t v, size_t n) {
    return v << (64 - 8 * n);
}

/* Sets the top bit of the first byte that is no digit: adding 0x76 does so for bytes above 9.  Because of the carry,
 * the top bits of later bytes may be wrong. */
static inline uint64_t cp_digits_invalid(uint64_t v) {
    return ((v + 0x7676767676767676u) | v) & 0x8080808080808080u;
}

/* Sets the top bit of the first point.  The top bits of later bytes may be wrong if these are '/'. */
static inline uint64_t cp_digits_points(uint64_t v) {
    uint64_t t = v ^ 0x1e1e1e1e1e1e1e1eu; /* '.' ^ '0' */
    return (t - 0x0101010101010101u) & ~t & 0x8080808080808080u;
}

/* The value of eight digits, added up in pairs, fours and eights. */
static inline uint64_t cp_digits_value(uint64_t v) {
    v = (v * 10 + (v >> 8)) & 0x00ff00ff00ff00ffu;
    v = (v * 100 + (v >> 16)) & 0x0000ffff0000ffffu;
    return (v * 10000 + (v >> 32)) & 0xffffffffu;
}

#endif
