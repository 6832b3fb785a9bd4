/* fail - fills errors, and raises faults of the library. */
#include "base/fail.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/guard.h"

/* Messages have one form: an option stands in backquotes, `min-leaf` or `trunk-leaves=5`, a column as column 'x' or
 * target 'y'.  So what a message is about is found in its format: the first of these marks. */
typedef struct mark {
    const char *text;
    copse_about what;
} mark;
static const mark marks[] = {
    {"`", COPSE_ABOUT_OPTION}, {"column '", COPSE_ABOUT_COLUMN}, {"target '", COPSE_ABOUT_COLUMN}};

static const mark *first_mark(const char *fmt, const char **out_at) {
    const mark *found = NULL;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const char *at = strstr(fmt, marks[i].text);
        if (!at || (found && at > *out_at)) continue;
        found = &marks[i];
        *out_at = at;
    }
    return found;
}

/* The end of the conversion (%.40s) that is the last before `at`, or the beginning of fmt. */
static const char *after_conversion(const char *fmt, const char *at) {
    const char *end = fmt;
    for (const char *p = fmt; p < at; p++) {
        if (*p != '%') continue;
        p += 1 + strspn(p + 1, "0123456789.*-+ #lz");
        end = p < at ? p + 1 : at;
    }
    return end;
}

/* Finds in the message the text that stands in fmt from `from` to `to` without conversions.  NULL: it was cut off. */
static const char *find_literal(const char *msg, const char *from, const char *to) {
    size_t n = (size_t)(to - from);
    for (; *msg; msg++)
        if (strncmp(msg, from, n) == 0) return msg;
    return NULL;
}

static void name_subject(copse_error *err, const char *fmt) {
    const char *at = NULL;
    const mark *m = first_mark(fmt, &at);
    err->what = COPSE_ABOUT_NOTHING;
    err->name[0] = '\0';
    if (!m) return;
    const char *behind = at + strlen(m->text), *from = after_conversion(fmt, at);
    const char *name = find_literal(err->msg, from, behind);
    if (!name) return;
    name += behind - from;
    /* A column may have a quote in its name: it ends where the text that follows it begins. */
    const char *next = *behind == '%' ? behind + strcspn(behind, "s") + 1 : NULL;
    const char *end =
        next && m->what == COPSE_ABOUT_COLUMN ? find_literal(name, next, next + strcspn(next, "%")) : NULL;
    size_t n = end ? (size_t)(end - name) : strcspn(name, m->what == COPSE_ABOUT_OPTION ? "`=" : "'");
    if (n == 0) return;
    err->what = m->what;
    snprintf(err->name, sizeof err->name, "%.*s", (int)(n < sizeof err->name ? n : sizeof err->name), name);
}

static copse_status fail(copse_error *err, copse_status code, long row, long col, const char *fmt, va_list args) {
    if (err) {
        err->code = code;
        err->row = row;
        err->col = col;
        vsnprintf(err->msg, sizeof err->msg, fmt, args);
        name_subject(err, fmt);
    }
    return code;
}

copse_status cp_fail(copse_error *err, copse_status code, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    fail(err, code, 0, 0, fmt, args);
    va_end(args);
    return code;
}

copse_status cp_fail_at(copse_error *err, copse_status code, long row, long col, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    fail(err, code, row, col, fmt, args);
    va_end(args);
    return code;
}

copse_status cp_fail_about(copse_error *err, copse_status code, copse_about what, const char *name) {
    if (err) {
        err->what = what;
        snprintf(err->name, sizeof err->name, "%s", name);
    }
    return code;
}

copse_status cp_fail_argument(copse_error *err, const char *name) {
    cp_fail(err, COPSE_E_USAGE, "the argument `%s` is missing (NULL)", name);
    return cp_fail_about(err, COPSE_E_USAGE, COPSE_ABOUT_ARGUMENT, name);
}

copse_status cp_fail_memory(copse_error *err) {
    return cp_fail(err, COPSE_E_MEMORY, "out of memory");
}

copse_status cp_fail_system(copse_error *err, const char *what, const char *path) {
    char why[200];
    int number = errno;
    if (strerror_r(number, why, sizeof why) != 0) snprintf(why, sizeof why, "error %d", number);
    return cp_fail(err, COPSE_E_SYSTEM, "cannot %s %.700s: %s", what, path, why);
}

copse_status cp_fail_if_stopped(const copse_flag *opt_stop, copse_error *err) {
    return opt_stop && atomic_load_explicit(opt_stop, memory_order_relaxed)
               ? cp_fail(err, COPSE_E_STOPPED, "interrupted")
               : COPSE_OK;
}

void cp_fail_bug(const char *file, int line, const char *what) {
    char text[256];
    snprintf(text, sizeof text, "internal error at %s:%d: %.120s.  Please report it", file, line, what);
    cp_guard_raise(text);
}
