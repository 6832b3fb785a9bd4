/* file - writes files atomically through a temporary file beside the target, and reads model files. */
#define _GNU_SOURCE /* O_TMPFILE, flock */

#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/codec.h"
#include "base/hash_seed.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/supervise.h"

enum { MAX_TRIES = 100, FIRST_READ = 1 << 16, MAX_PART = 1 << 30, PART = 1 << 24 };

struct copse_file {
    int fd;
    int direct;   /* fd is the target itself */
    int is_new;   /* the target must not exist */
    char *path;   /* as the caller spelled it, for messages */
    char *target; /* with links followed */
    char *temp;   /* the temporary file's path; NULL while it has no name (O_TMPFILE), and if direct */
};

/* ------------------------------------------------------------------------------------------------- temporary files */

/* Temporary files are named .TARGET.copse-XXXXXXXX.tmp, with eight random hexadecimal digits.  A long name of the
 * target is cut, so that the whole fits into the 255 bytes that file systems permit. */
enum { NAME_PART = 200, DIGITS = 8 };
static const char before_digits[] = ".copse-", after_digits[] = ".tmp";

/* A new name for a temporary file of the target. */
static char *new_name(const char *target) {
    char name[256];
    snprintf(name, sizeof name, ".%.*s%s%0*x%s", NAME_PART, target + cp_path_folder_length(target), before_digits,
             DIGITS, (unsigned)(cp_hash_seed() & 0xffffffff), after_digits);
    return cp_path_beside(target, name);
}

static int is_name_for(const char *name, const char *target) {
    const char *base = target + cp_path_folder_length(target), *p = name + 1;
    size_t n = strnlen(base, NAME_PART);
    if (name[0] != '.' || strncmp(p, base, n) != 0 || strncmp(p + n, before_digits, strlen(before_digits)) != 0)
        return 0;
    p += n + strlen(before_digits);
    return strspn(p, "0123456789abcdef") == DIGITS && !strcmp(p + DIGITS, after_digits);
}

/* Removes a temporary file if its lock is free.  The file that was locked must still have the name: its writer may have
 * renamed it since. */
static void remove_if_dead(const char *path) {
    struct stat locked, named;
    int fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &locked) == 0 && S_ISREG(locked.st_mode) &&
        lstat(path, &named) == 0 && locked.st_dev == named.st_dev && locked.st_ino == named.st_ino)
        unlink(path);
    close(fd);
}

copse_status cp_file_sweep(const char *target, copse_error *err) {
    char folder[CP_PATH_MAX];
    DIR *d = cp_path_folder(target, folder) ? opendir(folder) : NULL;
    copse_status status = COPSE_OK;
    /* The stream is this function's own.  NOLINTNEXTLINE(concurrency-mt-unsafe) */
    for (struct dirent *e; d && !status && (e = readdir(d));) {
        if (!is_name_for(e->d_name, target)) continue;
        char *path = cp_path_beside(target, e->d_name);
        if (path)
            remove_if_dead(path);
        else
            status = cp_fail_memory(err);
        cp_mem_free(path);
    }
    if (d) closedir(d);
    return status;
}

/* The path under which the system shows an open file that has no name. */
static void unnamed_path(int fd, char out[64]) {
    snprintf(out, 64, "/proc/self/fd/%d", fd);
}

/* A file without a name in the target's folder: it vanishes with its writer.  -1 where the file system has none, or
 * where /proc, which is needed to name it later, is not there. */
static int open_unnamed(const char *target, mode_t mode) {
#ifdef O_TMPFILE
    char folder[CP_PATH_MAX], proc[64];
    int fd = cp_path_folder(target, folder) ? open(folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, mode) : -1;
    if (fd < 0) return -1;
    unnamed_path(fd, proc);
    if (access(proc, F_OK) == 0) return fd;
    close(fd);
#else
    (void)target, (void)mode;
#endif
    return -1;
}

