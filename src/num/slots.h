/* slots - passes over rows whose group is one byte: sums by group, and the groups' changes.
 *
 * Row i belongs to group slot[i] < slots <= 256.  Values are float and sums double: rows are summed in float within pieces
 * of CP_SLOTS_PIECE rows, in a fixed order of lanes, and pieces in double, in order; so the result depends neither on the
 * instruction set nor on how rows are dealt to threads. */
#ifndef CP_SLOTS_H
#define CP_SLOTS_H

#include <stddef.h>
#include <stdint.h>

enum { CP_SLOTS_MAX = 256, CP_SLOTS_PIECE = 1024 };

/* r[i] += add[slot[i]]; opt_before: a second grouping of the same rows whose addend is applied first (one pass over r for
 * putting one tree back and taking out the next).  Then out_sum[s] = sum over group s of weight[i] * r[i]. */
typedef struct cp_slots_shift {
    const uint8_t *slot;
    const float *add; /* CP_SLOTS_MAX of them */
} cp_slots_shift;
void cp_slots_move(float *r, const float *opt_weight, size_t n, const cp_slots_shift *opt_before,
                   const cp_slots_shift *shift, size_t slots, double *out_sum);

/* Rows of group s: the least and greatest of their codes; returns how many there are. */
size_t cp_slots_extent(const uint8_t *slot, uint8_t s, const uint16_t *code, size_t n, uint16_t out[2]);

/* Rows of group s with code <= cell. */
typedef struct cp_slots_side {
    size_t rows;
    double sum_w, sum_wr;
} cp_slots_side;
typedef struct cp_slots_rows {
    const uint8_t *slot;
    const float *opt_r, *opt_weight; /* NULL: sums of 0; weights of 1 */
    size_t n;
} cp_slots_rows;
cp_slots_side cp_slots_left(const cp_slots_rows *rows, uint8_t s, const uint16_t *code, uint16_t cell);

/* Rows of group s with code > cell become group `to`. */
void cp_slots_split(uint8_t *slot, uint8_t s, const uint16_t *code, uint16_t cell, uint8_t to, size_t n);
void cp_slots_rename(uint8_t *slot, uint8_t from, uint8_t to, size_t n);
/* Rows whose group g has in[g] != 0, rising; returns how many. */
size_t cp_slots_list(const uint8_t *slot, const uint8_t in[CP_SLOTS_MAX], size_t n, uint32_t *out_row);

#endif
