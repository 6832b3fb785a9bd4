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

/* A sanitizer looks at what the code touches, and sees it in a tenth of a long test's repeats, or in fewer of the
 * stories that break off here or there. */
#ifdef SANITIZED
enum { ONE_OF = 10, FAILURES_APART = 31 };
#else
enum { ONE_OF = 1, FAILURES_APART = 1 };
#endif

/* Of a test that draws at random, in bounds that follow their number. */
#define REPEATS_OF(n) ((n) / ONE_OF)

/* Which allocation fails next, after the k-th did.  Where not all of them do, the test counts what is left allocated
 * (cp_mem_live) in the plain build, in which all do. */
static inline long next_failure(long k) {
    enum { FEW = 50 };
    return k < FEW ? k + 1 : k + FAILURES_APART;
}

#endif
