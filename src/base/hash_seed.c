#include "base/hash_seed.h"

#include <sys/random.h>
#include <time.h>

uint64_t cp_hash_seed(void) {
    uint64_t hash_seed;
    struct timespec now = {0};
    if (getrandom(&hash_seed, sizeof hash_seed, GRND_NONBLOCK) == (ssize_t)sizeof hash_seed) return hash_seed;
    /* early in the life of a machine, or without the call: the time, and an address that differs between processes */
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_nsec * 0x9e3779b97f4a7c15u ^ (uint64_t)now.tv_sec ^ (uint64_t)(uintptr_t)&hash_seed << 20;
}
