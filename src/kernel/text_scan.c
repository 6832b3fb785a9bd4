/* text_scan - the plain version of the kernels on text, and the choice between it and AVX2. */
#include "kernel/text_scan.h"

#include "kernel/digits.h"
#include "kernel/text_scan_avx2.h"

static uint64_t ends_plain(const char *text, char delimiter, uint64_t *out_other) {
    uint64_t ends = 0, other = 0;
    for (unsigned i = 0; i < 64; i++) {
        uint64_t found = text[i] == delimiter;
        ends |= (found | (text[i] == '\n') | (text[i] == '\r') | !text[i]) << i;
        other |= (found ^ 1) << i & (uint64_t)(text[i] < '0' || text[i] > '9') << i;
    }
    *out_other = other;
    return ends;
}

/* All bytes are shifted to the top of 16 bytes.  Then the digits before the point move up by one byte, over the point,
 * and a leading zero comes in. */
static int digits_plain(const char *text, size_t n, uint64_t *out) {
    __extension__ typedef unsigned __int128 u128;
    uint64_t low = 0, high = cp_digits_load(text);
    if (n > 8) {
        low = cp_digits_push(high, n - 8);
        high = cp_digits_load(text + n - 8);
    } else {
        high = n ? cp_digits_push(high, n) : 0;
    }
    uint64_t low_points = cp_digits_points(low), high_points = cp_digits_points(high);
    u128 v = (u128)high << 64 | low, points = (u128)high_points << 64 | low_points, at = points >> 7;
    size_t has_point = points != 0;
    if ((cp_digits_invalid(low) & ~low_points) | (cp_digits_invalid(high) & ~high_points)) return -1;
    if ((points & (points - 1)) || n <= has_point) return -1;
    v = ((v & (at - has_point)) << 8) | (v & ~((at << 8) - has_point));
    *out = cp_digits_value((uint64_t)v) * 100000000 + cp_digits_value((uint64_t)(v >> 64));
    if (high_points) return __builtin_clzll(high_points) / 8 + 1;
    return low_points ? __builtin_clzll(low_points) / 8 + 9 : 0;
}

static const cp_text_scan plain = {
    .ends = ends_plain,
    .digits = digits_plain,
};

const cp_text_scan *cp_text_scan_find(cp_tier tier) {
    if (!cp_tier_runs(tier)) return NULL;
    return tier == CP_TIER_AVX2 ? cp_text_scan_avx2() : &plain;
}

const cp_text_scan *cp_text_scan_best(void) {
    return cp_text_scan_find(cp_tier_best());
}
