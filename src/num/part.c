#include "num/part.h"

#include <string.h>

#include "num/part_avx2.h"

/* Both ways are written, and one of them counts: there is no branch to predict. */
static void part_plain(uint32_t *key, size_t n, const uint8_t *side, uint32_t *right) {
    for (size_t i = 0, left = 0; i < n; i++) {
        uint32_t k = key[i];
        key[left] = right[i - left] = k;
        left += side[k & 0xffff];
    }
}

cp_part_fn cp_part_best(void) {
    cp_part_fn fast = cp_part_avx2();
    return fast ? fast : part_plain;
}

cp_part_fn cp_part_find(const char *name) {
    if (!strcmp(name, "plain")) return part_plain;
    return !strcmp(name, "avx2") ? cp_part_avx2() : NULL;
}
