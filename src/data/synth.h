/* synth - simulated data with a known truth, and one small measured set.
 *
 * Row i of a set is a function of (set, dims, noise, seed, i) alone: a longer table begins with the rows of a shorter
 * one. */
#ifndef CP_SYNTH_H
#define CP_SYNTH_H

#include "data/table.h"

typedef struct cp_synth_options {
    size_t rows;
    size_t dims;  /* 0: the default of the set */
    double noise; /* < 0: the default of the set */
    uint64_t seed;
    int with_truth; /* adds the column "truth": the noise-free value, or the most probable class */
} cp_synth_options;

/* A table with columns x1 ... xD, target and perhaps truth.  COPSE_E_USAGE for an unknown name, or options that the set
 * does not have. */
copse_status cp_synth_new(const char *name, const cp_synth_options *opt, copse_table **out, copse_error *err);

/* The i-th set, NULL after the last. */
const char *cp_synth_name(size_t i);
const char *cp_synth_summary(size_t i);

#endif
