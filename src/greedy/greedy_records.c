#include "greedy/greedy_records.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "num/math.h"

#define LARGEST 0x1p50

/* ------------------------------------------------------------------------------------------------------ fixed point */

/* Totals over all rows of a job, or over a block of them. */
typedef struct row_totals {
    size_t rows;
    double weight, largest_target;
    int whole; /* all weights are whole numbers */
} row_totals;

static uint32_t job_row(const cp_greedy_job *job, size_t i) {
    return job->row ? job->row[i] : (uint32_t)i;
}

/* Equals rint, without a call: a double above 2^52 has no bits for fractions, so the addition rounds. */
static inline double nearest(double x) {
    const double coarse = 0x1.8p52;
    return fabs(x) <= 0x1p51 ? x + coarse - coarse : rint(x);
}

static double target(const cp_greedy_data *d, size_t row) {
    return (d->rows.y[row] - d->centre) / d->scale;
}

static void scale_weights(cp_greedy_records *r, const cp_greedy_job *job) {
    double heaviest = 0;
    int exponent = 0;
    r->weight_scale = 1;
    r->weight_least = 0;
    if (!r->weight) return;
    for (size_t i = 0; i < job->rows; i++) {
        double w = r->weight[job_row(job, i)];
        heaviest = w > heaviest ? w : heaviest;
    }
    if (heaviest < 0x1p-40 || heaviest > 0x1p40) frexp(heaviest, &exponent);
    r->weight_scale = ldexp(1, exponent < -1000 ? 1000 : -exponent);
    r->weight_least = heaviest * r->weight_scale * 0x1p-80;
}

/* Turning the job's rows into records, block by block. */
typedef struct filling {
    cp_greedy_records *r;
    const cp_greedy_job *job;
    row_totals *block;
    size_t *start; /* per block: number of the first record made from it */
    size_t blocks;
    double per_weight, per_target;
} filling;

static size_t block_end(const filling *f, size_t block) {
    size_t first = block * CP_GREEDY_RECORDS_BLOCK;
    return f->job->rows - first < CP_GREEDY_RECORDS_BLOCK ? f->job->rows : first + CP_GREEDY_RECORDS_BLOCK;
}

static double distance(const cp_greedy_data *d, size_t row) {
    return d->rows.y ? fabs(d->rows.y[row] - d->centre) : 0;
}

static copse_status measure_block(void *arg, size_t block, size_t worker, copse_error *err) {
    const filling *f = arg;
    const cp_greedy_records *r = f->r;
    row_totals e = {.whole = 1};
    (void)worker;
    (void)err;
    for (size_t i = block * CP_GREEDY_RECORDS_BLOCK; i < block_end(f, block); i++) {
        size_t row = job_row(f->job, i);
        double w = cp_greedy_records_weight(r, row), far = distance(r->data, row);
        if (!(w > 0)) continue;
        e.rows++;
        e.weight += w;
        e.whole &= w == nearest(w);
        e.largest_target = far > e.largest_target ? far : e.largest_target;
    }
    f->block[block] = e;
    return COPSE_OK;
}

static copse_status measure(filling *f, const copse_run *run, row_totals *all, copse_error *err) {
    *all = (row_totals){.whole = 1};
    CP_TRY(cp_parallel_for(run, cp_parallel_workers(run, f->blocks), f->blocks, NULL, measure_block, f, err));
    for (size_t b = 0; b < f->blocks; b++) {
        const row_totals *e = &f->block[b];
        f->start[b] = all->rows;
        all->rows += e->rows;
        all->weight += e->weight;
        all->whole &= e->whole;
        all->largest_target = fmax(all->largest_target, e->largest_target);
    }
    all->largest_target /= f->r->data->scale; /* exact: a power of two */
    return COPSE_OK;
}

/* The largest power of two p such that p * total <= bound. */
static double unit_within(double total, double bound) {
    return total > 0 ? cp_math_exp2(floor(cp_math_log2(bound / total))) : 1;
}

