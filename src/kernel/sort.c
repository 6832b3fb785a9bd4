/* sort - insertion sort for few keys, radix sort for many. */
#include "kernel/sort.h"

#include <string.h>

enum { FEW = 32 }; /* up to this many keys insertion sort is faster than radix sort */

static void insert_wide(uint64_t *key, size_t n) {
    for (size_t i = 1; i < n; i++) {
        uint64_t k = key[i];
        size_t j = i;
        for (; j > 0 && key[j - 1] >> 32 > k >> 32; j--) key[j] = key[j - 1];
        key[j] = k;
    }
}

void cp_sort_wide(uint64_t *key, size_t n, uint64_t *tmp) {
    size_t count[4][256];
    if (n <= FEW) {
        insert_wide(key, n);
        return;
    }
    memset(count, 0, sizeof count);
    for (size_t i = 0; i < n; i++)
        for (int d = 0; d < 4; d++) count[d][key[i] >> (32 + 8 * d) & 255]++;
    uint64_t *from = key, *to = tmp;
    for (int d = 0; d < 4; d++) {
        int shift = 32 + 8 * d;
        if (count[d][from[0] >> shift & 255] == n) continue; /* all keys have the same digit here */
        for (size_t b = 0, at = 0; b < 256; b++) {
            size_t c = count[d][b];
            count[d][b] = at;
            at += c;
        }
        for (size_t i = 0; i < n; i++) to[count[d][from[i] >> shift & 255]++] = from[i];
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != key) memcpy(key, from, n * sizeof *key);
}

static void insert_narrow(uint32_t *key, size_t n) {
    for (size_t i = 1; i < n; i++) {
        uint32_t k = key[i];
        size_t j = i;
        for (; j > 0 && key[j - 1] >> 16 > k >> 16; j--) key[j] = key[j - 1];
        key[j] = k;
    }
}

/* One pass of radix sort, by a digit below `limit`. */
static void count_narrow(const uint32_t *from, uint32_t *to, size_t n, int shift, uint32_t limit) {
    uint32_t count[256];
    for (uint32_t b = 0; b < limit; b++) count[b] = 0;
    for (size_t i = 0; i < n; i++) count[from[i] >> shift & 255]++;
    for (uint32_t b = 0, at = 0; b < limit; b++) {
        uint32_t c = count[b];
        count[b] = at;
        at += c;
    }
    for (size_t i = 0; i < n; i++) to[count[from[i] >> shift & 255]++] = from[i];
}

void cp_sort_narrow(uint32_t *key, size_t n, uint32_t limit, uint32_t *tmp) {
    size_t few = limit < 32 ? limit : FEW; /* with fewer digits, counting is faster already for fewer keys */
    if (n <= few) {
        insert_narrow(key, n);
        return;
    }
    count_narrow(key, tmp, n, 16, limit < 256 ? limit : 256);
    if (limit <= 256)
        memcpy(key, tmp, n * sizeof *key);
    else
        count_narrow(tmp, key, n, 24, (limit + 255) / 256);
}
