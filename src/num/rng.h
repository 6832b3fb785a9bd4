/* rng - counter-based streams of random numbers (Philox 4x32-10).
 *
 * A stream is a pure function of (seed, purpose, slot, step).  It depends neither on the thread nor on what ran before.
 * So results do not depend on the number of threads, and a model that saves `step` (rows seen, sweep, stage) continues
 * exactly where it stopped. */
#ifndef CP_RNG_H
#define CP_RNG_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/philox_avx2.h"

/* One number for each use.  They are fixed for ever: a change would change every result. */
typedef enum cp_purpose {
    CP_FOR_TEST = 1,
    CP_FOR_GROW = 2,       /* batch tree; slot: tree */
    CP_FOR_EXTEND = 3,     /* one online row; slot: tree, step: rows seen before */
    CP_FOR_DRAW = 4,       /* draws from a prediction; step: row */
    CP_FOR_SPLIT = 5,      /* holdout and folds; slot: repeat */
    CP_FOR_SYNTH = 6,      /* synthetic data; step: row */
    CP_FOR_NODE = 7,       /* one node of a greedy tree; slot: tree, step: its place in the tree */
    CP_FOR_WEIGHT = 8,     /* weights of a tree's rows; slot: tree, step: part of the rows */
    CP_FOR_PART = 9,       /* which rows a part gets; step: part */
    CP_FOR_PARTICLE = 10,  /* one particle's proposals; slot: particle, step: stage */
    CP_FOR_RESAMPLE = 11,  /* which particles are copied; slot: island, step: stage */
    CP_FOR_CHAIN = 12,     /* one move of a Markov chain; slot: chain, step: iteration */
    CP_FOR_SWEEP = 13,     /* one tree of a sum in a sweep; slot: chain and sum, step: sweep and tree */
    CP_FOR_LATENT = 14,    /* latents of a later stretch of rows; slot: chain and sum, step: sweep and stretch */
    CP_FOR_VARIANCE = 15,  /* one variance tree of bart in a sweep; slot: chain, step: sweep and tree */
    CP_FOR_CALIBRATE = 22, /* a tree that predicts held-out rows; slot: fold and tree, step: rows */
    CP_FOR_ASK = 21,       /* where an objective is evaluated next; step: trial */
    CP_FOR_SHUFFLE = 20    /* columns shuffled, rows sampled to explain a model; slot: feature, step: repeat */
} cp_purpose;

typedef struct cp_rng {
    uint32_t key[2], counter[4];
    uint32_t out[4];
    unsigned left; /* unused words of out */
} cp_rng;

void cp_rng_init(cp_rng *r, uint64_t seed, cp_purpose purpose, uint32_t slot, uint64_t step);

/* The streams of n <= CP_RNG_BATCH consecutive steps.  The first four words of each are computed together, in a quarter
 * of the time.  cp_rng_batch_get returns the i-th stream, the same as cp_rng_init makes for step + i. */
enum { CP_RNG_BATCH = CP_PHILOX_AVX2_BLOCKS };
typedef struct cp_rng_batch {
    cp_rng first;
    uint64_t step;
    uint32_t word[4][CP_RNG_BATCH];
} cp_rng_batch;
void cp_rng_batch_init(cp_rng_batch *batch, uint64_t seed, cp_purpose purpose, uint32_t slot, uint64_t step, size_t n);
cp_rng cp_rng_batch_get(const cp_rng_batch *batch, size_t i);

uint32_t cp_rng_u32(cp_rng *r);
uint64_t cp_rng_u64(cp_rng *r);
/* Uniform on the open interval (0,1): (k + 1/2) 2^-53, so its logarithm is finite. */
double cp_rng_unit(cp_rng *r);
/* Uniform on 0 ... n-1, n >= 1, without bias. */
uint64_t cp_rng_below(cp_rng *r, uint64_t n);

#endif
