#include "io/read.h"

#include <string.h>

#include "base/mem.h"
#include "io/csv.h"
#include "io/foreign.h"
#include "io/libsvm.h"
#include "io/look.h"
#include "io/ndjson.h"
#include "io/npy.h"

static const cp_format formats[] = {
    {"csv", "csv", cp_csv_read, 0},
    {"tsv", "tsv tab", cp_csv_read, '\t'},
    {"npy", "npy", cp_npy_read, 0},
    {"libsvm", "libsvm svm svmlight", cp_libsvm_read, 0},
    {"ndjson", "ndjson jsonl", cp_ndjson_read, 0},
};
enum { FORMATS = sizeof formats / sizeof *formats };

static const cp_format *format_named(const char *name) {
    for (size_t i = 0; i < FORMATS; i++)
        if (!strcmp(formats[i].name, name)) return &formats[i];
    return NULL;
}

static int ends_in(const char *name, size_t n, const char *suffix, size_t m) {
    return n > m && name[n - m - 1] == '.' && !memcmp(name + n - m, suffix, m);
}

/* By the suffix: "a/train.tsv.gz" is tsv. */
static const cp_format *format_by_name(const char *name) {
    size_t n = strlen(name);
    if (ends_in(name, n, "gz", 2)) n -= 3;
    if (ends_in(name, n, "zst", 3)) n -= 4;
    for (size_t i = 0; i < FORMATS; i++)
        for (const char *s = formats[i].suffixes; *s; s += strspn(s, " ")) {
            size_t m = strcspn(s, " ");
            if (ends_in(name, n, s, m)) return &formats[i];
            s += m;
        }
    return NULL;
}

static const cp_format *format_by_content(const cp_content *in) {
    const char *p = in->bytes + cp_text_bom(in->bytes, in->n);
    if (cp_npy_is(in)) return format_named("npy");
    while (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r') p++;
    if (*p == '{' || *p == '[') return format_named("ndjson"); /* its reader says what is wrong with a list */
    return cp_libsvm_is(p) ? format_named("libsvm") : format_named("csv");
}

copse_status cp_read_format(const cp_content *in, const char *opt_asked, const cp_format **out, copse_error *err) {
    *out = opt_asked ? format_named(opt_asked) : format_by_name(in->name);
    if (!*out && opt_asked)
        return cp_fail(err, COPSE_E_USAGE, "there is no format '%.40s': csv, tsv, npy, libsvm and ndjson are read",
                       opt_asked);
    if (!opt_asked) CP_TRY(cp_foreign_check(in, err));
    if (!*out) *out = format_by_content(in);
    return COPSE_OK;
}

static copse_status read_content(const cp_content *in, const cp_read_options *opt, copse_table **out,
                                 copse_error *err) {
    cp_read_options given = opt ? *opt : (cp_read_options){0};
    const cp_format *format;
    CP_TRY(cp_read_format(in, given.format, &format, err));
    if (!given.delimiter) given.delimiter = format->delimiter;
    return format->read(in, &given, out, err);
}

static copse_status explain(const char *name, copse_status status, copse_error *err) {
    if (status != COPSE_E_MEMORY || !err || strcmp(err->msg, "out of memory") != 0) return status;
    return cp_fail(err, status, "out of memory: the table in %.700s does not fit; give fewer rows or columns", name);
}

/* Reads the source to its end and closes it. */
static copse_status read_source(cp_source *source, const cp_read_options *opt, copse_table **out, copse_error *err) {
    static const cp_read_options none = {0};
    const cp_read_options *o = opt ? opt : &none;
    cp_look look = {.opt = o};
    char *bytes = NULL;
    size_t n;
    copse_status status = COPSE_OK;
    cp_source_watch(source, o->stop);
    cp_source_limit(source, o->memory_limit);
    CP_TRY_OUT(cp_source_read_all(source, &(cp_source_looker){cp_look_at, &look}, &bytes, &n, err));
    CP_TRY_OUT(read_content(&(cp_content){cp_source_name(source), bytes, n}, o, out, err));
out:
    cp_mem_free(bytes);
    status = explain(cp_source_name(source), status, err);
    cp_source_close(source);
    return status;
}

copse_status cp_read_file(const char *path, const cp_read_options *opt, copse_table **out, copse_error *err) {
    cp_source *source;
    *out = NULL;
    CP_TRY(cp_source_open(path, &source, err));
    return read_source(source, opt, out, err);
}

copse_status cp_read_given(const copse_source *given, const cp_read_options *opt, copse_table **out, copse_error *err) {
    cp_source *source;
    *out = NULL;
    CP_TRY(cp_source_open_given(given, &source, err));
    return read_source(source, opt, out, err);
}

copse_status cp_read_bytes(const char *name, const char *bytes, size_t n, const cp_read_options *opt, copse_table **out,
                           copse_error *err) {
    cp_source *source;
    *out = NULL;
    CP_TRY(cp_source_open_bytes(name, bytes, n, &source, err));
    return read_source(source, opt, out, err);
}

copse_status cp_read_columns(const char *name, const cp_read_options *opt, size_t cols, copse_error *err) {
    size_t most = opt->max_columns ? opt->max_columns : CP_READ_COLUMNS;
    if (cols <= most || (opt->like && cols <= 2 * opt->like->features)) return COPSE_OK;
    return cp_fail(err, COPSE_E_DATA, "%.300s has more than %zu columns. If that is right, permit more (`max-columns`)",
                   name, most);
}

copse_status cp_read_memory(const cp_content *in, const cp_read_options *opt, size_t rows, size_t cols,
                            copse_error *err) {
    const double per_column = 256, mb = 1e6; /* per column: its struct, its name, and its place in the dictionary */
    double need = (double)in->n + (double)cols * (8 * (double)rows + per_column) + 8 * (double)rows;
    if (!opt->memory_limit || need <= (double)opt->memory_limit) return COPSE_OK;
    return cp_fail(
        err, COPSE_E_MEMORY,
        "%.300s: reading %zu row%s of %zu column%s needs about %.3g MB, and `memory-limit` permits %.3g MB. Raise "
        "it, or give fewer rows or columns",
        in->name, rows, cp_plural(rows), cols, cp_plural(cols), need / mb, (double)opt->memory_limit / mb);
}

copse_status cp_read_bound(const cp_content *in, const cp_read_options *opt, size_t rows, size_t cols,
                           copse_error *err) {
    const double free_cells = 1 << 20, cells_per_byte = 32, cells_per_column = 16;
    double cells = (double)cols * ((double)rows + cells_per_column);
    if (cells <= free_cells + cells_per_byte * (double)in->n) {
        CP_TRY(cp_read_columns(in->name, opt, cols, err));
        return cp_read_memory(in, opt, rows, cols, err);
    }
    return cp_fail(err, COPSE_E_DATA,
                   "%s: %zu row%s and %zu column%s are out of proportion to its %zu bytes: almost every cell would be "
                   "empty. Number the columns without gaps, or leave out columns that are rarely set",
                   in->name, rows, cp_plural(rows), cols, cp_plural(cols), in->n);
}
