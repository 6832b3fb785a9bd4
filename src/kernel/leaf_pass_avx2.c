/* leaf_pass_avx2 - the AVX2 version of the passes over rows by group, 16 rows at a time.
 *
 * A lane without a value adds +0, which changes no bit: lanes begin at +0, and a sum is -0 only if all its terms
 * are. */
#include "kernel/leaf_pass_avx2.h"

#if CP_TIER_HAS_AVX2

#include <string.h>

#include "kernel/avx2.h"

#define INLINE AVX2 static inline __attribute__((always_inline)) /* so that constant arguments are constants inside */

enum { LANES = CP_LEAF_PASS_LANES, FEW = 8, SOME = 16 };

static size_t piece_end(size_t from, size_t n) {
    return n - from < CP_LEAF_PASS_PIECE ? n : from + CP_LEAF_PASS_PIECE;
}

static float weight_of(const float *opt_weight, size_t i) {
    return opt_weight ? opt_weight[i] : 1;
}

typedef struct lanes {
    __m256 low, high; /* 0 ... 7, 8 ... 15 */
} lanes;

INLINE lanes load(const float *x) {
    return (lanes){_mm256_loadu_ps(x), _mm256_loadu_ps(x + 8)};
}

INLINE void store(float *x, lanes v) {
    _mm256_storeu_ps(x, v.low);
    _mm256_storeu_ps(x + 8, v.high);
}

INLINE lanes zero(void) {
    return (lanes){_mm256_setzero_ps(), _mm256_setzero_ps()};
}

INLINE lanes add(lanes a, lanes b) {
    return (lanes){_mm256_add_ps(a.low, b.low), _mm256_add_ps(a.high, b.high)};
}

INLINE lanes times(lanes a, lanes b) {
    return (lanes){_mm256_mul_ps(a.low, b.low), _mm256_mul_ps(a.high, b.high)};
}

INLINE double folded(lanes v) {
    __m256 eight = _mm256_add_ps(v.low, v.high);
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return (double)_mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

/* ------------------------------------------------------------------------------------------------------------- move */

typedef struct slots16 {
    __m256i low, high; /* 32 bits each */
} slots16;

/* Widens 16 bytes to words by a shuffle of two equal halves, which is faster than the widening instruction. */
INLINE slots16 load_slots(const uint8_t *slot) {
    const __m256i low = _mm256_setr_epi32(-256, -255, -254, -253, -252, -251, -250, -249);
    const __m256i high = _mm256_setr_epi32(-248, -247, -246, -245, -244, -243, -242, -241);
    const __m256i twice = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)slot));
    return (slots16){_mm256_shuffle_epi8(twice, low), _mm256_shuffle_epi8(twice, high)};
}

/* The addends of at most `most` groups: 1, 4, 8, 16 or CP_LEAF_PASS_MAX.  Up to 16 are kept in registers. */
typedef struct table {
    const float *add;
    __m256 low, high;
} table;

INLINE table load_table(const float *add, size_t most) {
    if (most == 1) return (table){add, _mm256_broadcast_ss(add), _mm256_setzero_ps()};
    if (most == 4) return (table){add, _mm256_broadcast_ps((const __m128 *)add), _mm256_setzero_ps()};
    return (table){add, _mm256_loadu_ps(add), _mm256_loadu_ps(add + 8)};
}

INLINE __m256 look_up(table t, __m256i slot, size_t most) {
    if (most == 1) return t.low;
    if (most == 4) return _mm256_permutevar_ps(t.low, slot);
    if (most > SOME) return _mm256_i32gather_ps(t.add, slot, 4);
    __m256 low = _mm256_permutevar8x32_ps(t.low, slot);
    if (most <= FEW) return low;
    __m256 high = _mm256_permutevar8x32_ps(t.high, slot);
    return _mm256_blendv_ps(low, high, _mm256_castsi256_ps(_mm256_slli_epi32(slot, 28))); /* by the bit of 8 */
}

