/* bart - what is left when the chains are done: the method bart from there on. */
#ifndef CP_BART_H
#define CP_BART_H

#include "bart/draws/bart_chain.h"
#include "bart/draws/bart_walk.h"
#include "method/method.h"
#include "num/converge.h"

/* What is watched, the series of which there are several taken together: the greatest R-hat, the least effective
 * sizes. */
typedef enum cp_bart_watch {
    CP_BART_SIGMA, /* numbers only */
    CP_BART_LOG_LIKELIHOOD,
    CP_BART_LEAF_COUNT,
    CP_BART_FITTED,
    CP_BART_WATCHES
} cp_bart_watch;

/* Draws stand one after the other: all of chain 0, then all of chain 1, ...  So a series of numbers that were watched
 * is chains x samples long. */
typedef struct cp_bart {
    copse_task task;
    size_t classes, rows, dims;
    size_t trees; /* of a sum */
    size_t sums;  /* 1, or the number of classes if there are more than two */
    size_t chains, samples;
    cp_bart_hyper hyper;
    double centre, scale; /* numbers: y = centre + scale times the sum of trees; else 0 and 1 */
    double *offset;       /* classes: of each sum, what its trees are added to; else NULL */
    cp_bart_draws *draws; /* of each sum */
    /* Which runs a tree is in, so that any draw of it can be looked at: those of tree m of sum k are
     * run_of[k][first[k][m]] ... run_of[k][first[k][m+1]-1], rising. */
    size_t **first, **run_of;
    /* How it went. */
    double *series[CP_BART_WATCHES]; /* of each watch its series, one after the other; sigma is NULL for classes */
    cp_bart_tally *tally;            /* of each chain */
    cp_converge converge[CP_BART_WATCHES];
} cp_bart;

extern const cp_method cp_method_bart;

static inline size_t cp_bart_draw_count(const cp_bart *b) {
    return b->chains * b->samples;
}

/* In bart.c. */
extern const cp_sampler cp_bart_chains;
/* Everything but what was drawn; draws are initialised and empty. */
copse_status cp_bart_new(const cp_bart *like, cp_bart **out, copse_error *err);
/* Draws and series are there: what follows from them. */
copse_status cp_bart_finish(cp_bart *b, copse_error *err);
void cp_bart_free(void *state);
/* How many series of a kind are watched. */
size_t cp_bart_watched(const cp_bart *b, cp_bart_watch watch);

/* In bart_predict.c. */
copse_status cp_bart_predict(const void *state, const cp_rows *rows, const copse_params *p, cp_answer *out,
                             copse_error *err);

/* In bart_file.c. */
copse_status cp_bart_file_write(const void *state, const copse_params *p, unsigned flags, cp_writer *w,
                                copse_error *err);
copse_status cp_bart_file_read(cp_reader *r, const copse_params *p, copse_task task, size_t dims, size_t classes,
                               void **out_state, copse_error *err);
const char *cp_bart_file_check(const void *state);

/* In bart_inspect.c.  Trees of all draws are numbered through: draw, then sum, then tree. */
size_t cp_bart_inspect_trees(const void *state);
size_t cp_bart_inspect_figures(const void *state, copse_figure out[COPSE_MAX_FIGURES]);
copse_status cp_bart_inspect_json(const void *state, size_t tree, cp_json *j, copse_error *err);
void cp_bart_inspect_node(const void *state, size_t tree, int32_t node, cp_inspect_node *out);
cp_inspect_shape cp_bart_inspect_shape(const void *state, size_t tree);
void cp_bart_inspect_splits(const void *state, size_t draw, double *out_dims);

/* In bart_report.c: how each chain went, in full. */
void cp_bart_report(const void *state, cp_json *j);

/* In bart_diagnose.c. */
copse_status cp_bart_diagnose_converge(cp_bart *b, copse_error *err); /* of the series */
void cp_bart_diagnose(const void *state, const copse_params *p, copse_diagnosis *out);
/* The share of a move's proposals that were accepted, over all chains; NaN if there were none. */
double cp_bart_diagnose_acceptance(const cp_bart *b, cp_bart_move move);
extern const char *const cp_bart_diagnose_accepted[CP_BART_MOVES]; /* what it is called */

#endif
