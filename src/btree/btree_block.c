#include "btree/btree_block.h"

#include <string.h>

#include "base/mem.h"

/* ----------------------------------------------------------------------------------------------------------- splits */

/* A gap in a column is identified by the value above it.  The values of all columns together are numbered below 2^32,
 * which cp_btree_block_init checks. */
static uint64_t key_of(const cp_btree_blocks *k, int32_t parent, cp_btree_gap gap) {
    return (uint64_t)(uint32_t)parent << 32 | (uint32_t)(k->b->ranks.start[gap.dim] + gap.high);
}

copse_status cp_btree_block_split(cp_btree_blocks *k, int32_t block, cp_btree_gap gap, int32_t *out_split,
                                  copse_error *err) {
    uint64_t key = key_of(k, block, gap);
    *out_split = cp_map_find(&k->of_gap, key);
    if (*out_split != CP_NONE) return COPSE_OK;
    if (k->splits >= INT32_MAX / 2) return cp_fail_memory(err);
    CP_TRY(CP_GROW(k->split, k->cap_split, k->splits + 1, err));
    CP_TRY(cp_map_add(&k->of_gap, key, (int32_t)k->splits, err));
    k->split[k->splits] =
        (cp_btree_split){.gap = gap, .parent = block, .pair = CP_NONE, .depth = cp_btree_block_depth(k, block) + 1};
    *out_split = (int32_t)k->splits++;
    return COPSE_OK;
}

/* ------------------------------------------------------------------------------------------------------------ sides */

static cp_span span_of(const cp_btree_blocks *k, const cp_btree_pair *p, int side) {
    return (cp_span){.row = k->row + p->start + (side ? p->n[0] : 0), .n = p->n[side]};
}

static double *stat_of(const cp_btree_blocks *k, size_t pair, int side) {
    return k->stat + (2 * pair + (size_t)side) * k->b->leaf.width;
}

cp_btree_view cp_btree_block_view(const cp_btree_blocks *k, int32_t block) {
    const cp_btree_split *s = &k->split[block / 2];
    const cp_btree_pair *p = &k->pair[s->pair];
    int side = block % 2;
    return (cp_btree_view){.span = p->start == CP_BTREE_NO_ROWS ? (cp_span){0} : span_of(k, p, side),
                           .stat = stat_of(k, (size_t)s->pair, side),
                           .log_lik = p->log_lik[side],
                           .depth = s->depth,
                           .open = p->open[side]};
}

/* Computes statistic, likelihood and `open` of a side whose rows are in place. */
static void summarise_side(cp_btree_blocks *k, size_t pair, int side) {
    const cp_leaf *leaf = &k->b->leaf;
    cp_btree_pair *p = &k->pair[pair];
    cp_span span = span_of(k, p, side);
    double *stat = stat_of(k, pair, side);
    cp_leaf_gather(leaf, span.row, span.n, stat);
    p->log_lik[side] = cp_leaf_log_marginal(leaf, stat);
    p->open[side] = span.n > 1 && cp_rule_columns(&k->b->ranks, span, 1);
}

/* Makes room for a pair with n rows, and for n more rows as scratch of the partition. */
static copse_status reserve_pair(cp_btree_blocks *k, size_t n, copse_error *err) {
    CP_TRY(CP_GROW(k->pair, k->cap_pair, k->pairs + 1, err));
    CP_TRY(CP_GROW(k->stat, k->cap_stat, (k->pairs + 1) * 2 * k->b->leaf.width, err));
    return CP_GROW(k->row, k->cap_row, k->rows + 2 * n, err);
}

