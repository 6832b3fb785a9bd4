/* layout - byte order, planes, checksums and section names of model files. */
#include "base/layout.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

const unsigned char cp_layout_magic[8] = {0x89, 'C', 'O', 'P', 'S', 'E', '\r', '\n'};

size_t cp_layout_size(unsigned type) {
    static const unsigned char size[] = {
        [CP_U8] = 1, [CP_I32] = 4, [CP_U32] = 4, [CP_I64] = 8, [CP_F32] = 4, [CP_F64] = 8};
    return type < sizeof size ? size[type] : 0;
}

uint64_t cp_layout_sum(const unsigned char *bytes, size_t n) {
    return XXH64(bytes, n, 0);
}

void cp_layout_put(unsigned char *to, uint64_t value, size_t n) {
    for (size_t i = 0; i < n; i++) to[i] = (unsigned char)(value >> 8 * i);
}

uint64_t cp_layout_get(const unsigned char *from, size_t n) {
    uint64_t value = 0;
    for (size_t i = 0; i < n; i++) value |= (uint64_t)from[i] << 8 * i;
    return value;
}

/* The position of the b-th lowest byte of a number in the memory of this machine. */
static size_t place_of_byte(size_t b, size_t size) {
    const uint16_t one = 1;
    unsigned char lowest;
    memcpy(&lowest, &one, 1);
    return lowest ? b : size - 1 - b;
}

void cp_layout_spread(unsigned char *restrict planes, const unsigned char *restrict data, size_t n, size_t size) {
    for (size_t b = 0; b < size; b++) {
        const unsigned char *from = data + place_of_byte(b, size);
        for (size_t i = 0; i < n; i++) planes[b * n + i] = from[i * size];
    }
}

void cp_layout_gather(unsigned char *restrict data, const unsigned char *restrict planes, size_t n, size_t size) {
    for (size_t b = 0; b < size; b++) {
        unsigned char *to = data + place_of_byte(b, size);
        for (size_t i = 0; i < n; i++) to[i * size] = planes[b * n + i];
    }
}

int cp_layout_scope_append(cp_layout_scope *s, const char *name) {
    size_t at = s->end[s->depth];
    return snprintf(s->text + at, sizeof s->text - at, "%s", name) < (int)(sizeof s->text - at);
}

int cp_layout_scope_push(cp_layout_scope *s, const char *prefix) {
    size_t length = s->end[s->depth] + strlen(prefix);
    if (s->depth == CP_LAYOUT_DEPTH || !cp_layout_scope_append(s, prefix) || length + 1 > CP_LAYOUT_NAME) return 0;
    s->text[length] = '.';
    s->end[++s->depth] = length + 1;
    return 1;
}

int cp_layout_scope_push_nth(cp_layout_scope *s, const char *kind, size_t number) {
    char prefix[CP_LAYOUT_NAME];
    int n = snprintf(prefix, sizeof prefix, "%s.%zu", kind, number);
    return n < (int)sizeof prefix && cp_layout_scope_push(s, prefix);
}

void cp_layout_scope_pop(cp_layout_scope *s) {
    CP_BUG(s->depth == 0);
    s->depth--;
}

int cp_layout_name_is_fine(const char *name, size_t n) {
    if (n == 0) return 0;
    for (size_t i = 0; i < n; i++)
        if (name[i] <= ' ' || name[i] > '~') return 0;
    return 1;
}
