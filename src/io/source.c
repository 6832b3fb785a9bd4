#include "io/source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/mem.h"
#include "base/supervise.h"

enum {
    RAW = 1 << 16,
    FIRST_GUESS = 1 << 16,
    LONGEST_MAGIC = 4,
    STOP_MS = 50,          /* longest wait between two looks at the stop flag */
    MOST_AT_ONCE = 1 << 24 /* bytes between two checks of the stop flag */
};

typedef enum compression { PLAIN, GZIP, ZSTD } compression;

struct cp_source {
    char *name;
    int fd, owns_fd, is_file;
    copse_read_fn read; /* NULL: bytes come from fd */
    void *arg;
    int in_memory; /* bytes come from the `left` ones at `bytes` */
    const char *bytes;
    size_t left;
    const copse_flag *stop;
    size_t size_hint; /* the size of a regular file; 0: unknown */
    int detected;     /* the compression is known */
    size_t limit;     /* of memory; 0: none */
    compression compression;
    unsigned char raw[RAW]; /* raw[at] ... raw[end-1] is read but not yet handed out or decompressed */
    size_t at, end;
    int raw_done;  /* the file descriptor is at its end */
    int in_member; /* inside a gzip member or zstd frame: if the file ends here, it is cut off */
    z_stream gzip;
    ZSTD_DStream *zstd;
};

const char *cp_source_name(const cp_source *s) {
    return s->name;
}

int cp_source_may_wait(const cp_source *s) {
    return !s->is_file;
}

void cp_source_watch(cp_source *s, const copse_flag *opt_stop) {
    s->stop = opt_stop;
}

