/* near - the name a user probably meant.
 *
 *     cp_near near = {.word = typed};
 *     for (...) cp_near_try(&near, name[i]);
 *     if (near.best) ... "did you mean '%s'?"
 */
#ifndef CP_NEAR_H
#define CP_NEAR_H

#include <stddef.h>

typedef struct cp_near {
    const char *word;
    const char *best; /* the closest name so far that is close enough, NULL if none is; borrowed */
    size_t distance;  /* of best */
} cp_near;

/* Letters left out, added, changed or swapped count one each, a wrong case none; a third of the word may be wrong.
 * A name that begins with the word is close whatever its length.  The first of equally close names wins. */
void cp_near_try(cp_near *near, const char *name);

#endif
