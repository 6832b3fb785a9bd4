/* prefetch - asks the processor for memory that will be read soon. */
#ifndef CP_PREFETCH_H
#define CP_PREFETCH_H

/* Asks for the memory at p, to be read soon.  A function that only does this would look to GCC as if it did nothing,
 * and its calls would be dropped; the empty asm is there to be an effect. */
static inline void cp_prefetch(const void *p) {
    __builtin_prefetch(p);
    __asm__ volatile("");
}

#endif