/* Opens and locks a new file of that name.  After open and before flock another writer may find the lock free and
 * remove the file: its link count is then 0.  1, or 0 with errno, which is EEXIST if another name may do. */
static int open_locked(cp_file *f, const char *name, mode_t mode) {
    struct stat st;
    f->fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (f->fd < 0) return 0;
    flock(f->fd, LOCK_EX);
    if (fstat(f->fd, &st) == 0 && st.st_nlink > 0) return 1;
    close(f->fd);
    f->fd = -1;
    errno = EEXIST;
    return 0;
}

static copse_status open_named(cp_file *f, mode_t mode, copse_error *err) {
    for (int i = 0; i < MAX_TRIES; i++) {
        char *name = new_name(f->target);
        if (!name) return cp_fail_memory(err);
        if (open_locked(f, name, mode)) {
            f->temp = name;
            return COPSE_OK;
        }
        int why = errno;
        cp_mem_free(name);
        errno = why;
        if (why != EEXIST) break;
    }
    return cp_fail_system(err, "write", f->path);
}

static copse_status open_temporary(cp_file *f, mode_t mode, copse_error *err) {
    f->fd = open_unnamed(f->target, mode);
    if (f->fd < 0) return open_named(f, mode, err);
    flock(f->fd, LOCK_EX); /* before it has a name */
    return COPSE_OK;
}

/* Gives a file without a name the path `to`.  0, or -1 with errno. */
static int link_unnamed(const cp_file *f, const char *to) {
    char proc[64];
    unnamed_path(f->fd, proc);
    return linkat(AT_FDCWD, proc, AT_FDCWD, to, AT_SYMLINK_FOLLOW);
}

/* Gives the temporary file a name, if it has none. */
static copse_status name_temporary(cp_file *f, copse_error *err) {
    for (int i = 0; i < MAX_TRIES && !f->temp; i++) {
        char *name = new_name(f->target);
        if (!name) return cp_fail_memory(err);
        int linked = link_unnamed(f, name), why = errno;
        if (linked == 0) {
            f->temp = name;
            return COPSE_OK;
        }
        cp_mem_free(name);
        errno = why;
        if (why != EEXIST) break;
    }
    return f->temp ? COPSE_OK : cp_fail_system(err, "write", f->path);
}

/* -------------------------------------------------------------------------------------------------- begin and write */

/* Set-user-id bits are not kept: a file that is written in place loses them too. */
static copse_status keep_owner_and_mode(const cp_file *f, const struct stat *old, copse_error *err) {
    struct stat own;
    if (fstat(f->fd, &own) != 0) return cp_fail_system(err, "write", f->path);
    if ((own.st_uid != old->st_uid || own.st_gid != old->st_gid) && fchown(f->fd, old->st_uid, old->st_gid) != 0 &&
        fchown(f->fd, (uid_t)-1, old->st_gid) != 0)
        errno = 0; /* neither is permitted: the new file is the writer's */
    if (fchmod(f->fd, old->st_mode & 0777) != 0) return cp_fail_system(err, "keep the permissions of", f->path);
    return COPSE_OK;
}

/* Root may write everything, but a mode without write permission says that the file is to be kept. */
static copse_status check_writable(const cp_file *f, const struct stat *old, copse_error *err) {
    int permitted = faccessat(AT_FDCWD, f->target, W_OK, AT_EACCESS) == 0;
    if (!permitted && errno != EACCES) return cp_fail_system(err, "write", f->path);
    if (permitted && (!S_ISREG(old->st_mode) || old->st_mode & S_IWUSR)) return COPSE_OK;
    return cp_fail(err, COPSE_E_SYSTEM,
                   "cannot write %.700s: it is read-only. Give it write permission, or choose another name", f->path);
}

