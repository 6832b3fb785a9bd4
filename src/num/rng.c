/* rng - streams of Philox 4x32-10, one block of four words at a time. */
#include "num/rng.h"

#include "kernel/philox_avx2.h"

/* key = seed; counter = (block number, purpose and slot, step).  The purpose takes the top 8 bits of the second word,
 * the slot the other 24 (16 million trees), the step 64 bits.  A stream has 2^32 blocks of four words. */
void cp_rng_init(cp_rng *r, uint64_t seed, cp_purpose purpose, uint32_t slot, uint64_t step) {
    *r = (cp_rng){
        .key = {(uint32_t)seed, (uint32_t)(seed >> 32)},
        .counter = {0, (uint32_t)purpose << 24 | (slot & 0xffffff), (uint32_t)step, (uint32_t)(step >> 32)},
    };
}

/* Philox 4x32-10 [Salmon et al. 2011]: ten rounds, each of two products whose halves change places, mixed with a key
 * that is raised after each round. */
static void refill(cp_rng *r) {
    uint32_t c[4] = {r->counter[0], r->counter[1], r->counter[2], r->counter[3]}, k[2] = {r->key[0], r->key[1]};
    for (int round = 0; round < 10; round++, k[0] += 0x9E3779B9, k[1] += 0xBB67AE85) {
        uint64_t a = (uint64_t)0xD2511F53 * c[0], b = (uint64_t)0xCD9E8D57 * c[2];
        uint32_t mixed[4] = {(uint32_t)(b >> 32) ^ c[1] ^ k[0], (uint32_t)b, (uint32_t)(a >> 32) ^ c[3] ^ k[1],
                             (uint32_t)a};
        for (int i = 0; i < 4; i++) c[i] = mixed[i];
    }
    for (int i = 0; i < 4; i++) r->out[i] = c[i];
    r->counter[0]++;
    r->left = 4;
}

void cp_rng_batch_init(cp_rng_batch *batch, uint64_t seed, cp_purpose purpose, uint32_t slot, uint64_t step, size_t n) {
    enum { FEW = 4 };
    cp_rng_init(&batch->first, seed, purpose, slot, step);
    batch->step = step;
    if (n > FEW && cp_philox_avx2(batch->first.key, batch->first.counter, batch->word)) return;
    for (size_t i = 0; i < n; i++) {
        cp_rng r;
        cp_rng_init(&r, seed, purpose, slot, step + i);
        refill(&r);
        for (size_t w = 0; w < 4; w++) batch->word[w][i] = r.out[w];
    }
}

cp_rng cp_rng_batch_get(const cp_rng_batch *batch, size_t i) {
    cp_rng r = batch->first;
    uint64_t step = batch->step + i;
    r.counter[0] = 1;
    r.counter[2] = (uint32_t)step;
    r.counter[3] = (uint32_t)(step >> 32);
    for (size_t w = 0; w < 4; w++) r.out[w] = batch->word[w][i];
    r.left = 4;
    return r;
}

uint32_t cp_rng_u32(cp_rng *r) {
    if (!r->left) refill(r);
    return r->out[4 - r->left--];
}

uint64_t cp_rng_u64(cp_rng *r) {
    if (r->left >= 2) {
        const uint32_t *next = r->out + 4 - r->left;
        r->left -= 2;
        return next[0] | (uint64_t)next[1] << 32;
    }
    uint64_t low = cp_rng_u32(r);
    return low | (uint64_t)cp_rng_u32(r) << 32;
}

double cp_rng_unit(cp_rng *r) {
    return ((double)(cp_rng_u64(r) >> 11) + 0.5) * 0x1p-53;
}

/* Rejects the lowest 2^64 mod n values, so that all residues are equally likely. */
uint64_t cp_rng_below(cp_rng *r, uint64_t n) {
    uint64_t skip = (0 - n) % n; /* 2^64 mod n */
    for (;;) {
        uint64_t v = cp_rng_u64(r);
        if (v >= skip) return v % n;
    }
}
