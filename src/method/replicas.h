/* replicas - independent runs of a sampler, chains or islands: made, advanced in parallel, saved and restored. */
#ifndef CP_REPLICAS_H
#define CP_REPLICAS_H

#include "base/codec.h"

/* The functions of one replica.  `job` is what all replicas share; they only read it. */
typedef struct cp_replicas_kind {
    const char *name; /* of the sections in files: replica i is name.i */
    copse_status (*make)(const void *job, size_t i, void **out, copse_error *err);
    copse_status (*read)(cp_reader *r, const void *job, size_t i, void **out, copse_error *err);
    copse_status (*write)(void *member, cp_writer *w, copse_error *err);
    void (*free)(void *member);
    /* Works for `amount` units, or to the end if that comes first or amount is 0. */
    copse_status (*advance)(void *member, size_t amount, const copse_run *run, copse_error *err);
    size_t (*done)(const void *member); /* units of work */
} cp_replicas_kind;

typedef struct cp_replicas {
    const cp_replicas_kind *kind;
    size_t n;
    void **member;
} cp_replicas;

/* Makes n new replicas, or reads those that were written.  After a failure there is nothing to clear. */
copse_status cp_replicas_init(cp_replicas *c, const cp_replicas_kind *kind, size_t n, const void *job,
                              cp_reader *opt_reader, copse_error *err);
void cp_replicas_clear(cp_replicas *c);
copse_status cp_replicas_write(const cp_replicas *c, cp_writer *w, copse_error *err);

typedef struct cp_replicas_plan {
    size_t amount;    /* units of work for each replica; 0: to the end */
    size_t each;      /* units of a whole replica */
    size_t piece;     /* units between two progress reports */
    const char *what; /* the name of the units */
} cp_replicas_plan;
/* Advances all replicas.  If there are more threads than replicas, and cores for them, a replica gets several. */
copse_status cp_replicas_advance(cp_replicas *c, const cp_replicas_plan *plan, const copse_run *run, int *out_done,
                                 copse_error *err);

#endif
