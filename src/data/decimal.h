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

static const double cp_decimal_ten[8] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7};
static const double cp_decimal_sign[2] = {1, -1};

/* [-] digits . digits with fewer than 7 and 8 bytes, else NULL. */
static inline const char *cp_decimal_two(const char *p, double *out) {
    uint64_t v = cp_decimal_load(p), negative = (v & 0xff) == ('-' ^ '0'), marks = cp_decimal_marks(v);
    marks &= ~(negative << 7);
    if (!marks) return NULL;
    unsigned n = (unsigned)__builtin_ctzll(marks) / 8;
    if (n <= negative || p[n] != '.') return NULL;
    uint64_t part = cp_decimal_load(p + n + 1), end = cp_decimal_marks(part);
    unsigned m = end ? (unsigned)__builtin_ctzll(end) / 8 : 8;
    if (m - 1 > 6) return NULL;
    double whole = (double)(int64_t)cp_decimal_value(v & ~(0xff * negative), n);
    double x = whole * cp_decimal_ten[m] + (double)(int64_t)cp_decimal_value(part, m);
    *out = cp_decimal_sign[negative] * x / cp_decimal_ten[m];
    return p + n + 1 + m;
}

/* The integers of n digits at p and, one byte behind it, of m digits; 0 unless both have 1 to 4.  Each is pushed to the
 * top of its half of a word, and both are added up at once. */
static inline int cp_decimal_pair(const char *p, unsigned n, unsigned m, double *out_a, double *out_b) {
    if (((n - 1) | (m - 1)) > 3) return 0;
    uint64_t v = (uint32_t)(cp_decimal_load(p) << (32 - 8 * n)) | cp_decimal_load(p + n + 1) << (64 - 8 * m);
    v = (v * 10 + (v >> 8)) & 0x00ff00ff00ff00ffu;
    v = v * 100 + (v >> 16);
    *out_a = (double)(int32_t)(v & 0xffff);
    *out_b = (double)(int32_t)(v >> 32 & 0xffff);
    return 1;
}

static inline unsigned cp_decimal_digit(char c) {
    return (unsigned char)(c - '0'); /* above 9 if it is none */
}

static inline int cp_decimal_ends(char c) {
    return (unsigned char)(c - '.') > '9' - '.'; /* neither a digit nor a point (nor '/', which lies between them) */
}

/* The same number as cp_decimal_read for the most common forms, NULL for any other: one or two digits;
 * [-] digits [. digits] in fewer than 8 bytes; the same with about as many on either side of the point.  All integers
 * in it are exact in a double, and so are the powers of ten: one division rounds once.
 *
 * Where a field ends decides where the next one begins, so what counts is how soon that is known.  One or two digits
 * are told by branches, which guess right in columns of flags and small counts.  Otherwise sign and point are taken out
 * of the one word that is loaded: their marks for the end, their bytes for the value. */
static inline const char *cp_decimal_quick(const char *p, double *out) {
    unsigned a = cp_decimal_digit(p[0]), b = cp_decimal_digit(p[1]);
    if (a <= 9 && cp_decimal_ends(p[1])) {
        *out = a;
        return p + 1;
    }
    if (a <= 9 && b <= 9 && cp_decimal_ends(p[2])) {
        *out = 10 * a + b;
        return p + 2;
    }
    uint64_t v = cp_decimal_load(p), negative = (v & 0xff) == ('-' ^ '0'), t = v ^ 0x1e1e1e1e1e1e1e1eu;
    uint64_t points = (t - 0x0101010101010101u) & ~t & 0x8080808080808080u; /* t is 0 there: '.' ^ '0' is 0x1e */
    uint64_t marks = cp_decimal_marks(v) & ~points & ~(negative << 7);
    if (!marks) return cp_decimal_two(p, out);
    unsigned n = (unsigned)__builtin_ctzll(marks) / 8, has_point;
    points &= (marks & (0 - marks)) - 1; /* those before the end */
    has_point = points != 0;
    if (n <= has_point + negative || (points & (points - 1))) return NULL;
    uint64_t before = (points >> 7) - 1; /* the bytes before the point; all if there is none */
    v &= ~(0xff * negative);
    v = (v & before) | ((v >> 8) & ~before);
    double x = cp_decimal_sign[negative] * (double)(int64_t)cp_decimal_value(v, n - has_point);
    if (has_point) x /= cp_decimal_ten[n - 1 - (unsigned)__builtin_ctzll(points) / 8];
    *out = x;
    return p + n;
}

#endif
