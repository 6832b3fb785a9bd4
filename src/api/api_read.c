/* Tables, streams and models from paths, memory, descriptors and functions, and models to functions. */
#include "api/api_check.h"
#include "io/stream.h"
#include "model/model_file.h"

typedef struct read_args {
    const char *path; /* one of path, source and bytes is given */
    copse_source source;
    const void *bytes;
    size_t n;
    copse_read_options opt;
    copse_table *table;
    copse_stream *stream;
    copse_model *model;
} read_args;

static cp_read_options inner_options(const copse_read_options *opt, const copse_run *run) {
    return (cp_read_options){
        .format = opt->format,
        .delimiter = opt->delimiter,
        .no_header = opt->no_header,
        .na = opt->na,
        .categorical = opt->categorical,
        .numeric = opt->numeric,
        .like = opt->like ? opt->like->schema : NULL,
        .max_columns = opt->max_columns,
        .memory_limit = run->memory_limit,
        .stop = run->stop,
    };
}

/* ---------------------------------------------------------------------------------------------------------- tables */

static copse_status do_read_path(void *arg, const copse_run *run, copse_error *err) {
    read_args *a = arg;
    cp_read_options inner = inner_options(&a->opt, run);
    return cp_read_file(a->path, &inner, &a->table, err);
}

static copse_status do_read_bytes(void *arg, const copse_run *run, copse_error *err) {
    read_args *a = arg;
    cp_read_options inner = inner_options(&a->opt, run);
    return cp_read_bytes("<bytes>", a->bytes, a->n, &inner, &a->table, err);
}

static copse_status do_read_source(void *arg, const copse_run *run, copse_error *err) {
    read_args *a = arg;
    cp_read_options inner = inner_options(&a->opt, run);
    return cp_read_given(&a->source, &inner, &a->table, err);
}

static copse_status read_table(read_args *a, cp_supervise_work work, const copse_run *run, copse_table **out,
                               copse_error *err) {
    CP_TRY(cp_api_check_call(run, work, a, err));
    *out = a->table;
    return COPSE_OK;
}

copse_status copse_table_read(const char *path, const copse_read_options *opt, const copse_run *run, copse_table **out,
                              copse_error *err) {
    CP_API_OUT(out);
    CP_API_NEED(path);
    read_args a = {.path = path};
    CP_TRY(CP_API_OPTIONS(opt, &a.opt));
    return read_table(&a, do_read_path, run, out, err);
}

copse_status copse_table_read_bytes(const void *bytes, size_t n, const copse_read_options *opt, const copse_run *run,
                                    copse_table **out, copse_error *err) {
    CP_API_OUT(out);
    if (n) CP_API_NEED(bytes);
    read_args a = {.bytes = bytes, .n = n};
    CP_TRY(CP_API_OPTIONS(opt, &a.opt));
    return read_table(&a, do_read_bytes, run, out, err);
}

copse_status copse_table_read_from(const copse_source *source, const copse_read_options *opt, const copse_run *run,
                                   copse_table **out, copse_error *err) {
    CP_API_OUT(out);
    CP_API_NEED(source);
    read_args a = {0};
    CP_TRY(CP_API_OPTIONS(source, &a.source));
    CP_TRY(CP_API_OPTIONS(opt, &a.opt));
    return read_table(&a, do_read_source, run, out, err);
}

/* --------------------------------------------------------------------------------------------------------- streams */

static copse_status do_open(void *arg, const copse_run *run, copse_error *err) {
    read_args *a = arg;
    cp_read_options inner = inner_options(&a->opt, run);
    return a->path ? cp_stream_open(a->path, &inner, &a->stream, err)
                   : cp_stream_open_given(&a->source, &inner, &a->stream, err);
}

copse_status copse_stream_open(const char *path, const copse_read_options *opt, const copse_run *run,
                               copse_stream **out, copse_error *err) {
    CP_API_OUT(out);
    CP_API_NEED(path);
    read_args a = {.path = path};
    CP_TRY(CP_API_OPTIONS(opt, &a.opt));
    CP_TRY(cp_api_check_call(run, do_open, &a, err));
    *out = a.stream;
    return COPSE_OK;
}

copse_status copse_stream_open_from(const copse_source *source, const copse_read_options *opt, const copse_run *run,
                                    copse_stream **out, copse_error *err) {
    CP_API_OUT(out);
    CP_API_NEED(source);
    read_args a = {0};
    CP_TRY(CP_API_OPTIONS(source, &a.source));
    CP_TRY(CP_API_OPTIONS(opt, &a.opt));
    CP_TRY(cp_api_check_call(run, do_open, &a, err));
    *out = a.stream;
    return COPSE_OK;
}

/* ---------------------------------------------------------------------------------------------------------- models */

typedef struct write_args {
    const copse_model *model;
    unsigned flags;
    copse_write_fn write;
    void *arg;
} write_args;

static copse_status do_write(void *arg, const copse_run *run, copse_error *err) {
    write_args *a = arg;
    (void)run;
    return cp_model_file_send(a->model, a->flags, a->write, a->arg, err);
}

copse_status copse_write(const copse_model *model, unsigned flags, const copse_run *run, copse_write_fn write,
                         void *arg, copse_error *err) {
    CP_API_NEED(model);
    CP_API_NEED(write);
    if (flags & ~(unsigned)COPSE_SAVE_FROZEN)
        return cp_fail(err, COPSE_E_USAGE, "`flags` has bits that mean nothing: %#x", flags);
    write_args a = {.model = model, .flags = flags, .write = write, .arg = arg};
    return cp_api_check_call(run, do_write, &a, err);
}

static copse_status do_read_model(void *arg, const copse_run *run, copse_error *err) {
    read_args *a = arg;
    return cp_model_file_read_limited(a->bytes, a->n, run->memory_limit, &a->model, err);
}

copse_status copse_read(const void *bytes, size_t n, const copse_run *run, copse_model **out, copse_error *err) {
    CP_API_OUT(out);
    if (n) CP_API_NEED(bytes);
    read_args a = {.bytes = bytes, .n = n};
    CP_TRY(cp_api_check_call(run, do_read_model, &a, err));
    *out = a.model;
    return COPSE_OK;
}

int copse_is_model(const void *bytes, size_t n) {
    return bytes && cp_reader_sniff(bytes, n);
}