static copse_status open_direct(cp_file *f, int descriptor, copse_error *err) {
    f->direct = 1;
    f->fd = descriptor >= 0 ? fcntl(descriptor, F_DUPFD_CLOEXEC, 0) : open(f->target, O_WRONLY | O_CLOEXEC);
    return f->fd < 0 ? cp_fail_system(err, "write", f->path) : COPSE_OK;
}

static copse_status fail_exists(const cp_file *f, copse_error *err) {
    return cp_fail(err, COPSE_E_USAGE, "%.700s exists: choose another name, or remove it", f->path);
}

static copse_status begin(cp_file *f, const char *path, copse_error *err) {
    struct stat old;
    f->path = cp_mem_strdup(path);
    if (!f->path) return cp_fail_memory(err);
    CP_TRY(cp_path_follow(path, &f->target, err));
    int descriptor = cp_path_descriptor(f->target);
    if (descriptor >= 0 && f->is_new) return fail_exists(f, err);
    if (descriptor >= 0) return open_direct(f, descriptor, err);
    int exists = stat(f->target, &old) == 0;
    if (!exists && errno != ENOENT) return cp_fail_system(err, "write", f->path);
    if (exists && f->is_new) return fail_exists(f, err);
    if (exists) CP_TRY(check_writable(f, &old, err));
    if (exists && !S_ISREG(old.st_mode)) return open_direct(f, -1, err);
    CP_TRY(cp_file_sweep(f->target, err));
    CP_TRY(open_temporary(f, exists ? 0600 : 0666, err)); /* private until it has the old file's mode */
    return exists ? keep_owner_and_mode(f, &old, err) : COPSE_OK;
}

static copse_status new_file(const char *path, int is_new, cp_file **out, copse_error *err) {
    cp_file *f;
    *out = NULL;
    CP_TRY(CP_NEW(f, 1, err));
    *f = (cp_file){.fd = -1, .is_new = is_new};
    copse_status status = begin(f, path, err);
    if (status)
        cp_file_abandon(f);
    else
        *out = f;
    return status;
}

copse_status cp_file_begin(const char *path, cp_file **out, copse_error *err) {
    return new_file(path, 0, out, err);
}

copse_status cp_file_begin_new(const char *path, cp_file **out, copse_error *err) {
    return new_file(path, 1, out, err);
}

copse_status cp_file_write(cp_file *f, const void *bytes, size_t n, copse_error *err) {
    for (const char *p = bytes; n;) {
        ssize_t part = write(f->fd, p, n > MAX_PART ? MAX_PART : n);
        if (part < 0 && errno == EINTR) continue;
        if (part < 0) return cp_fail_system(err, "write", f->path);
        p += part;
        n -= (size_t)part;
    }
    return COPSE_OK;
}

int cp_file_descriptor(const cp_file *f) {
    return f->fd;
}

/* ----------------------------------------------------------------------------------------------- commit and abandon */

void cp_file_abandon(cp_file *f) {
    if (!f) return;
    if (f->temp) unlink(f->temp);
    if (f->fd >= 0) close(f->fd);
    cp_mem_free(f->path);
    cp_mem_free(f->target);
    cp_mem_free(f->temp);
    cp_mem_free(f);
}

/* The lock is held until the temporary file has the target's name: else another writer could remove it. */
static copse_status replace_target(cp_file *f, copse_error *err) {
    CP_TRY(name_temporary(f, err));
    if (rename(f->temp, f->target) != 0) return cp_fail_system(err, "write", f->path);
    cp_mem_free(f->temp);
    f->temp = NULL;
    return COPSE_OK;
}

/* A link, unlike a rename, fails if the target exists. */
static copse_status make_target(cp_file *f, copse_error *err) {
    if ((f->temp ? link(f->temp, f->target) : link_unnamed(f, f->target)) == 0) return COPSE_OK;
    return errno == EEXIST ? fail_exists(f, err) : cp_fail_system(err, "write", f->path);
}

