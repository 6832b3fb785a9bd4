#include "data/decimal.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A number is w 10^e with w an integer below 10^19.  It is read by the cheapest way that applies:
 *   scaled     w <= 2^53, |e| <= 22: both are exact doubles, so one multiplication or division rounds once (Clinger
 *              1990).
 *   exact      |e| <= 27: w 5^e, or w divided by 5^-e, is computed in 128-bit integers and rounded here.
 *   by_strtod  all others.
 * More than 19 digits: the value lies between w 10^e and (w + 1) 10^e, where w is its first 19 digits.  Rounding is
 * monotone, so if both round to the same double, that is the result. */

__extension__ typedef unsigned __int128 u128;

enum { MAX_DIGITS = 19, MAX_EXACT = 27, MAX_CLINGER = 22 };

static const double power_of_ten[MAX_CLINGER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static const uint64_t ten_to[9] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

/* 5^k, and the first 64 bits of 1 / 5^k, rounded down: 2^(63 + b) / 5^k, where 5^k has b bits. */
static const struct {
    uint64_t power, reciprocal;
} five[MAX_EXACT + 1] = {{1u, 0x0000000000000000u},
                         {5u, 0xccccccccccccccccu},
                         {25u, 0xa3d70a3d70a3d70au},
                         {125u, 0x83126e978d4fdf3bu},
                         {625u, 0xd1b71758e219652bu},
                         {3125u, 0xa7c5ac471b478423u},
                         {15625u, 0x8637bd05af6c69b5u},
                         {78125u, 0xd6bf94d5e57a42bcu},
                         {390625u, 0xabcc77118461cefcu},
                         {1953125u, 0x89705f4136b4a597u},
                         {9765625u, 0xdbe6fecebdedd5beu},
                         {48828125u, 0xafebff0bcb24aafeu},
                         {244140625u, 0x8cbccc096f5088cbu},
                         {1220703125u, 0xe12e13424bb40e13u},
                         {6103515625u, 0xb424dc35095cd80fu},
                         {30517578125u, 0x901d7cf73ab0acd9u},
                         {152587890625u, 0xe69594bec44de15bu},
                         {762939453125u, 0xb877aa3236a4b449u},
                         {3814697265625u, 0x9392ee8e921d5d07u},
                         {19073486328125u, 0xec1e4a7db69561a5u},
                         {95367431640625u, 0xbce5086492111aeau},
                         {476837158203125u, 0x971da05074da7beeu},
                         {2384185791015625u, 0xf1c90080baf72cb1u},
                         {11920928955078125u, 0xc16d9a0095928a27u},
                         {59604644775390625u, 0x9abe14cd44753b52u},
                         {298023223876953125u, 0xf79687aed3eec551u},
                         {1490116119384765625u, 0xc612062576589ddau},
                         {7450580596923828125u, 0x9e74d1b791e07e48u}};

/* Appends the digits at p to *w (modulo 2^64); returns where they end. */
static const char *digits(const char *p, uint64_t *w) {
    for (;; p += 8) {
        uint64_t v = cp_digits_load(p), marks = cp_digits_invalid(v);
        unsigned n = marks ? (unsigned)__builtin_ctzll(marks) / 8 : 8;
        if (!n) return p;
        *w = *w * ten_to[n] + cp_digits_value(cp_digits_push(v, n));
        if (n < 8) return p + n;
    }
}

/* (m + f) 2^e to the nearest double, where m has its top bit set and 0 <= f < 1; `sticky` says whether f > 0.  The
 * result is known to be a normal number.  The carry of rounding up runs into the exponent, as it should. */
static double round_to_double(uint64_t m, int sticky, int e) {
    const uint64_t half = 1u << 10;
    uint64_t kept = m >> 11, rest = m & 0x7ff, bits;
    kept += rest > half || (rest == half && (sticky || (kept & 1)));
    bits = ((uint64_t)(e + 63 + 1023) << 52) + (kept - ((uint64_t)1 << 52));
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* w 10^e for w > 0, 0 <= e <= MAX_EXACT. */
static double multiplied(uint64_t w, int e) {
    u128 product = (u128)w * five[e].power;
    uint64_t high = (uint64_t)(product >> 64);
    int shift = high ? __builtin_clzll(high) : 64 + __builtin_clzll((uint64_t)product);
    product <<= shift;
    return round_to_double((uint64_t)(product >> 64), (uint64_t)product != 0, e + 64 - shift);
}

/* w 10^-k for w > 0, 0 < k <= MAX_EXACT.
 *
 * w times the reciprocal falls short of the quotient by less than w 2^0 < 2^64, that is one unit of the product's high
 * half, or two after it is shifted to set its top bit.  Rounding depends on the last 11 bits of that half.  Unless
 * these are so close to the middle, at or below it, that two units matter, the product decides; otherwise (3 cases of
 * 2048) a division does. */
static double divided(uint64_t w, int k) {
    int w_shift = __builtin_clzll(w), five_shift = __builtin_clzll(five[k].power), up;
    w <<= w_shift;
    u128 product = (u128)w * five[k].reciprocal;
    up = !(uint64_t)(product >> 127);
    uint64_t high = (uint64_t)((product << up) >> 64), rest = high & 0x7ff;
    int e = five_shift - w_shift - k - 63;
    if (rest < 1022 || rest > 1024) return round_to_double(high, 1, e - up);
    /* Both operands with their top bits set: the quotient of w 2^63 / 5^k then has 63 or 64 bits. */
    u128 top = (u128)w << 63;
    uint64_t divisor = five[k].power << five_shift, quotient = (uint64_t)(top / divisor);
    int sticky = (u128)quotient * divisor != top;
    up = !(quotient >> 63);
    return round_to_double(quotient << up, sticky, e - up);
}

/* w 10^e for w > 0, |e| <= MAX_EXACT. */
static double exact(uint64_t w, int e) {
    return e < 0 ? divided(w, -e) : multiplied(w, e);
}

/* The parts of a decimal text. */
typedef struct parts {
    const char *first, *last; /* the digits with their point */
    int64_t exponent;         /* as written */
    uint64_t w;               /* all digits, modulo 2^64 */
    int64_t fraction;         /* digits after the point */
    int64_t count;            /* all digits */
} parts;

static double by_strtod(const parts *d) {
    /* A tie between two doubles has at most 767 significant digits: of later digits it only matters whether one is not
     * 0. */
    enum { ENOUGH = 800 };
    char text[ENOUGH + 32];
    size_t n = 0;
    int64_t dropped = 0;
    int more = 0;
    for (const char *p = d->first; p < d->last; p++) {
        if (*p == '.' || (!n && *p == '0')) continue;
        if (n < ENOUGH) {
            text[n++] = *p;
        } else {
            dropped++;
            more |= *p != '0';
        }
    }
    if (!n) return 0;
    if (more) {
        text[n++] = '1';
        dropped--;
    }
    /* Without a decimal point: strtod would expect that of the locale. */
    snprintf(text + n, sizeof text - n, "e%lld", (long long)(d->exponent - d->fraction + dropped));
    return strtod(text, NULL);
}

static double many_digits(const parts *d) {
    uint64_t w = 0;
    int64_t left = 0;
    int n = 0;
    for (const char *p = d->first; p < d->last; p++) {
        if (*p == '.' || (!n && *p == '0')) continue;
        if (n == MAX_DIGITS) {
            left++;
        } else {
            w = w * 10 + (uint64_t)(*p - '0');
            n++;
        }
    }
    int64_t e = d->exponent - d->fraction + left;
    if (w && e >= -MAX_EXACT && e <= MAX_EXACT) {
        double low = exact(w, (int)e), high = left ? exact(w + 1, (int)e) : low;
        if (low == high) return low;
    }
    return by_strtod(d);
}

/* w 10^e by one of the two cheap ways; returns 0 if neither applies. */
static int scaled(uint64_t w, int64_t e, double *out) {
    if (w <= cp_decimal_exact && e >= -MAX_CLINGER && e <= MAX_CLINGER)
        *out = e < 0 ? (double)(int64_t)w / power_of_ten[-e] : (double)(int64_t)w * power_of_ten[e];
    else if (!w)
        *out = 0;
    else if (e >= -MAX_EXACT && e <= MAX_EXACT)
        *out = exact(w, (int)e);
    else
        return 0;
    return 1;
}

static double convert(const parts *d) {
    double x;
    if (d->count > MAX_DIGITS) return many_digits(d);
    return scaled(d->w, d->exponent - d->fraction, &x) ? x : by_strtod(d);
}

/* Leaves *p on the e if no digits follow: the caller then finds that the number is not the whole field. */
static int64_t read_exponent(const char **p) {
    const int64_t enough = 1000000000000000; /* no text has enough digits to bring such a number back into range */
    const char *q = *p + 1;
    int negative = *q == '-';
    int64_t e = 0;
    q += *q == '-' || *q == '+';
    if (*q < '0' || *q > '9') return 0;
    for (; *q >= '0' && *q <= '9'; q++)
        if (e < enough) e = 10 * e + (*q - '0');
    *p = q;
    return negative ? -e : e;
}

static const char *read_infinity(const char *p, int negative, double *out) {
    static const char word[] = "infinity";
    size_t n = 0;
    while (n < 8 && (p[n] | 32) == word[n]) n++;
    if (n < 3) return NULL;
    *out = negative ? -INFINITY : INFINITY;
    return p + (n == 8 ? 8 : 3);
}

const char *cp_decimal_read(const char *p, double *out) {
    int negative = *p == '-';
    p += *p == '-' || *p == '+';
    parts d = {.first = p};
    p = digits(p, &d.w);
    d.count = p - d.first;
    if (*p == '.') {
        const char *point = p++;
        p = digits(p, &d.w);
        d.fraction = p - point - 1;
        d.count += d.fraction;
    }
    if (!d.count) return read_infinity(d.first, negative, out);
    d.last = p;
    if (*p == 'e' || *p == 'E') d.exponent = read_exponent(&p);
    double x = convert(&d);
    *out = negative ? -x : x;
    return p;
}

/* Reads e, a sign and two digits; returns 0 if that is not what is there. */
static int read_short_exponent(const char *p, int *out) {
    unsigned tens = (unsigned char)(p[2] - '0'), ones = (unsigned char)(p[3] - '0');
    if ((p[1] != '-' && p[1] != '+') || tens > 9 || ones > 9) return 0;
    *out = (p[1] == '-' ? -1 : 1) * (int)(10 * tens + ones);
    return 1;
}

/* Reads digits with at most one point into *w; returns the number of digits after the point, or -1 if there is anything
 * else.  More than 16 bytes are read in two pieces, the second of 16 bytes. */
static int read_digits(const cp_text_scan *kern, const char *p, size_t n, uint64_t *w) {
    enum { PIECE = 16 };
    const uint64_t most = 1000; /* times 10^16 it has MAX_DIGITS digits */
    uint64_t tail = 0;
    if (n <= PIECE) {
        int point = kern->digits(p, n, w);
        return point > 0 ? point - 1 : point;
    }
    size_t before = n - PIECE;
    if (before > PIECE) return -1;
    int first = kern->digits(p, before, w), second = kern->digits(p + before, PIECE, &tail);
    if ((first | second) < 0 || (first && second) || *w >= most) return -1;
    *w = *w * ten_to[8] * ten_to[second ? 7 : 8] + tail;
    return first ? first - 1 + PIECE : second ? second - 1 : 0;
}

int cp_decimal_long(const cp_text_scan *kern, const char *p, size_t n, double *out) {
    size_t negative = *p == '-';
    uint64_t w;
    double x;
    int e = 0;
    if ((p[n - 4] | 32) == 'e' && !read_short_exponent(p + (n -= 4), &e)) return 0;
    int fraction = read_digits(kern, p + negative, n - negative, &w);
    if (fraction < 0 || !scaled(w, e - fraction, &x)) return 0;
    *out = cp_decimal_sign[negative] * x;
    return 1;
}
