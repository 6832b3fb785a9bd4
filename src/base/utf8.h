/* utf8 - finds the characters of UTF-8 text. */
#ifndef CP_UTF8_H
#define CP_UTF8_H

#include <stddef.h>

/* The length of the character at p, looking at no more than `left` bytes; 0 if it is invalid or NUL.  The range of the
 * second byte excludes overlong forms, surrogates and code points above U+10FFFF.  A NUL is invalid inside a character,
 * so for a terminated string `left` may be 4. */
static inline size_t cp_utf8_length(const unsigned char *p, size_t left) {
    unsigned char c = p[0], low = 0x80, high = 0xbf;
    size_t n = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
    if (n == 1) return c != 0;
    if (c < 0xc2 || c > 0xf4 || n > left) return 0;
    if (c == 0xe0) low = 0xa0;
    if (c == 0xed) high = 0x9f;
    if (c == 0xf0) low = 0x90;
    if (c == 0xf4) high = 0x8f;
    if (p[1] < low || p[1] > high) return 0;
    for (size_t i = 2; i < n; i++)
        if ((p[i] & 0xc0) != 0x80) return 0;
    return n;
}

#endif
