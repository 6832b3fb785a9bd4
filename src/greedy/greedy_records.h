/* greedy_records - the rows of one tree, kept in the order of its nodes: a node's rows are records lo ... hi-1.
 * Splitting a node moves its records, stably, so that the records of each child stand side by side.  A pass over a node
 * reads memory sequentially, however scattered its rows are in the table.
 *
 * Weights and targets are rounded to fixed point once, so that all sums are exact:
 *   weights  w_i -> round(w_i 2^a), at least 1; exact (a = 0) if all are whole numbers
 *   targets  y_i -> round(w_i round(y_i 2^b)), y in units of the data's centre and scale
 * a and b are as large as the sums over all rows allow: |sums| <= 2^50.
 *
 * Only ratios of weights matter.  Weights so large or small that a leaf's float could not hold them are multiplied by a
 * power of two; and no weight counts less than 2^-80 of the heaviest. */
#ifndef CP_GREEDY_RECORDS_H
#define CP_GREEDY_RECORDS_H

#include "base/mem.h"
#include "greedy/greedy_grow.h"
#include "split/split.h"

/* Records that a thread takes at a time, where all threads work on one node. */
enum { CP_GREEDY_RECORDS_BLOCK = 1 << 14 };

typedef struct cp_greedy_records {
    const cp_greedy_data *data;
    const copse_flag *stop; /* set from outside to stop the work; NULL: never set */
    const double *weight;   /* by row number; NULL: all 1 */
    uint32_t *query_row;    /* as in the job; the query rows of a node stand side by side; NULL: none */
    double weight_scale, weight_least;
    cp_split_rule rule;
    double weight_unit, target_unit; /* 2^-a, 2^-b */
    size_t n, stride;
    uint32_t *row;
    cp_sum *sum;
    uint8_t *bin;  /* `stride` bytes a record; NULL: there are no bins */
    uint8_t *side; /* of each record in the split that is made: 1 goes left */
    /* Room for the smaller child of a node while its records move.  The room of records lo ... hi-1 starts at lo / 2,
     * so different nodes can be divided at the same time. */
    uint32_t *spare_row;
    cp_sum *spare_sum;
    uint8_t *spare_bin;
} cp_greedy_records;

static inline double cp_greedy_records_weight(const cp_greedy_records *r, size_t row) {
    if (!r->weight) return 1;
    double w = r->weight[row] * r->weight_scale;
    return w >= r->weight_least || r->weight[row] <= 0 ? w : r->weight_least;
}
static inline float cp_greedy_records_value(const cp_greedy_records *r, uint32_t row, size_t dim) {
    return r->data->rows.x[(size_t)row * r->data->rows.dims + dim];
}

copse_status cp_greedy_records_init(cp_greedy_records *r, const cp_greedy_data *d, const cp_greedy_rule *rule,
                                    const cp_greedy_job *job, const copse_run *run, copse_error *err);
void cp_greedy_records_clear(cp_greedy_records *r);

/* Sets the sides of records lo ... hi-1 by a split, and moves them; returns where the right child begins. */
size_t cp_greedy_records_divide(cp_greedy_records *r, size_t lo, size_t hi, const cp_split *s);
/* The same on all threads; no other worker may use the records meanwhile. */
typedef struct cp_greedy_records_cut {
    size_t lo, hi;
    const cp_split *split;
    size_t mid; /* out: where the right child begins */
} cp_greedy_records_cut;
copse_status cp_greedy_records_divide_parallel(cp_greedy_records *r, cp_greedy_records_cut *c, const copse_run *run,
                                               copse_error *err);
/* Moves records lo ... hi-1 whose sides are set already; `left` of them go left. */
void cp_greedy_records_move(cp_greedy_records *r, size_t lo, size_t hi, size_t left);

#endif
