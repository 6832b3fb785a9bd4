/* btree_replicas - islands or chains, whichever: replicas (method/replicas.h) on one problem, and the
 * tree set that its runs leave. */
#ifndef CP_BTREE_REPLICAS_H
#define CP_BTREE_REPLICAS_H

#include "btree/btree.h"
#include "method/replicas.h"

struct cp_btree_replicas;

/* What a sampler is made of. */
typedef struct cp_btree_replica_kind {
    cp_replicas_kind runs; /* whose job is a cp_btree_replicas */
    size_t job_size;       /* of the struct that begins with the replicas and is the sampler's job */
    /* c->n, and whatever else the job keeps of the options. */
    copse_status (*set_options)(struct cp_btree_replicas *c, const cp_rows *rows, const copse_params *p,
                                copse_error *err);
    /* May change the problem's prior before the first run is made; NULL: does not. */
    copse_status (*tune)(struct cp_btree_replicas *c, const copse_params *p, const copse_run *run, copse_error *err);
    /* Room in b for how the runs went. */
    copse_status (*make_record)(const struct cp_btree_replicas *c, cp_btree *b, copse_error *err);
    /* Its trees, of total weight 1, to the tree set; how it went, to b. */
    copse_status (*finish)(void *member, size_t i, cp_tree_set *tree_set, cp_btree *b, copse_error *err);
    /* What a run counts for beside the others; NULL: all count alike. */
    double (*weight)(const struct cp_btree_replicas *c, const cp_btree *b, size_t i);
} cp_btree_replica_kind;

typedef struct cp_btree_replicas {
    const cp_btree_replica_kind *kind;
    cp_btree_problem problem;
    cp_btree_hyper hyper;
    size_t n;
    cp_replicas runs;
} cp_btree_replicas;

typedef struct cp_btree_replicas_input {
    const cp_rows *rows;
    const copse_params *p;
    const copse_run *run;
    cp_reader *opt_reader; /* the runs, and the prior, are those that were written; else new ones */
} cp_btree_replicas_input;
copse_status cp_btree_replicas_start(const cp_btree_replica_kind *kind, const cp_btree_replicas_input *from,
                                     void **out_job, copse_error *err);

/* Of a cp_sampler. */
copse_status cp_btree_replicas_finish(void *job, const copse_run *run, void **out_state, copse_error *err);
copse_status cp_btree_replicas_write(void *job, cp_writer *w, copse_error *err);
void cp_btree_replicas_free(void *job);

#endif