static void choose_units(cp_greedy_records *r, const row_totals *e, double *per_weight, double *per_target) {
    unsigned bits = 1; /* of the number of rows */
    while (e->rows >> bits) bits++;
    /* The bound on the sum of weights; each may be rounded up to the next whole number. */
    double room = cp_math_exp2(fmin(50, 62 - bits));
    r->rule.shift = 63 - bits;
    r->rule.mask = ((int64_t)1 << r->rule.shift) - 1;
    *per_weight = e->whole && e->weight <= room ? 1 : unit_within(e->weight, room - (double)e->rows);
    *per_target = unit_within(e->weight * e->largest_target, LARGEST);
    r->weight_unit = 1 / *per_weight;
    r->target_unit = 1 / *per_target;
}

static copse_status fill_block(void *arg, size_t block, size_t worker, copse_error *err) {
    const filling *f = arg;
    cp_greedy_records *r = f->r;
    const cp_greedy_data *d = r->data;
    size_t at = f->start[block];
    (void)worker;
    (void)err;
    for (size_t i = block * CP_GREEDY_RECORDS_BLOCK; i < block_end(f, block); i++) {
        uint32_t row = job_row(f->job, i);
        double w = cp_greedy_records_weight(r, row);
        if (!(w > 0)) continue;
        int64_t wq = (int64_t)nearest(w * f->per_weight);
        r->sum[at].w = (int64_t)1 << r->rule.shift | (wq > 0 ? wq : 1);
        r->sum[at].s = d->rows.y ? (int64_t)nearest(w * nearest(target(d, row) * f->per_target)) : d->rows.label[row];
        r->row[at] = row;
        if (r->bin) memcpy(r->bin + at * r->stride, d->bins.bin + (size_t)row * r->stride, r->stride);
        at++;
    }
    return COPSE_OK;
}

/* ----------------------------------------------------------------------------------------------- making and freeing */

/* Random cuts are cuts of values: they need no bins. */
static copse_status make_room(cp_greedy_records *r, const cp_greedy_rule *rule, copse_error *err) {
    size_t half = r->n / 2 + 1;
    CP_TRY(CP_RAW(r->row, r->n, err));
    CP_TRY(CP_RAW(r->sum, r->n, err));
    CP_TRY(CP_RAW(r->side, r->n, err));
    CP_TRY(CP_RAW(r->spare_row, half, err));
    CP_TRY(CP_RAW(r->spare_sum, half, err));
    if (!r->data->bins.bin || rule->random_cuts) return COPSE_OK;
    r->stride = r->data->bins.stride;
    CP_TRY(CP_RAW(r->bin, r->n * r->stride, err));
    return CP_RAW(r->spare_bin, half * r->stride, err);
}

static copse_status make(filling *f, const cp_greedy_rule *rule, const copse_run *run, copse_error *err) {
    cp_greedy_records *r = f->r;
    row_totals e;
    CP_TRY(CP_RAW(f->block, f->blocks, err));
    CP_TRY(CP_RAW(f->start, f->blocks, err));
    CP_TRY(measure(f, run, &e, err));
    if (e.rows == 0) return cp_fail(err, COPSE_E_DATA, "a tree needs at least one row of weight above 0");
    r->n = e.rows;
    choose_units(r, &e, &f->per_weight, &f->per_target);
    CP_TRY(make_room(r, rule, err));
    CP_TRY(cp_parallel_for(run, cp_parallel_workers(run, f->blocks), f->blocks, NULL, fill_block, f, err));
    r->rule.kind = r->data->rows.y ? CP_SPLIT_SQUARED : rule->entropy ? CP_SPLIT_ENTROPY : CP_SPLIT_GINI;
    r->rule.min_rows = rule->min_leaf > 0 ? rule->min_leaf : 1;
    r->rule.min_weight = rule->min_leaf_weight * r->weight_scale * f->per_weight;
    r->rule.classes = r->data->rows.classes;
    r->rule.cut = cp_cut_scan_best();
    return COPSE_OK;
}

