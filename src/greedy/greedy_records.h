/* greedy_records - the rows of one tree, kept in the order of its nodes: a node's rows are records lo ... hi-1, and
 * splitting it moves them, stably, so that its children's rows stand side by side.  Reading a node is reading memory
 * from one end to the other, however scattered its rows were.
 *
 *   weights  w_i -> round(w_i 2^a), at least 1; exact (a = 0) if all are whole numbers
 *   targets  y_i -> round(w_i round(y_i 2^b)), y in units of the data's centre and scale
 * with a and b as large as the sum over all rows allows: |sums| <= 2^50.
 *
 * Only ratios of weights matter.  Weights so large or small that a leaf's float could not hold them are taken times a
 * power of two, and none counts less than 2^-80 of the heaviest. */
#ifndef CP_GREEDY_RECORDS_H
#define CP_GREEDY_RECORDS_H

#include "base/mem.h"
#include "greedy/greedy_grow.h"
#include "split/split.h"

/* Rows that a thread takes at a time, where all threads work on the rows of one node. */
enum { CP_GREEDY_RECORDS_BLOCK = 1 << 14 };

typedef struct cp_greedy_records {
    const cp_greedy_data *data;
    const volatile int *stop; /* set from outside: give up; NULL: nobody will */
    const double *weight;     /* by row number; NULL: all 1 */
    uint32_t *query_row;      /* as in the job, those of a node side by side */
    double weight_scale, weight_least;
    cp_split_rule rule;
    double weight_unit, target_unit; /* 2^-a, 2^-b */
    size_t n, stride;
    uint32_t *row;
    cp_sum *sum;
    uint8_t *bin;  /* NULL: there are no bins */
    uint8_t *side; /* of each record in the split under way: 1 goes left */
    /* Room for the smaller half of a node while it is being split: that of records lo ... hi-1 starts at lo/2, so nodes
     * can be split at the same time. */
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
/* The same on all threads, while nobody else is at work on the records. */
typedef struct cp_greedy_records_cut {
    size_t lo, hi;
    const cp_split *split;
    size_t mid; /* where the right child begins: the answer */
} cp_greedy_records_cut;
copse_status cp_greedy_records_divide_parallel(cp_greedy_records *r, cp_greedy_records_cut *c, const copse_run *run,
                                               copse_error *err);
/* Only moves them: their sides are set, `left` of them go left. */
void cp_greedy_records_move(cp_greedy_records *r, size_t lo, size_t hi, size_t left);

#endif