INLINE lanes shifted(lanes v, table t, slots16 s, size_t most) {
    return add(v, (lanes){look_up(t, s.low, most), look_up(t, s.high, most)});
}

/* Rows from ... end-1.  Rows up to `whole`, a multiple of 16, are taken as vectors. */
typedef struct piece {
    float *r;
    const float *opt_weight;
    size_t from, whole, end;
} piece;

static piece piece_of(const cp_leaf_pass_values *x, size_t from) {
    size_t end = piece_end(from, x->n);
    return (piece){x->r, x->opt_weight, from, from + (end - from) / LANES * LANES, end};
}

INLINE void shift_by(const piece *p, const cp_leaf_pass_shift *s, size_t most) {
    const table t = load_table(s->add, most);
    for (size_t i = p->from; i < p->whole; i += LANES)
        store(p->r + i, shifted(load(p->r + i), t, load_slots(s->slot + i), most));
}

AVX2 static void shift_piece(const piece *p, const cp_leaf_pass_shift *s) {
    if (s->slots <= FEW)
        shift_by(p, s, FEW);
    else if (s->slots <= SOME)
        shift_by(p, s, SOME);
    else
        shift_by(p, s, CP_LEAF_PASS_MAX);
    for (size_t i = p->whole; i < p->end; i++) p->r[i] += s->add[s->slot[i]];
}

/* The lanes of up to four groups. */
typedef struct sums {
    lanes of[4];
} sums;

INLINE lanes in_group(lanes v, slots16 s, size_t group) {
    const __m256i id = _mm256_set1_epi32((int)group);
    const __m256 low = _mm256_castsi256_ps(_mm256_cmpeq_epi32(s.low, id));
    const __m256 high = _mm256_castsi256_ps(_mm256_cmpeq_epi32(s.high, id));
    return (lanes){_mm256_and_ps(v.low, low), _mm256_and_ps(v.high, high)};
}

/* Adds the values of groups first, first + 1 ...  If there are one or two groups in all, the last needs no
 * comparison. */
INLINE void sums_add(sums *to, lanes v, slots16 s, size_t first, size_t groups, size_t slots) {
    for (size_t g = 0; g < groups; g++) {
        lanes own = v;
        if (slots == 2 && g == 1) {
            const lanes other = in_group(v, s, 0);
            own = (lanes){_mm256_xor_ps(v.low, other.low), _mm256_xor_ps(v.high, other.high)};
        } else if (slots > 1) {
            own = in_group(v, s, first + g);
        }
        to->of[g] = add(to->of[g], own);
    }
}

/* Adds the rows after the last whole 16, and the lanes to sum[0] ... */
INLINE void sums_end(sums *to, const piece *p, const uint8_t *slot, size_t first, size_t groups, double *sum) {
    float lane[4][LANES];
    if (p->whole < p->end) {
        for (size_t g = 0; g < groups; g++) store(lane[g], to->of[g]);
        for (size_t i = p->whole; i < p->end; i++) {
            size_t g = slot[i] - first; /* huge if less */
            if (g < groups) lane[g][i % LANES] += weight_of(p->opt_weight, i) * p->r[i];
        }
        for (size_t g = 0; g < groups; g++) to->of[g] = load(lane[g]);
    }
    for (size_t g = 0; g < groups; g++) sum[g] += folded(to->of[g]);
}

/* One pass for the most frequent case: no weights, at most `most` (4 or 8) groups in `before` and at most 4 in
 * `shift`. */
