/* prefetch - asks the processor for memory that will be read soon. */
#ifndef CP_PREFETCH_H
#define CP_PREFETCH_H

/* Prefetches the cache line at p.  GCC drops calls of a function that only prefetches, because it sees no effect; the
 * empty asm is one. */
static inline void cp_prefetch(const void *p) {
    __builtin_prefetch(p);
    __asm__ volatile("");
}

#endif
