#include "data/text.h"

#include <string.h>

#include "base/utf8.h"
#include "data/decimal.h"

size_t cp_text_lines(const char *bytes, size_t n) {
    size_t lines = 0;
    for (size_t i = 0; i < n; i++) lines += bytes[i] == '\n';
    return lines;
}

size_t cp_text_bom(const char *bytes, size_t n) {
    return n >= 3 && !memcmp(bytes, "\xef\xbb\xbf", 3) ? 3 : 0;
}

/* Is every one of 64 bytes between 1 and 127? */
static int plain_block(const unsigned char *p) {
    unsigned char strange = 0;
    for (int i = 0; i < 64; i++) strange |= (unsigned char)((signed char)p[i] <= 0);
    return !strange;
}

/* The first byte that does not belong to a text, or n. */
static size_t first_bad(const unsigned char *p, size_t n) {
    for (size_t i = 0; i < n;) {
        size_t stop = n - i < 64 ? n : i + 64, step = 64;
        if (stop == i + 64 && plain_block(p + i)) i += step;
        for (; i < stop; i += step)
            if (!(step = cp_utf8_length(p + i, n - i))) return i;
    }
    return n;
}

/* The byte order of UTF-16 text, LE or BE, guessed from zeros in every second byte; NULL if it is not UTF-16. */
static const char *utf16_order(const unsigned char *p, size_t n) {
    if (n < 4) return NULL;
    return p[0] && !p[1] && p[2] && !p[3] ? "LE" : !p[0] && p[1] && !p[2] && p[3] ? "BE" : NULL;
}

copse_status cp_text_check(const char *name, const char *bytes, size_t n, long line, copse_error *err) {
    const unsigned char *p = (const unsigned char *)bytes;
    size_t bad = first_bad(p, n);
    if (bad == n) return COPSE_OK;
    if (n > 1 && (!memcmp(bytes, "\xff\xfe", 2) || !memcmp(bytes, "\xfe\xff", 2)))
        return cp_fail(err, COPSE_E_DATA, "%s: this is UTF-16 text. Convert it first: iconv -f UTF-16 -t UTF-8", name);
    if (utf16_order(p, n))
        return cp_fail(err, COPSE_E_DATA, "%s: this is UTF-16 text. Convert it first: iconv -f UTF-16%s -t UTF-8", name,
                       utf16_order(p, n));
    if (n > 6 && !memcmp(bytes, "\211COPSE", 6))
        return cp_fail(err, COPSE_E_DATA, "%s is a file of copse's own, a model or a study, and not a table", name);
    line += (long)cp_text_lines(bytes, bad);
    if (!p[bad])
        return cp_fail_at(err, COPSE_E_DATA, line, 0,
                          "%s:%ld: there is a NUL byte: this is not a text file. CSV, TSV, LIBSVM, NDJSON and .npy are "
                          "read, plain or packed by gzip or zstd",
                          name, line);
    return cp_fail_at(err, COPSE_E_DATA, line, 0,
                      "%s:%ld: the byte 0x%02x is not UTF-8 text. Convert the file first, perhaps with: iconv -f "
                      "LATIN1 -t UTF-8",
                      name, line, p[bad]);
}

copse_status cp_text_missing_init(cp_text_missing *m, const char *opt_list, copse_error *err) {
    *m = (cp_text_missing){0};
    for (const char *word = opt_list; word; word = *word ? word + 1 : NULL) {
        size_t n = strcspn(word, ",");
        int32_t id;
        copse_status status = n ? cp_dict_add(&m->words, word, n, &id, err) : COPSE_OK;
        if (status) {
            cp_text_missing_clear(m);
            return status;
        }
        word += n;
    }
    return COPSE_OK;
}

void cp_text_missing_clear(cp_text_missing *m) {
    cp_dict_clear(&m->words);
}

/* Compares ASCII letters in any case; `word` is in lower case. */
static int is_word(const char *s, size_t n, const char *word) {
    if (strlen(word) != n) return 0;
    for (size_t i = 0; i < n; i++)
        if ((s[i] | 32) != word[i]) return 0;
    return 1;
}

int cp_text_missing_is(const cp_text_missing *m, const char *s, size_t n) {
    if (!n) return 1;
    int sign = *s == '-' || *s == '+';
    if (n <= 4 && (is_word(s, n, "na") || is_word(s + sign, n - (size_t)sign, "nan") || is_word(s, n, "null")))
        return 1;
    return m->words.n && cp_dict_find(&m->words, s, n) != CP_NONE;
}

const char *cp_text_show(const char *s, size_t n, char buf[CP_TEXT_SHOWN]) {
    enum { MOST = 40 };
    size_t shown = n;
    if (n > MOST) {
        shown = MOST;
        while (shown && ((unsigned char)s[shown] & 0xc0) == 0x80) shown--;
    }
    for (size_t i = 0; i < shown; i++) buf[i] = (unsigned char)s[i] < 32 || s[i] == 127 ? '?' : s[i];
    strcpy(buf + shown, shown < n ? "..." : "");
    return buf;
}

int cp_text_number(const char *text, double *out) {
    char padded[64 + 8] = ""; /* cp_decimal_read needs 8 readable bytes behind a number */
    size_t n = strlen(text);
    if (n >= 64) return 0;
    memcpy(padded, text, n);
    return cp_decimal_read(padded, out) == padded + n;
}
