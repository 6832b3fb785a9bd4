/* journal - appends and reads checksummed records.  The lock is flock, which belongs to the open file, so that two
 * studies of one process exclude each other too. */
#define _DEFAULT_SOURCE /* flock */

#include "base/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/file.h"
#include "base/layout.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/supervise.h"

enum { VERSION = 1, FRONT = 24, AROUND = 16 };

static const unsigned char magic[8] = {0x89, 'C', 'O', 'P', 'S', 'E', 'L', '\n'};

struct cp_journal {
    int fd, read_only;
    char *path;
    unsigned char *head;
    size_t head_n;
    uint64_t at;  /* the first `at` bytes of the file are valid: they were read, or written by this process */
    uint64_t sum; /* the last checksum in them */
    /* Bytes that were read ahead, of which the first `used` have been returned; the byte at `used` is the file's
     * `at`. */
    unsigned char *buf;
    size_t used, have, cap;
};

/* Writes n bytes at a place in the file.  0, or -1 with errno. */
static int write_at(int fd, const unsigned char *bytes, size_t n, uint64_t at) {
    while (n) {
        ssize_t part = pwrite(fd, bytes, n, (off_t)at);
        if (part < 0 && errno == EINTR) continue;
        if (part < 0) return -1;
        bytes += part;
        n -= (size_t)part;
        at += (uint64_t)part;
    }
    return 0;
}

/* Reads n bytes at a place in the file, fewer only at its end.  0, or -1 with errno. */
static int read_at(int fd, unsigned char *bytes, size_t n, uint64_t at, size_t *out_got) {
    *out_got = 0;
    while (*out_got < n) {
        ssize_t part = pread(fd, bytes + *out_got, n - *out_got, (off_t)(at + *out_got));
        if (part < 0 && errno == EINTR) continue;
        if (part < 0) return -1;
        if (part == 0) return 0;
        *out_got += (size_t)part;
    }
    return 0;
}

/* --------------------------------------------------------------------------------------------------------- creating */

copse_status cp_journal_create(const char *path, const unsigned char *head, size_t n, copse_error *err) {
    unsigned char front[FRONT] = {0}, sum[8];
    cp_file *f;
    memcpy(front, magic, sizeof magic);
    cp_layout_put(front + 8, VERSION, 4);
    cp_layout_put(front + 16, n, 8);
    cp_layout_put(sum, XXH64(head, n, XXH64(front, FRONT, 0)), 8);
    CP_TRY(cp_file_begin_new(path, &f, err));
    copse_status status = cp_file_write(f, front, FRONT, err);
    if (!status) status = cp_file_write(f, head, n, err);
    if (!status) status = cp_file_write(f, sum, sizeof sum, err);
    if (!status) return cp_file_commit(f, err);
    cp_file_abandon(f);
    return status;
}

/* ---------------------------------------------------------------------------------------------------------- opening */

static copse_status damaged(const cp_journal *l, const char *what, copse_error *err) {
    return cp_fail(err, COPSE_E_MODEL, "%.700s: %s", l->path, what);
}

static copse_status read_head(cp_journal *l, copse_error *err) {
    unsigned char front[FRONT], sum[8];
    struct stat st;
    size_t got;
    if (fstat(l->fd, &st) != 0 || read_at(l->fd, front, FRONT, 0, &got)) return cp_fail_system(err, "read", l->path);
    if (got < FRONT || memcmp(front, magic, sizeof magic) != 0) return damaged(l, "not a study", err);
    if (cp_layout_get(front + 8, 4) > VERSION)
        return damaged(l, "written by a later version of copse: upgrade to read it", err);
    uint64_t n = cp_layout_get(front + 16, 8);
    if (n > (uint64_t)st.st_size || (uint64_t)st.st_size - n < FRONT + 8)
        return damaged(l, "damaged: its beginning is cut off", err);
    l->head_n = (size_t)n;
    CP_TRY(CP_RAW(l->head, l->head_n, err));
    if (read_at(l->fd, l->head, l->head_n, FRONT, &got) || read_at(l->fd, sum, 8, FRONT + n, &got))
        return cp_fail_system(err, "read", l->path);
    l->sum = XXH64(l->head, l->head_n, XXH64(front, FRONT, 0));
    l->at = FRONT + n + 8;
    return got == 8 && cp_layout_get(sum, 8) == l->sum ? COPSE_OK : damaged(l, "damaged at its beginning", err);
}

