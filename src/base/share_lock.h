/* share_lock - a lock that many readers share and one writer has alone.  A writer that waits goes before readers that
 * come later, so that readers who never rest cannot keep it out.
 *
 * Not recursive: a thread that has the lock must not ask for it again. */
#ifndef CP_SHARE_LOCK_H
#define CP_SHARE_LOCK_H

#include "base/fail.h"

typedef struct cp_share_lock cp_share_lock;
copse_status cp_share_lock_new(cp_share_lock **out, copse_error *err);
void cp_share_lock_free(cp_share_lock *l);
void cp_share_lock_read(cp_share_lock *l);
void cp_share_lock_end_read(cp_share_lock *l);
void cp_share_lock_write(cp_share_lock *l);
void cp_share_lock_end_write(cp_share_lock *l);

#endif
