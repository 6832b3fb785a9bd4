/* arena - scratch memory in blocks that are used again after a reset. */
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>

#include "base/mem.h"

enum { ARENA_ALIGN = 64, ARENA_BLOCK = 1 << 16 };

struct cp_arena_block {
    struct cp_arena_block *next;
    size_t size;
    alignas(ARENA_ALIGN) unsigned char data[];
};

void cp_arena_init(cp_arena *a) {
    *a = (cp_arena){0};
}

static struct cp_arena_block *arena_block(size_t size) {
    size_t head = offsetof(struct cp_arena_block, data);
    struct cp_arena_block *b = size > PTRDIFF_MAX - head ? NULL : cp_mem_aligned(head + size, 1);
    if (b) *b = (struct cp_arena_block){.size = size};
    return b;
}

void *cp_arena_get(cp_arena *a, size_t n, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes) || bytes > PTRDIFF_MAX) return NULL;
    bytes = ((bytes ? bytes : 1) + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
    while (a->current && a->current->size - a->used < bytes && a->current->next) {
        a->current = a->current->next;
        a->used = 0;
    }
    if (!a->current || a->current->size - a->used < bytes) {
        struct cp_arena_block *b = arena_block(bytes > ARENA_BLOCK ? bytes : ARENA_BLOCK);
        if (!b) return NULL;
        if (a->current)
            a->current->next = b;
        else
            a->first = b;
        a->current = b;
        a->used = 0;
    }
    void *p = a->current->data + a->used;
    a->used += bytes;
    return p;
}

void cp_arena_reset(cp_arena *a) {
    a->current = a->first;
    a->used = 0;
}

void cp_arena_clear(cp_arena *a) {
    while (a->first) {
        struct cp_arena_block *next = a->first->next;
        cp_mem_free(a->first);
        a->first = next;
    }
    *a = (cp_arena){0};
}