/* Removes what a process left that was killed while it made the file. */
static copse_status sweep(const char *path, copse_error *err) {
    char *target;
    CP_TRY(cp_path_follow(path, &target, err));
    copse_status status = cp_file_sweep(target, err);
    cp_mem_free(target);
    return status;
}

copse_status cp_journal_open(const char *path, cp_journal **out, copse_error *err) {
    cp_journal *l;
    *out = NULL;
    CP_TRY(CP_NEW(l, 1, err));
    l->fd = open(path, O_RDWR | O_CLOEXEC);
    if (l->fd < 0 && (errno == EACCES || errno == EROFS)) {
        l->fd = open(path, O_RDONLY | O_CLOEXEC);
        l->read_only = 1;
    }
    copse_status status = COPSE_OK;
    if (l->fd < 0) CP_TRY_OUT(cp_fail_system(err, "read", path));
    l->path = cp_mem_strdup(path);
    if (!l->path) CP_TRY_OUT(cp_fail_memory(err));
    CP_TRY_OUT(read_head(l, err));
    if (!l->read_only) CP_TRY_OUT(sweep(path, err));
out:
    if (status)
        cp_journal_free(l);
    else
        *out = l;
    return status;
}

const unsigned char *cp_journal_head(const cp_journal *l, size_t *out_n) {
    *out_n = l->head_n;
    return l->head;
}

void cp_journal_free(cp_journal *l) {
    if (!l) return;
    if (l->fd >= 0) close(l->fd);
    cp_mem_free(l->path);
    cp_mem_free(l->head);
    cp_mem_free(l->buf);
    cp_mem_free(l);
}

/* A call that may be stopped tries again and again, any other waits. */
static copse_status wait_for_lock(cp_journal *l, copse_error *err) {
    const struct timespec pause = {.tv_nsec = 5000000};
    int how = cp_supervise_may_stop() ? LOCK_EX | LOCK_NB : LOCK_EX;
    while (flock(l->fd, how) != 0) {
        if (errno == EWOULDBLOCK)
            nanosleep(&pause, NULL);
        else if (errno != EINTR)
            return cp_fail_system(err, "lock", l->path);
        CP_TRY(cp_supervise_check_stop(err));
    }
    return COPSE_OK;
}

copse_status cp_journal_lock(cp_journal *l, copse_error *err) {
    CP_TRY(wait_for_lock(l, err));
    l->have = l->used = 0;
    return COPSE_OK;
}

void cp_journal_unlock(cp_journal *l) {
    flock(l->fd, LOCK_UN);
}

/* ---------------------------------------------------------------------------------------------------------- records */

enum { CHUNK = 1 << 16 };

static const char wrong[] = "damaged: a record in its middle is not what was written";

static size_t ahead(const cp_journal *l) {
    return l->have - l->used;
}

/* Reads ahead until `want` bytes are there, or the file ends. */
static copse_status fill(cp_journal *l, size_t want, copse_error *err) {
    size_t got, left = ahead(l);
    if (left >= want) return COPSE_OK;
    memmove(l->buf, l->buf + l->used, left);
    l->used = 0;
    l->have = left;
    CP_TRY(CP_GROW(l->buf, l->cap, want + CHUNK, err));
    if (read_at(l->fd, l->buf + left, l->cap - left, l->at + left, &got)) return cp_fail_system(err, "read", l->path);
    l->have += got;
    return COPSE_OK;
}