copse_status cp_greedy_records_init(cp_greedy_records *r, const cp_greedy_data *d, const cp_greedy_rule *rule,
                                    const cp_greedy_job *job, const copse_run *run, copse_error *err) {
    filling f = {.r = r, .job = job, .blocks = (job->rows + CP_GREEDY_RECORDS_BLOCK - 1) / CP_GREEDY_RECORDS_BLOCK};
    *r = (cp_greedy_records){
        .data = d,
        .weight = job->weight ? job->weight : d->rows.weight,
        .stop = run ? run->stop : NULL,
        .query_row =
            rule->max_leaves ? NULL : job->query_row}; /* best-first growth needs all leaves to know the best */
    scale_weights(r, job);
    copse_status status = make(&f, rule, run, err);
    cp_mem_free(f.block);
    cp_mem_free(f.start);
    if (status) cp_greedy_records_clear(r);
    return status;
}

void cp_greedy_records_clear(cp_greedy_records *r) {
    cp_mem_free(r->row);
    cp_mem_free(r->sum);
    cp_mem_free(r->side);
    cp_mem_free(r->bin);
    cp_mem_free(r->spare_row);
    cp_mem_free(r->spare_sum);
    cp_mem_free(r->spare_bin);
    *r = (cp_greedy_records){0};
}

/* --------------------------------------------------------------------------------------------------------- dividing */

static int goes_left(const cp_split *s, float x, uint32_t levels) {
    if (isnan(x)) return s->missing_left;
    if (!s->is_set) return x <= s->cut;
    return x < (float)levels ? cp_split_in_set(s->set, (uint32_t)x) : s->missing_left;
}

/* Sides by the values of the rows; sets hold levels. */
static size_t sides_by_value(cp_greedy_records *r, size_t lo, size_t hi, const cp_split *s) {
    size_t left = 0;
    uint32_t levels = s->is_set ? r->data->rows.levels[s->dim] : 0;
    for (size_t i = lo; i < hi; i++) {
        r->side[i] = (uint8_t)goes_left(s, cp_greedy_records_value(r, r->row[i], (size_t)s->dim), levels);
        left += r->side[i];
    }
    return left;
}

/* Sides by the bins of the records, from a table of the bins that go left: no row of the data is fetched. */
static size_t sides_by_bin(cp_greedy_records *r, size_t lo, size_t hi, const cp_split *s) {
    uint8_t left_of[CP_BINS_MAX + 1];
    size_t left = 0;
    for (uint32_t b = 0; b < CP_BINS_MAX; b++)
        left_of[b] = (uint8_t)(s->is_set ? cp_split_in_set(s->set, b) : b <= s->below);
    left_of[CP_BINS_MISSING] = (uint8_t)s->missing_left;
    const size_t stride = r->stride;
    const uint8_t *bin = r->bin + (size_t)s->dim;
    uint8_t *side = r->side;
    for (size_t i = lo; i < hi; i++) {
        side[i] = left_of[bin[i * stride]];
        left += side[i];
    }
    return left;
}

/* Copies the bins of one record.  Their number is a multiple of 4; for small numbers the compiler inlines the copy. */
static inline void copy_bins(uint8_t *to, const uint8_t *from, size_t n) {
    switch (n) {
        case 4: memcpy(to, from, 4); return;
        case 8: memcpy(to, from, 8); return;
        case 12: memcpy(to, from, 12); return;
        case 16: memcpy(to, from, 16); return;
        default: memmove(to, from, n);
    }
}

/* The arrays of records, and the room for those that are set aside.  Passed by value, so that the compiler need not
 * assume that writing bytes changes a pointer. */