static double now(void) {
    struct timespec t = {0};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

copse_status cp_source_wait(cp_source *s, double seconds, int *out_ready, copse_error *err) {
    double until = now() + seconds;
    *out_ready = 1;
    if (s->is_file || s->read || s->in_memory || s->raw_done || s->at < s->end) return COPSE_OK;
    for (double left = seconds;; left = until - now()) {
        struct pollfd p = {.fd = s->fd, .events = POLLIN};
        CP_TRY(cp_fail_if_stopped(s->stop, err));
        int part = left <= 0 ? 0 : left * 1000 > STOP_MS ? STOP_MS : (int)(left * 1000) + 1;
        if (poll(&p, 1, part) > 0) return COPSE_OK;
        if (left > 0) continue;
        *out_ready = 0;
        return COPSE_OK;
    }
}

/* Waits for bytes of a pipe or terminal, and looks at the flag meanwhile: whoever sets it need not be a signal handler
 * that interrupts this thread. */
static copse_status await_bytes(const cp_source *s, copse_error *err) {
    struct pollfd fd = {.fd = s->fd, .events = POLLIN};
    for (;;) {
        CP_TRY(cp_fail_if_stopped(s->stop, err));
        int ready = poll(&fd, 1, STOP_MS);
        if (ready > 0 || (ready < 0 && errno != EINTR)) return COPSE_OK; /* read() tells what is wrong */
    }
}

/* What the caller's function is asked for, and answers. */
typedef struct question {
    cp_source *source;
    void *buf;
    size_t n, got;
    copse_status status;
    copse_error err;
} question;

static void ask(void *arg) {
    question *q = arg;
    q->status = q->source->read(q->source->arg, q->buf, q->n, &q->got, &q->err);
}

/* A function that fails has filled err, or not. */
static copse_status call_reader(cp_source *s, void *buf, size_t n, size_t *out_got, copse_error *err) {
    question q = {.source = s, .buf = buf, .n = n};
    cp_supervise_call(ask, &q);
    *out_got = 0;
    if (q.status && q.err.msg[0]) return cp_fail(err, q.status, "%s", q.err.msg);
    if (q.status) return cp_fail(err, q.status, "cannot read %.300s: %s", s->name, copse_status_text(q.status));
    if (q.got > n)
        return cp_fail(err, COPSE_E_USAGE, "%.300s: its reader gave %zu bytes where %zu were asked for", s->name, q.got,
                       n);
    *out_got = q.got;
    return COPSE_OK;
}

static copse_status copy_bytes(cp_source *s, void *buf, size_t n, size_t *out_got) {
    *out_got = n < s->left ? n : s->left;
    if (!*out_got) return COPSE_OK;
    memcpy(buf, s->bytes, *out_got);
    s->bytes += *out_got;
    s->left -= *out_got;
    return COPSE_OK;
}

/* read() with messages for its failures. */
static copse_status read_some(cp_source *s, void *buf, size_t n, size_t *out_got, copse_error *err) {
    *out_got = 0;
    if (s->in_memory) return copy_bytes(s, buf, n, out_got);
    if (s->read) return call_reader(s, buf, n, out_got, err);
    if (s->stop && !s->is_file) CP_TRY(await_bytes(s, err));
    ssize_t got = read(s->fd, buf, n);
    *out_got = got > 0 ? (size_t)got : 0;
    if (got >= 0) return COPSE_OK;
    if (errno == EINTR) return cp_fail(err, COPSE_E_STOPPED, "interrupted");
    return cp_fail_system(err, "read", s->name);
}

static copse_status refill(cp_source *s, copse_error *err) {
    size_t got;
    if (s->at == s->end) s->at = s->end = 0;
    CP_TRY(read_some(s, s->raw + s->end, RAW - s->end, &got, err));
    s->end += got;
    s->raw_done = !got;
    return COPSE_OK;
}

static voidpf gzip_alloc(voidpf opaque, uInt items, uInt size) {
    (void)opaque;
    return cp_mem_raw(items, size);
}

static void gzip_free(voidpf opaque, voidpf address) {
    (void)opaque;
    cp_mem_free(address);
}

static copse_status start_gzip(cp_source *s, copse_error *err) {
    enum { GZIP_ONLY = 16 };
    s->gzip = (z_stream){.zalloc = gzip_alloc, .zfree = gzip_free};
    if (inflateInit2(&s->gzip, GZIP_ONLY + MAX_WBITS) != Z_OK) return cp_fail_memory(err);
    s->compression = GZIP;
    s->in_member = 1;
    return COPSE_OK;
}

/* The window is taken from the system when a frame asks for it, and filled as the data come. */
void cp_source_limit(cp_source *s, size_t bytes) {
    int most = ZSTD_dParam_getBounds(ZSTD_d_windowLogMax).upperBound, log = most;
    s->limit = bytes;
    if (!s->zstd) return;
    if (bytes) {
        int least = ZSTD_dParam_getBounds(ZSTD_d_windowLogMax).lowerBound;
        while (log > least && bytes >> log == 0) log--;
    }
    ZSTD_DCtx_setParameter(s->zstd, ZSTD_d_windowLogMax, log);
}

static copse_status start_zstd(cp_source *s, copse_error *err) {
    s->zstd = ZSTD_createDStream();
    if (!s->zstd) return cp_fail_memory(err);
    cp_source_limit(s, s->limit);
    s->compression = ZSTD;
    s->in_member = 1;
    return COPSE_OK;
}

/* Finds the compression from the first bytes.  Reads no more of them than are needed: a pipe may be slow. */
static copse_status detect(cp_source *s, copse_error *err) {
    static const unsigned char gzip[] = {0x1f, 0x8b, 0x08}, zstd[] = {0x28, 0xb5, 0x2f, 0xfd};
    while (!s->raw_done && s->end < LONGEST_MAGIC) {
        size_t n = s->end;
        int open = (n < sizeof gzip && !memcmp(s->raw, gzip, n)) || (n < sizeof zstd && !memcmp(s->raw, zstd, n));
        if (!open) break;
        CP_TRY(refill(s, err));
    }
    if (s->end >= sizeof gzip && !memcmp(s->raw, gzip, sizeof gzip)) return start_gzip(s, err);
    if (s->end >= sizeof zstd && !memcmp(s->raw, zstd, sizeof zstd)) return start_zstd(s, err);
    return COPSE_OK;
}

static copse_status look_at_file(cp_source *s, copse_error *err) {
    struct stat st;
    if (fstat(s->fd, &st)) return cp_fail_system(err, "read", s->name);
    if (S_ISDIR(st.st_mode)) return cp_fail(err, COPSE_E_SYSTEM, "cannot read %s: it is a directory", s->name);
    s->is_file = S_ISREG(st.st_mode);
    if (s->is_file && st.st_size > 0) s->size_hint = (size_t)st.st_size;
    return COPSE_OK;
}

/* Opens the path, if there is one.  On failure closes s. */
static copse_status begin(cp_source *s, const char *opt_path, const char *name, cp_source **out, copse_error *err) {
    copse_status status = COPSE_OK;
    if (!(s->name = cp_mem_strdup(name))) CP_TRY_OUT(cp_fail_memory(err));
    if (opt_path && (s->fd = open(opt_path, O_RDONLY | O_CLOEXEC)) < 0)
        CP_TRY_OUT(cp_fail_system(err, "open", opt_path));
    s->owns_fd = opt_path != NULL;
    if (!s->read && !s->in_memory) CP_TRY_OUT(look_at_file(s, err));
    *out = s;
    return COPSE_OK;
out:
    cp_source_close(s);
    return status;
}

copse_status cp_source_open(const char *path, cp_source **out, copse_error *err) {
    *out = NULL;
    cp_source *s;
    CP_TRY(CP_NEW(s, 1, err));
    return begin(s, path, path, out, err);
}

copse_status cp_source_open_given(const copse_source *given, cp_source **out, copse_error *err) {
    cp_source *s;
    *out = NULL;
    CP_TRY(CP_NEW(s, 1, err));
    s->fd = given->read ? -1 : given->fd;
    s->read = given->read;
    s->arg = given->arg;
    return begin(s, NULL, given->name ? given->name : "<source>", out, err);
}

copse_status cp_source_open_bytes(const char *name, const void *bytes, size_t n, cp_source **out, copse_error *err) {
    cp_source *s;
    *out = NULL;
    CP_TRY(CP_NEW(s, 1, err));
    s->fd = -1;
    s->in_memory = s->is_file = 1;
    s->bytes = bytes;
    s->left = n;
    s->size_hint = n;
    return begin(s, NULL, name, out, err);
}

void cp_source_close(cp_source *s) {
    if (!s) return;
    if (s->compression == GZIP) inflateEnd(&s->gzip);
    ZSTD_freeDStream(s->zstd);
    if (s->owns_fd) close(s->fd);
    cp_mem_free(s->name);
    cp_mem_free(s);
}

static copse_status damaged(const cp_source *s, const char *why, copse_error *err) {
    return cp_fail(err, COPSE_E_DATA, "%s: the %s data are damaged (%s). Make or copy the file again", s->name,
                   s->compression == GZIP ? "gzip" : "zstd", why ? why : "no reason given");
}

/* A gzip member is followed by another one, by zeros that pad to a block, or by nothing. */
static copse_status next_gzip_member(cp_source *s, copse_error *err) {
    while (s->at < s->end && !s->raw[s->at]) s->at++;
    if (s->at == s->end) return COPSE_OK;
    if (s->raw[s->at] != 0x1f) return damaged(s, "bytes after its end", err);
    if (inflateReset(&s->gzip) != Z_OK) return damaged(s, s->gzip.msg, err);
    s->in_member = 1;
    return COPSE_OK;
}

static copse_status decompress_gzip(cp_source *s, char *buf, size_t n, size_t *out_got, copse_error *err) {
    if (!s->in_member) CP_TRY(next_gzip_member(s, err));
    if (!s->in_member) return COPSE_OK;
    uInt room = n > RAW ? RAW : (uInt)n;
    s->gzip.next_in = s->raw + s->at;
    s->gzip.avail_in = (uInt)(s->end - s->at);
    s->gzip.next_out = (unsigned char *)buf;
    s->gzip.avail_out = room;
    int code = inflate(&s->gzip, Z_NO_FLUSH);
    s->at = s->end - s->gzip.avail_in;
    *out_got = room - s->gzip.avail_out;
    if (code == Z_STREAM_END) s->in_member = 0;
    if (code == Z_MEM_ERROR) return cp_fail_memory(err);
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) return damaged(s, s->gzip.msg, err);
    return COPSE_OK;
}

