#include "data/dict.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/hash_seed.h"
#include "base/mem.h"

const char *cp_dict_text(const cp_dict *d, size_t i) {
    return d->text + d->start[i];
}

static size_t length(const cp_dict *d, size_t i) {
    size_t next = i + 1 < d->n ? d->start[i + 1] : d->bytes;
    return next - d->start[i] - 1;
}

/* The slot that holds the string, or the free slot where it belongs.  At most half the slots are taken, so the probing
 * ends. */
static size_t slot_of(const cp_dict *d, const char *s, size_t n) {
    size_t mask = d->slots - 1, at = (size_t)XXH3_64bits_withSeed(s, n, d->hash_seed) & mask;
    for (; d->slot[at] != CP_NONE; at = (at + 1) & mask) {
        size_t i = (size_t)d->slot[at];
        if (length(d, i) == n && memcmp(cp_dict_text(d, i), s, n) == 0) break;
    }
    return at;
}

int32_t cp_dict_find(const cp_dict *d, const char *s, size_t n) {
    return d->n ? d->slot[slot_of(d, s, n)] : CP_NONE;
}

static void fill_slots(cp_dict *d) {
    for (size_t i = 0; i < d->slots; i++) d->slot[i] = CP_NONE;
    for (size_t i = 0; i < d->n; i++) d->slot[slot_of(d, cp_dict_text(d, i), length(d, i))] = (int32_t)i;
}

static copse_status widen(cp_dict *d, copse_error *err) {
    size_t slots = d->slots ? 2 * d->slots : 16;
    int32_t *slot;
    CP_TRY(CP_RAW(slot, slots, err));
    if (!d->slots) d->hash_seed = cp_hash_seed();
    cp_mem_free(d->slot);
    d->slot = slot;
    d->slots = slots;
    fill_slots(d);
    return COPSE_OK;
}

copse_status cp_dict_add(cp_dict *d, const char *s, size_t n, int32_t *out, copse_error *err) {
    if (2 * d->n >= d->slots) CP_TRY(widen(d, err));
    size_t at = slot_of(d, s, n);
    if (d->slot[at] == CP_NONE) {
        if (d->n >= INT32_MAX) return cp_fail(err, COPSE_E_DATA, "more than %d different texts", INT32_MAX);
        CP_TRY(CP_GROW(d->start, d->cap, d->n + 1, err));
        CP_TRY(CP_GROW(d->text, d->cap_bytes, d->bytes + n + 1, err));
        if (n) memcpy(d->text + d->bytes, s, n);
        d->text[d->bytes + n] = '\0';
        d->start[d->n] = d->bytes;
        d->bytes += n + 1;
        d->slot[at] = (int32_t)d->n++;
    }
    *out = d->slot[at];
    return COPSE_OK;
}

copse_status cp_dict_join(cp_dict *d, const cp_dict *other, copse_error *err) {
    int32_t id;
    for (size_t i = 0; i < other->n; i++) CP_TRY(cp_dict_add(d, cp_dict_text(other, i), length(other, i), &id, err));
    return COPSE_OK;
}

void cp_dict_shrink(cp_dict *d, size_t n) {
    if (n >= d->n) return;
    d->bytes = d->start[n];
    d->n = n;
    fill_slots(d);
}

void cp_dict_clear(cp_dict *d) {
    cp_mem_free(d->start);
    cp_mem_free(d->text);
    cp_mem_free(d->slot);
    *d = (cp_dict){0};
}
