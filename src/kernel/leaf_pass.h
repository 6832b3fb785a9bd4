/* leaf_pass - passes over the rows of a tree whose leaf is stored as one byte per row: sums by leaf, splits of leaves.
 *
 * Row i belongs to group (leaf) slot[i] < slots <= CP_LEAF_PASS_MAX.  Values are float and sums double.  Rows are taken
 * in pieces of CP_LEAF_PASS_PIECE.  Within a piece a group is summed in CP_LEAF_PASS_LANES float lanes: lane l adds
 * rows l, l+16, l+32 ... of the piece.  Then lanes are folded in halves (0+8, 1+9, ..., then 0+4, ...), and the sums of
 * pieces are added in double, in order.  This order defines the sum: both versions give the same bits. */
#ifndef CP_LEAF_PASS_H
#define CP_LEAF_PASS_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/tier.h"

enum { CP_LEAF_PASS_MAX = 256, CP_LEAF_PASS_PIECE = 1024, CP_LEAF_PASS_LANES = 16 };

typedef struct cp_leaf_pass_values {
    float *r;
    const float *opt_weight; /* NULL: all 1 */
    size_t n;
} cp_leaf_pass_values;

/* add[g] is added to the rows of group g. */
typedef struct cp_leaf_pass_shift {
    const uint8_t *slot;
    const float *add; /* CP_LEAF_PASS_MAX numbers can be read */
    size_t slots;
} cp_leaf_pass_shift;

typedef struct cp_leaf_pass_rows {
    const uint8_t *slot;
    const float *opt_r, *opt_weight; /* NULL: sums are 0; weights are 1 */
    size_t n;
} cp_leaf_pass_rows;

typedef struct cp_leaf_pass_side {
    size_t rows;
    double sum_w, sum_wr;
} cp_leaf_pass_side;

/* A split by the codes of a column: rows with code <= cell go left. */
typedef struct cp_leaf_pass_cut {
    const uint16_t *code;
    uint16_t cell;
} cp_leaf_pass_cut;

typedef struct cp_leaf_pass {
    /* r[i] += add[slot[i]].  opt_before is a second grouping of the same rows whose addends are added first, so that
     * one pass over r adds one tree back and subtracts the next.  Afterwards opt_sum[g] is the sum of weight[i] * r[i]
     * over group g of `shift`. */
    void (*move)(const cp_leaf_pass_values *x, const cp_leaf_pass_shift *opt_before, const cp_leaf_pass_shift *shift,
                 double *opt_sum);
    /* As move, but r[i] *= add[slot[i]]. */
    void (*scale)(const cp_leaf_pass_values *x, const cp_leaf_pass_shift *opt_before, const cp_leaf_pass_shift *shift,
                  double *opt_sum);
    /* sum[g] is the sum of weight[i] * r[i] over group g of `groups`, whose addends are not used; r is only read. */
    void (*sum)(const cp_leaf_pass_values *x, const cp_leaf_pass_shift *groups, double *sum);
    /* Sum of weight[i] * r[i]^2, summed as if all rows were one group. */
    double (*squares)(const cp_leaf_pass_values *x);
    /* The least and greatest code of the rows of group s, 65535 and 0 if there are none; returns the number of rows. */
    size_t (*extent)(const uint8_t *slot, uint8_t s, const uint16_t *code, size_t n, uint16_t out[2]);
    /* Number and sums of the rows of group s that go left. */
    cp_leaf_pass_side (*left)(const cp_leaf_pass_rows *rows, uint8_t s, cp_leaf_pass_cut cut);
    /* The first row from `from` on that is in group s and goes left (right = 0) or right (1); n if there is none. */
    size_t (*next)(const uint8_t *slot, uint8_t s, cp_leaf_pass_cut cut, int right, size_t from, size_t n);
    /* Rows of group s that go right become group `to`. */
    void (*split)(uint8_t *slot, uint8_t s, cp_leaf_pass_cut cut, uint8_t to, size_t n);
    /* Group `from` becomes group `to`. */
    void (*rename)(uint8_t *slot, uint8_t from, uint8_t to, size_t n);
    /* Lists the rows whose group g has in[g] = 1 (it is 0 otherwise), ascending; returns their number.  out_row has
     * room for n. */
    size_t (*list)(const uint8_t *slot, const uint8_t in[CP_LEAF_PASS_MAX], size_t n, uint32_t *out_row);
} cp_leaf_pass;

const cp_leaf_pass *cp_leaf_pass_find(cp_tier tier);
const cp_leaf_pass *cp_leaf_pass_best(void);

#endif
