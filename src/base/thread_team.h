/* thread_team - threads for many short passes over items.
 *
 * cp_parallel_for starts threads for each loop.  A pass here may take ten microseconds, and there may be a hundred
 * thousand of them.  So the threads of a team are started once; between passes they spin for a while and then sleep.
 * No pass waits for a thread that has not begun it: the leader does what the others leave.  So a team is never much
 * slower than its leader alone, even if other programs use the cores.
 *
 * A team belongs to its leader, the thread that made it.  The call that made it frees it, so that no thread outlives a
 * call of the library. */
#ifndef CP_THREAD_TEAM_H
#define CP_THREAD_TEAM_H

#include "base/fail.h"

typedef struct cp_thread_team cp_thread_team;

/* Does items from ... to-1 of a pass. */
typedef void (*cp_thread_team_job)(void *arg, size_t from, size_t to);

/* Makes a team of `members` threads including the leader; fewer if the system refuses some. */
copse_status cp_thread_team_new(size_t members, cp_thread_team **out, copse_error *err);
void cp_thread_team_free(cp_thread_team *t);

/* Does items 0 ... n-1 (n < 2^32), each once.  It is not fixed which thread does which items, and in which chunks:
 * results must not depend on it.  Without a team the caller does them all, in one chunk. */
void cp_thread_team_pass(cp_thread_team *opt_team, size_t n, cp_thread_team_job job, void *arg);

#endif
