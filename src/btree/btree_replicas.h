/* btree_replicas - what islands and chains have in common: independent runs (method/replicas.h) on one problem, whose
 * trees are merged into one tree set. */
#ifndef CP_BTREE_REPLICAS_H
#define CP_BTREE_REPLICAS_H

#include "btree/btree.h"
#include "method/replicas.h"

struct cp_btree_replicas;

/* How islands differ from chains. */
typedef struct cp_btree_replica_kind {
    cp_replicas_kind runs; /* their job is a cp_btree_replicas */
    size_t job_size;       /* of the sampler's job: a struct whose first member is a cp_btree_replicas */
    /* Sets c->n, and the options that the job keeps. */
    copse_status (*set_options)(struct cp_btree_replicas *c, const cp_rows *rows, const copse_params *p,
                                copse_error *err);
    /* May change the problem's prior before the first run is made.  NULL: never. */
    copse_status (*tune)(struct cp_btree_replicas *c, const copse_params *p, const copse_run *run, copse_error *err);
    /* Makes room in b for the records of the runs. */
    copse_status (*make_record)(const struct cp_btree_replicas *c, cp_btree *b, copse_error *err);
    /* Adds the trees of a run, of total weight 1, to the tree set, and its record to b. */
    copse_status (*finish)(void *member, size_t i, cp_tree_set *tree_set, cp_btree *b, copse_error *err);
    /* The weight of a run relative to the others.  NULL: all are equal. */
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
    cp_reader *opt_reader; /* the checkpoint that the runs and the prior are read from; NULL: new runs */
} cp_btree_replicas_input;
copse_status cp_btree_replicas_start(const cp_btree_replica_kind *kind, const cp_btree_replicas_input *from,
                                     void **out_job, copse_error *err);

/* Members of a cp_sampler. */
copse_status cp_btree_replicas_finish(void *job, const copse_run *run, void **out_state, copse_error *err);
copse_status cp_btree_replicas_write(void *job, cp_writer *w, copse_error *err);
void cp_btree_replicas_free(void *job);

#endif
