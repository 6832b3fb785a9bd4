/* lock - for the few things done lazily inside an object that many threads may read. */
#ifndef CP_LOCK_H
#define CP_LOCK_H

#include "base/err.h"

typedef struct cp_lock cp_lock;
copse_status cp_lock_new(cp_lock **out, copse_error *err);
void cp_lock_free(cp_lock *l);
void cp_lock_take(cp_lock *l);
void cp_lock_give(cp_lock *l);

#endif
