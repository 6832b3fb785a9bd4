#include "cli_dash.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli_out.h"

static const copse_source standard_input = {.name = "<stdin>", .fd = STDIN_FILENO};

copse_status cli_dash_table(const char *path, const copse_read_options *opt, const copse_run *run, copse_table **out,
                            copse_error *err) {
    if (cli_is_dash(path)) return copse_table_read_from(&standard_input, opt, run, out, err);
    return copse_table_read(path, opt, run, out, err);
}

copse_status cli_dash_stream(const char *path, const copse_read_options *opt, const copse_run *run, copse_stream **out,
                             copse_error *err) {
    if (cli_is_dash(path)) return copse_stream_open_from(&standard_input, opt, run, out, err);
    return copse_stream_open(path, opt, run, out, err);
}

typedef struct bytes {
    char *at;
    size_t n, cap;
} bytes;

static copse_status grow(bytes *b, copse_error *err) {
    size_t cap = b->cap ? 2 * b->cap : 1 << 16;
    char *more = realloc(b->at, cap);
    if (!more) return cli_fail_memory(err);
    b->at = more;
    b->cap = cap;
    return COPSE_OK;
}

/* Stops as soon as the bytes are not those of a model, or there are more of them than permitted: copse_read says the
 * former. */
static copse_status read_model(bytes *b, size_t limit, copse_error *err) {
    for (;;) {
        if (b->n == b->cap) CLI_TRY(grow(b, err));
        ssize_t got = read(STDIN_FILENO, b->at + b->n, b->cap - b->n);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return cli_fail_errno(err, "read", "standard input");
        b->n += (size_t)got;
        if (got == 0 || !copse_is_model(b->at, b->n)) return COPSE_OK;
        if (limit && b->n > limit)
            return cli_fail(err, COPSE_E_MEMORY,
                            "the model on standard input has more bytes than `memory-limit` permits: raise it");
    }
}

static copse_status load_standard_input(const copse_run *run, copse_model **out, copse_error *err) {
    bytes b = {0};
    copse_error inside = {0};
    copse_status status = read_model(&b, run ? run->memory_limit : 0, err);
    if (!status) {
        status = copse_read(b.at, b.n, run, out, &inside);
        if (status) cli_fail(err, status, "standard input: %.900s", inside.msg);
    }
    free(b.at);
    return status;
}

copse_status cli_dash_load(const char *path, const copse_run *run, copse_model **out, copse_error *err) {
    return cli_is_dash(path) ? load_standard_input(run, out, err) : copse_load(path, run, out, err);
}

copse_status cli_dash_save(copse_lock *lock, const copse_model *model, const char *path, unsigned flags,
                           const copse_run *run, copse_error *err) {
    cli_out out;
    if (!cli_is_dash(path)) return copse_lock_save(lock, model, flags, run, err);
    CLI_TRY(cli_out_open(&out, NULL, err));
    copse_status status = copse_write(model, flags, run, cli_out_write, &out, err);
    return status && !out.error ? status : cli_out_commit(&out, err);
}

const char *cli_dash_input(const char *path) {
    return path && cli_is_dash(path) ? "/dev/stdin" : path;
}

const char *cli_dash_output(const char *path) {
    return path && cli_is_dash(path) ? "/dev/stdout" : path;
}
