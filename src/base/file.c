#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/codec.h"
#include "base/mem.h"

enum { MAX_LINKS = 40, MAX_PATH = 4096, MAX_TRIES = 1000, FIRST_READ = 1 << 16 };

/* Says what the system said; errno is read first thing. */
static copse_status refused(const char *what, const char *path, copse_error *err) {
    char why[200];
    if (strerror_r(errno, why, sizeof why) != 0) snprintf(why, sizeof why, "error %d", errno);
    return cp_fail(err, COPSE_E_SYSTEM, "cannot %s %.700s: %s", what, path, why);
}

/* ----------------------------------------------------------------------------------------------------------- paths */

/* Length of the folder part with its slash, 0 if there is none. */
static size_t folder_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* `name` in the folder of `path`; a fresh string. */
static char *beside(const char *path, const char *name) {
    size_t folder = name[0] == '/' ? 0 : folder_length(path), n = strlen(name);
    char *joined = cp_mem_raw(folder + n + 1, 1);
    if (!joined) return NULL;
    memcpy(joined, path, folder);
    memcpy(joined + folder, name, n + 1);
    return joined;
}

/* The path with links followed, even if the last one points to nothing yet; a fresh string. */
static copse_status follow_links(const char *path, char **out, copse_error *err) {
    char *now = cp_mem_strdup(path), target[MAX_PATH];
    if (!now) return cp_fail_memory(err);
    for (int links = 0;; links++) {
        struct stat st;
        if (lstat(now, &st) != 0 || !S_ISLNK(st.st_mode)) break;
        ssize_t n = links < MAX_LINKS ? readlink(now, target, sizeof target - 1) : (errno = ELOOP, -1);
        if (n < 0) {
            cp_mem_free(now);
            return refused("write", path, err);
        }
        target[n] = '\0';
        char *next = beside(now, target);
        cp_mem_free(now);
        if (!next) return cp_fail_memory(err);
        now = next;
    }
    *out = now;
    return COPSE_OK;
}

/* ----------------------------------------------------------------------------------------------------------- saving */

/* 0, or -1 with errno. */
static int write_all(int fd, const unsigned char *bytes, size_t n) {
    while (n) {
        ssize_t part = write(fd, bytes, n > (1 << 30) ? 1 << 30 : n);
        if (part < 0 && errno == EINTR) continue;
        if (part < 0) return -1;
        bytes += part;
        n -= (size_t)part;
    }
    return 0;
}

/* Opens a file that did not exist, in the folder of `path`; the user's umask decides who may read it. */
static copse_status open_temporary(const char *path, char **out_name, int *out_fd, copse_error *err) {
    for (int i = 0; i < MAX_TRIES; i++) {
        char own[64];
        snprintf(own, sizeof own, ".copse-%ld-%d.tmp", (long)getpid(), i);
        char *name = beside(path, own);
        if (!name) return cp_fail_memory(err);
        int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0) {
            *out_name = name;
            *out_fd = fd;
            return COPSE_OK;
        }
        cp_mem_free(name);
        if (errno != EEXIST) break;
    }
    return refused("write", path, err);
}

/* The rename itself must survive a power cut; file systems that cannot sync a folder say EINVAL. */
static int sync_folder(const char *path) {
    char folder[MAX_PATH];
    int n = snprintf(folder, sizeof folder, "%.*s.", (int)folder_length(path), path), result = 0;
    int fd = n < (int)sizeof folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd < 0) return 0; /* a folder one may write but not read */
    if (fsync(fd) != 0 && errno == EIO) result = -1;
    close(fd);
    return result;
}

