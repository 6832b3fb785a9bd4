/* replicas - runs of a sampler that know nothing of each other, be they chains or islands: made, led in parallel,
 * saved and restored one by one. */
#ifndef CP_REPLICAS_H
#define CP_REPLICAS_H

#include "base/codec.h"

/* What the runs are.  `job` is what all of them see, and is theirs to read. */
typedef struct cp_replicas_kind {
    const char *name; /* in files: of run i it is name.i */
    copse_status (*make)(const void *job, size_t i, void **out, copse_error *err);
    copse_status (*read)(cp_reader *r, const void *job, size_t i, void **out, copse_error *err);
    copse_status (*write)(void *member, cp_writer *w, copse_error *err);
    void (*free)(void *member);
    /* For cp_replicas_advance.  Goes on to the end, or for `amount` units of work if that is less and not 0. */
    copse_status (*advance)(void *member, size_t amount, const copse_run *run, copse_error *err);
    size_t (*done)(const void *member); /* units of work */
} cp_replicas_kind;

typedef struct cp_replicas {
    const cp_replicas_kind *kind;
    size_t n;
    void **member;
} cp_replicas;

/* n new runs, or those that were written.  After a failure there is nothing to clear. */
copse_status cp_replicas_init(cp_replicas *c, const cp_replicas_kind *kind, size_t n, const void *job,
                              cp_reader *opt_reader, copse_error *err);
void cp_replicas_clear(cp_replicas *c);
copse_status cp_replicas_write(const cp_replicas *c, cp_writer *w, copse_error *err);

typedef struct cp_replicas_plan {
    size_t amount;    /* units of work of each run; 0: to the end */
    size_t each;      /* units that a whole run is made of */
    size_t piece;     /* units between two reports */
    const char *what; /* the units' name */
} cp_replicas_plan;
/* All runs go on.  Threads that are more than the runs are theirs to use, as far as there are cores for them. */
copse_status cp_replicas_advance(cp_replicas *c, const cp_replicas_plan *leg, const copse_run *run, int *out_done,
                                 copse_error *err);

#endif