static copse_status commit(cp_file *f, copse_error *err) {
    if (f->direct) { /* a failed close of a device or pipe may be the only sign of a failed write */
        int fd = f->fd;
        f->fd = -1;
        return close(fd) != 0 ? cp_fail_system(err, "write", f->path) : COPSE_OK;
    }
    if (fsync(f->fd) != 0) return cp_fail_system(err, "write", f->path);
    CP_TRY(f->is_new ? make_target(f, err) : replace_target(f, err));
    return cp_path_sync_folder(f->target) ? cp_fail_system(err, "sync the folder of", f->path) : COPSE_OK;
}

copse_status cp_file_commit(cp_file *f, copse_error *err) {
    copse_status status = commit(f, err);
    cp_file_abandon(f);
    return status;
}

copse_status cp_file_save(const char *path, const unsigned char *bytes, size_t n, copse_error *err) {
    cp_file *f;
    CP_TRY(cp_file_begin(path, &f, err));
    copse_status status = cp_file_write(f, bytes, n, err);
    if (!status) return cp_file_commit(f, err);
    cp_file_abandon(f);
    return status;
}

/* ---------------------------------------------------------------------------------------------------------- loading */

/* A file of which n bytes have been read. */
typedef struct loading {
    const char *path;
    int fd;
    unsigned char *bytes;
    size_t n;
} loading;

/* Reads until `want` bytes are there or the file ends. */
static copse_status read_some(loading *l, size_t want, copse_error *err) {
    while (l->n < want) {
        size_t part = want - l->n > PART ? PART : want - l->n;
        CP_TRY(cp_supervise_check_stop(err));
        ssize_t got = read(l->fd, l->bytes + l->n, part);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return cp_fail_system(err, "read", l->path);
        if (got == 0) return COPSE_OK;
        l->n += (size_t)got;
    }
    return COPSE_OK;
}

static copse_status check_limit(const char *path, size_t n, size_t limit, copse_error *err) {
    if (!limit || n <= limit) return COPSE_OK;
    return cp_fail(err, COPSE_E_MEMORY,
                   "%.700s has more than the %zu bytes that `memory-limit` permits. Raise it to use this model", path,
                   limit);
}

static copse_status load(loading *l, size_t limit, copse_error *err) {
    struct stat st;
    size_t cap = 0;
    if (fstat(l->fd, &st) != 0) return cp_fail_system(err, "read", l->path);
    CP_TRY(CP_GROW(l->bytes, cap, FIRST_READ, err));
    CP_TRY(read_some(l, FIRST_READ, err));
    if (!cp_reader_sniff(l->bytes, l->n)) return COPSE_OK;
    /* Asking for one byte more than the file has finds its end without another read. */
    size_t whole = S_ISREG(st.st_mode) && st.st_size > FIRST_READ ? (size_t)st.st_size + 1 : 0;
    CP_TRY(check_limit(l->path, whole ? whole - 1 : l->n, limit, err));
    while (l->n == cap) {
        CP_TRY(CP_GROW(l->bytes, cap, whole > cap ? whole : cap + 1, err));
        CP_TRY(read_some(l, cap, err));
        CP_TRY(check_limit(l->path, l->n, limit, err));
    }
    return COPSE_OK;
}

copse_status cp_file_load(const char *path, size_t limit, unsigned char **out, size_t *out_n, copse_error *err) {
    loading l = {.path = path, .fd = open(path, O_RDONLY | O_CLOEXEC)};
    *out = NULL;
    *out_n = 0;
    if (l.fd < 0) return cp_fail_system(err, "read", path);
    copse_status status = load(&l, limit, err);
    close(l.fd);
    if (!status && !cp_reader_sniff(l.bytes, l.n))
        status = cp_fail(err, COPSE_E_MODEL, "%.700s: not a copse model file%s", path, l.n ? "" : ": it is empty");
    if (status) {
        cp_mem_free(l.bytes);
        return status;
    }
    *out = l.bytes;
    *out_n = l.n;
    return COPSE_OK;
}