typedef struct record_arrays {
    const uint8_t *side;
    uint32_t *row, *spare_row;
    cp_sum *sum, *spare_sum;
    uint8_t *bin, *spare_bin;
    size_t stride;
} record_arrays;

static record_arrays arrays_of(const cp_greedy_records *r, size_t lo) {
    return (record_arrays){.side = r->side,
                           .row = r->row,
                           .spare_row = r->spare_row + lo / 2,
                           .sum = r->sum,
                           .spare_sum = r->spare_sum + lo / 2,
                           .bin = r->bin,
                           .spare_bin = r->stride ? r->spare_bin + lo / 2 * r->stride : NULL,
                           .stride = r->stride};
}

static inline void set_aside(record_arrays p, size_t i, size_t aside) {
    p.spare_row[aside] = p.row[i];
    p.spare_sum[aside] = p.sum[i];
    if (p.stride) copy_bins(p.spare_bin + aside * p.stride, p.bin + i * p.stride, p.stride);
}

static inline void move_record(record_arrays p, size_t i, size_t to) {
    p.row[to] = p.row[i];
    p.sum[to] = p.sum[i];
    if (p.stride) copy_bins(p.bin + to * p.stride, p.bin + i * p.stride, p.stride);
}

static void put_back(record_arrays p, size_t to, size_t n) {
    memcpy(p.row + to, p.spare_row, n * sizeof *p.row);
    memcpy(p.sum + to, p.spare_sum, n * sizeof *p.sum);
    if (p.stride) memcpy(p.bin + to * p.stride, p.spare_bin, n * p.stride);
}

/* The smaller side is set aside, the larger side is compacted, the smaller side is put back: each record moves at most
 * twice, and each side keeps its order.
 *
 * Compacts the records of lo ... hi-1 that go left at lo; sets the others aside, from `aside` on. */
static void compact_left(record_arrays p, size_t lo, size_t hi, size_t aside) {
    for (size_t i = lo, to = lo; i < hi; i++) {
        if (p.side[i])
            move_record(p, i, to++);
        else
            set_aside(p, i, aside++);
    }
}

/* Compacts the records of lo ... hi-1 that go right, so that they end at hi; sets the others aside, up to `aside`. */
static void compact_right(record_arrays p, size_t lo, size_t hi, size_t aside) {
    for (size_t i = hi, to = hi; i-- > lo;) {
        if (!p.side[i])
            move_record(p, i, --to);
        else
            set_aside(p, i, --aside);
    }
}

void cp_greedy_records_move(cp_greedy_records *r, size_t lo, size_t hi, size_t left) {
    const record_arrays p = arrays_of(r, lo);
    if (left > (hi - lo) / 2) {
        compact_left(p, lo, hi, 0);
        put_back(p, lo + left, hi - lo - left);
    } else {
        compact_right(p, lo, hi, left);
        put_back(p, lo, left);
    }
}

static size_t set_sides(cp_greedy_records *r, size_t lo, size_t hi, const cp_split *s) {
    return r->bin ? sides_by_bin(r, lo, hi, s) : sides_by_value(r, lo, hi, s);
}

size_t cp_greedy_records_divide(cp_greedy_records *r, size_t lo, size_t hi, const cp_split *s) {
    size_t left = set_sides(r, lo, hi, s);
    cp_greedy_records_move(r, lo, hi, left);
    return lo + left;
}

/* -------------------------------------------------------------------------------------------- dividing, all threads */

/* Each block of a node's records is compacted by itself; then the blocks are joined, array by array. */
typedef struct dividing {
    cp_greedy_records *r;
    const cp_split *split;
    size_t lo, hi, blocks;
    size_t *left;   /* per block: records that go left */
    size_t *before; /* per block: records that go left in all blocks before it; one more entry at the end */
    int keep_left;  /* the left side is compacted and the right one set aside; else the other way round */
} dividing;

static size_t first_of(const dividing *d, size_t block) {
    return block < d->blocks ? d->lo + block * CP_GREEDY_RECORDS_BLOCK : d->hi;
}

