#include "base/hash_seed.h"

#include <sys/random.h>
#include <time.h>

uint64_t cp_hash_seed(void) {
    uint64_t salt;
    struct timespec now = {0};
    if (getrandom(&salt, sizeof salt, GRND_NONBLOCK) == (ssize_t)sizeof salt) return salt;
    /* early in the life of a machine, or without the call: the time, and an address that differs between processes */
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_nsec * 0x9e3779b97f4a7c15u ^ (uint64_t)now.tv_sec ^ (uint64_t)(uintptr_t)&salt << 20;
}
