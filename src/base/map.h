/* map - a hash table from 64-bit keys to ids. */
#ifndef CP_MAP_H
#define CP_MAP_H

#include "base/fail.h"

/* Zeroed is empty. */
typedef struct cp_map {
    uint64_t *key;
    int32_t *id; /* CP_NONE: a free place */
    size_t used, places;
} cp_map;

/* CP_NONE if the key is not there. */
int32_t cp_map_find(const cp_map *m, uint64_t key);
/* Adds a key that is not there; id >= 0.  On failure the map is unchanged. */
copse_status cp_map_add(cp_map *m, uint64_t key, int32_t id, copse_error *err);
/* Makes room for one key: the next cp_map_add cannot fail. */
copse_status cp_map_reserve(cp_map *m, copse_error *err);
/* Removes all keys and keeps the memory. */
void cp_map_reset(cp_map *m);
void cp_map_clear(cp_map *m);

#endif