/* Whether the `left` bytes at p begin with a whole record that follows a record with the checksum `before`. */
static int is_record(const unsigned char *p, size_t left, uint64_t before) {
    size_t n = (size_t)cp_layout_get(p, 4);
    return n <= left - AROUND && cp_layout_get(p + 8 + n, 8) == XXH64(p, 8 + n, before);
}

/* The bytes ahead are no whole record.  Either a writer was killed while it appended, or the length of a record is
 * damaged.  In the second case a whole record follows, whose seed is the checksum in the eight bytes before it.  That
 * record was acknowledged and must not be cut off. */
static copse_status check_end(cp_journal *l, copse_error *err) {
    size_t most = (size_t)AROUND + CP_JOURNAL_MAX;
    CP_TRY(fill(l, most + 1, err));
    int more = ahead(l) > most;
    for (size_t i = AROUND; !more && i + AROUND <= ahead(l); i++) {
        const unsigned char *p = l->buf + l->used + i;
        more = is_record(p, ahead(l) - i, cp_layout_get(p - 8, 8));
    }
    return more ? damaged(l, wrong, err) : COPSE_OK;
}

copse_status cp_journal_next(cp_journal *l, cp_journal_record *out, int *out_got, copse_error *err) {
    *out_got = 0;
    if (!l->buf) CP_TRY(CP_GROW(l->buf, l->cap, CHUNK, err));
    CP_TRY(fill(l, AROUND, err));
    if (ahead(l) < AROUND) return COPSE_OK;
    size_t n = (size_t)cp_layout_get(l->buf + l->used, 4);
    if (n > CP_JOURNAL_MAX) return check_end(l, err);
    CP_TRY(fill(l, AROUND + n + 1, err));
    if (ahead(l) < AROUND + n) return check_end(l, err);
    const unsigned char *p = l->buf + l->used;
    uint64_t sum = XXH64(p, 8 + n, l->sum);
    if (cp_layout_get(p + 8 + n, 8) != sum) return ahead(l) > AROUND + n ? damaged(l, wrong, err) : COPSE_OK;
    *out = (cp_journal_record){.kind = (uint32_t)cp_layout_get(p + 4, 4), .bytes = p + 8, .n = n};
    l->sum = sum;
    l->at += AROUND + n;
    l->used += AROUND + n;
    *out_got = 1;
    return COPSE_OK;
}

/* Cuts off what a killed writer left after the last record. */
static copse_status trim(const cp_journal *l, copse_error *err) {
    struct stat st;
    if (fstat(l->fd, &st) != 0) return cp_fail_system(err, "read", l->path);
    if ((uint64_t)st.st_size > l->at && ftruncate(l->fd, (off_t)l->at) != 0)
        return cp_fail_system(err, "write", l->path);
    return COPSE_OK;
}

copse_status cp_journal_append(cp_journal *l, uint32_t kind, const unsigned char *bytes, size_t n, copse_error *err) {
    unsigned char *record;
    CP_BUG(n > CP_JOURNAL_MAX);
    if (l->read_only) {
        errno = EACCES;
        return cp_fail_system(err, "write", l->path);
    }
    CP_TRY(trim(l, err));
    CP_TRY(CP_RAW(record, AROUND + n, err));
    cp_layout_put(record, n, 4);
    cp_layout_put(record + 4, kind, 4);
    if (n) memcpy(record + 8, bytes, n);
    uint64_t sum = XXH64(record, 8 + n, l->sum);
    cp_layout_put(record + 8 + n, sum, 8);
    copse_status status = COPSE_OK;
    if (write_at(l->fd, record, AROUND + n, l->at) != 0 || fdatasync(l->fd) != 0) {
        status = cp_fail_system(err, "write", l->path);
        if (ftruncate(l->fd, (off_t)l->at) != 0) status = cp_fail_system(err, "write", l->path);
    } else {
        l->at += AROUND + n;
        l->sum = sum;
    }
    l->have = l->used = 0;
    cp_mem_free(record);
    return status;
}
