/* decimal - a decimal text to the nearest double, exactly as strtod in the C locale, but several times faster. */
#ifndef CP_DECIMAL_H
#define CP_DECIMAL_H

#include <float.h>

#include "kernel/digits.h"
#include "kernel/text_scan.h"

/* Reads  [+-] (digits [. digits] | . digits) [(e|E) [+-] digits]  or  [+-] (inf | infinity), the words in any case.
 * Returns where it stopped, or NULL if there is no number at p.  Ties go to even, too large is inf, too small is 0.
 * The text must end in a byte that cannot belong to a number, and 8 bytes from there on must be readable. */
const char *cp_decimal_read(const char *p, double *out);

/* As cp_decimal_field, for more than 8 bytes: also reads exponents and many digits. */
int cp_decimal_long(const cp_text_scan *kern, const char *p, size_t n, double *out);

/* Integers up to this are exact doubles, and so are the powers of ten below, so a single division rounds once.  0,
 * which turns the fast path off, where the compiler computes doubles in a wider format. */
static const uint64_t cp_decimal_exact = FLT_EVAL_METHOD == 0 ? (uint64_t)1 << 53 : 0;
static const double cp_decimal_sign[2] = {1, -1};
/* The divisor for a decimal point at distance i from the end, in bytes; i is 0 if there is no point. */
static const double cp_decimal_unit[17] = {1,   1,   1e1,  1e2,  1e3,  1e4,  1e5,  1e6, 1e7,
                                           1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

/* Reads n >= 1 bytes at p that are a number from end to end.  Returns 0 if they are not, or if they are a number in a
 * rare form, which cp_decimal_read can read.  Any byte may follow; 16 bytes must be readable. */
static inline int cp_decimal_field(const cp_text_scan *kern, const char *p, size_t n, double *out) {
    size_t negative = *p == '-';
    uint64_t w;
    if (n > 8 && (n > 16 || (p[n - 4] | 32) == 'e')) return cp_decimal_long(kern, p, n, out);
    int point = kern->digits(p + negative, n - negative, &w);
    if (point < 0) return 0;
    if (w > cp_decimal_exact) return n > 8 && cp_decimal_long(kern, p, n, out);
    *out = cp_decimal_sign[negative] * (double)(int64_t)w / cp_decimal_unit[point];
    return 1;
}

/* Reads two integers at once: n digits at p and, after one byte between them, m digits.  Returns 0 unless both have 1
 * to 4 digits.  Each is shifted to the top of its half of a word, so that the same arithmetic adds up both. */
static inline int cp_decimal_pair(const char *p, unsigned n, unsigned m, double *out_a, double *out_b) {
    if (((n - 1) | (m - 1)) > 3) return 0;
    uint64_t v = (uint32_t)(cp_digits_load(p) << (32 - 8 * n)) | cp_digits_push(cp_digits_load(p + n + 1), m);
    v = (v * 10 + (v >> 8)) & 0x00ff00ff00ff00ffu;
    v = v * 100 + (v >> 16);
    *out_a = (double)(int32_t)(v & 0xffff);
    *out_b = (double)(int32_t)(v >> 32 & 0xffff);
    return 1;
}

#endif