static copse_status zstd_failed(const cp_source *s, size_t code, copse_error *err) {
    ZSTD_ErrorCode why = ZSTD_getErrorCode(code);
    if (why == ZSTD_error_memory_allocation) return cp_fail_memory(err);
    if (why != ZSTD_error_frameParameter_windowTooLarge) return damaged(s, ZSTD_getErrorName(code), err);
    return cp_fail(
        err, COPSE_E_MEMORY,
        "%s: its zstd data need a window of more than %zu bytes, which `memory-limit` does not permit. Raise "
        "it, or compress the file again with a shorter window",
        s->name, s->limit);
}

static copse_status decompress_zstd(cp_source *s, char *buf, size_t n, size_t *out_got, copse_error *err) {
    ZSTD_inBuffer in = {s->raw, s->end, s->at};
    ZSTD_outBuffer to = {buf, n, 0};
    size_t code = ZSTD_decompressStream(s->zstd, &to, &in);
    if (ZSTD_isError(code)) return zstd_failed(s, code, err);
    s->at = in.pos;
    *out_got = to.pos;
    s->in_member = code != 0;
    return COPSE_OK;
}

/* Decompresses what has been read before it reads more, so that the bytes of a pipe are handed out as soon as
 * possible. */
static copse_status read_compressed(cp_source *s, char *buf, size_t n, size_t *out_got, copse_error *err) {
    for (;;) {
        CP_TRY(cp_fail_if_stopped(s->stop, err));
        if (s->compression == GZIP)
            CP_TRY(decompress_gzip(s, buf, n, out_got, err));
        else if (s->at < s->end || s->in_member)
            CP_TRY(decompress_zstd(s, buf, n, out_got, err));
        if (*out_got) return COPSE_OK;
        if (s->at < s->end) continue;
        if (s->raw_done) return s->in_member ? damaged(s, "they end too early: the file is cut off", err) : COPSE_OK;
        CP_TRY(refill(s, err));
    }
}

