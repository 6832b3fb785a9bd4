/* suggest - edit distances between a word and names. */
#include "base/suggest.h"

#include <string.h>

enum { LONGEST = 64 }; /* longer names are not compared */

static int lower(char c) {
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* The optimal string alignment distance.  row holds three rows of the table of distances between prefixes. */
static size_t distance(const char *a, size_t na, const char *b, size_t nb) {
    size_t row[3][LONGEST + 1];
    for (size_t j = 0; j <= nb; j++) row[0][j] = j;
    for (size_t i = 1; i <= na; i++) {
        size_t *now = row[i % 3];
        const size_t *above = row[(i + 2) % 3], *swap = row[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            int same = lower(a[i - 1]) == lower(b[j - 1]);
            now[j] = least(above[j - 1] + !same, least(above[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
                now[j] = least(now[j], swap[j - 2] + 1);
        }
    }
    return row[na % 3][nb];
}

void cp_suggest_try(cp_suggest *s, const char *name) {
    size_t nw = strlen(s->word), nn = strlen(name);
    if (nw == 0 || nw > LONGEST || nn > LONGEST) return;
    size_t d = distance(s->word, nw, name, nn);
    /* A word that is the beginning of a name has one mistake, whatever is missing. */
    if (nw >= 2 && nn > nw && distance(s->word, nw, name, nw) == 0) d = 1;
    size_t allowed = (nw + 1) / 3;
    if (d > allowed || (s->best && d >= s->distance)) return;
    s->best = name;
    s->distance = d;
}
