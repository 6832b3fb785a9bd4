/* parallel - a loop over independent jobs, on as many threads as the caller allows.
 *
 * Which thread does which job is not fixed; results must not depend on it.  Each job's randomness is keyed by the job,
 * and sums over jobs are made afterwards, in index order. */
#ifndef CP_PARALLEL_H
#define CP_PARALLEL_H

#include "base/fail.h"

/* Job i of n; `worker` is 0 ... workers-1 and owns scratch number `worker`. */
typedef copse_status (*cp_parallel_job)(void *arg, size_t i, size_t worker, copse_error *err);

/* Threads worth starting for n jobs under these run options; at least 1. */
size_t cp_parallel_workers(const copse_run *run, size_t n);

/* Runs all jobs on `workers` threads (the calling one included) and waits.  If jobs fail, the error of the lowest index
 * that failed is the result, whatever the timing: after a failure only jobs of lower index are still started.
 * Raises COPSE_E_STOPPED when run->stop is set.  `what` names the work in progress reports; NULL: none. */
copse_status cp_parallel_for(const copse_run *run, size_t workers, size_t n, const char *what, cp_parallel_job job,
                             void *arg, copse_error *err);

/* Threads that find no job left in a loop of few long ones.  They stay while others are at work, and help with the
 * loops that their jobs run by cp_parallel_inner_for. */
typedef struct cp_parallel_idle cp_parallel_idle;
copse_status cp_parallel_idle_new(cp_parallel_idle **out, copse_error *err);
void cp_parallel_idle_free(cp_parallel_idle *p);

/* A loop as above. */
typedef struct cp_parallel_outer {
    size_t workers, n;
    const char *what;
    cp_parallel_job job;
    void *arg;
    cp_parallel_idle *idle; /* where its threads go; not to be used by two loops at a time */
} cp_parallel_outer;
copse_status cp_parallel_outer_for(const copse_run *run, const cp_parallel_outer *l, copse_error *err);
/* As cp_parallel_for, on the calling thread and those that are idle; `worker` is 0 for all of them. */
copse_status cp_parallel_inner_for(cp_parallel_idle *p, const copse_run *run, size_t n, cp_parallel_job job, void *arg,
                                   copse_error *err);

#endif
