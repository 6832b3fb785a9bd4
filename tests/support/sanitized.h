/* sanitized - SANITIZED is defined where a sanitizer is at work: those reserve terabytes of address space, so memory
 * cannot be limited there. */
#ifndef SANITIZED_H
#define SANITIZED_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif

/* Repeats of a test that draws at random, in bounds that follow their number.  A sanitizer looks at what the code touches,
 * and sees it in a tenth of them. */
#ifdef SANITIZED
#define REPEATS_OF(n) ((n) / 10)
#else
#define REPEATS_OF(n) (n)
#endif

#endif
