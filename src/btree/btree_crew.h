/* btree_crew - islands or chains, whichever: a crew (method/crew.h) on one problem, and the grove that its runs
 * leave. */
#ifndef CP_BTREE_CREW_H
#define CP_BTREE_CREW_H

#include "btree/btree_model.h"
#include "method/crew.h"

struct cp_btree_crew;

/* What a sampler is made of. */
typedef struct cp_btree_member {
    cp_crew_kind runs; /* whose job is a cp_btree_crew */
    size_t job_size;   /* of the struct that begins with a crew and is the sampler's job */
    /* c->n, and whatever else the job keeps of the options. */
    copse_status (*set_options)(struct cp_btree_crew *c, const cp_rows *rows, const copse_params *p, copse_error *err);
    /* May change the problem's prior before the first run is made; NULL: does not. */
    copse_status (*tune)(struct cp_btree_crew *c, const copse_params *p, const copse_run *run, copse_error *err);
    /* Room in b for how the runs went. */
    copse_status (*make_record)(const struct cp_btree_crew *c, cp_btree *b, copse_error *err);
    /* Its trees, of total weight 1, to the grove; how it went, to b. */
    copse_status (*finish)(void *member, size_t i, cp_grove *grove, cp_btree *b, copse_error *err);
    /* What a run counts for beside the others; NULL: all count alike. */
    double (*weight)(const struct cp_btree_crew *c, const cp_btree *b, size_t i);
} cp_btree_member;

typedef struct cp_btree_crew {
    const cp_btree_member *kind;
    cp_btree_problem problem;
    cp_btree_hyper hyper;
    size_t n;
    cp_crew runs;
} cp_btree_crew;

typedef struct cp_btree_start {
    const cp_rows *rows;
    const copse_params *p;
    const copse_run *run;
    cp_reader *opt_reader; /* the runs, and the prior, are those that were written; else new ones */
} cp_btree_start;
copse_status cp_btree_crew_start(const cp_btree_member *kind, const cp_btree_start *from, void **out_job,
                                 copse_error *err);

/* Of a cp_sampler. */
copse_status cp_btree_crew_finish(void *job, const copse_run *run, void **out_state, copse_error *err);
copse_status cp_btree_crew_write(void *job, cp_writer *w, copse_error *err);
void cp_btree_crew_free(void *job);

#endif
