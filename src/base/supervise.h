/* supervise - runs the work of a public call as its copse_run asks.
 *
 * Without copse_run.poll the work is done by the calling thread.  With it, another thread does the work, and the
 * calling thread waits, polls, and makes the callbacks: so poll is called in time whatever the work is, even where it
 * is one long loop that knows of no run.  The results are the same, bit for bit. */
#ifndef CP_SUPERVISE_H
#define CP_SUPERVISE_H

#include "base/fail.h"

/* The work; `run` is the one to pass on.  `arg` has the arguments and takes the results. */
typedef copse_status (*cp_supervise_work)(void *arg, const copse_run *run, copse_error *err);

/* Does the work under a guard (base/guard.h).  COPSE_E_STOPPED at once if the run is stopped already. */
copse_status cp_supervise(const copse_run *run, cp_supervise_work work, void *arg, copse_error *err);

/* Inside the work, on the thread that does it: COPSE_E_STOPPED if the run asks for it.  For long work that is given no
 * run: reading and writing models, studies.  It must leave everything in order, as when memory runs out. */
copse_status cp_supervise_check_stop(copse_error *err);
/* May that happen? */
int cp_supervise_may_stop(void);

/* Inside the work: calls a function of the caller's, which is not one of the run's, on the calling thread. */
void cp_supervise_call(void (*call)(void *arg), void *arg);

#endif
