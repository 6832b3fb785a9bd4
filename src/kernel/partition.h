/* partition - divides a list of rows into left and right, and keeps their order: how a small node of a tree is
 * split. */
#ifndef CP_PARTITION_H
#define CP_PARTITION_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/tier.h"

/* Keys that may be written after the last one that goes right; their old values are lost. */
enum { CP_PARTITION_PAD = 4 };

/* Keys have a row in their low 16 bits.  Keys with side[row] = 1 move to the front of `key`, keys with 0 go to
 * `right`. */
typedef void (*cp_partition_fn)(uint32_t *key, size_t n, const uint8_t *side, uint32_t *right);

cp_partition_fn cp_partition_find(cp_tier tier);
cp_partition_fn cp_partition_best(void);

#endif
