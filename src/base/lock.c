/* lock - a mutex as an object. */
#include "base/lock.h"

#include <pthread.h>

#include "base/mem.h"

struct cp_lock {
    pthread_mutex_t mutex;
};

copse_status cp_lock_new(cp_lock **out, copse_error *err) {
    *out = NULL;
    cp_lock *l;
    CP_TRY(CP_NEW(l, 1, err));
    if (pthread_mutex_init(&l->mutex, NULL)) {
        cp_mem_free(l);
        return cp_fail(err, COPSE_E_SYSTEM, "the system refused a mutex");
    }
    *out = l;
    return COPSE_OK;
}

void cp_lock_free(cp_lock *l) {
    if (!l) return;
    pthread_mutex_destroy(&l->mutex);
    cp_mem_free(l);
}

void cp_lock_acquire(cp_lock *l) {
    pthread_mutex_lock(&l->mutex);
}

void cp_lock_release(cp_lock *l) {
    pthread_mutex_unlock(&l->mutex);
}
