#include "model/model_position.h"

#include <string.h>

#include "base/mem.h"

static int is_hash(const char *hash) {
    return strnlen(hash, CP_SHA256_HEX) == CP_SHA256_HEX - 1 && strspn(hash, "0123456789abcdef") == CP_SHA256_HEX - 1;
}

void cp_model_position_clear(copse_model *m) {
    if (m->position) cp_mem_free(m->position->token);
    cp_mem_free(m->position);
    m->position = NULL;
}

copse_status cp_model_position_set(copse_model *m, const copse_position *p, copse_error *err) {
    cp_model_position *new;
    if (p->token && strnlen(p->token, CP_MODEL_POSITION_TOKEN + 1) > CP_MODEL_POSITION_TOKEN)
        return cp_fail(err, COPSE_E_USAGE, "`token`: it has more than %d bytes", CP_MODEL_POSITION_TOKEN);
    if (!is_hash(p->hash) || p->rows > INT64_MAX || p->bytes > INT64_MAX || p->line > INT64_MAX)
        return cp_fail(err, COPSE_E_USAGE, "this is not the position of a stream");
    CP_TRY(CP_NEW(new, 1, err));
    new->at = *p;
    new->at.token = NULL;
    if (p->token && !(new->token = cp_mem_strdup(p->token))) {
        cp_mem_free(new);
        return cp_fail_memory(err);
    }
    new->at.token = new->token;
    cp_model_position_clear(m); /* only now: the token may have been the model's own */
    m->position = new;
    return COPSE_OK;
}

static copse_status write_sections(const copse_position *p, cp_writer *w, copse_error *err) {
    CP_TRY(cp_writer_i64(w, "rows", (int64_t)p->rows, err));
    CP_TRY(cp_writer_i64(w, "bytes", (int64_t)p->bytes, err));
    CP_TRY(cp_writer_i64(w, "line", (int64_t)p->line, err));
    CP_TRY(cp_writer_text(w, "hash", p->hash, err));
    return p->token ? cp_writer_text(w, "token", p->token, err) : COPSE_OK;
}

copse_status cp_model_position_write(const copse_model *m, cp_writer *w, copse_error *err) {
    if (!m->position) return COPSE_OK;
    CP_TRY(cp_writer_push(w, "position", err));
    copse_status status = write_sections(&m->position->at, w, err);
    cp_writer_pop(w);
    return status;
}

static copse_status read_number(cp_reader *r, const char *name, uint64_t *out, copse_error *err) {
    int64_t value;
    CP_TRY(cp_reader_i64(r, name, 0, INT64_MAX, &value, err));
    *out = (uint64_t)value;
    return COPSE_OK;
}

static copse_status read_hash(cp_reader *r, char out[CP_SHA256_HEX], copse_error *err) {
    char *hash;
    CP_TRY(cp_reader_text(r, "hash", &hash, err));
    int good = is_hash(hash);
    if (good) memcpy(out, hash, CP_SHA256_HEX);
    cp_mem_free(hash);
    return good ? COPSE_OK : cp_reader_bad(r, err, "the hash of its position is none");
}

static copse_status read_sections(copse_model *m, cp_reader *r, copse_error *err) {
    copse_position p = {0};
    char *token = NULL;
    CP_TRY(read_number(r, "rows", &p.rows, err));
    CP_TRY(read_number(r, "bytes", &p.bytes, err));
    CP_TRY(read_number(r, "line", &p.line, err));
    CP_TRY(read_hash(r, p.hash, err));
    if (cp_reader_has(r, "token")) CP_TRY(cp_reader_text(r, "token", &token, err));
    p.token = token;
    copse_status status = token && strlen(token) > CP_MODEL_POSITION_TOKEN
                              ? cp_reader_bad(r, err, "the token of its position is too long")
                              : cp_model_position_set(m, &p, err);
    cp_mem_free(token);
    return status;
}

copse_status cp_model_position_read(copse_model *m, cp_reader *r, copse_error *err) {
    CP_TRY(cp_reader_push(r, "position", err));
    copse_status status = cp_reader_has(r, "rows") ? read_sections(m, r, err) : COPSE_OK;
    cp_reader_pop(r);
    return status;
}
