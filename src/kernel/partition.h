/* partition - a list of rows in two, each in the order it had: what dividing a small node of a tree is made of, in
 * plain C and in AVX2. */
#ifndef CP_PARTITION_H
#define CP_PARTITION_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/tier.h"

/* Rows written beyond the end of what goes right; what stood there is lost. */
enum { CP_PARTITION_PAD = 4 };

/* Keys have a row in their low 16 bits.  Those with side[row] = 1 close up at the front of `key`, those with 0 go to
 * `right`. */
typedef void (*cp_partition_fn)(uint32_t *key, size_t n, const uint8_t *side, uint32_t *right);

cp_partition_fn cp_partition_find(cp_tier tier);
cp_partition_fn cp_partition_best(void);

#endif