INLINE void move_few(const piece *p, const cp_leaf_pass_shift *a, size_t most, const cp_leaf_pass_shift *b,
                     size_t slots, double *sum) {
    const table ta = load_table(a->add, most), tb = load_table(b->add, slots == 1 ? 1 : 4);
    sums acc = {{zero(), zero(), zero(), zero()}};
    for (size_t i = p->from; i < p->whole; i += LANES) {
        const slots16 s = load_slots(b->slot + i);
        const lanes v = shifted(load(p->r + i), ta, load_slots(a->slot + i), most);
        const lanes w = shifted(v, tb, s, slots == 1 ? 1 : 4);
        store(p->r + i, w);
        sums_add(&acc, w, s, 0, slots, slots);
    }
    for (size_t i = p->whole; i < p->end; i++) {
        p->r[i] += a->add[a->slot[i]];
        p->r[i] += b->add[b->slot[i]];
    }
    sums_end(&acc, p, b->slot, 0, slots, sum);
}

AVX2 static void move_four(const piece *p, const cp_leaf_pass_shift *a, const cp_leaf_pass_shift *b, double *sum) {
    switch (b->slots) {
        case 1: move_few(p, a, 4, b, 1, sum); break;
        case 2: move_few(p, a, 4, b, 2, sum); break;
        case 3: move_few(p, a, 4, b, 3, sum); break;
        default: move_few(p, a, 4, b, 4, sum); break;
    }
}

AVX2 static void move_eight(const piece *p, const cp_leaf_pass_shift *a, const cp_leaf_pass_shift *b, double *sum) {
    switch (b->slots) {
        case 1: move_few(p, a, 8, b, 1, sum); break;
        case 2: move_few(p, a, 8, b, 2, sum); break;
        case 3: move_few(p, a, 8, b, 3, sum); break;
        default: move_few(p, a, 8, b, 4, sum); break;
    }
}

INLINE lanes weighted(const piece *p, size_t i, int has_weight) {
    lanes v = load(p->r + i);
    return has_weight ? times(load(p->opt_weight + i), v) : v;
}

/* Adds the sums of groups first, first + 1 ... in the piece to sum[0 ... groups-1]; groups <= 4. */
INLINE void sum_groups(const piece *p, const uint8_t *slot, size_t first, size_t groups, int has_weight, double *sum) {
    sums acc = {{zero(), zero(), zero(), zero()}};
    for (size_t i = p->from; i < p->whole; i += LANES)
        sums_add(&acc, weighted(p, i, has_weight), load_slots(slot + i), first, groups, CP_LEAF_PASS_MAX);
    sums_end(&acc, p, slot, first, groups, sum);
}

INLINE void sum_few(const piece *p, const uint8_t *slot, size_t slots, int has_weight, double *sum) {
    size_t first = 0;
    for (; first + 4 <= slots; first += 4) sum_groups(p, slot, first, 4, has_weight, sum + first);
    switch (slots - first) {
        case 1: sum_groups(p, slot, first, 1, has_weight, sum + first); break;
        case 2: sum_groups(p, slot, first, 2, has_weight, sum + first); break;
        case 3: sum_groups(p, slot, first, 3, has_weight, sum + first); break;
        default: break;
    }
}

/* Each lane of each group has its own place in memory, so no addition waits for the one before. */
AVX2 static void sum_many(const piece *p, const uint8_t *slot, size_t slots, double *sum) {
    float lane[CP_LEAF_PASS_MAX][LANES];
    memset(lane, 0, slots * sizeof *lane);
    for (size_t i = p->from; i < p->end; i++) lane[slot[i]][i % LANES] += weight_of(p->opt_weight, i) * p->r[i];
    for (size_t g = 0; g < slots; g++) sum[g] += folded(load(lane[g]));
}

AVX2 static void sum_piece(const piece *p, const cp_leaf_pass_shift *s, double *sum) {
    enum { MASKS = 12 }; /* with more groups, sums in memory are faster */
    if (s->slots > MASKS)
        sum_many(p, s->slot, s->slots, sum);
    else if (p->opt_weight)
        sum_few(p, s->slot, s->slots, 1, sum);
    else
        sum_few(p, s->slot, s->slots, 0, sum);
}