/* Rows that were dropped are made again as a new pair, because pairs are in the order of their rows. */
copse_status cp_btree_block_make(cp_btree_blocks *k, int32_t block, copse_error *err) {
    cp_btree_split *s = &k->split[block / 2];
    if (cp_btree_block_has_rows(k, block)) return COPSE_OK;
    size_t n = cp_btree_block_view(k, s->parent).span.n;
    CP_TRY(reserve_pair(k, n, err));
    cp_span from = cp_btree_block_view(k, s->parent).span; /* again, because the rows may have moved */
    uint32_t *left = k->row + k->rows, *right = left + n;
    size_t at_left =
        cp_rule_partition(&k->b->ranks, (cp_rule){.dim = s->gap.dim, .cell = s->gap.low}, from, left, right);
    memmove(left + at_left, right, (n - at_left) * sizeof *left);
    k->pair[k->pairs] =
        (cp_btree_pair){.split = block / 2, .n = {(uint32_t)at_left, (uint32_t)(n - at_left)}, .start = k->rows};
    if (s->pair != CP_NONE) k->pair[s->pair].split = CP_NONE;
    s->pair = (int32_t)k->pairs++;
    k->rows += n;
    summarise_side(k, (size_t)s->pair, 0);
    summarise_side(k, (size_t)s->pair, 1);
    return COPSE_OK;
}

int cp_btree_block_has_gap(const cp_btree_blocks *k, int32_t block, cp_btree_gap gap) {
    const cp_ranks *r = &k->b->ranks;
    if (gap.dim >= r->dims || gap.high >= cp_ranks_count(r, gap.dim) || gap.low >= gap.high) return 0;
    cp_span s = cp_btree_block_view(k, block).span;
    const uint32_t *rank = cp_ranks_column(r, gap.dim);
    int at_low = 0, at_high = 0;
    for (size_t i = 0; i < s.n; i++) {
        uint32_t p = rank[s.row[i]];
        if (p > gap.low && p < gap.high) return 0;
        at_low |= p == gap.low;
        at_high |= p == gap.high;
    }
    return at_low && at_high;
}

/* The root is the left side of split 0; the right side is empty. */
static copse_status make_root(cp_btree_blocks *k, copse_error *err) {
    size_t n = k->b->ranks.rows;
    CP_TRY(CP_GROW(k->split, k->cap_split, 1, err));
    CP_TRY(reserve_pair(k, n, err));
    for (size_t i = 0; i < n; i++) k->row[i] = (uint32_t)i;
    k->split[0] = (cp_btree_split){.parent = CP_NONE, .pair = 0};
    k->pair[0] = (cp_btree_pair){.split = 0, .n = {(uint32_t)n, 0}};
    memset(k->stat, 0, 2 * k->b->leaf.width * sizeof *k->stat);
    k->splits = k->pairs = 1;
    k->rows = n;
    summarise_side(k, 0, 0);
    return COPSE_OK;
}

copse_status cp_btree_block_init(cp_btree_blocks *k, const cp_btree_problem *b, copse_error *err) {
    *k = (cp_btree_blocks){.b = b};
    if (b->ranks.start[b->ranks.dims] > UINT32_MAX)
        return cp_fail(err, COPSE_E_DATA, "more than 2^32 - 1 different values in all columns together");
    copse_status status = make_root(k, err);
    if (status) cp_btree_block_clear(k);
    return status;
}

void cp_btree_block_clear(cp_btree_blocks *k) {
    cp_mem_free(k->split);
    cp_mem_free(k->pair);
    cp_mem_free(k->stat);
    cp_mem_free(k->row);
    cp_map_clear(&k->of_gap);
    *k = (cp_btree_blocks){0};
}

/* ------------------------------------------------------------------------------------------------------- compacting */

void cp_btree_block_wait(const cp_btree_blocks *k, int32_t block, unsigned char *need) {
    const cp_btree_split *s = &k->split[block / 2];
    need[block / 2] |= CP_BTREE_NEED_SPLIT | CP_BTREE_NEED_ROWS;
    if (!cp_btree_block_has_rows(k, block)) need[s->parent / 2] |= CP_BTREE_NEED_SPLIT | CP_BTREE_NEED_ROWS;
}

