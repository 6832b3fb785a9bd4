/* suggest - the name a user probably meant.
 *
 *     cp_suggest near = {.word = typed};
 *     for (...) cp_suggest_try(&near, name[i]);
 *     if (near.best) ... "did you mean '%s'?"
 */
#ifndef CP_SUGGEST_H
#define CP_SUGGEST_H

#include <stddef.h>

typedef struct cp_suggest {
    const char *word;
    const char *best; /* the closest name so far that is close enough, NULL if none is; borrowed */
    size_t distance;  /* of best */
} cp_suggest;

/* Letters left out, added, changed or swapped count one each, a wrong case none; a third of the word may be wrong.
 * A name that begins with the word is close whatever its length.  The first of equally close names wins. */
void cp_suggest_try(cp_suggest *near, const char *name);

#endif
