/* arrow - a table from an Arrow C stream, the interface of other programs' columns in memory.
 *
 * https://arrow.apache.org/docs/format/CDataInterface.html and CStreamInterface.html define the structs, field by
 * field, so that no library is needed.  Whoever includes Arrow's own header before this one has them already. */
#ifndef CP_ARROW_H
#define CP_ARROW_H

#include "data/table.h"

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

#endif

/* Reads the stream to its end and releases it, also on failure. */
copse_status cp_arrow_read(struct ArrowArrayStream *stream, copse_table **out, copse_error *err);

#endif