/* opt_old: the file that is replaced. */
static copse_status replace(const char *path, const struct stat *opt_old, const unsigned char *bytes, size_t n,
                            copse_error *err) {
    char *name = NULL;
    int fd = -1;
    CP_TRY(open_temporary(path, &name, &fd, err));
    copse_status status = COPSE_OK;
    if (opt_old && fchmod(fd, opt_old->st_mode & 07777) != 0) status = refused("keep the permissions of", path, err);
    if (!status && (write_all(fd, bytes, n) != 0 || fsync(fd) != 0)) status = refused("write", path, err);
    if (close(fd) != 0 && !status) status = refused("write", path, err);
    if (!status && rename(name, path) != 0) status = refused("write", path, err);
    if (status)
        unlink(name);
    else if (sync_folder(path) != 0)
        status = refused("sync the folder of", path, err);
    cp_mem_free(name);
    return status;
}

static copse_status write_in_place(const char *path, const unsigned char *bytes, size_t n, copse_error *err) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return refused("write", path, err);
    copse_status status = write_all(fd, bytes, n) ? refused("write", path, err) : COPSE_OK;
    if (close(fd) != 0 && !status) status = refused("write", path, err);
    return status;
}

copse_status cp_file_save(const char *path, const unsigned char *bytes, size_t n, copse_error *err) {
    struct stat st;
    char *real;
    if (strcmp(path, "-") == 0)
        return write_all(STDOUT_FILENO, bytes, n) ? refused("write", "standard output", err) : COPSE_OK;
    CP_TRY(follow_links(path, &real, err));
    int exists = stat(real, &st) == 0;
    copse_status status;
    if (!exists && errno != ENOENT)
        status = refused("write", path, err);
    else if (!exists)
        status = replace(real, NULL, bytes, n, err);
    else if (faccessat(AT_FDCWD, real, W_OK, AT_EACCESS) !=
             0) /* a rename would not mind a read-only file, its owner would */
        status = refused("write", path, err);
    else if (S_ISREG(st.st_mode))
        status = replace(real, &st, bytes, n, err);
    else
        status = write_in_place(real, bytes, n, err);
    cp_mem_free(real);
    return status;
}

/* ---------------------------------------------------------------------------------------------------------- loading */

/* Reads on until `want` bytes are there or the file ends; 0, or -1 with errno. */
static int read_some(int fd, unsigned char *bytes, size_t *n, size_t want) {
    while (*n < want) {
        size_t part = want - *n > (1 << 30) ? 1 << 30 : want - *n;
        ssize_t got = read(fd, bytes + *n, part);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -1;
        if (got == 0) return 0;
        *n += (size_t)got;
    }
    return 0;
}

static copse_status load(int fd, const char *path, unsigned char **bytes, size_t *n, copse_error *err) {
    struct stat st;
    size_t cap = 0;
    if (fstat(fd, &st) != 0) return refused("read", path, err);
    CP_TRY(CP_GROW(*bytes, cap, FIRST_READ, err));
    if (read_some(fd, *bytes, n, FIRST_READ) != 0) return refused("read", path, err);
    if (!cp_reader_sniff(*bytes, *n)) return COPSE_OK;
    /* One byte more than the file has shows its end without another round. */
    size_t whole = S_ISREG(st.st_mode) && st.st_size > FIRST_READ ? (size_t)st.st_size + 1 : 0;
    while (*n == cap) {
        CP_TRY(CP_GROW(*bytes, cap, whole > cap ? whole : cap + 1, err));
        if (read_some(fd, *bytes, n, cap) != 0) return refused("read", path, err);
    }
    return COPSE_OK;
}

copse_status cp_file_load(const char *path, unsigned char **out, size_t *out_n, copse_error *err) {
    unsigned char *bytes = NULL;
    size_t n = 0;
    int standard = strcmp(path, "-") == 0;
    *out = NULL;
    *out_n = 0;
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    const char *name = standard ? "standard input" : path;
    if (fd < 0) return refused("read", name, err);
    copse_status status = load(fd, name, &bytes, &n, err);
    if (!standard) close(fd);
    if (!status && !cp_reader_sniff(bytes, n))
        status = cp_fail(err, COPSE_E_MODEL, "%.700s: not a copse model file%s", name, n ? "" : ": it is empty");
    if (status) {
        cp_mem_free(bytes);
        return status;
    }
    *out = bytes;
    *out_n = n;
    return COPSE_OK;
}