AVX2 static void sum_avx2(const cp_leaf_pass_values *x, const cp_leaf_pass_shift *groups, double *sum) {
    for (size_t g = 0; g < groups->slots; g++) sum[g] = 0;
    for (size_t from = 0; from < x->n; from += CP_LEAF_PASS_PIECE) {
        const piece p = piece_of(x, from);
        sum_piece(&p, groups, sum);
    }
}

AVX2 static void move_avx2(const cp_leaf_pass_values *x, const cp_leaf_pass_shift *opt_before,
                           const cp_leaf_pass_shift *shift, double *opt_sum) {
    int few = opt_before && opt_sum && !x->opt_weight && opt_before->slots <= FEW && shift->slots <= 4;
    for (size_t g = 0; opt_sum && g < shift->slots; g++) opt_sum[g] = 0;
    for (size_t from = 0; from < x->n; from += CP_LEAF_PASS_PIECE) {
        const piece p = piece_of(x, from);
        if (few && opt_before->slots <= 4) {
            move_four(&p, opt_before, shift, opt_sum);
        } else if (few) {
            move_eight(&p, opt_before, shift, opt_sum);
        } else {
            if (opt_before) shift_piece(&p, opt_before);
            shift_piece(&p, shift);
            if (opt_sum) sum_piece(&p, shift, opt_sum);
        }
    }
}

/* ------------------------------------------------------------------------------------------------------------ scale */

INLINE void scale_by(const piece *p, const cp_leaf_pass_shift *s, size_t most) {
    const table t = load_table(s->add, most);
    for (size_t i = p->from; i < p->whole; i += LANES) {
        const slots16 slot = load_slots(s->slot + i);
        const lanes by = {look_up(t, slot.low, most), look_up(t, slot.high, most)};
        store(p->r + i, times(load(p->r + i), by));
    }
}

AVX2 static void scale_piece(const piece *p, const cp_leaf_pass_shift *s) {
    if (s->slots <= FEW)
        scale_by(p, s, FEW);
    else if (s->slots <= SOME)
        scale_by(p, s, SOME);
    else
        scale_by(p, s, CP_LEAF_PASS_MAX);
    for (size_t i = p->whole; i < p->end; i++) p->r[i] *= s->add[s->slot[i]];
}

AVX2 static void scale_avx2(const cp_leaf_pass_values *x, const cp_leaf_pass_shift *opt_before,
                            const cp_leaf_pass_shift *shift, double *opt_sum) {
    for (size_t g = 0; opt_sum && g < shift->slots; g++) opt_sum[g] = 0;
    for (size_t from = 0; from < x->n; from += CP_LEAF_PASS_PIECE) {
        const piece p = piece_of(x, from);
        if (opt_before) scale_piece(&p, opt_before);
        scale_piece(&p, shift);
        if (opt_sum) sum_piece(&p, shift, opt_sum);
    }
}

AVX2 static double squares_avx2(const cp_leaf_pass_values *x) {
    double sum = 0;
    for (size_t from = 0; from < x->n; from += CP_LEAF_PASS_PIECE) {
        const piece p = piece_of(x, from);
        lanes acc = zero();
        float lane[LANES];
        for (size_t i = p.from; i < p.whole; i += LANES) {
            lanes v = load(p.r + i), square = times(v, v);
            acc = add(acc, p.opt_weight ? times(load(p.opt_weight + i), square) : square);
        }
        store(lane, acc);
        for (size_t i = p.whole; i < p.end; i++) lane[i % LANES] += weight_of(p.opt_weight, i) * (p.r[i] * p.r[i]);
        sum += folded(load(lane));
    }
    return sum;
}

/* -------------------------------------------------------------------------------------------------- extent and left */

INLINE __m256i load_codes(const uint16_t *code) {
    return _mm256_loadu_si256((const __m256i *)code);
}

