/* arena - scratch memory of a job: allocated piece by piece, released all at once. */
#ifndef CP_ARENA_H
#define CP_ARENA_H

#include <stddef.h>

/* Reset keeps the blocks for the next use; clear frees them. */
typedef struct cp_arena {
    struct cp_arena_block *first, *current;
    size_t used; /* bytes of `current` */
} cp_arena;
void cp_arena_init(cp_arena *a);
void *cp_arena_get(cp_arena *a, size_t n, size_t size); /* 64-byte aligned, not zeroed; NULL when out of memory */
void cp_arena_reset(cp_arena *a);
void cp_arena_clear(cp_arena *a);

#endif
