/* source - bytes of a file, an open descriptor, a function or memory, decompressed if they are gzip or zstd.
 *
 * The first bytes tell the compression, never the file name.  Gzip files of several members and zstd files of several
 * frames are read to the end.  A path that cannot be read is COPSE_E_SYSTEM; compressed data that are cut off or
 * damaged are COPSE_E_DATA.  Both messages name the source. */
#ifndef CP_SOURCE_H
#define CP_SOURCE_H

#include "base/fail.h"

/* Bytes in memory, with a name for messages.  CP_CONTENT_PAD zero bytes follow the n bytes: parsers stop at the first
 * of them, and may load whole words from there on. */
enum { CP_CONTENT_PAD = 64 };
typedef struct cp_content {
    const char *name, *bytes;
    size_t n;
} cp_content;

typedef struct cp_source cp_source;

copse_status cp_source_open(const char *path, cp_source **out, copse_error *err);
/* The caller's descriptor or function; a descriptor stays open. */
copse_status cp_source_open_given(const copse_source *given, cp_source **out, copse_error *err);
/* Bytes in memory, which must outlive the source. */
copse_status cp_source_open_bytes(const char *name, const void *bytes, size_t n, cp_source **out, copse_error *err);
/* From now on reading ends with COPSE_E_STOPPED once the flag is raised. */
void cp_source_watch(cp_source *s, const copse_flag *opt_stop);
/* From now on COPSE_E_MEMORY if cp_source_read_all, or the window of zstd data, needs more bytes.  0: no limit, and
 * windows of up to the 2 GiB of `zstd --long=31`. */
void cp_source_limit(cp_source *s, size_t bytes);
/* Waits until there are bytes, then hands out at most n of them; *out_got is 0 at the end.
 * A signal that arrives while waiting ends the call with COPSE_E_STOPPED. */
copse_status cp_source_read(cp_source *s, char *buf, size_t n, size_t *out_got, copse_error *err);
/* Waits until there are bytes or the end, at most so many seconds; *out_ready is 0 when they are over.  A signal that
 * does not raise the flag does not end the call. */
copse_status cp_source_wait(cp_source *s, double seconds, int *out_ready, copse_error *err);
/* Is the source not a regular file, so that reading may have to wait for more bytes? */
int cp_source_may_wait(const cp_source *s);
const char *cp_source_name(const cp_source *s); /* the path, or the name that the caller gave */
void cp_source_close(cp_source *s);

/* Looks at all bytes that have arrived so far, each time more have: a failure ends the reading.  The pad follows them.
 * `ended`: no more will come. */
typedef copse_status (*cp_source_look)(void *arg, const cp_content *arrived, int ended, copse_error *err);
typedef struct cp_source_looker {
    cp_source_look look;
    void *arg;
} cp_source_looker;

/* All remaining bytes, with the pad behind them.  *out_bytes belongs to the caller. */
copse_status cp_source_read_all(cp_source *s, const cp_source_looker *opt_looker, char **out_bytes, size_t *out_n,
                                copse_error *err);

#endif
