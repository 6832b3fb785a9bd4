/* dict - a set of strings, numbered from 0 in order of first appearance.
 *
 * All zeros is an empty dictionary.  Strings hold no NUL byte (readers refuse such text), so cp_dict_text is the whole
 * string. */
#ifndef CP_DICT_H
#define CP_DICT_H

#include "base/fail.h"

typedef struct cp_dict {
    size_t n;
    size_t cap, bytes, cap_bytes, slots;
    size_t *start; /* start[i]: offset of string i in text; NUL-terminated there */
    char *text;
    /* Open-addressing hash table: CP_NONE is a free slot; `slots` is a power of two; at most half of them are taken. */
    int32_t *slot;
    uint64_t hash_seed; /* random, so that nobody can prepare words that all collide */
} cp_dict;

int32_t cp_dict_find(const cp_dict *d, const char *s, size_t n);                               /* CP_NONE if absent */
copse_status cp_dict_add(cp_dict *d, const char *s, size_t n, int32_t *out, copse_error *err); /* finds or adds */
/* Adds all strings of another dictionary. */
copse_status cp_dict_join(cp_dict *d, const cp_dict *other, copse_error *err);
/* Lives until the next cp_dict_add. */
const char *cp_dict_text(const cp_dict *d, size_t i);
/* Removes all strings but the first n. */
void cp_dict_shrink(cp_dict *d, size_t n);
void cp_dict_clear(cp_dict *d);

#endif
