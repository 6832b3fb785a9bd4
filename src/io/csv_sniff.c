/* The outer shape of a CSV text: where fields and rows end, without reading what is in them. */
#include <string.h>

#include "io/csv.h"

static const char candidates[] = ",;\t|";

/* Between fields only blanks have been seen; a quote there opens a quoted field, anywhere else it is a letter. */
typedef enum state { FIELD_BEGINS = 0, BARE, QUOTED, CLOSED } state;

/* Quotes inside a quoted field come in twos: the first one closes, the second opens again. */
static state step(state s, char c, int is_delimiter) {
    if (s == QUOTED) return c == '"' ? CLOSED : QUOTED;
    if (is_delimiter) return FIELD_BEGINS;
    if (c == '"' && (s == FIELD_BEGINS || s == CLOSED)) return QUOTED;
    if (s == FIELD_BEGINS && (c == ' ' || c == '\t')) return FIELD_BEGINS;
    return s == CLOSED ? CLOSED : BARE;
}

/* Fields of the row at *p, 0 if it is blank; leaves *p behind it. */
static size_t count_fields(const char **p, char delimiter) {
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
    int best_even = 0;
    for (const char *d = candidates; *d; d++) {
        const char *p = text;
        size_t fields = 0;
        int even = 1;
        for (int row = 0; row < ROWS && *p; row++) {
            size_t n = count_fields(&p, *d);
            if (n && fields && n != fields) even = 0;
            if (!fields) fields = n;
        }
        if (fields < 2 || even < best_even || (even == best_even && fields <= best_fields)) continue;
        best = *d;
        best_fields = fields;
        best_even = even;
    }
    return best;
}

/* The byte at `at` ends a row: where does the next one begin?  0: it cannot be told before more has arrived. */
static size_t row_end(const cp_content *text, size_t at, int final) {
    if (text->bytes[at] == '\n') return at + 1;
    if (at + 1 == text->n) return final ? at + 1 : 0;
    return at + 1 + (text->bytes[at + 1] == '\n');
}

size_t cp_csv_sniff_rows(cp_csv_sniff_cursor *cut, const cp_content *text, char delimiter, int final, size_t max_rows) {
    size_t rows = 0;
    while (cut->at < text->n && rows < max_rows) {
        char c = text->bytes[cut->at];
        if (cut->state != QUOTED && (c == '\n' || c == '\r')) {
            size_t next = row_end(text, cut->at, final);
            if (!next) return rows;
            rows += (size_t)cut->content;
            *cut = (cp_csv_sniff_cursor){.at = next, .row = next};
            continue;
        }
        int is_delimiter = delimiter ? c == delimiter : c && strchr(candidates, c) != NULL;
        cut->state = (char)step((state)cut->state, c, is_delimiter);
        cut->content |= is_delimiter || (c != ' ' && c != '\t');
        cut->at++;
    }
    if (final && cut->at == text->n && cut->row < text->n && rows < max_rows) {
        rows += (size_t)cut->content;
        *cut = (cp_csv_sniff_cursor){.at = text->n, .row = text->n};
    }
    return rows;
}