/* All ones for rows of group s, 16 bits for each row; every byte of id is s. */
INLINE __m256i is_slot(const uint8_t *slot, __m256i id) {
    const __m256i each =
        _mm256_setr_epi64x(0x0303020201010000, 0x0707060605050404, 0x0b0b0a0a09090808, 0x0f0f0e0e0d0d0c0c);
    const __m256i twice = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)slot));
    return _mm256_cmpeq_epi16(_mm256_shuffle_epi8(twice, each), id);
}

INLINE __m256i goes_left(const uint16_t *code, __m256i cell) {
    const __m256i c = load_codes(code);
    return _mm256_cmpeq_epi16(_mm256_min_epu16(c, cell), c);
}

INLINE uint16_t greatest(__m256i v) {
    const __m128i eight = _mm_max_epu16(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    const __m128i none = _mm_set1_epi16(-1);
    return (uint16_t)~_mm_extract_epi16(_mm_minpos_epu16(_mm_xor_si128(eight, none)), 0);
}

/* Adds the counts of 16-bit lanes.  Rows are counted down from 0, and the counts are added before they reach -2^15. */
INLINE size_t counted(__m256i down) {
    const __m256i four = _mm256_madd_epi16(down, _mm256_set1_epi16(-1));
    __m128i two = _mm_add_epi32(_mm256_castsi256_si128(four), _mm256_extracti128_si256(four, 1));
    two = _mm_add_epi32(two, _mm_unpackhi_epi64(two, two));
    return (size_t)(uint32_t)_mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 1)));
}

/* The least code is the complement of the greatest complement, so that rows of other groups are 0 for both. */
AVX2 static size_t extent_avx2(const uint8_t *slot, uint8_t s, const uint16_t *code, size_t n, uint16_t out[2]) {
    const __m256i id = _mm256_set1_epi8((char)s);
    __m256i low = _mm256_setzero_si256(), high = low;
    size_t rows = 0, i = 0;
    while (i + LANES <= n) {
        const size_t end = i + (size_t)LANES * 16384 < n ? i + (size_t)LANES * 16384 : n;
        __m256i down = _mm256_setzero_si256();
        for (; i + LANES <= end; i += LANES) {
            const __m256i c = load_codes(code + i), is = is_slot(slot + i, id);
            low = _mm256_max_epu16(low, _mm256_andnot_si256(c, is));
            high = _mm256_max_epu16(high, _mm256_and_si256(c, is));
            down = _mm256_add_epi16(down, is);
        }
        rows += counted(down);
    }
    out[0] = (uint16_t)~greatest(low);
    out[1] = greatest(high);
    for (; i < n; i++) {
        if (slot[i] != s) continue;
        out[0] = code[i] < out[0] ? code[i] : out[0];
        out[1] = code[i] > out[1] ? code[i] : out[1];
        rows++;
    }
    return rows;
}

/* The sums of one piece. */
typedef struct side_lanes {
    lanes w, wr;
    __m256i down;
} side_lanes;

INLINE lanes masked(lanes v, __m256i is) {
    const __m256i quarters = _mm256_permute4x64_epi64(is, 0xd8); /* 0 2 1 3, which unpacking makes 0 1 | 2 3 */
    const __m256i low = _mm256_unpacklo_epi16(quarters, quarters), high = _mm256_unpackhi_epi16(quarters, quarters);
    return (lanes){_mm256_and_ps(v.low, _mm256_castsi256_ps(low)), _mm256_and_ps(v.high, _mm256_castsi256_ps(high))};
}

