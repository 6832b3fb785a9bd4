/* leaf_pass - passes over rows whose group is one byte: sums by group, and the groups' changes; in plain C and in AVX2.
 *
 * Row i belongs to group slot[i] < slots <= CP_LEAF_PASS_MAX.  Values are float and sums double: within pieces of
 * CP_LEAF_PASS_PIECE rows a group is summed in CP_LEAF_PASS_LANES float lanes, lane l taking rows l, l+16, l+32 ...
 * of the piece; lanes are folded in halves (0+8, 1+9, ..., then 0+4, ...), and pieces added up in double, in order.
 * That order is the definition: every way to compute a sum gives the same bits. */
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

/* What each group's rows get added. */
typedef struct cp_leaf_pass_shift {
    const uint8_t *slot;
    const float *add; /* CP_LEAF_PASS_MAX of them can be read */
    size_t slots;
} cp_leaf_pass_shift;

typedef struct cp_leaf_pass_rows {
    const uint8_t *slot;
    const float *opt_r, *opt_weight; /* NULL: sums of 0; weights of 1 */
    size_t n;
} cp_leaf_pass_rows;

typedef struct cp_leaf_pass_side {
    size_t rows;
    double sum_w, sum_wr;
} cp_leaf_pass_side;

/* Codes of a column, and up to which of them rows go left. */
typedef struct cp_leaf_pass_cut {
    const uint16_t *code;
    uint16_t cell;
} cp_leaf_pass_cut;

typedef struct cp_leaf_pass {
    /* r[i] += add[slot[i]]; opt_before is a second grouping of the same rows whose addend is applied first (one pass
     * over r puts one tree back and takes out the next).  opt_sum[s] = sum over group s, of shift, of weight[i] *
     * r[i]. */
    void (*move)(const cp_leaf_pass_values *x, const cp_leaf_pass_shift *opt_before, const cp_leaf_pass_shift *shift,
                 double *opt_sum);
    /* Sum of weight[i] * r[i]^2, summed as if all rows were one group. */
    double (*squares)(const cp_leaf_pass_values *x);
    /* Rows of group s: the least and greatest of their codes; returns how many there are.  Of none: 65535 and 0. */
    size_t (*extent)(const uint8_t *slot, uint8_t s, const uint16_t *code, size_t n, uint16_t out[2]);
    /* Rows of group s that go left. */
    cp_leaf_pass_side (*left)(const cp_leaf_pass_rows *rows, uint8_t s, cp_leaf_pass_cut cut);
    /* The first of group s from row `from` on that goes left or, right = 1, that does not; n if there is none. */
    size_t (*next)(const uint8_t *slot, uint8_t s, cp_leaf_pass_cut cut, int right, size_t from, size_t n);
    /* Those of group s that do not become group `to`. */
    void (*split)(uint8_t *slot, uint8_t s, cp_leaf_pass_cut cut, uint8_t to, size_t n);
    void (*rename)(uint8_t *slot, uint8_t from, uint8_t to, size_t n);
    /* Rows whose group g has in[g] = 1 (else it is 0), rising; returns how many.  out_row has room for n. */
    size_t (*list)(const uint8_t *slot, const uint8_t in[CP_LEAF_PASS_MAX], size_t n, uint32_t *out_row);
} cp_leaf_pass;

const cp_leaf_pass *cp_leaf_pass_find(cp_tier tier);
const cp_leaf_pass *cp_leaf_pass_best(void);

#endif
