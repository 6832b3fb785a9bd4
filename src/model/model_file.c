#include "model/model_file.h"

#include "base/file.h"
#include "base/guard.h"
#include "base/mem.h"
#include "base/supervise.h"
#include "data/schema_file.h"
#include "data/summary_file.h"
#include "model/checkpoint.h"
#include "model/model_position.h"
#include "model/registry.h"

/* ---------------------------------------------------------------------------------------------------------- writing */

static copse_status write_sections(const copse_model *m, unsigned flags, cp_writer *w, copse_error *err) {
    CP_GUARD(err); /* a fault must not leave the lock taken */
    CP_TRY(cp_model_refresh(m, NULL, err));
    CP_TRY(cp_writer_text(w, "method", m->method->info.name, err));
    CP_TRY(cp_writer_text(w, "written_by", COPSE_VERSION, err));
    CP_TRY(cp_param_write(m->params, w, err));
    CP_TRY(cp_schema_file_write(m->schema, w, err));
    CP_TRY(cp_summary_file_write(m->summary, m->schema, w, err));
    CP_TRY(cp_model_position_write(m, w, err));
    CP_TRY(cp_writer_push(w, "model", err));
    copse_status status = m->method->write(m->state, m->params, flags, w, err);
    cp_writer_pop(w);
    return status;
}

copse_status cp_model_file_write(const copse_model *m, unsigned flags, cp_writer *w, copse_error *err) {
    cp_model_begin_read(m);
    copse_status status = write_sections(m, flags, w, err);
    cp_model_end_read(m);
    return status;
}

/* A writer that stops when the run of the public call asks for it, with all sections of the model. */
static copse_status collect(const copse_model *m, unsigned flags, cp_writer **out, copse_error *err) {
    CP_TRY(cp_writer_new(out, err));
    cp_writer_may_stop(*out);
    copse_status status = cp_model_file_write(m, flags, *out, err);
    if (!status) return COPSE_OK;
    cp_writer_free(*out);
    *out = NULL;
    return status;
}

copse_status cp_model_file_copy(const copse_model *m, size_t limit, copse_model **out, copse_error *err) {
    cp_writer *w;
    const unsigned char *bytes;
    size_t n;
    *out = NULL;
    CP_TRY(cp_writer_new(&w, err));
    cp_writer_may_stop(w);
    cp_writer_plain(w);
    copse_status status = cp_model_file_write(m, 0, w, err);
    if (!status) status = cp_writer_finish(w, &bytes, &n, err);
    if (!status) status = cp_model_file_read_limited(bytes, n, limit, out, err);
    cp_writer_free(w);
    return status;
}

/* Nothing is left behind when the run asks to stop before the last part is written. */
static copse_status save_parts(const char *path, const unsigned char *bytes, size_t n, copse_error *err) {
    enum { PART = 1 << 24 };
    cp_file *f;
    copse_status status = COPSE_OK;
    CP_TRY(cp_file_begin(path, &f, err));
    for (size_t done = 0; !status && done < n; done += PART) {
        status = cp_supervise_check_stop(err);
        if (!status) status = cp_file_write(f, bytes + done, n - done < PART ? n - done : PART, err);
    }
    if (!status) return cp_file_commit(f, err);
    cp_file_abandon(f);
    return status;
}

copse_status cp_model_file_save(const copse_model *m, const char *path, unsigned flags, copse_error *err) {
    cp_writer *w;
    const unsigned char *bytes;
    size_t n;
    CP_TRY(collect(m, flags, &w, err));
    copse_status status = cp_writer_finish(w, &bytes, &n, err);
    if (!status) status = save_parts(path, bytes, n, err);
    cp_writer_free(w);
    return status;
}

/* A piece of the file on its way to the caller. */
typedef struct piece {
    copse_write_fn write;
    void *arg;
    const char *bytes;
    size_t n;
    copse_status status;
} piece;

static void hand_over(void *arg) {
    piece *p = arg;
    p->status = p->write(p->arg, p->bytes, p->n);
}

static copse_status send(const unsigned char *bytes, size_t n, copse_write_fn write, void *arg, copse_error *err) {
    enum { MOST = 1 << 20 };
    piece p = {.write = write, .arg = arg};
    for (size_t at = 0; at < n; at += p.n) {
        CP_TRY(cp_supervise_check_stop(err));
        p.bytes = (const char *)bytes + at;
        p.n = n - at < MOST ? n - at : MOST;
        cp_supervise_call(hand_over, &p);
        if (p.status)
            return cp_fail(err, p.status, "the model was not written: its receiver failed (%s)",
                           copse_status_text(p.status));
    }
    return COPSE_OK;
}

