/* text_scan - where the fields of delimited text end, and the value of their digits: the inner loops of reading CSV. */
#ifndef CP_TEXT_SCAN_H
#define CP_TEXT_SCAN_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/tier.h"

typedef struct cp_text_scan {
    /* Which of 64 bytes of text end a field, bit i for text[i]: the delimiter, the end of a line and 0.  And which are
     * neither the delimiter nor a digit. */
    uint64_t (*ends)(const char *text, char delimiter, uint64_t *out_other);
    /* The value of n <= 16 bytes that are digits and perhaps a point; 16 can be read.  Returns how many bytes there are
     * from the point on, 0 if there is none; -1 if there is anything else, or no digit. */
    int (*digits)(const char *text, size_t n, uint64_t *out);
} cp_text_scan;

const cp_text_scan *cp_text_scan_find(cp_tier tier);
const cp_text_scan *cp_text_scan_best(void);

#endif