static copse_status read_plain(cp_source *s, char *buf, size_t n, size_t *out_got, copse_error *err) {
    CP_TRY(cp_fail_if_stopped(s->stop, err));
    if (s->at == s->end) return read_some(s, buf, n, out_got, err);
    *out_got = n < s->end - s->at ? n : s->end - s->at;
    memcpy(buf, s->raw + s->at, *out_got);
    s->at += *out_got;
    return COPSE_OK;
}

/* Not when the source is opened: a pipe may have no bytes yet. */
static copse_status detect_once(cp_source *s, copse_error *err) {
    if (!s->detected) CP_TRY(detect(s, err));
    s->detected = 1;
    return COPSE_OK;
}

copse_status cp_source_read(cp_source *s, char *buf, size_t n, size_t *out_got, copse_error *err) {
    *out_got = 0;
    CP_TRY(detect_once(s, err));
    if (n > MOST_AT_ONCE) n = MOST_AT_ONCE;
    return s->compression == PLAIN ? read_plain(s, buf, n, out_got, err) : read_compressed(s, buf, n, out_got, err);
}

static copse_status check_limit(const cp_source *s, size_t bytes, copse_error *err) {
    if (!s->limit || bytes <= s->limit) return COPSE_OK;
    return cp_fail(err, COPSE_E_MEMORY,
                   "%s has more than %zu bytes%s, which `memory-limit` does not permit. Raise it, or give fewer rows",
                   s->name, s->limit, s->compression == PLAIN ? "" : " when it is unpacked");
}

copse_status cp_source_read_all(cp_source *s, const cp_source_looker *opt_looker, char **out_bytes, size_t *out_n,
                                copse_error *err) {
    /* Room for one byte more than a regular file has, so that its end is found without growing the buffer. */
    size_t first = s->size_hint ? s->size_hint : FIRST_GUESS, used = 0, got = 0;
    size_t cap = (s->limit && first > s->limit ? s->limit : first) + CP_CONTENT_PAD + 1;
    char *bytes;
    copse_status status = COPSE_OK;
    *out_bytes = NULL;
    *out_n = 0;
    CP_TRY(detect_once(s, err));
    CP_TRY(check_limit(s, s->compression == PLAIN ? s->size_hint : 0, err));
    CP_TRY(CP_RAW(bytes, cap, err));
    do {
        CP_TRY_OUT(CP_GROW(bytes, cap, used + CP_CONTENT_PAD + 1, err));
        CP_TRY_OUT(cp_source_read(s, bytes + used, cap - used - CP_CONTENT_PAD, &got, err));
        used += got;
        CP_TRY_OUT(check_limit(s, used, err));
        memset(bytes + used, 0, CP_CONTENT_PAD);
        if (opt_looker) CP_TRY_OUT(opt_looker->look(opt_looker->arg, &(cp_content){s->name, bytes, used}, !got, err));
    } while (got);
    *out_bytes = bytes;
    *out_n = used;
    bytes = NULL;
out:
    cp_mem_free(bytes);
    return status;
}
