/* btree_block - blocks of rows, and the splits that make them.  Particles of an island share them: equal ones exist
 * once.
 *
 * A split of a block is a column and a gap between two neighbouring values of the block's rows.  Its two sides are
 * blocks: split s has the sides 2s (left) and 2s+1 (right).  The root, all rows, is the left side of split 0.
 *
 *        block 0 ----- split 1: column 3, ranks 17 | 20 ----- blocks 2, 3
 *                 \--- split 2: column 0, ranks  4 |  5 ----- blocks 4, 5       (two particles split differently)
 *
 * A split takes no rows until a particle stands at one of its sides.  Then both sides are made, which takes one pass
 * over the rows of the parent.
 *
 *   B1  a split's parent block belongs to a split of lower number (split 0 has none).
 *   B2  no two splits have the same parent, column and gap.
 *   B3  the rows of a side that is made rise, and its statistic is the sum over its rows in that order; so it does not
 *       depend on the splits that led to the side.
 *   B4  if a particle waits at a side without rows, the parent has its rows. */
#ifndef CP_BTREE_BLOCK_H
#define CP_BTREE_BLOCK_H

#include "base/map.h"
#include "btree/btree_problem.h"

/* Rows of rank <= low go left, the others have rank >= high. */
typedef struct cp_btree_gap {
    uint32_t dim, low, high;
} cp_btree_gap;

typedef struct cp_btree_split {
    cp_btree_gap gap;
    int32_t parent; /* block */
    int32_t pair;   /* its sides; CP_NONE: not made */
    uint32_t depth; /* of the sides */
} cp_btree_split;

/* Both sides of a split.  The left one has rows start ... start+n[0]-1, the right one the n[1] rows after them. */
typedef struct cp_btree_pair {
    int32_t split; /* CP_NONE: replaced by a pair that was made again */
    uint32_t n[2];
    unsigned char open[2]; /* can be split: some column varies among its rows */
    size_t start;          /* CP_BTREE_NO_ROWS: the rows were dropped, see cp_btree_block_compact */
    double log_lik[2];
} cp_btree_pair;
#define CP_BTREE_NO_ROWS SIZE_MAX

typedef struct cp_btree_blocks {
    const cp_btree_problem *b; /* borrowed */
    cp_btree_split *split;
    size_t splits, cap_split;
    cp_btree_pair *pair; /* pairs with rows are in the order of their start */
    size_t pairs, cap_pair;
    double *stat; /* pairs x 2 x width */
    size_t cap_stat;
    uint32_t *row;
    size_t rows, cap_row;
    cp_map of_gap; /* parent and gap -> split */
} cp_btree_blocks;

/* A block that is made.  Valid until the next block is made. */
typedef struct cp_btree_view {
    cp_span span;
    const double *stat;
    double log_lik;
    uint32_t depth;
    int open;
} cp_btree_view;

copse_status cp_btree_block_init(cp_btree_blocks *k, const cp_btree_problem *b, copse_error *err);
void cp_btree_block_clear(cp_btree_blocks *k);

/* Finds or makes the split of a block at one of its gaps.  The block is made. */
copse_status cp_btree_block_split(cp_btree_blocks *k, int32_t block, cp_btree_gap gap, int32_t *out_split,
                                  copse_error *err);
/* Makes both sides of the block's split, with their rows, unless they are there.  B4 must hold. */
copse_status cp_btree_block_make(cp_btree_blocks *k, int32_t block, copse_error *err);
cp_btree_view cp_btree_block_view(const cp_btree_blocks *k, int32_t block);
/* Is this a gap of the block's rows, with rows on both sides?  For gaps read from a file.  The block is made. */
int cp_btree_block_has_gap(const cp_btree_blocks *k, int32_t block, cp_btree_gap gap);

static inline uint32_t cp_btree_block_depth(const cp_btree_blocks *k, int32_t block) {
    return k->split[block / 2].depth;
}

static inline int cp_btree_block_has_rows(const cp_btree_blocks *k, int32_t block) {
    int32_t pair = k->split[block / 2].pair;
    return pair != CP_NONE && k->pair[pair].start != CP_BTREE_NO_ROWS;
}

/* Compacting drops splits, and rows, that are not needed.  need[s] is what is needed of split s. */
enum { CP_BTREE_NEED_SPLIT = 1, CP_BTREE_NEED_ROWS = 2 };
/* A particle waits at this block: marks its rows as needed, or those of the parent, from which they will be made. */
void cp_btree_block_wait(const cp_btree_blocks *k, int32_t block, unsigned char *need);
/* Out: to[s] is the new number of split s, CP_NONE if it was dropped. */
void cp_btree_block_compact(cp_btree_blocks *k, const unsigned char *need, int32_t *to);
static inline int32_t cp_btree_block_moved(const int32_t *to, int32_t block) {
    return block == CP_NONE ? CP_NONE : 2 * to[block / 2] + block % 2;
}

/* NULL if the invariants hold, else which one is broken; slow. */
const char *cp_btree_block_check(const cp_btree_blocks *k);

#endif
