#include "scripted.h"

#include <stdlib.h>

#include "num/rng.h"

scripted script;

void cp_rng_init(cp_rng *r, uint64_t seed, cp_purpose purpose, uint32_t slot, uint64_t step) {
    (void)seed, (void)purpose, (void)slot, (void)step;
    *r = (cp_rng){0};
}

static double next_value(uint64_t below) {
    size_t at = script.asked++;
    if (at >= SCRIPTED_MOST) abort();
    script.below[at] = below;
    return at < script.given ? script.value[at] : below ? 0 : 0.5;
}

double cp_rng_unit(cp_rng *r) {
    (void)r;
    return next_value(0);
}

uint64_t cp_rng_below(cp_rng *r, uint64_t n) {
    (void)r;
    return n == 1 ? 0 : (uint64_t)next_value(n); /* no choice */
}

/* Nothing that is listed asks for bits. */
uint64_t cp_rng_u64(cp_rng *r) {
    (void)r;
    abort();
}

uint32_t cp_rng_u32(cp_rng *r) {
    (void)r;
    abort();
}