/* Parents of needed splits are needed too.  By B1 one downward pass finds them all. */
static void number_splits(const cp_btree_blocks *k, const unsigned char *need, int32_t *to) {
    for (size_t s = 0; s < k->splits; s++) to[s] = need[s] ? 0 : CP_NONE;
    to[0] = 0;
    for (size_t s = k->splits; s-- > 1;)
        if (to[s] != CP_NONE) to[k->split[s].parent / 2] = 0;
    int32_t n = 0;
    for (size_t s = 0; s < k->splits; s++)
        if (to[s] != CP_NONE) to[s] = n++;
}

static void move_pairs(cp_btree_blocks *k, const unsigned char *need, const int32_t *to) {
    size_t pairs = 0, rows = 0, wide = 2 * k->b->leaf.width;
    for (size_t i = 0; i < k->pairs; i++) {
        cp_btree_pair p = k->pair[i];
        if (p.split == CP_NONE || to[p.split] == CP_NONE) continue;
        if (p.start != CP_BTREE_NO_ROWS && need[p.split] & CP_BTREE_NEED_ROWS) {
            memmove(k->row + rows, k->row + p.start, ((size_t)p.n[0] + p.n[1]) * sizeof *k->row);
            p.start = rows;
            rows += (size_t)p.n[0] + p.n[1];
        } else {
            p.start = CP_BTREE_NO_ROWS;
        }
        memmove(k->stat + pairs * wide, k->stat + i * wide, wide * sizeof *k->stat);
        k->split[p.split].pair = (int32_t)pairs;
        p.split = to[p.split];
        k->pair[pairs++] = p;
    }
    k->pairs = pairs;
    k->rows = rows;
}

static void move_splits(cp_btree_blocks *k, const int32_t *to) {
    size_t n = 0;
    for (size_t s = 0; s < k->splits; s++) {
        if (to[s] == CP_NONE) continue;
        cp_btree_split moved = k->split[s];
        moved.parent = cp_btree_block_moved(to, moved.parent);
        k->split[n++] = moved;
    }
    k->splits = n;
}

/* The map is filled again with no more than it held, so adding needs no memory and cannot fail. */
void cp_btree_block_compact(cp_btree_blocks *k, const unsigned char *need, int32_t *to) {
    number_splits(k, need, to);
    move_pairs(k, need, to);
    move_splits(k, to);
    cp_map_reset(&k->of_gap);
    for (size_t s = 1; s < k->splits; s++) {
        uint64_t key = key_of(k, k->split[s].parent, k->split[s].gap);
        CP_BUG(cp_map_add(&k->of_gap, key, (int32_t)s, NULL) != COPSE_OK);
    }
}

/* ------------------------------------------------------------------------------------------------------------ check */

static const char *check_pair(const cp_btree_blocks *k, size_t i) {
    const cp_btree_pair *p = &k->pair[i];
    if (p->split < 0 || (size_t)p->split >= k->splits || k->split[p->split].pair != (int32_t)i)
        return "B3: sides of no split";
    if (p->start == CP_BTREE_NO_ROWS) return NULL;
    if (p->start + p->n[0] + p->n[1] > k->rows) return "B3: rows out of range";
    for (int side = 0; side < 2; side++) {
        cp_span s = span_of(k, p, side);
        for (size_t j = 1; j < s.n; j++)
            if (s.row[j] <= s.row[j - 1]) return "B3: rows do not rise";
    }
    return NULL;
}

const char *cp_btree_block_check(const cp_btree_blocks *k) {
    for (size_t i = 0; i < k->pairs; i++) {
        const char *bad = check_pair(k, i);
        if (bad) return bad;
    }
    for (size_t s = 1; s < k->splits; s++) {
        const cp_btree_split *p = &k->split[s];
        if (p->parent < 0 || (size_t)p->parent / 2 >= s) return "B1: a split comes before its parent";
        if (cp_map_find(&k->of_gap, key_of(k, p->parent, p->gap)) != (int32_t)s)
            return "B2: a split is there twice, or not found";
    }
    return NULL;
}
