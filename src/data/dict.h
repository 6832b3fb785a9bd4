/* dict - strings to small numbers and back, in order of first appearance.
 *
 * All zeros is an empty dictionary.  Strings hold no NUL byte (readers refuse such text), so that cp_dict_text is the
 * whole string. */
#ifndef CP_DICT_H
#define CP_DICT_H

#include "base/fail.h"

typedef struct cp_dict {
    size_t n;
    size_t cap, bytes, cap_bytes, slots;
    size_t *start; /* start[i]: offset of string i in text; NUL-terminated there */
    char *text;
    /* Open-addressing hash table, CP_NONE is free; slots is a power of two, at most half of them taken. */
    int32_t *slot;
    uint64_t hash_seed; /* of the hash: nobody can prepare words that all meet in one slot */
} cp_dict;

int32_t cp_dict_find(const cp_dict *d, const char *s, size_t n);                               /* CP_NONE if absent */
copse_status cp_dict_add(cp_dict *d, const char *s, size_t n, int32_t *out, copse_error *err); /* finds or adds */
/* Adds all strings of another one. */
copse_status cp_dict_join(cp_dict *d, const cp_dict *other, copse_error *err);
/* Lives until the next cp_dict_add. */
const char *cp_dict_text(const cp_dict *d, size_t i);
/* Forgets all but the first n strings. */
void cp_dict_shrink(cp_dict *d, size_t n);
void cp_dict_clear(cp_dict *d);

#endif
