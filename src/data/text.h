/* text - what the readers of text formats share: the check that bytes are text, the words that mean "missing", and
 * excerpts of text for messages. */
#ifndef CP_TEXT_H
#define CP_TEXT_H

#include "data/dict.h"

/* COPSE_E_DATA with the place if the bytes are not UTF-8 without NUL.  `line` is the number of the first line. */
copse_status cp_text_check(const char *name, const char *bytes, size_t n, long line, copse_error *err);

/* The number of newlines. */
size_t cp_text_lines(const char *bytes, size_t n);

/* The length of a UTF-8 byte order mark at the beginning: 3, or 0 if there is none. */
size_t cp_text_bom(const char *bytes, size_t n);

/* Words that mean "missing" in addition to the usual ones, from a comma-separated list (NULL: none). */
typedef struct cp_text_missing {
    cp_dict words;
} cp_text_missing;
copse_status cp_text_missing_init(cp_text_missing *m, const char *opt_list, copse_error *err);
void cp_text_missing_clear(cp_text_missing *m);
/* Is it empty, NA, NaN (with any sign) or null, in upper or lower case, or one of the words? */
int cp_text_missing_is(const cp_text_missing *m, const char *s, size_t n);

/* An excerpt of the user's text for a message: at most 40 bytes, cut between characters, control bytes as '?'. */
enum { CP_TEXT_SHOWN = 48 };
const char *cp_text_show(const char *s, size_t n, char buf[CP_TEXT_SHOWN]);

/* Reads a text that is a number and nothing else; returns 0 if it is not.  The decimal point is '.' in any locale. */
int cp_text_number(const char *text, double *out);

#endif
