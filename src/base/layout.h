/* layout - the layout of model files, which writer.c and reader.c share; docs/format.md draws it:
 *
 *     header | section 0 | section 1 | ... | directory
 *
 * Sections follow each other without gaps: a section starts at the sum of the sizes before it, so sections cannot
 * overlap and none is stored twice.  A section is cut into blocks of raw bytes.  The bytes of a block are sorted into
 * planes: the lowest bytes of all elements, then the second ones, and so on.  Planes compress better, because exponents
 * stand together, and they fix the byte order.
 *
 * The memory bound: the raw bytes of a section are at most CP_CODEC_RATIO x its stored bytes, and what is rebuilt from
 * all sections takes at most CP_CODEC_CLAIM x the image.  The writer pads where needed; the reader checks before it
 * allocates. */
#ifndef CP_LAYOUT_H
#define CP_LAYOUT_H

#include "base/codec.h"

enum {
    CP_LAYOUT_BLOCK = 1 << 20,  /* raw bytes of a block */
    CP_LAYOUT_NAME = 255,       /* most bytes of a whole name */
    CP_LAYOUT_DEPTH = 8,        /* most prefixes */
    CP_LAYOUT_ENTRY = 2 + 3 * 8 /* bytes of a directory entry besides its name */
};

/* Offsets in the header, and its length. */
enum {
    CP_LAYOUT_AT_VERSION = 8,
    CP_LAYOUT_AT_SECTIONS = 12,
    CP_LAYOUT_AT_SIZE = 16,
    CP_LAYOUT_AT_DIRECTORY = 24,
    CP_LAYOUT_AT_DIRECTORY_SUM = 32,
    CP_LAYOUT_AT_HEADER_SUM = 40,
    CP_LAYOUT_HEADER = 48
};

#define CP_LAYOUT_PACKED 0x80000000u /* in a block's length word: compressed by zstd; else plain */

extern const unsigned char cp_layout_magic[8];

/* Bytes of an element; 0 for a type that does not exist. */
size_t cp_layout_size(unsigned type);
uint64_t cp_layout_sum(const unsigned char *bytes, size_t n);

/* Little-endian numbers of n bytes. */
void cp_layout_put(unsigned char *to, uint64_t value, size_t n);
uint64_t cp_layout_get(const unsigned char *from, size_t n);

/* Converts n elements of `size` bytes from the byte order of this machine to planes, and back. */
void cp_layout_spread(unsigned char *restrict planes, const unsigned char *restrict data, size_t n, size_t size);
void cp_layout_gather(unsigned char *restrict data, const unsigned char *restrict planes, size_t n, size_t size);

/* The whole name of a section: the prefixes, then its own name. */
typedef struct cp_layout_scope {
    size_t depth, end[CP_LAYOUT_DEPTH + 1]; /* end[i]: length of the first i prefixes with their dots */
    char text[CP_LAYOUT_NAME + 1];
} cp_layout_scope;

/* 0 if the name gets too long.  That is a bug of the writing code; when reading, no such section exists. */
int cp_layout_scope_append(cp_layout_scope *s, const char *name);
int cp_layout_scope_push(cp_layout_scope *s, const char *prefix);
int cp_layout_scope_push_nth(cp_layout_scope *s, const char *kind, size_t number);
void cp_layout_scope_pop(cp_layout_scope *s);

/* Whether a name is printable ASCII without blanks, so that messages can show it. */
int cp_layout_name_is_fine(const char *name, size_t n);

#endif
