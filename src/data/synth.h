/* synth - made-up data with a known truth, and one small real set.
 *
 * Row i of a set is a function of (set, dims, noise, seed, i) alone: more rows extend a table, they do not change
 * it. */
#ifndef CP_SYNTH_H
#define CP_SYNTH_H

#include "data/table.h"

typedef struct cp_synth_options {
    size_t rows;
    size_t dims;  /* 0: the set's own */
    double noise; /* < 0: the set's own */
    uint64_t seed;
    int with_truth; /* adds "truth": the noise-free value, or the class that is most probable there */
} cp_synth_options;

/* A table with columns x1 ... xD, target and perhaps truth.  COPSE_E_USAGE for an unknown name or what the set cannot
 * do. */
copse_status cp_synth_new(const char *name, const cp_synth_options *opt, copse_table **out, copse_error *err);

/* The i-th set, NULL after the last. */
const char *cp_synth_name(size_t i);
const char *cp_synth_summary(size_t i);

#endif
