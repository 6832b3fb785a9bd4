/* Files that are written whole or not at all, and the lock of their writer. */
#include "api/api_check.h"
#include "base/file.h"
#include "base/file_lock.h"
#include "model/model_file.h"

copse_status copse_file_open(const char *path, copse_file **out, copse_error *err) {
    CP_GUARD(err);
    CP_API_OUT(out);
    CP_API_NEED(path);
    return cp_file_begin(path, out, err);
}

copse_status copse_file_write(copse_file *f, const void *bytes, size_t n, copse_error *err) {
    CP_GUARD(err);
    CP_API_NEED(f);
    if (!n) return COPSE_OK;
    CP_API_NEED(bytes);
    return cp_file_write(f, bytes, n, err);
}

int copse_file_descriptor(const copse_file *f) {
    return f ? cp_file_descriptor(f) : -1;
}

copse_status copse_file_commit(copse_file *f, copse_error *err) {
    CP_GUARD(err);
    CP_API_NEED(f);
    return cp_file_commit(f, err);
}

void copse_file_abandon(copse_file *f) {
    cp_file_abandon(f);
}

/* --------------------------------------------------------------------------------------------- locks and saving */

typedef struct lock_args {
    const char *path;
    int wait;
    copse_lock *lock;
    const copse_model *model;
    unsigned flags;
} lock_args;

static copse_status do_acquire(void *arg, const copse_run *run, copse_error *err) {
    lock_args *a = arg;
    return cp_file_lock_acquire(a->path, a->wait, run->stop, &a->lock, err);
}

copse_status copse_lock_acquire(const char *path, int wait, const copse_run *run, copse_lock **out, copse_error *err) {
    CP_API_OUT(out);
    CP_API_NEED(path);
    lock_args a = {.path = path, .wait = wait};
    CP_TRY(cp_api_check_call(run, do_acquire, &a, err));
    *out = a.lock;
    return COPSE_OK;
}

int copse_lock_excludes(const copse_lock *lock) {
    return lock ? cp_file_lock_excludes(lock) : 0;
}

void copse_lock_release(copse_lock *lock) {
    cp_file_lock_release(lock);
}

static copse_status check_flags(unsigned flags, copse_error *err) {
    if (!(flags & ~(unsigned)COPSE_SAVE_FROZEN)) return COPSE_OK;
    return cp_fail(err, COPSE_E_USAGE, "`flags` has bits that mean nothing: %#x", flags);
}

static copse_status do_lock_save(void *arg, const copse_run *run, copse_error *err) {
    lock_args *a = arg;
    (void)run;
    return cp_model_file_save(a->model, cp_file_lock_path(a->lock), a->flags, err);
}

copse_status copse_lock_save(copse_lock *lock, const copse_model *model, unsigned flags, const copse_run *run,
                             copse_error *err) {
    CP_API_NEED(lock);
    CP_API_NEED(model);
    CP_TRY(check_flags(flags, err));
    lock_args a = {.lock = lock, .model = model, .flags = flags};
    return cp_api_check_call(run, do_lock_save, &a, err);
}

static copse_status do_save(void *arg, const copse_run *run, copse_error *err) {
    lock_args *a = arg;
    CP_TRY(cp_file_lock_acquire(a->path, 0, run->stop, &a->lock, err));
    copse_status status = do_lock_save(arg, run, err);
    cp_file_lock_release(a->lock);
    return status;
}

copse_status copse_save(const copse_model *model, const char *path, unsigned flags, const copse_run *run,
                        copse_error *err) {
    CP_API_NEED(model);
    CP_API_NEED(path);
    CP_TRY(check_flags(flags, err));
    lock_args a = {.path = path, .model = model, .flags = flags};
    return cp_api_check_call(run, do_save, &a, err);
}
