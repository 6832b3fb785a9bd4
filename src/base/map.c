/* map - a hash table with open addressing and linear probing, at most half full. */
#include "base/map.h"

#include <string.h>

#include "base/mem.h"

enum { FIRST_PLACES = 64 };

/* Keys are made of two small numbers, so all their bits must be mixed into the low bits. */
static size_t place_of(const cp_map *m, uint64_t key) {
    key ^= key >> 32;
    key *= 0x9e3779b97f4a7c15u;
    key ^= key >> 29;
    return (size_t)key & (m->places - 1);
}

/* The place of the key, or the free place where it belongs. */
static size_t probe(const cp_map *m, uint64_t key) {
    size_t at = place_of(m, key);
    while (m->id[at] != CP_NONE && m->key[at] != key) at = (at + 1) & (m->places - 1);
    return at;
}

int32_t cp_map_find(const cp_map *m, uint64_t key) {
    return m->places ? m->id[probe(m, key)] : CP_NONE;
}

static copse_status enlarge(cp_map *m, copse_error *err) {
    cp_map larger = {.used = m->used, .places = m->places ? 2 * m->places : FIRST_PLACES};
    copse_status status;
    CP_TRY_OUT(CP_RAW(larger.key, larger.places, err));
    CP_TRY_OUT(CP_RAW(larger.id, larger.places, err));
    memset(larger.id, 0xff, larger.places * sizeof *larger.id);
    for (size_t i = 0; i < m->places; i++) {
        if (m->id[i] == CP_NONE) continue;
        size_t at = probe(&larger, m->key[i]);
        larger.key[at] = m->key[i];
        larger.id[at] = m->id[i];
    }
out:
    cp_map_clear(status ? &larger : m);
    if (!status) *m = larger;
    return status;
}

copse_status cp_map_reserve(cp_map *m, copse_error *err) {
    return 2 * (m->used + 1) > m->places ? enlarge(m, err) : COPSE_OK;
}

copse_status cp_map_add(cp_map *m, uint64_t key, int32_t id, copse_error *err) {
    CP_TRY(cp_map_reserve(m, err));
    size_t at = probe(m, key);
    m->key[at] = key;
    m->id[at] = id;
    m->used++;
    return COPSE_OK;
}

void cp_map_reset(cp_map *m) {
    if (m->used) memset(m->id, 0xff, m->places * sizeof *m->id);
    m->used = 0;
}

void cp_map_clear(cp_map *m) {
    cp_mem_free(m->key);
    cp_mem_free(m->id);
    *m = (cp_map){0};
}
