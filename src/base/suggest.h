/* suggest - finds the name that a user probably meant.
 *
 *     cp_suggest s = {.word = typed};
 *     for (...) cp_suggest_try(&s, name[i]);
 *     if (s.best) ... "did you mean '%s'?"
 */
#ifndef CP_SUGGEST_H
#define CP_SUGGEST_H

#include <stddef.h>

typedef struct cp_suggest {
    const char *word;
    const char *best; /* the closest name so far that is close enough, NULL if none is; borrowed */
    size_t distance;  /* of best */
} cp_suggest;

/* Compares a name.  A letter that is missing, added, changed or swapped with its neighbour counts one, a wrong case
 * nothing; up to a third of the word may be wrong.  A name that begins with the word is close whatever its length.  Of
 * equally close names the first wins. */
void cp_suggest_try(cp_suggest *s, const char *name);

#endif
