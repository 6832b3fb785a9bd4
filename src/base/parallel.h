/* parallel - a loop over independent jobs, on as many threads as the caller allows.
 *
 * It is not fixed which thread does which job, and results must not depend on it: the random numbers of a job depend on
 * its index, and sums over jobs are made after the loop, in index order. */
#ifndef CP_PARALLEL_H
#define CP_PARALLEL_H

#include "base/fail.h"

/* Does job i of n.  `worker`, 0 ... workers-1, is the thread; it owns the scratch memory of that number. */
typedef copse_status (*cp_parallel_job)(void *arg, size_t i, size_t worker, copse_error *err);

/* The number of threads to use for n jobs under these run options; at least 1. */
size_t cp_parallel_workers(const copse_run *run, size_t n);

/* Runs all jobs on `workers` threads, including the calling one, and waits.  If jobs fail, the result is the error of
 * the job with the lowest index, whatever the timing: after a failure only jobs of lower index are still started.
 * Raises COPSE_E_STOPPED when run->stop is set.  `what` names the work in progress reports; NULL: no reports. */
copse_status cp_parallel_for(const copse_run *run, size_t workers, size_t n, const char *what, cp_parallel_job job,
                             void *arg, copse_error *err);

/* Nested loops: an outer loop of few long jobs, each of which runs inner loops.  Threads that find no outer job are
 * idle.  They wait until all outer jobs are done, and meanwhile help with the inner loops of the others. */
typedef struct cp_parallel_idle cp_parallel_idle;
copse_status cp_parallel_idle_new(cp_parallel_idle **out, copse_error *err);
void cp_parallel_idle_free(cp_parallel_idle *p);

/* The arguments of cp_parallel_for, and the idle threads. */
typedef struct cp_parallel_outer {
    size_t workers, n;
    const char *what;
    cp_parallel_job job;
    void *arg;
    cp_parallel_idle *idle; /* of one outer loop at a time */
} cp_parallel_outer;
copse_status cp_parallel_outer_for(const copse_run *run, const cp_parallel_outer *l, copse_error *err);
/* As cp_parallel_for, on the calling thread and on idle ones; `worker` is 0 for all of them. */
copse_status cp_parallel_inner_for(cp_parallel_idle *p, const copse_run *run, size_t n, cp_parallel_job job, void *arg,
                                   copse_error *err);

#endif