copse_status cp_model_file_send(const copse_model *m, unsigned flags, copse_write_fn write, void *arg,
                                copse_error *err) {
    cp_writer *w;
    const unsigned char *bytes;
    size_t n;
    CP_TRY(collect(m, flags, &w, err));
    copse_status status = cp_writer_finish(w, &bytes, &n, err);
    if (!status) status = send(bytes, n, write, arg, err);
    cp_writer_free(w);
    return status;
}

/* ---------------------------------------------------------------------------------------------------------- reading */

static copse_status read_method(cp_reader *r, const cp_method **out, copse_error *err) {
    char *name;
    CP_TRY(cp_reader_text(r, "method", &name, err));
    copse_error unknown;
    copse_status status = cp_registry_find(name, out, &unknown);
    if (status)
        status = cp_reader_bad(r, err, "it holds a model of method '%.40s', which this program does not have", name);
    cp_mem_free(name);
    return status;
}

/* The method's sets of levels are as wide as its own count of levels: a schema with more would be read out of
 * bounds. */
static int levels_fit(const copse_model *m) {
    const uint32_t *mine = m->schema->levels, *theirs = m->method->takes_raw ? m->method->levels(m->state) : NULL;
    for (size_t d = 0; d < m->schema->dims; d++)
        if ((mine ? mine[d] : 0) != (theirs ? theirs[d] : 0)) return 0;
    return 1;
}

static copse_status read_sections(copse_model *m, cp_reader *r, copse_error *err) {
    if (cp_checkpoint_is(r))
        return cp_fail(err, COPSE_E_USAGE,
                       "this is the checkpoint of a fit, not a model: a fit with `resume` goes on from it");
    CP_TRY(read_method(r, &m->method, err));
    CP_TRY(cp_param_read(r, m->method, &m->params, err));
    CP_TRY(cp_schema_file_read(r, &m->schema, err));
    if (!(m->method->info.tasks & (unsigned)m->schema->task))
        return cp_reader_bad(r, err, "its task does not fit its method");
    if (m->schema->raw != !!m->method->takes_raw) return cp_reader_bad(r, err, "its encoding does not fit its method");
    CP_TRY(cp_reader_push(r, "model", err));
    cp_rows_shape shape = {m->schema->task, m->schema->dims, m->schema->classes.n};
    copse_status status = m->method->read(r, m->params, shape, &m->state, err);
    cp_reader_pop(r);
    m->lazy->stale = 1;
    if (!status && !levels_fit(m)) status = cp_reader_bad(r, err, "its categories do not fit its trees");
    if (!status) status = cp_summary_file_read(r, m->schema, &m->summary, err);
    return status ? status : cp_model_position_read(m, r, err);
}

copse_status cp_model_file_read(const unsigned char *bytes, size_t n, copse_model **out, copse_error *err) {
    return cp_model_file_read_limited(bytes, n, 0, out, err);
}

copse_status cp_model_file_read_limited(const unsigned char *bytes, size_t n, size_t limit, copse_model **out,
                                        copse_error *err) {
    cp_reader *r = NULL;
    copse_model *m;
    *out = NULL;
    CP_TRY(cp_model_new(&m, err));
    copse_status status = cp_reader_new(bytes, n, &r, err);
    if (!status) status = cp_reader_limit(r, limit, err);
    if (!status) status = read_sections(m, r, err);
    cp_reader_free(r);
    if (status)
        cp_model_free(m);
    else
        *out = m;
    return status;
}

/* The message of the reader, with the name of the file and what to do around it. */
static copse_status damaged(const char *path, const char *what, copse_error *err) {
    return cp_fail(err, COPSE_E_MODEL, "%.300s is not whole (%.500s). Copy it again, or fit it again", path, what);
}

copse_status cp_model_file_load(const char *path, size_t limit, copse_model **out, copse_error *err) {
    unsigned char *bytes;
    size_t n;
    copse_error inside = {0};
    *out = NULL;
    CP_TRY(cp_file_load(path, limit, &bytes, &n, err));
    copse_status status = cp_model_file_read_limited(bytes, n, limit, out, &inside);
    int whole = status != COPSE_E_MODEL || cp_reader_too_new(bytes, n);
    cp_mem_free(bytes);
    if (!whole) return damaged(path, inside.msg, err);
    return status ? cp_fail(err, status, "%.300s: %s", path, inside.msg) : COPSE_OK;
}
