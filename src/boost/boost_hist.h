/* boost_hist - the histograms of a leaf: for each column and bin, how many rows it has, and the sums of their slopes
 * and curvatures.
 *
 * Sums are integers, exact in any order (docs/decisions/006).  A cell is a cp_sum: w = rows << shift | curvature, s =
 * slope.  Where the curvature of a row is its whole weight, one word is enough, (rows << shift) + slope: half the
 * memory that is filled, subtracted and searched.  Such histograms are called narrow. */
#ifndef CP_BOOST_HIST_H
#define CP_BOOST_HIST_H

#include "base/thread_team.h"
#include "data/bins.h"
#include "kernel/cut_scan.h"
#include "kernel/gain_scan.h"

enum { CP_BOOST_HIST_CELLS = CP_BINS_MAX + 1 }; /* of a column; the last is that of missing values */

typedef struct cp_boost_hist {
    const cp_bins *bins;
    const uint8_t *use; /* per column: may the tree split it?  The histograms of other columns may hold anything */
    cp_thread_team *team;
    int narrow;
    unsigned shift; /* narrow: 2 to 51, and sums of slopes are below 2^(shift-1) in size; else as in cp_sum */
    void *sum;      /* of each row: uint64_t if narrow, else cp_sum */
} cp_boost_hist;

/* Sums over rows. */
typedef struct cp_boost_total {
    int64_t rows, slope, curve;
} cp_boost_total;

/* The histogram of a column, added up for gain_scan: sums over bins 0 ... b. */
typedef struct cp_boost_sums {
    int64_t rows[CP_BOOST_HIST_CELLS + CP_GAIN_SCAN_PAD];
    int64_t slope[CP_BOOST_HIST_CELLS + CP_GAIN_SCAN_PAD];
    int64_t curve[CP_BOOST_HIST_CELLS + CP_GAIN_SCAN_PAD];
    size_t bins;            /* up to the last that has a row */
    cp_boost_total missing; /* rows without a value */
} cp_boost_sums;

static inline cp_boost_total cp_boost_hist_unpack(const cp_boost_hist *h, uint64_t word) {
    int64_t slope = (int64_t)(word << (64 - h->shift)) >> (64 - h->shift);
    int64_t rows = (int64_t)((word - (uint64_t)slope) >> h->shift);
    return (cp_boost_total){rows, slope, rows};
}

/* Bytes of the histograms of a leaf. */
size_t cp_boost_hist_bytes(const cp_boost_hist *h);
/* Sums rows row[0] ... row[n-1] into `hist`. */
void cp_boost_hist_fill(const cp_boost_hist *h, const uint32_t *row, size_t n, void *hist);
/* hist -= part: the histograms of the rows that are not in `part`. */
void cp_boost_hist_subtract(const cp_boost_hist *h, void *hist, const void *part);
cp_boost_total cp_boost_hist_total(const cp_boost_hist *h, const uint32_t *row, size_t n);
/* One cell. */
cp_boost_total cp_boost_hist_cell(const cp_boost_hist *h, const void *hist, size_t dim, size_t bin);
void cp_boost_hist_add_up(const cp_boost_hist *h, const void *hist, size_t dim, cp_boost_sums *out);

#endif
