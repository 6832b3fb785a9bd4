#include "io/csv_sniff.h"

#include <string.h>

static const char candidates[] = ",;\t|";

/* FIELD_BEGINS: only blanks so far.  A quote there opens a quoted field; in a BARE field a quote is an ordinary
 * character. */
typedef enum state { FIELD_BEGINS = 0, BARE, QUOTED, CLOSED } state;

/* A quote inside a quoted field is doubled: the first of the two closes the field, the second opens it again. */
static state step(state s, char c, int is_delimiter) {
    if (s == QUOTED) return c == '"' ? CLOSED : QUOTED;
    if (is_delimiter) return FIELD_BEGINS;
    if (c == '"' && (s == FIELD_BEGINS || s == CLOSED)) return QUOTED;
    if (s == FIELD_BEGINS && (c == ' ' || c == '\t')) return FIELD_BEGINS;
    return s == CLOSED ? CLOSED : BARE;
}

size_t cp_csv_sniff_fields(const char **p, char delimiter) {
    state s = FIELD_BEGINS;
    size_t fields = 1, bytes = 0;
    for (; **p && (s == QUOTED || (**p != '\n' && **p != '\r')); ++*p) {
        fields += s != QUOTED && **p == delimiter;
        bytes += (**p != ' ' && **p != '\t') || **p == delimiter;
        s = step(s, **p, **p == delimiter);
    }
    if (**p == '\r') ++*p;
    if (**p == '\n') ++*p;
    return bytes ? fields : 0;
}

char cp_csv_sniff(const char *text) {
    enum { ROWS = 20 };
    char best = ',';
    size_t best_fields = 1;
    int best_equal = 0;
    for (const char *d = candidates; *d; d++) {
        const char *p = text;
        size_t fields = 0;
        int equal = 1;
        for (int row = 0; row < ROWS && *p; row++) {
            size_t n = cp_csv_sniff_fields(&p, *d);
            if (n && fields && n != fields) equal = 0;
            if (!fields) fields = n;
        }
        if (fields < 2 || equal < best_equal || (equal == best_equal && fields <= best_fields)) continue;
        best = *d;
        best_fields = fields;
        best_equal = equal;
    }
    return best;
}

/* The byte at `at` ends a row: returns where the next row begins, or 0 if that depends on bytes still to come (CR or
 * CRLF). */
static size_t row_end(const cp_content *text, size_t at, int final) {
    if (text->bytes[at] == '\n') return at + 1;
    if (at + 1 == text->n) return final ? at + 1 : 0;
    return at + 1 + (text->bytes[at + 1] == '\n');
}

size_t cp_csv_sniff_rows(cp_csv_sniff_cursor *cursor, const cp_content *text, char delimiter, int final,
                         size_t max_rows) {
    size_t rows = 0;
    while (cursor->at < text->n && rows < max_rows) {
        char c = text->bytes[cursor->at];
        if (cursor->state != QUOTED && (c == '\n' || c == '\r')) {
            size_t next = row_end(text, cursor->at, final);
            if (!next) return rows;
            rows += (size_t)cursor->content;
            *cursor = (cp_csv_sniff_cursor){.at = next, .row = next};
            continue;
        }
        int is_delimiter = delimiter ? c == delimiter : c && strchr(candidates, c) != NULL;
        cursor->state = (char)step((state)cursor->state, c, is_delimiter);
        cursor->content |= is_delimiter || (c != ' ' && c != '\t');
        cursor->at++;
    }
    if (final && cursor->at == text->n && cursor->row < text->n && rows < max_rows) {
        rows += (size_t)cursor->content;
        *cursor = (cp_csv_sniff_cursor){.at = text->n, .row = text->n};
    }
    return rows;
}