static copse_status set_block_sides(void *arg, size_t block, size_t worker, copse_error *err) {
    const dividing *d = arg;
    (void)worker;
    (void)err;
    d->left[block] = set_sides(d->r, first_of(d, block), first_of(d, block + 1), d->split);
    return COPSE_OK;
}

static copse_status compact_block(void *arg, size_t block, size_t worker, copse_error *err) {
    const dividing *d = arg;
    const record_arrays p = arrays_of(d->r, d->lo);
    size_t lo = first_of(d, block), hi = first_of(d, block + 1);
    (void)worker;
    (void)err;
    if (d->keep_left)
        compact_left(p, lo, hi, lo - d->lo - d->before[block]);
    else
        compact_right(p, lo, hi, d->before[block + 1]);
    return COPSE_OK;
}

/* Joins the blocks of one array of elements of `size` bytes, and puts back those that were set aside. */
static void join_array(const dividing *d, unsigned char *base, const unsigned char *spare, size_t size) {
    const size_t left = d->before[d->blocks], right = d->hi - d->lo - left;
    if (d->keep_left) {
        for (size_t b = 0; b < d->blocks; b++)
            memmove(base + (d->lo + d->before[b]) * size, base + first_of(d, b) * size, d->left[b] * size);
        memcpy(base + (d->lo + left) * size, spare, right * size);
        return;
    }
    for (size_t b = d->blocks, to = d->hi; b-- > 0;) {
        size_t end = first_of(d, b + 1), n = end - first_of(d, b) - d->left[b];
        to -= n;
        memmove(base + to * size, base + (end - n) * size, n * size);
    }
    memcpy(base + d->lo * size, spare, left * size);
}

/* The sums come first: they take as many bytes as the other arrays together. */
static copse_status join_arrays(void *arg, size_t which, size_t worker, copse_error *err) {
    const dividing *d = arg;
    const record_arrays p = arrays_of(d->r, d->lo);
    (void)worker;
    (void)err;
    if (which == 0) join_array(d, (unsigned char *)p.sum, (unsigned char *)p.spare_sum, sizeof *p.sum);
    if (which == 1 && p.stride) join_array(d, p.bin, p.spare_bin, p.stride);
    if (which == 2) join_array(d, (unsigned char *)p.row, (unsigned char *)p.spare_row, sizeof *p.row);
    return COPSE_OK;
}

static copse_status divide_blocks(dividing *d, const copse_run *run, copse_error *err) {
    size_t workers = cp_parallel_workers(run, d->blocks);
    CP_TRY(CP_RAW(d->left, d->blocks, err));
    CP_TRY(CP_NEW(d->before, d->blocks + 1, err));
    CP_TRY(cp_parallel_for(run, workers, d->blocks, NULL, set_block_sides, d, err));
    for (size_t b = 0; b < d->blocks; b++) d->before[b + 1] = d->before[b] + d->left[b];
    d->keep_left = d->before[d->blocks] > (d->hi - d->lo) / 2;
    CP_TRY(cp_parallel_for(run, workers, d->blocks, NULL, compact_block, d, err));
    return cp_parallel_for(run, cp_parallel_workers(run, 3), 3, NULL, join_arrays, d, err);
}

copse_status cp_greedy_records_divide_parallel(cp_greedy_records *r, cp_greedy_records_cut *c, const copse_run *run,
                                               copse_error *err) {
    dividing d = {.r = r,
                  .split = c->split,
                  .lo = c->lo,
                  .hi = c->hi,
                  .blocks = (c->hi - c->lo + CP_GREEDY_RECORDS_BLOCK - 1) / CP_GREEDY_RECORDS_BLOCK};
    copse_status status = divide_blocks(&d, run, err);
    if (!status) c->mid = c->lo + d.before[d.blocks];
    cp_mem_free(d.left);
    cp_mem_free(d.before);
    return status;
}
