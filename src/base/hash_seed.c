/* hash_seed - an unpredictable number from the system. */
#include "base/hash_seed.h"

#include <sys/random.h>
#include <time.h>

uint64_t cp_hash_seed(void) {
    uint64_t seed;
    struct timespec now = {0};
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) == (ssize_t)sizeof seed) return seed;
    /* The system has no randomness yet, or no such call: take the time, and an address that differs between
     * processes. */
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_nsec * 0x9e3779b97f4a7c15u ^ (uint64_t)now.tv_sec ^ (uint64_t)(uintptr_t)&seed << 20;
}
