/* thread_team - threads that stand by while one of them, the leader, has many short passes to make.
 *
 * cp_parallel_for is for loops that are worth starting threads for.  A pass here may take ten microseconds, and there
 * may be a hundred thousand of them: a team's threads are started once, and between passes they look for the next one
 * for a while before they go to sleep.  Nobody waits for a thread that has not begun: the leader does what others
 * leave, so a team is never much slower than its leader alone, even where other programs have the cores.
 *
 * A team belongs to its leader, the thread that made it, and is to be freed by the end of the call it was made in: like
 * the pool it leaves nothing behind. */
#ifndef CP_THREAD_TEAM_H
#define CP_THREAD_TEAM_H

#include "base/fail.h"

typedef struct cp_thread_team cp_thread_team;

/* Items from ... to-1 of a pass. */
typedef void (*cp_thread_team_job)(void *arg, size_t from, size_t to);

/* `members` threads, the leader among them; fewer if the system refuses some. */
copse_status cp_thread_team_new(size_t members, cp_thread_team **out, copse_error *err);
void cp_thread_team_free(cp_thread_team *t);

/* Items 0 ... n-1 (n < 2^32) are done, each once, when this returns.  Who does which, and in which portions, is not
 * fixed: results must not depend on it.  Without a team the caller does them all, in one portion. */
void cp_thread_team_pass(cp_thread_team *opt_team, size_t n, cp_thread_team_job job, void *arg);

#endif
