/* lock - a mutex, for objects that many threads may read and that compute something at the first use. */
#ifndef CP_LOCK_H
#define CP_LOCK_H

#include "base/fail.h"

typedef struct cp_lock cp_lock;
copse_status cp_lock_new(cp_lock **out, copse_error *err);
void cp_lock_free(cp_lock *l);
void cp_lock_acquire(cp_lock *l);
void cp_lock_release(cp_lock *l);

#endif
