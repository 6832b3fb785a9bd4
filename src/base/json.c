/* json - writes JSON into a buffer, and the buffer to the caller. */
#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

/* ------------------------------------------------------------------------------------------------------- numbers */

void cp_json_plain_point(char *number) {
    static const char other[] = "0123456789+-einfa"; /* all characters but the point; inf and nan have none */
    char *p = number + strspn(number, other);
    if (!*p) return;
    char *rest = p + strcspn(p, other);
    *p++ = '.';
    memmove(p, rest, strlen(rest) + 1);
}

void cp_json_format(double value, char buf[CP_JSON_NUMBER]) {
    if (!isfinite(value)) {
        strcpy(buf, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(buf, CP_JSON_NUMBER, "%.*g", digits, value);
        if (strtod(buf, NULL) == value) break;
    }
    cp_json_plain_point(buf);
}

/* -------------------------------------------------------------------------------------------------------- output */

static void flush(cp_json *j) {
    if (j->used && !j->status) j->status = j->write(j->arg, j->buf, j->used);
    j->used = 0;
}

static void put(cp_json *j, const char *text, size_t n) {
    while (n && !j->status) {
        if (j->used == sizeof j->buf) flush(j);
        size_t part = sizeof j->buf - j->used;
        if (part > n) part = n;
        memcpy(j->buf + j->used, text, part);
        j->used += part;
        text += part;
        n -= part;
    }
}

static void put_text(cp_json *j, const char *text) {
    put(j, text, strlen(text));
}

static void put_escaped(cp_json *j, unsigned char c) {
    static const char plain[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
    const char *at = strchr(plain, c);
    char code[8];
    if (at)
        snprintf(code, sizeof code, "\\%c", letter[at - plain]);
    else
        snprintf(code, sizeof code, "\\u%04x", c);
    put_text(j, code);
}

static void put_quoted(cp_json *j, const char *text) {
    put(j, "\"", 1);
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        size_t n = cp_utf8_length(s, 4);
        if (n == 0)
            put_text(j, "\xef\xbf\xbd"); /* U+FFFD */
        else if (*s < 0x20 || *s == 0x7f || *s == '"' || *s == '\\')
            put_escaped(j, *s);
        else
            put(j, (const char *)s, n);
        s += n ? n : 1;
    }
    put(j, "\"", 1);
}

/* Writes what precedes a value: the comma after the value before it, and its key. */
static void lead(cp_json *j, const char *opt_key) {
    if (j->need_comma) put(j, ",", 1);
    j->need_comma = 1;
    if (!opt_key) return;
    put_quoted(j, opt_key);
    put(j, ":", 1);
}

/* ----------------------------------------------------------------------------------------------------- interface */

void cp_json_begin(cp_json *j, copse_write_fn write, void *arg) {
    j->write = write;
    j->arg = arg;
    j->status = COPSE_OK;
    j->depth = j->need_comma = 0;
    j->used = 0;
}

copse_status cp_json_end(cp_json *j, copse_error *err) {
    CP_BUG(j->depth != 0);
    flush(j);
    return j->status ? cp_fail(err, j->status, "cannot write the JSON text") : COPSE_OK;
}

static void enter(cp_json *j, const char *opt_key, const char *bracket) {
    lead(j, opt_key);
    put(j, bracket, 1);
    j->depth++;
    j->need_comma = 0;
}

static void leave(cp_json *j, const char *bracket) {
    CP_BUG(j->depth == 0);
    put(j, bracket, 1);
    j->depth--;
    j->need_comma = 1;
}

void cp_json_object(cp_json *j, const char *opt_key) {
    enter(j, opt_key, "{");
}

void cp_json_array(cp_json *j, const char *opt_key) {
    enter(j, opt_key, "[");
}

void cp_json_close_object(cp_json *j) {
    leave(j, "}");
}

void cp_json_close_array(cp_json *j) {
    leave(j, "]");
}

void cp_json_text(cp_json *j, const char *opt_key, const char *value) {
    lead(j, opt_key);
    if (value)
        put_quoted(j, value);
    else
        put_text(j, "null");
}

/* JSON has no spelling for infinity, nor for NaN. */
void cp_json_number(cp_json *j, const char *opt_key, double value) {
    char text[CP_JSON_NUMBER];
    cp_json_format(value, text);
    lead(j, opt_key);
    if (isnan(value))
        put_text(j, "null");
    else if (isinf(value))
        put_quoted(j, text);
    else
        put_text(j, text);
}

void cp_json_integer(cp_json *j, const char *opt_key, int64_t value) {
    char buf[CP_JSON_NUMBER];
    lead(j, opt_key);
    snprintf(buf, sizeof buf, "%lld", (long long)value);
    put_text(j, buf);
}

void cp_json_bool(cp_json *j, const char *opt_key, int value) {
    lead(j, opt_key);
    put_text(j, value ? "true" : "false");
}

void cp_json_newline(cp_json *j) {
    CP_BUG(j->depth != 0);
    put(j, "\n", 1);
    j->need_comma = 0;
}
