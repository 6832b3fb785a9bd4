#include "model/model_encode.h"

#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "data/schema_encode.h"
#include "data/schema_new.h"
#include "data/schema_target.h"
#include "data/schema_weights.h"
#include "io/read.h"
#include "kernel/key_block.h"
#include "model/registry.h"

enum { CHUNK = 1 << 14 }; /* rows that a thread encodes at a time */

void cp_model_encode_clear(cp_model_encoded *e) {
    cp_mem_free(e->x);
    cp_mem_free(e->y);
    cp_mem_free(e->weight);
    cp_mem_free(e->label);
    cp_mem_free(e->missing);
    *e = (cp_model_encoded){0};
}

/* ---------------------------------------------------------------------------------------------------------- schema */

static cp_encoding encoding_of(const copse_params *opt_params) {
    const cp_method *m = opt_params ? opt_params->method : cp_registry_method(0);
    return m->takes_raw ? CP_ENCODE_RAW : m->wants_unit ? CP_ENCODE_UNIT : CP_ENCODE_PLAIN;
}

/* Only methods that want [0,1] have a use for ranges. */
static int has_scale_file(const copse_roles *roles, cp_encoding encoding) {
    return encoding == CP_ENCODE_UNIT && roles->scale && strcmp(roles->scale, CP_SCHEMA_NO_SCALE) != 0;
}

copse_status cp_model_encode_schema(const copse_table *train, const copse_roles *roles, const copse_params *opt_params,
                                    const copse_run *run, cp_schema **out, copse_error *err) {
    cp_schema_spec spec = {.roles = roles, .encoding = encoding_of(opt_params)};
    *out = NULL;
    if (has_scale_file(roles, spec.encoding)) {
        cp_read_options opt = {.stop = run ? run->stop : NULL};
        CP_TRY(cp_read_file(roles->scale, &opt, &spec.opt_scale, err));
    }
    copse_status status = cp_schema_new(train, &spec, run, out, err);
    cp_table_free(spec.opt_scale);
    return status;
}

/* ------------------------------------------------------------------------------------------------- training tables */

typedef struct encode_job {
    const cp_schema *s;
    const copse_table *t;
    cp_model_encoded *out;
} encode_job;

static cp_table_rows chunk(const copse_table *t, size_t i) {
    size_t first = i * CHUNK, left = t->rows - first;
    return (cp_table_rows){t, first, left < CHUNK ? left : CHUNK};
}

static copse_status encode_chunk(void *arg, size_t i, size_t worker, copse_error *err) {
    const encode_job *j = arg;
    (void)worker;
    return cp_schema_encode(j->s, chunk(j->t, i), j->out->x + i * CHUNK * j->s->dims, err);
}

static copse_status numbers_chunk(void *arg, size_t i, size_t worker, copse_error *err) {
    const encode_job *j = arg;
    unsigned char *missing = j->out->missing ? j->out->missing + i * CHUNK : NULL;
    (void)worker;
    return cp_schema_target_numbers(j->s, chunk(j->t, i), j->out->y + i * CHUNK, missing, err);
}

/* A table without rows is one chunk, so that columns it lacks are reported. */
static copse_status for_chunks(encode_job *j, cp_parallel_job job, const copse_run *run, copse_error *err) {
    size_t chunks = j->t->rows / CHUNK + 1;
    return cp_parallel_for(run, cp_parallel_workers(run, chunks), chunks, NULL, job, j, err);
}

copse_status cp_model_encode_table(copse_model *m, const copse_table *t, int allow_missing, const copse_run *run,
                                   cp_model_encoded *out, copse_error *err) {
    cp_schema *s = m->schema;
    encode_job j = {s, t, out};
    copse_status status;
    *out = (cp_model_encoded){.rows = cp_model_rows(m, NULL, t->rows)};
    CP_TRY_OUT(CP_RAW(out->x, t->rows * s->dims, err));
    CP_TRY_OUT(for_chunks(&j, encode_chunk, run, err));
    if (allow_missing) CP_TRY_OUT(CP_NEW(out->missing, t->rows, err));
    if (s->task == COPSE_CLASS) {
        CP_TRY_OUT(CP_RAW(out->label, t->rows, err));
        CP_TRY_OUT(cp_schema_target_add_labels(s, (cp_table_rows){t, 0, t->rows}, out->label, out->missing, err));
    } else {
        CP_TRY_OUT(CP_RAW(out->y, t->rows, err));
        CP_TRY_OUT(for_chunks(&j, numbers_chunk, run, err));
    }
    out->rows.x = out->x;
    out->rows.y = out->y;
    out->rows.label = out->label;
    out->rows.classes = s->classes.n;
out:
    if (status) cp_model_encode_clear(out);
    return status;
}

copse_status cp_model_encode_weights(const copse_table *t, const char *opt_name, cp_model_encoded *out,
                                     copse_error *err) {
    if (!opt_name) return COPSE_OK;
    CP_TRY(CP_RAW(out->weight, t->rows, err));
    out->rows.weight = out->weight;
    return cp_schema_weights(t, opt_name, out->weight, err);
}

/* ----------------------------------------------------------------------------------------------- rows to predict */

/* The last key block is written whole, so there is room for the rows that it lacks. */
copse_status cp_model_encode_features(const copse_model *m, cp_table_rows rows, cp_model_encoded *out,
                                      copse_error *err) {
    const cp_schema *s = m->schema;
    int key_blocks = m->method->takes_key_blocks && m->method->takes_key_blocks(m->state);
    size_t room = key_blocks ? (rows.n + CP_KEY_BLOCK_ROWS - 1) / CP_KEY_BLOCK_ROWS * CP_KEY_BLOCK_ROWS : rows.n;
    *out = (cp_model_encoded){.rows = cp_model_rows(m, NULL, rows.n)};
    CP_TRY(CP_RAW(out->x, room * s->dims, err));
    uint32_t *key = (uint32_t *)(void *)out->x;
    if (key_blocks) CP_TRY(cp_schema_encode_keys(s, rows, key, &key_blocks, err));
    if (key_blocks) {
        out->rows.key_block = key;
        return COPSE_OK;
    }
    out->rows.x = out->rows.x_writable = out->x;
    return cp_schema_encode(s, rows, out->x, err);
}
