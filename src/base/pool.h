/* pool - a loop over independent jobs, on as many threads as the caller allows.
 *
 * Which thread does which job is not fixed; results must not depend on it.  Each job's randomness is keyed by the job,
 * and sums over jobs are made afterwards, in index order. */
#ifndef CP_POOL_H
#define CP_POOL_H

#include "base/err.h"

/* Job i of n; `worker` is 0 ... workers-1 and owns scratch number `worker`. */
typedef copse_status (*cp_job)(void *arg, size_t i, size_t worker, copse_error *err);

/* Threads worth starting for n jobs under these run options; at least 1. */
size_t cp_pool_workers(const copse_run *run, size_t n);

/* Runs all jobs on `workers` threads (the calling one included) and waits.  If jobs fail, the error of the lowest index
 * that failed is the result, whatever the timing: after a failure only jobs of lower index are still started.
 * Raises COPSE_E_STOPPED when run->stop is set.  `what` names the work in progress reports; NULL: none. */
copse_status cp_pool_for(const copse_run *run, size_t workers, size_t n, const char *what, cp_job job, void *arg,
                         copse_error *err);

#endif
