/* text - what the readers of text formats share: is it text at all, which words mean "missing", and how a piece of it
 * is shown in a message. */
#ifndef CP_TEXT_H
#define CP_TEXT_H

#include "data/dict.h"

/* COPSE_E_DATA with the place if the bytes are not UTF-8 without NUL.  `line` is the number of the first line. */
copse_status cp_text_check(const char *name, const char *bytes, size_t n, long line, copse_error *err);

/* Newlines among the bytes. */
size_t cp_text_lines(const char *bytes, size_t n);

/* Skips a UTF-8 byte order mark: 3 if there is one, else 0. */
size_t cp_text_bom(const char *bytes, size_t n);

/* Words that mean "missing" beyond the usual ones, from a list with commas (NULL: none). */
typedef struct cp_text_missing {
    cp_dict words;
} cp_text_missing;
copse_status cp_text_missing_init(cp_text_missing *m, const char *opt_list, copse_error *err);
void cp_text_missing_clear(cp_text_missing *m);
/* Empty, NA, NaN (with any sign), null, in any case; or one of the words. */
int cp_text_missing_is(const cp_text_missing *m, const char *s, size_t n);

/* A piece of the user's text for a message: at most 40 bytes of it, cut between characters, control bytes as '?'. */
enum { CP_TEXT_SHOWN = 48 };
const char *cp_text_show(const char *s, size_t n, char buf[CP_TEXT_SHOWN]);

/* Is this a number and nothing else, and which?  In any locale, its point is '.'. */
int cp_text_number(const char *text, double *out);

#endif