/* Without weights it is enough to count the rows: each weight is 1. */
INLINE side_lanes left_of(const cp_leaf_pass_rows *rows, size_t from, size_t whole, uint8_t s, cp_leaf_pass_cut cut,
                          int has_weight) {
    const __m256i id = _mm256_set1_epi8((char)s), cell = _mm256_set1_epi16((short)cut.cell);
    side_lanes sum = {zero(), zero(), _mm256_setzero_si256()};
    for (size_t i = from; i < whole; i += LANES) {
        const __m256i is = _mm256_and_si256(is_slot(rows->slot + i, id), goes_left(cut.code + i, cell));
        sum.down = _mm256_add_epi16(sum.down, is);
        if (has_weight) {
            const lanes w = masked(load(rows->opt_weight + i), is);
            sum.w = add(sum.w, w);
            if (rows->opt_r) sum.wr = add(sum.wr, times(w, load(rows->opt_r + i)));
        } else if (rows->opt_r) {
            sum.wr = add(sum.wr, masked(load(rows->opt_r + i), is));
        }
    }
    return sum;
}

AVX2 static void add_piece(cp_leaf_pass_side *side, const side_lanes *sum, const cp_leaf_pass_rows *rows) {
    size_t n = counted(sum->down);
    side->rows += n;
    side->sum_w += rows->opt_weight ? folded(sum->w) : (double)n;
    side->sum_wr += folded(sum->wr);
}

/* Adds the last rows of a piece one by one. */
AVX2 static void add_tail(cp_leaf_pass_side *side, side_lanes *sum, const cp_leaf_pass_rows *rows, size_t i, uint8_t s,
                          cp_leaf_pass_cut cut) {
    float w[LANES], wr[LANES];
    size_t n = 0;
    store(w, sum->w);
    store(wr, sum->wr);
    for (; i < rows->n; i++) {
        if (rows->slot[i] != s || cut.code[i] > cut.cell) continue;
        float weight = weight_of(rows->opt_weight, i);
        n++;
        w[i % LANES] += weight;
        if (rows->opt_r) wr[i % LANES] += weight * rows->opt_r[i];
    }
    side->rows += n;
    if (!rows->opt_weight) side->sum_w += (double)n;
    sum->w = load(w);
    sum->wr = load(wr);
}

AVX2 static cp_leaf_pass_side left_avx2(const cp_leaf_pass_rows *rows, uint8_t s, cp_leaf_pass_cut cut) {
    cp_leaf_pass_side side = {0};
    for (size_t from = 0; from < rows->n; from += CP_LEAF_PASS_PIECE) {
        size_t end = piece_end(from, rows->n), whole = from + (end - from) / LANES * LANES;
        side_lanes sum =
            rows->opt_weight ? left_of(rows, from, whole, s, cut, 1) : left_of(rows, from, whole, s, cut, 0);
        if (whole < end) add_tail(&side, &sum, rows, whole, s, cut);
        add_piece(&side, &sum, rows);
    }
    return side;
}

AVX2 static size_t next_avx2(const uint8_t *slot, uint8_t s, cp_leaf_pass_cut cut, int right, size_t from, size_t n) {
    const __m256i id = _mm256_set1_epi8((char)s), cell = _mm256_set1_epi16((short)cut.cell);
    const __m256i turn = _mm256_set1_epi16((short)-right);
    for (; from + LANES <= n; from += LANES) {
        const __m256i goes = _mm256_xor_si256(goes_left(cut.code + from, cell), turn);
        const unsigned is = (unsigned)_mm256_movemask_epi8(_mm256_and_si256(is_slot(slot + from, id), goes));
        if (is) return from + (size_t)__builtin_ctz(is) / 2; /* two bits a row */
    }
    while (from < n && (slot[from] != s || (cut.code[from] > cut.cell) != right)) from++;
    return from;
}

/* ---------------------------------------------------------------------------------------------------------- changes */

