/* walk_step - one step of a walk down a tree, by keys (key_block.h). */
#ifndef CP_WALK_STEP_H
#define CP_WALK_STEP_H

#include <stddef.h>
#include <stdint.h>

/* A node for walks, as tree.h lays it out: a row whose key is above `cut` goes right. */
typedef struct cp_walk_step {
    uint32_t cut, way;
} cp_walk_step;

/* n + (step[i].cut < key), as one comparison and one addition with carry.  Compilers make four instructions of it, and
 * one more for the address. */
static inline size_t cp_walk_step_add(size_t n, const cp_walk_step *step, size_t i, uint32_t key) {
#if defined(__x86_64__) && defined(__GNUC__)
    __asm__("cmpl %1, (%2,%3,8)\n\tadcq $0, %0" : "+r"(n) : "r"(key), "r"(step), "r"(i) : "cc", "memory");
    return n;
#else
    return n + (step[i].cut < key);
#endif
}

#endif
