#include "kernel/partition.h"

#include <string.h>

#include "kernel/partition_avx2.h"

/* Both ways are written, and one of them counts: there is no branch to predict. */
static void part_plain(uint32_t *key, size_t n, const uint8_t *side, uint32_t *right) {
    for (size_t i = 0, left = 0; i < n; i++) {
        uint32_t k = key[i];
        key[left] = right[i - left] = k;
        left += side[k & 0xffff];
    }
}

cp_partition_fn cp_partition_best(void) {
    cp_partition_fn fast = cp_partition_avx2();
    return fast ? fast : part_plain;
}

cp_partition_fn cp_partition_find(const char *name) {
    if (!strcmp(name, "plain")) return part_plain;
    return !strcmp(name, "avx2") ? cp_partition_avx2() : NULL;
}
