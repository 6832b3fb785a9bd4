/* partition - a list of rows in two, each in the order it had: what dividing a small node of a tree is made of, in
 * plain C and in AVX2. */
#ifndef CP_PARTITION_H
#define CP_PARTITION_H

#include <stddef.h>
#include <stdint.h>

/* Rows written beyond the end of what goes right; what stood there is lost. */
enum { CP_PARTITION_PAD = 4 };

/* Keys have a row in their low 16 bits.  Those with side[row] = 1 close up at the front of `key`, those with 0 go to
 * `right`. */
typedef void (*cp_partition_fn)(uint32_t *key, size_t n, const uint8_t *side, uint32_t *right);

/* The fastest that this processor runs; and one by name (plain, avx2) for tests, NULL if it cannot be run. */
cp_partition_fn cp_partition_best(void);
cp_partition_fn cp_partition_find(const char *name);

#endif
