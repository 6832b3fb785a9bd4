/* share_lock - a mutex around two counts.  pthread_rwlock_t lets readers starve a writer on some systems. */
#include "base/share_lock.h"

#include <pthread.h>

#include "base/mem.h"

struct cp_share_lock {
    pthread_mutex_t mutex; /* held for a moment only, never while the lock is held */
    pthread_cond_t change;
    size_t readers, waiting; /* readers at work; writers that wait */
    int writing;
};

copse_status cp_share_lock_new(cp_share_lock **out, copse_error *err) {
    *out = NULL;
    cp_share_lock *l;
    CP_TRY(CP_NEW(l, 1, err));
    int refused = pthread_mutex_init(&l->mutex, NULL);
    if (!refused && pthread_cond_init(&l->change, NULL)) {
        pthread_mutex_destroy(&l->mutex);
        refused = 1;
    }
    if (refused) {
        cp_mem_free(l);
        return cp_fail(err, COPSE_E_SYSTEM, "the system refused a mutex");
    }
    *out = l;
    return COPSE_OK;
}

void cp_share_lock_free(cp_share_lock *l) {
    if (!l) return;
    pthread_mutex_destroy(&l->mutex);
    pthread_cond_destroy(&l->change);
    cp_mem_free(l);
}

void cp_share_lock_read(cp_share_lock *l) {
    pthread_mutex_lock(&l->mutex);
    while (l->writing || l->waiting) pthread_cond_wait(&l->change, &l->mutex);
    l->readers++;
    pthread_mutex_unlock(&l->mutex);
}

void cp_share_lock_end_read(cp_share_lock *l) {
    pthread_mutex_lock(&l->mutex);
    if (--l->readers == 0 && l->waiting) pthread_cond_broadcast(&l->change);
    pthread_mutex_unlock(&l->mutex);
}

void cp_share_lock_write(cp_share_lock *l) {
    pthread_mutex_lock(&l->mutex);
    l->waiting++;
    while (l->writing || l->readers) pthread_cond_wait(&l->change, &l->mutex);
    l->waiting--;
    l->writing = 1;
    pthread_mutex_unlock(&l->mutex);
}

void cp_share_lock_end_write(cp_share_lock *l) {
    pthread_mutex_lock(&l->mutex);
    l->writing = 0;
    pthread_cond_broadcast(&l->change);
    pthread_mutex_unlock(&l->mutex);
}
