#include "split/split_random.h"

#include "kernel/float4.h"
#include "split/split_side.h"

static int is_missing(const cp_split_random_column *c, float x) {
    return isnan(x) || (c->levels && x >= (float)c->levels);
}

/* Smallest and largest value in the node. */
typedef struct range {
    float low, high;
    int missing; /* some rows have no value */
} range;

static range widen(range r, float x) {
    return (range){x < r.low ? x : r.low, x > r.high ? x : r.high, r.missing | (x != x)};
}

static range number_range(const cp_split_random_column *c) {
    cp_float4_range four = {cp_float4_splat(INFINITY), cp_float4_splat(-INFINITY), {0}};
    size_t i = 0;
    for (; i + 4 <= c->n; i += 4) cp_float4_widen(&four, cp_float4_load(c->value + i));
    range r = {INFINITY, -INFINITY, cp_float4_any(four.missing)};
    for (int k = 0; k < 4; k++) r.low = four.low[k] < r.low ? four.low[k] : r.low;
    for (int k = 0; k < 4; k++) r.high = four.high[k] > r.high ? four.high[k] : r.high;
    for (; i < c->n; i++) r = widen(r, c->value[i]);
    return r;
}

static range level_range(const cp_split_random_column *c) {
    range r = {INFINITY, -INFINITY, 0};
    for (size_t i = 0; i < c->n; i++) {
        float x = c->value[i];
        if (is_missing(c, x))
            r.missing = 1;
        else
            r = (range){fminf(r.low, x), fmaxf(r.high, x), r.missing};
    }
    return r;
}

/* The cut that is drawn; set: the levels that go left, NULL for numbers. */
typedef struct drawn_cut {
    float cut;
    const uint32_t *set;
} drawn_cut;

static int goes_left(const drawn_cut *t, float x) {
    return t->set ? cp_split_in_set(t->set, (uint32_t)x) : x <= t->cut;
}

/* Sums over the rows whose value goes left, and over those without a value. */
typedef struct side_sums {
    cp_sum left, missing;
} side_sums;

static side_sums add_up(const cp_split_random_column *c, const drawn_cut *t, int missing) {
    side_sums h = {{0, 0}, {0, 0}};
    if (!missing && !t->set) {
        for (size_t i = 0; i < c->n; i++) {
            int64_t take = -(int64_t)(c->value[i] <= t->cut);
            h.left.w += c->sum[i].w & take;
            h.left.s += c->sum[i].s & take;
        }
        return h;
    }
    for (size_t i = 0; i < c->n; i++) {
        float x = c->value[i];
        cp_sum *to = is_missing(c, x) ? &h.missing : goes_left(t, x) ? &h.left : NULL;
        if (!to) continue;
        to->w += c->sum[i].w;
        to->s += c->sum[i].s;
    }
    return h;
}

/* The quality of a split, as in split.h. */
typedef struct fraction {
    double num, den;
} fraction;

/* Gini of a number without missing values: first the class weights, then their squares. */
static fraction gini_quality(const cp_split_node *n, const cp_split_random_column *c, float cut, double wl) {
    const float *value = c->value;
    const int64_t mask = n->rule->mask;
    double ql = 0, qr = 0, *side = n->left;
    for (const cp_sum *a = c->sum, *end = a + c->n; a < end; a++)
        side[a->s] += (double)(a->w & mask & -(int64_t)(*value++ <= cut));
    for (size_t k = 0; k < n->rule->classes; k++) {
        double left = n->left[k], right = n->total[k] - left;
        ql += left * left;
        qr += right * right;
        n->left[k] = 0;
    }
    return (fraction){ql * (n->weight - wl) + qr * wl, wl * (n->weight - wl)};
}

/* The quality of the split that has the sum `left` on its left side; missing_left: that side has the rows without a
 * value too. */