AVX2 static void split_avx2(uint8_t *slot, uint8_t s, cp_leaf_pass_cut cut, uint8_t to, size_t n) {
    const __m128i id = _mm_set1_epi8((char)s), other = _mm_set1_epi8((char)to);
    const __m256i cell = _mm256_set1_epi16((short)cut.cell);
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        const __m128i old = _mm_loadu_si128((const __m128i *)(slot + i)), is = _mm_cmpeq_epi8(old, id);
        const __m256i left = goes_left(cut.code + i, cell);
        const __m128i stays = _mm_packs_epi16(_mm256_castsi256_si128(left), _mm256_extracti128_si256(left, 1));
        _mm_storeu_si128((__m128i *)(slot + i), _mm_blendv_epi8(old, other, _mm_andnot_si128(stays, is)));
    }
    for (; i < n; i++)
        if (slot[i] == s && cut.code[i] > cut.cell) slot[i] = to;
}

AVX2 static void rename_avx2(uint8_t *slot, uint8_t from, uint8_t to, size_t n) {
    const __m256i id = _mm256_set1_epi8((char)from), other = _mm256_set1_epi8((char)to);
    size_t i = 0;
    for (; i + 32 <= n; i += 32) {
        const __m256i old = _mm256_loadu_si256((const __m256i *)(slot + i));
        _mm256_storeu_si256((__m256i *)(slot + i), _mm256_blendv_epi8(old, other, _mm256_cmpeq_epi8(old, id)));
    }
    for (; i < n; i++) slot[i] = slot[i] == from ? to : slot[i];
}

/* places[bits]: the positions of the bits that are set, one in each byte. */
static const uint32_t places[16] = {0x0, 0x0,    0x1,    0x0100,   0x2,    0x0200,   0x0201,   0x020100,
                                    0x3, 0x0300, 0x0301, 0x030100, 0x0302, 0x030200, 0x030201, 0x03020100};

static size_t list_plain(const uint8_t *slot, const uint8_t *in, size_t i, size_t n, uint32_t *out_row, size_t rows) {
    for (; i < n; i++) {
        out_row[rows] = (uint32_t)i;
        rows += in[slot[i]];
    }
    return rows;
}

/* If only groups below 16 are wanted, a shuffle looks them up: adding 112 sets the highest bit of a byte of 16 or more,
 * for which the shuffle gives 0. */
AVX2 static size_t list_avx2(const uint8_t *slot, const uint8_t in[CP_LEAF_PASS_MAX], size_t n, uint32_t *out_row) {
    const __m128i wanted = _mm_loadu_si128((const __m128i *)in), low = _mm_set1_epi8(112), none = _mm_setzero_si128();
    size_t rows = 0, i = 0;
    for (size_t g = SOME; g < CP_LEAF_PASS_MAX; g++)
        if (in[g]) return list_plain(slot, in, 0, n, out_row, 0);
    for (; i + LANES <= n; i += LANES) {
        const __m128i s = _mm_adds_epu8(_mm_loadu_si128((const __m128i *)(slot + i)), low);
        unsigned is = (unsigned)_mm_movemask_epi8(_mm_cmpgt_epi8(_mm_shuffle_epi8(wanted, s), none));
        for (uint32_t at = (uint32_t)i; is; is >>= 4, at += 4) {
            const __m128i four = _mm_cvtepu8_epi32(_mm_cvtsi32_si128((int)places[is & 15]));
            _mm_storeu_si128((__m128i *)(out_row + rows), _mm_add_epi32(four, _mm_set1_epi32((int)at)));
            rows += (size_t)_mm_popcnt_u32(is & 15);
        }
    }
    return list_plain(slot, in, i, n, out_row, rows);
}

static const cp_leaf_pass fast = {
    .move = move_avx2,
    .scale = scale_avx2,
    .sum = sum_avx2,
    .squares = squares_avx2,
    .extent = extent_avx2,
    .left = left_avx2,
    .next = next_avx2,
    .split = split_avx2,
    .rename = rename_avx2,
    .list = list_avx2,
};

const cp_leaf_pass *cp_leaf_pass_avx2(void) {
    return &fast;
}

#else

const cp_leaf_pass *cp_leaf_pass_avx2(void) {
    return NULL;
}

#endif
