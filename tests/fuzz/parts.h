/* parts - the sections of an image as arrays in memory: taken apart, changed as an enemy would change them, and put
 * together again with the library's own packing and checksums. */
#ifndef PARTS_H
#define PARTS_H

#include "base/codec.h"
#include "num/rng.h"

typedef struct image {
    unsigned char *bytes; /* malloc */
    size_t n;
} image;

typedef struct part {
    char name[256];
    cp_codec_type type;
    size_t count;
    unsigned char *data; /* cp_mem */
} part;

enum { MAX_PARTS = 4000 };

/* The image of a writer, which stays the caller's. */
image parts_finish(cp_writer *w);

/* Takes an honest image apart into at most MAX_PARTS parts; returns how many. */
size_t parts_take(const unsigned char *bytes, size_t n, part *out);
image parts_join(const part *p, size_t n);
void parts_free(part *p, size_t n);

/* Writes a number into element `at`: converted to the type, saturated at its limits; NaN is 0 for whole numbers. */
void parts_set(part *s, size_t at, double value);

/* Changes one to three of the parts, their values more often than their length, type or name; returns how many there
 * are now. */
size_t parts_change(cp_rng *rng, part *p, size_t n);

/* Changes one to four bytes, or shortens. */
void parts_change_bytes(cp_rng *rng, unsigned char *bytes, size_t *n);

#endif
