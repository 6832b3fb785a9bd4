#define _GNU_SOURCE /* flock, O_CLOEXEC */

#include "base/file_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"

enum { NAME_PART = 200, MAX_TRIES = 100, WAIT_NANOSECONDS = 20000000 };

typedef enum outcome { GOT, BUSY, FAILED } outcome; /* FAILED: errno tells */

struct copse_lock {
    int fd;       /* of the hidden file; -1 if there is none */
    int excludes; /* other writers are kept out, or there can be none */
    char *path;   /* as the caller spelled it */
    char *hidden; /* the hidden file; NULL if the path needs no lock */
};

/* The hidden file of a target whose links have been followed; a new string. */
static char *hidden_path(const char *target) {
    char name[256];
    snprintf(name, sizeof name, ".%.*s.copse-lock", NAME_PART, target + cp_path_folder_length(target));
    return cp_path_beside(target, name);
}

/* Opens the hidden file, or makes it.  Writing is asked for because NFS locks for writers only.  O_CREAT is not asked
 * for first: in a folder like /tmp the system then refuses a file of another user. */
static int open_hidden(const char *path) {
    enum { FLAGS = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC };
    int fd = open(path, O_RDWR | FLAGS);
    if (fd < 0 && errno == EACCES) fd = open(path, O_RDONLY | FLAGS);
    if (fd < 0 && errno == ENOENT) fd = open(path, O_RDWR | O_CREAT | O_EXCL | FLAGS, 0666);
    return fd;
}

/* Is the open file the one that has the name now?  The holder before may have removed it.  The name is opened, not
 * asked for by stat: NFS answers stat from a cache. */
static int has_name(int fd, const char *path) {
    struct stat mine, named;
    int again = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (again < 0) return 0;
    int same = fstat(fd, &mine) == 0 && fstat(again, &named) == 0 && mine.st_dev == named.st_dev &&
               mine.st_ino == named.st_ino;
    close(again);
    return same;
}

static int has_no_locks(int number) {
    return number == ENOLCK || number == ENOSYS || number == EOPNOTSUPP || number == EINVAL;
}

/* Tries once to lock the open file.  *out_stale: it is no longer the hidden file, try with the one that is. */
static outcome lock_open(cp_file_lock *l, int fd, int *out_stale) {
    int locked = flock(fd, LOCK_EX | LOCK_NB) == 0, why = errno;
    if (!locked && has_no_locks(why)) {
        unlink(l->hidden);
        close(fd);
        return GOT;
    }
    *out_stale = !has_name(fd, l->hidden);
    if (locked && !*out_stale) {
        l->fd = fd;
        l->excludes = 1;
        return GOT;
    }
    close(fd);
    errno = why;
    return locked || why == EWOULDBLOCK || why == EINTR ? BUSY : FAILED;
}

static outcome try_lock(cp_file_lock *l) {
    for (int i = 0; i < MAX_TRIES; i++) {
        int stale = 0, fd = open_hidden(l->hidden);
        if (fd < 0 && (errno == EEXIST || errno == ENOENT) && i < MAX_TRIES - 1)
            continue; /* made or removed just now */
        if (fd < 0) return FAILED;
        outcome o = lock_open(l, fd, &stale);
        if (!stale) return o;
    }
    return BUSY;
}

static copse_status wait_a_moment(const copse_flag *opt_stop, copse_error *err) {
    struct timespec pause = {.tv_nsec = WAIT_NANOSECONDS};
    CP_TRY(cp_fail_if_stopped(opt_stop, err));
    nanosleep(&pause, NULL);
    return COPSE_OK;
}

static copse_status acquire(cp_file_lock *l, int wait, const copse_flag *opt_stop, copse_error *err) {
    for (;;) {
        outcome o = try_lock(l);
        if (o == GOT) return COPSE_OK;
        if (o == FAILED) return cp_fail_system(err, "write", l->path);
        if (!wait)
            return cp_fail(err, COPSE_E_SYSTEM,
                           "another process is writing %.700s: try again when it has ended, or `wait` for it", l->path);
        CP_TRY(wait_a_moment(opt_stop, err));
    }
}

/* Finds the hidden file; leaves `hidden` NULL if the path needs no lock. */
static copse_status begin(cp_file_lock *l, const char *path, copse_error *err) {
    struct stat st;
    char *target;
    l->path = cp_mem_strdup(path);
    if (!l->path) return cp_fail_memory(err);
    CP_TRY(cp_path_follow(path, &target, err));
    int plain = cp_path_descriptor(target) < 0 && (stat(target, &st) != 0 || S_ISREG(st.st_mode));
    if (plain) l->hidden = hidden_path(target);
    cp_mem_free(target);
    if (plain && !l->hidden) return cp_fail_memory(err);
    l->excludes = !plain;
    return COPSE_OK;
}

copse_status cp_file_lock_acquire(const char *path, int wait, const copse_flag *opt_stop, cp_file_lock **out,
                                  copse_error *err) {
    cp_file_lock *l;
    *out = NULL;
    CP_TRY(CP_NEW(l, 1, err));
    l->fd = -1;
    copse_status status = begin(l, path, err);
    if (!status && l->hidden) status = acquire(l, wait, opt_stop, err);
    if (status)
        cp_file_lock_release(l);
    else
        *out = l;
    return status;
}

const char *cp_file_lock_path(const cp_file_lock *l) {
    return l->path;
}

int cp_file_lock_excludes(const cp_file_lock *l) {
    return l->excludes;
}

/* The hidden file goes while it is locked: whoever waits for it finds that it has no name, and makes a new one. */
void cp_file_lock_release(cp_file_lock *l) {
    if (!l) return;
    if (l->fd >= 0) {
        unlink(l->hidden);
        close(l->fd);
    }
    cp_mem_free(l->path);
    cp_mem_free(l->hidden);
    cp_mem_free(l);
}