static fraction split_quality(const cp_split_node *n, const cp_split_random_column *c, const drawn_cut *t, cp_sum left,
                              int missing, int missing_left) {
    double wl = cp_split_weight(n->rule, left.w);
    int entropy = n->rule->kind == CP_SPLIT_ENTROPY;
    if (n->rule->kind == CP_SPLIT_SQUARED)
        return (fraction){cp_cut_scan_quality(wl, (double)left.s, n->weight, n->mean), 1};
    if (!entropy && !missing && !t->set && n->rule->classes <= c->n) return gini_quality(n, c, t->cut, wl);
    cp_split_side s = {0, 0, n->square};
    fraction q;
    for (size_t i = 0; i < c->n; i++) {
        float x = c->value[i];
        if (is_missing(c, x) ? missing_left : goes_left(t, x)) cp_split_side_move(n, c->sum[i], entropy, &s);
    }
    cp_split_side_quality(n, &s, entropy, &q.num, &q.den);
    for (size_t i = 0; i < c->n; i++) n->left[c->sum[i].s] = 0;
    return q;
}

static size_t words_of(const cp_split_random_column *c) {
    return (c->levels + 31) / 32;
}

/* The set of levels that the node has; returns how many. */
static size_t find_levels(const cp_split_random_column *c, uint32_t *set) {
    size_t count = 0;
    memset(set, 0, words_of(c) * sizeof *set);
    for (size_t i = 0; i < c->n; i++) {
        float x = c->value[i];
        if (is_missing(c, x)) continue;
        uint32_t level = (uint32_t)x, bit = 1u << level % 32;
        count += !(set[level / 32] & bit);
        set[level / 32] |= bit;
    }
    return count;
}

/* Each level of the node goes left with probability 1/2, given that both sides get some; a single level goes left. */
static void draw_set(const cp_split_random_column *c, cp_rng *rng, const uint32_t *present, size_t count,
                     uint32_t *set) {
    size_t left = 0;
    while (left == 0 || (left == count && count > 1)) {
        left = 0;
        for (size_t w = 0; w < words_of(c); w++) {
            set[w] = present[w] & (count > 1 ? cp_rng_u32(rng) : 0xffffffffu);
            left += (size_t)__builtin_popcount(set[w]);
        }
    }
}

/* Levels that the node does not have go where missing values go. */
static void keep_set(const cp_split_random_column *c, const uint32_t *present, const uint32_t *set, cp_split *best) {
    for (size_t w = 0; w < words_of(c); w++) best->set[w] = set[w] | (best->missing_left ? ~present[w] : 0);
    if (best->missing_left && c->levels % 32) best->set[c->levels / 32] &= (1u << c->levels % 32) - 1;
}

int cp_split_random(const cp_split_node *n, const cp_split_random_column *c, cp_rng *rng, cp_split *best) {
    drawn_cut t = {0};
    uint32_t *present = (uint32_t *)n->level, *set = present + words_of(c); /* scratch of more than a word per level */
    range r = c->levels ? level_range(c) : number_range(c);
    if (!(r.low < r.high || (r.low == r.high && r.missing))) return 0;
    if (c->levels) {
        draw_set(c, rng, present, find_levels(c, present), set);
        t.set = set;
    } else {
        t.cut = cp_split_random_cut(rng, r.low, r.high);
    }
    side_sums h = add_up(c, &t, r.missing);
    int better = 0;
    for (int missing_left = 0; missing_left <= (h.missing.w != 0); missing_left++) {
        cp_sum left = h.left;
        if (missing_left) {
            left.w += h.missing.w;
            left.s += h.missing.s;
        }
        if (!cp_split_enough(n, cp_split_rows(n->rule, left.w), cp_split_weight(n->rule, left.w))) continue;
        const fraction q = split_quality(n, c, &t, left, r.missing, missing_left);
        if (!(q.num * best->den > best->num * q.den)) continue;
        best->num = q.num;
        best->den = q.den;
        best->left = cp_split_weight(n->rule, left.w);
        best->missing_left = h.missing.w ? missing_left : cp_split_heavier_left(n, best->left);
        best->cut = t.cut;
        best->is_set = t.set != NULL;
        better = 1;
    }
    if (better && t.set) keep_set(c, present, set, best);
    return better;
}
