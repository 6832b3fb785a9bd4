/* btree - what is left when a sampler is done: the methods smc and bcart from there on. */
#ifndef CP_BTREE_H
#define CP_BTREE_H

#include "btree/btree_mcmc.h"
#include "btree/btree_problem.h"
#include "method/method.h"
#include "num/converge.h"

typedef struct cp_btree {
    copse_task task;
    size_t classes, rows;
    cp_btree_hyper hyper;
    int tuned;            /* the prior is not that of the options */
    int prior_only;       /* no row was counted: leaves are empty */
    double centre, scale; /* numbers: y = centre + scale times what leaves say */
    cp_leaf leaf;         /* predicts; knows no rows */
    cp_tree_set tree_set;
    cp_tree_set_size *size; /* of each node */
    /* How it went; log probabilities of targets are of those in their own units. */
    size_t islands, chains; /* smc or bcart: the other is 0 */
    cp_btree_island *island;
    cp_btree_trace *trace;             /* of each chain, all of one length */
    cp_converge log_posterior, leaves; /* of the chains */
} cp_btree;

extern const cp_method cp_method_smc, cp_method_bcart;

extern const cp_sampler cp_btree_islands; /* in btree_islands.c */
extern const cp_sampler cp_btree_chains;  /* in btree_chains.c */

/* In btree_hyper.c. */
cp_btree_hyper cp_btree_hyper_of(const copse_params *p);
copse_status cp_btree_hyper_write(const cp_btree_hyper *h, cp_writer *w, copse_error *err);
copse_status cp_btree_hyper_read(cp_reader *r, cp_btree_hyper *out, copse_error *err);

/* In btree.c.  The result of a problem, nothing sampled yet. */
copse_status cp_btree_new(const cp_btree_problem *p, const cp_btree_hyper *hyper, cp_btree **out, copse_error *err);
/* The tree set has all its trees: finishes it, and what follows from it. */
copse_status cp_btree_finish(cp_btree *b, copse_error *err);
void cp_btree_free(void *state);
/* Of the targets in their own units, from that of the standardised ones. */
double cp_btree_own_units(const cp_btree *b, double log_prob);

/* In btree_tune.c. */
enum { CP_BTREE_TUNE_PARAMS = 3 };
typedef struct cp_btree_tuning {
    cp_btree_problem *problem; /* whose prior is changed */
    const cp_btree_smc_options *opt;
    size_t islands;
    const copse_run *run;
    int knob[CP_BTREE_TUNE_PARAMS]; /* which ones are turned */
    cp_btree_hyper *hyper;          /* from here on */
    size_t tried;                   /* fits made */
} cp_btree_tuning;
copse_status cp_btree_tune_params(const copse_params *p, copse_task task, int out[CP_BTREE_TUNE_PARAMS],
                                  copse_error *err);
copse_status cp_btree_tune(cp_btree_tuning *t, copse_error *err);

/* In btree_predict.c. */
copse_status cp_btree_predict(const void *state, const cp_rows *rows, const copse_params *p, cp_answer *out,
                              copse_error *err);

/* In btree_file.c. */
copse_status cp_btree_file_write(const void *state, const copse_params *p, unsigned flags, cp_writer *w,
                                 copse_error *err);
copse_status cp_btree_file_read(cp_reader *r, const copse_params *p, copse_task task, size_t dims, size_t classes,
                                void **out_state, copse_error *err);
const char *cp_btree_file_check(const void *state);

/* In btree_inspect.c. */
size_t cp_btree_inspect_figures(const void *state, copse_figure out[COPSE_MAX_FIGURES]);
size_t cp_btree_inspect_details(const void *state, copse_figure *out);
copse_status cp_btree_inspect_json(const void *state, size_t tree, cp_json *j, copse_error *err);
void cp_btree_inspect_node(const void *state, size_t tree, int32_t node, cp_inspect_node *out);
cp_inspect_shape cp_btree_inspect_shape(const void *state, size_t tree);
void cp_btree_inspect_splits(const void *state, size_t tree, double *out_dims);

/* In btree_report.c: how each island or chain went, in full. */
void cp_btree_report(const void *state, cp_json *j);

/* In btree_diagnose.c. */
copse_status cp_btree_diagnose_converge(cp_btree *b, copse_error *err); /* of the traces */
void cp_btree_diagnose(const void *state, const copse_params *p, copse_diagnosis *out);
/* Of the islands' estimates: the logarithm of their mean, and how far their logarithms are apart (NaN for one). */
double cp_btree_diagnose_log_marginal(const cp_btree *b);
double cp_btree_diagnose_log_marginal_sd(const cp_btree *b);
double cp_btree_diagnose_min_ess(const cp_btree *b); /* over all stages, as a share */
double cp_btree_diagnose_acceptance(const cp_btree *b, cp_move_kind move);
extern const char *const cp_btree_diagnose_accepted[CP_MOVES]; /* what it is called */

#endif
