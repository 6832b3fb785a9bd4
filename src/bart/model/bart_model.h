/* bart_model - the fitted model: the draws of all chains, and the traces that convergence is judged by. */
#ifndef CP_BART_MODEL_H
#define CP_BART_MODEL_H

#include "bart/draws/bart_chain.h"
#include "num/converge.h"

enum { CP_BART_MODEL_MOST_SAMPLES = 10000000 }; /* draws of a chain that can be asked for */

/* The kinds of traced series.  Where a kind has several series, its R-hat is their greatest, its effective sample sizes
 * are their least. */
typedef enum cp_bart_series {
    CP_BART_SIGMA, /* regression only */
    CP_BART_LOG_LIKELIHOOD,
    CP_BART_LEAF_COUNT,
    CP_BART_FITTED,
    CP_BART_NOISE, /* uneven noise only */
    CP_BART_SERIES_KINDS
} cp_bart_series;

/* Draws are concatenated: all of chain 0, then all of chain 1, ...  So a series has chains x samples numbers. */
typedef struct cp_bart_model {
    copse_task task;
    size_t classes, rows, dims;
    size_t trees;       /* of a sum */
    size_t sums;        /* 1, or the number of classes if there are more than two */
    size_t noise_trees; /* of the noise's variance (bart_variance.h), whose draws follow those of the sums; 0: even */
    size_t chains, samples;
    cp_bart_hyper hyper;
    double centre, scale; /* regression: y = centre + scale times the sum of trees; classes: 0 and 1 */
    double *offset;       /* classes: of each sum; the probit is offset + sum of trees; regression: NULL */
    cp_bart_draws *draws; /* of each sum, and of the variance trees */
    /* The runs of each tree (bart_draws.h), so that any draw of it can be found: those of tree m of sum k are
     * run_of[k][first[k][m]] ... run_of[k][first[k][m+1]-1], rising. */
    size_t **first, **run_of;
    double *series[CP_BART_SERIES_KINDS]; /* by kind, series after series; sigma is NULL for classes */
    cp_bart_tally *tally;                 /* of each chain */
    cp_converge converge[CP_BART_SERIES_KINDS];
} cp_bart_model;

static inline size_t cp_bart_model_draw_count(const cp_bart_model *b) {
    return b->chains * b->samples;
}

/* Sums of trees that there are draws of: that of the variance trees is the last. */
static inline size_t cp_bart_model_draw_sums(const cp_bart_model *b) {
    return b->sums + (b->noise_trees > 0);
}

/* Trees of one of these. */
static inline size_t cp_bart_model_trees(const cp_bart_model *b, size_t sum) {
    return sum < b->sums ? b->trees : b->noise_trees;
}

/* A model with the scalars of `like`; its draws are initialised and empty. */
copse_status cp_bart_model_new(const cp_bart_model *like, cp_bart_model **out, copse_error *err);
/* Computes first, run_of and converge from draws and series. */
copse_status cp_bart_model_finish(cp_bart_model *b, copse_error *err);
void cp_bart_model_free(void *state);
/* The number of series of a kind. */
size_t cp_bart_model_series(const cp_bart_model *b, cp_bart_series kind);

#endif
