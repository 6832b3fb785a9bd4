/* decimal - a decimal text to the nearest double, exactly as strtod in the C locale, but several times faster. */
#ifndef CP_DECIMAL_H
#define CP_DECIMAL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Reads  [+-] (digits [. digits] | . digits) [(e|E) [+-] digits]  or  [+-] (inf | infinity), the words in any case.
 * Returns where it stopped, or NULL if there is no number at p.  Ties go to even, too large is inf, too small is 0.
 * The text must end in a byte that cannot belong to a number, and 8 bytes from there on must be readable. */
const char *cp_decimal_read(const char *p, double *out);

/* What follows is for the loop over fields in csv.c, and for decimal.c. */

static inline uint64_t cp_decimal_load(const char *p) {
    uint64_t v;
    memcpy(&v, p, sizeof v);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    return v ^ 0x3030303030303030u; /* digits are now 0 ... 9 */
}

/* A mark in the top bit of the first byte that is no digit: adding 0x76 sets it for bytes above 9.  Bytes after that one
 * may be marked wrongly, by a carry. */
static inline uint64_t cp_decimal_marks(uint64_t v) {
    return ((v + 0x7676767676767676u) | v) & 0x8080808080808080u;
}

/* The value of the first n bytes of v, 1 <= n <= 8.  They are pushed to the top, zeros coming in as leading digits, and
 * added up in pairs, fours and eights: no branch on n, for lengths vary from field to field and a wrong guess costs more
 * than the conversion. */
static inline uint64_t cp_decimal_value(uint64_t v, unsigned n) {
    v <<= 64 - 8 * n;
    v = (v * 10 + (v >> 8)) & 0x00ff00ff00ff00ffu;
    v = (v * 100 + (v >> 16)) & 0x0000ffff0000ffffu;
    return (v * 10000 + (v >> 32)) & 0xffffffffu;
}

/* The same number for the most common form, [-] digits [. digits] with fewer than 8 bytes on each side of the point;
 * NULL for any other.  Both integers are exact in a double, and so is the power of ten: one division rounds once.
 *
 * Where a field ends decides where the next one begins, so what counts is how soon that is known: the sign is handled
 * in the word that is already loaded. */
static inline const char *cp_decimal_quick(const char *p, double *out) {
    static const double sign[2] = {1, -1}, ten[8] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7};
    uint64_t v = cp_decimal_load(p), negative = (v & 0xff) == ('-' ^ '0');
    uint64_t marks = cp_decimal_marks(v) & ~(negative << 7);
    unsigned n = (unsigned)__builtin_ctzll(marks | (uint64_t)1 << 63) / 8; /* with the sign; 7 may be more */
    if (n <= negative || n == 7) return NULL;
    double x = sign[negative] * (double)(int64_t)cp_decimal_value(v & ~(0xff * negative), n);
    p += n;
    if (*p == '.') {
        uint64_t part = cp_decimal_load(++p);
        unsigned m = (unsigned)__builtin_ctzll(cp_decimal_marks(part) | (uint64_t)1 << 63) / 8;
        if (!m || m == 7) return NULL;
        x = (x * ten[m] + sign[negative] * (double)(int64_t)cp_decimal_value(part, m)) / ten[m];
        p += m;
    }
    *out = x;
    return p;
}

#endif
