/* text_scan - finds where fields of delimited text end, and converts digits: the inner loops of reading CSV. */
#ifndef CP_TEXT_SCAN_H
#define CP_TEXT_SCAN_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/tier.h"

typedef struct cp_text_scan {
    /* Bit i is set if text[i], i < 64, ends a field: the delimiter, \n, \r or 0.  In *out_other bit i is set if text[i]
     * is neither the delimiter nor a digit. */
    uint64_t (*ends)(const char *text, char delimiter, uint64_t *out_other);
    /* The value of n <= 16 bytes that are digits and at most one point; the point is left out.  16 bytes can be read.
     * Returns the number of bytes from the point on, 0 if there is no point; -1 if there is another character, or no
     * digit. */
    int (*digits)(const char *text, size_t n, uint64_t *out);
} cp_text_scan;

const cp_text_scan *cp_text_scan_find(cp_tier tier);
const cp_text_scan *cp_text_scan_best(void);

#endif
