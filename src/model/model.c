#include "model/model.h"

#include <math.h>
#include <string.h>

#include "base/lock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "data/target.h"
#include "kernel/key_block.h"
#include "model/checkpoint.h"
#include "model/registry.h"

/* ----------------------------------------------------------------------------------------------- making and freeing */

static copse_status new_model(copse_model **out, copse_error *err) {
    copse_model *m;
    *out = NULL;
    CP_TRY(CP_NEW(m, 1, err));
    copse_status status = CP_NEW(m->lazy, 1, err);
    if (!status) status = cp_lock_new(&m->lazy->lock, err);
    if (status)
        cp_model_free(m);
    else
        *out = m;
    return status;
}

void cp_model_free(copse_model *m) {
    if (!m) return;
    if (m->state) m->method->clear(m->state);
    cp_schema_free(m->schema);
    cp_param_free(m->params);
    if (m->lazy) cp_lock_free(m->lazy->lock);
    cp_mem_free(m->lazy);
    cp_mem_free(m);
}

/* ------------------------------------------------------------------------------------------------- tables to rows */

/* Encoded rows in memory of their own. */
typedef struct encoded {
    cp_rows rows;
    float *x;
    double *y, *weight;
    int32_t *label;
    unsigned char *missing; /* rows without a target, where they are allowed */
} encoded;

static void clear_rows(encoded *e) {
    cp_mem_free(e->x);
    cp_mem_free(e->y);
    cp_mem_free(e->weight);
    cp_mem_free(e->label);
    cp_mem_free(e->missing);
    *e = (encoded){0};
}

static cp_rows rows_of(const cp_schema *s, const float *x, size_t n) {
    return (cp_rows){.task = s->task, .n = n, .dims = s->dims, .classes = s->classes.n, .x = x, .levels = s->levels};
}

cp_rows cp_model_rows(const copse_model *m, const float *x, size_t n) {
    return rows_of(m->schema, x, n);
}

typedef struct encoding {
    const cp_schema *s;
    const copse_table *t;
    float *x;
} encoding;

enum { CHUNK = 1 << 14 }; /* rows that a thread encodes at a time */

static copse_status encode_chunk(void *arg, size_t i, size_t worker, copse_error *err) {
    const encoding *e = arg;
    size_t first = i * CHUNK, n = e->t->rows - first < CHUNK ? e->t->rows - first : CHUNK;
    (void)worker;
    return cp_schema_encode(e->s, (cp_table_rows){e->t, first, n}, e->x + first * e->s->dims, err);
}

static copse_status encode_all(const cp_schema *s, const copse_table *t, const copse_run *run, encoded *out,
                               copse_error *err) {
    size_t chunks = t->rows / CHUNK + 1; /* of no rows too: columns that are not there are to be missed */
    *out = (encoded){.rows = rows_of(s, NULL, t->rows)};
    CP_TRY(CP_RAW(out->x, t->rows * s->dims, err));
    out->rows.x = out->x;
    encoding e = {s, t, out->x};
    return cp_parallel_for(run, cp_parallel_workers(run, chunks), chunks, NULL, encode_chunk, &e, err);
}

/* Of regression; as the schema reads them, a chunk at a time. */
typedef struct targets {
    const cp_schema *s;
    const copse_table *t;
    encoded *out;
} targets;

static copse_status read_chunk(void *arg, size_t i, size_t worker, copse_error *err) {
    const targets *r = arg;
    size_t first = i * CHUNK, n = r->t->rows - first < CHUNK ? r->t->rows - first : CHUNK;
    unsigned char *missing = r->out->missing ? r->out->missing + first : NULL;
    (void)worker;
    return cp_schema_numbers(r->s, (cp_table_rows){r->t, first, n}, r->out->y + first, missing, err);
}

/* Features and targets of a whole table; classes that are new are added to the schema.  All rows
 * must have targets, unless some may lack theirs. */
static copse_status encode_table(cp_schema *s, const copse_table *t, int some_lack, const copse_run *run, encoded *out,
                                 copse_error *err) {
    copse_status status = encode_all(s, t, run, out, err);
    if (status) goto out;
    if (some_lack) CP_TRY_OUT(CP_NEW(out->missing, t->rows, err));
    if (s->task == COPSE_CLASS) {
        CP_TRY_OUT(CP_RAW(out->label, t->rows, err));
        CP_TRY_OUT(cp_schema_labels(s, (cp_table_rows){t, 0, t->rows}, 1, out->label, out->missing, err));
    } else {
        CP_TRY_OUT(CP_RAW(out->y, t->rows, err));
        size_t chunks = t->rows / CHUNK + 1;
        targets r = {s, t, out};
        CP_TRY_OUT(cp_parallel_for(run, cp_parallel_workers(run, chunks), chunks, NULL, read_chunk, &r, err));
    }
    out->rows.y = out->y;
    out->rows.label = out->label;
    out->rows.classes = s->classes.n;
out:
    if (status) clear_rows(out);
    return status;
}

/* ------------------------------------------------------------------------------------------------------------- fit */

static copse_status copy_params(copse_model *m, const copse_params *opt_params, copse_error *err) {
    if (opt_params) return cp_param_copy(opt_params, &m->params, err);
    return cp_param_new(cp_registry_method(0), &m->params, err);
}

static copse_status check_task(const copse_model *m, copse_error *err) {
    if (m->method->info.tasks & (unsigned)m->schema->task) return COPSE_OK;
    return cp_fail(err, COPSE_E_USAGE, "method '%s' does not do %s; 'copse methods' says which do",
                   m->method->info.name, m->schema->task == COPSE_CLASS ? "classification" : "regression");
}

cp_encoding cp_model_encoding(const copse_params *opt_params) {
    const cp_method *m = opt_params ? opt_params->method : cp_registry_method(0);
    return m->takes_raw ? CP_ENCODE_RAW : m->wants_unit ? CP_ENCODE_UNIT : CP_ENCODE_PLAIN;
}

static copse_status encode_weights(const copse_table *train, const char *name, encoded *out, copse_error *err) {
    if (!name) return COPSE_OK;
    CP_TRY(CP_RAW(out->weight, train->rows, err));
    out->rows.weight = out->weight;
    return cp_schema_weights(train, name, out->weight, err);
}

/* A fit in two steps: once the first is done, nobody needs the table. */
typedef struct fitting {
    const copse_roles *roles;
    const copse_params *opt_params;
    const copse_run *run;
    copse_model *m;
    size_t rows; /* of the table */
    encoded data;
} fitting;

/* Squares of what is this small are 0. */
static copse_status check_unit(const copse_model *m, const cp_rows *rows, copse_error *err) {
    double most = 0;
    if (!rows->y) return COPSE_OK;
    for (size_t i = 0; i < rows->n; i++) most = fabs(rows->y[i]) > most ? fabs(rows->y[i]) : most;
    if (most == 0 || most >= 1 / CP_SCHEMA_TARGET_MAX) return COPSE_OK;
    return cp_fail(err, COPSE_E_DATA,
                   "the target '%s' is nowhere above %g, too small to compute with: use another unit",
                   m->schema->target, most);
}

static copse_status begin_rows(fitting *f, const copse_table *train, copse_error *err) {
    copse_model *m = f->m;
    CP_TRY(copy_params(m, f->opt_params, err));
    m->method = m->params->method;
    if (f->roles->weights && !m->method->takes_weights)
        return cp_fail(err, COPSE_E_USAGE, "method '%s' takes no row weights; leave out --weights",
                       m->method->info.name);
    if (f->run && (f->run->checkpoint || f->run->resume) && !m->method->sampler)
        return cp_fail(err, COPSE_E_USAGE,
                       "method '%s' draws no samples, and is fitted at once; leave out --checkpoint and --resume",
                       m->method->info.name);
    CP_TRY(cp_schema_new(train, f->roles, cp_model_encoding(m->params), f->run, &m->schema, err));
    CP_TRY(check_task(m, err));
    CP_TRY(encode_table(m->schema, train, 0, f->run, &f->data, err));
    CP_TRY(check_unit(m, &f->data.rows, err));
    return encode_weights(train, f->roles->weights, &f->data, err);
}

static copse_status begin_fit(fitting *f, const copse_table *train, copse_error *err) {
    copse_table *known;
    CP_TRY(cp_target_select(train, f->roles->target, f->run, &known, err));
    copse_status status = new_model(&f->m, err);
    if (!status) status = begin_rows(f, known ? known : train, err);
    cp_table_free(known);
    return status;
}

static copse_status fit_rows(const fitting *f, copse_error *err) {
    copse_model *m = f->m;
    if (m->method->sampler) return cp_checkpoint_fit(m->params, &f->data.rows, f->run, &m->state, err);
    return m->method->fit(&f->data.rows, m->params, f->run, &m->state, err);
}

/* "out of memory" alone leaves a user without a thing to do. */
static copse_status explain(const cp_method *m, size_t rows, size_t dims, copse_status status, copse_error *err) {
    if (status != COPSE_E_MEMORY || !m) return status;
    return cp_fail(
        err, status,
        "out of memory: %s on %zu row%s of %zu column%s does not fit; %s would help, and so would fewer rows "
        "or columns",
        m->info.name, rows, cp_plural(rows), dims, cp_plural(dims), m->memory_hint);
}

/* `status`: of the first step. */
static copse_status end_fit(fitting *f, copse_status status, copse_model **out, copse_error *err) {
    copse_model *m = f->m;
    if (!status) status = fit_rows(f, err);
    if (m && m->schema) status = explain(m->method, f->rows, m->schema->dims, status, err);
    clear_rows(&f->data);
    if (status)
        cp_model_free(m);
    else
        *out = m;
    return status;
}

copse_status cp_model_fit(const copse_table *train, const copse_roles *roles, const copse_params *opt_params,
                          const copse_run *run, copse_model **out, copse_error *err) {
    fitting f = {.roles = roles, .opt_params = opt_params, .run = run, .rows = train->rows};
    *out = NULL;
    return end_fit(&f, begin_fit(&f, train, err), out, err);
}

copse_status cp_model_fit_take(copse_table **train, const copse_roles *roles, const copse_params *opt_params,
                               const copse_run *run, copse_model **out, copse_error *err) {
    fitting f = {.roles = roles, .opt_params = opt_params, .run = run, .rows = (*train)->rows};
    *out = NULL;
    copse_status status = begin_fit(&f, *train, err);
    cp_table_free(*train);
    *train = NULL;
    return end_fit(&f, status, out, err);
}

/* ---------------------------------------------------------------------------------------------------------- update */

static copse_status check_learns(const copse_model *m, copse_error *err) {
    if (!m->method->update)
        return cp_fail(err, COPSE_E_USAGE, "method '%s' learns from all rows at once: fit again", m->method->info.name);
    if (!m->method->can_learn(m->state))
        return cp_fail(err, COPSE_E_USAGE,
                       "this model was saved frozen: it predicts, but cannot learn; fit without --frozen");
    return COPSE_OK;
}

static copse_status update_rows(copse_model *m, const copse_table *t, const copse_run *run, copse_error *err) {
    encoded data = {0};
    size_t known = m->schema->classes.n, rows = m->method->rows(m->state);
    copse_status status = encode_table(m->schema, t, 0, run, &data, err);
    m->lazy->stale = m->method->refresh != NULL;
    if (!status) status = m->method->update(m->state, &data.rows, m->params, run, NULL, err);
    if (status && m->method->rows(m->state) == rows) cp_schema_forget(m->schema, known);
    clear_rows(&data);
    return explain(m->method, rows + t->rows, m->schema->dims, status, err);
}

copse_status cp_model_update(copse_model *m, const copse_table *t, const copse_run *run, copse_error *err) {
    copse_table *known;
    CP_TRY(check_learns(m, err));
    if (t->rows && cp_target_missing(t, m->schema->target) == t->rows) {
        cp_target_warn(t, m->schema->target, run);
        return COPSE_OK;
    }
    CP_TRY(cp_target_select(t, m->schema->target, run, &known, err));
    copse_status status = update_rows(m, known ? known : t, run, err);
    cp_table_free(known);
    return status;
}

/* Test-then-train for rows whose classes the method knows; or for one row of a new class, whose prediction could not
 * know that class: it is made first, by itself. */
static copse_status learn_part(copse_model *m, const cp_rows *part, size_t known, const copse_run *run,
                               cp_answer *answer, copse_error *err) {
    CP_TRY(cp_answer_init(answer, part->task, part->n, known, err));
    if (part->classes == known) return m->method->update(m->state, part, m->params, run, answer, err);
    cp_rows before = *part;
    before.classes = known;
    CP_TRY(m->method->predict(m->state, &before, m->params, answer, err));
    return m->method->update(m->state, part, m->params, run, NULL, err);
}

/* How many rows from `first` on are alike: without a target; with one, and of known classes; 1 if of a new class. */
static size_t run_length(const encoded *e, size_t first, size_t known) {
    const cp_rows *rows = &e->rows;
    const unsigned char *missing = e->missing;
    size_t end = first + 1;
    int labels = rows->label && !missing[first];
    if (labels && (size_t)rows->label[first] >= known) return 1;
    while (end < rows->n && missing[end] == missing[first] && (!labels || (size_t)rows->label[end] < known)) end++;
    return end - first;
}

/* Rows without a target are answered and not learnt. */
static copse_status answer_part(copse_model *m, const cp_rows *part, const copse_run *run, cp_answer *answer,
                                copse_error *err) {
    CP_TRY(cp_model_refresh(m, run, err));
    CP_TRY(cp_answer_init(answer, part->task, part->n, part->classes, err));
    return m->method->predict(m->state, part, m->params, answer, err);
}

/* *known: classes that the method knows; it grows with them. */
static copse_status learn_and_answer(copse_model *m, const encoded *e, size_t *known, const copse_run *run,
                                     cp_answer *before, copse_error *err) {
    copse_status status = COPSE_OK;
    for (size_t first = 0, n; !status && first < e->rows.n; first += n) {
        cp_answer answer = {0};
        n = run_length(e, first, *known);
        cp_rows part = cp_rows_slice(&e->rows, first, n);
        part.classes = !e->missing[first] && e->label && (size_t)e->label[first] >= *known ? *known + 1 : *known;
        size_t learnt = m->method->rows(m->state);
        status = e->missing[first] ? answer_part(m, &part, run, &answer, err)
                                   : learn_part(m, &part, *known, run, &answer, err);
        if (m->method->rows(m->state) > learnt) *known = part.classes;
        if (!status) status = cp_answer_place(before, first, &answer, err);
        cp_answer_clear(&answer);
    }
    return status;
}

copse_status cp_model_update_predict(copse_model *m, const copse_table *t, const copse_run *run, cp_answer *before,
                                     copse_error *err) {
    encoded data = {0};
    *before = (cp_answer){0};
    CP_TRY(check_learns(m, err));
    size_t known = m->schema->classes.n, rows = m->method->rows(m->state);
    copse_status status = encode_table(m->schema, t, 1, run, &data, err);
    m->lazy->stale = m->method->refresh != NULL;
    if (!status) status = cp_answer_init(before, m->schema->task, t->rows, m->schema->classes.n, err);
    if (!status) cp_target_warn(t, m->schema->target, run);
    if (!status) status = learn_and_answer(m, &data, &known, run, before, err);
    if (status) cp_schema_forget(m->schema, known);
    clear_rows(&data);
    return explain(m->method, rows + t->rows, m->schema->dims, status, err);
}

/* --------------------------------------------------------------------------------------------------------- predict */

copse_status cp_model_refresh(const copse_model *m, const copse_run *run, copse_error *err) {
    copse_status status = COPSE_OK;
    cp_lock_acquire(m->lazy->lock);
    if (m->lazy->stale && m->method->refresh) status = m->method->refresh(m->state, m->params, run, err);
    if (!status) m->lazy->stale = 0;
    cp_lock_release(m->lazy->lock);
    return status;
}

typedef struct prediction_job {
    const copse_model *m;
    const cp_query *q;
    size_t block;
    cp_answer *part; /* one per block */
} prediction_job;

/* As the method would like them best: as key blocks, which may take the room of a few rows more, or as floats that
 * are its own. */
static copse_status encode_asked(const copse_model *m, const cp_query *q, size_t first, size_t n, encoded *out,
                                 copse_error *err) {
    const cp_schema *s = m->schema;
    int key_blocks = m->method->takes_key_blocks && m->method->takes_key_blocks(m->state);
    size_t room = key_blocks ? (n + CP_KEY_BLOCK_ROWS - 1) / CP_KEY_BLOCK_ROWS * CP_KEY_BLOCK_ROWS : n;
    *out = (encoded){.rows = rows_of(s, NULL, n)};
    CP_TRY(CP_RAW(out->x, room * s->dims, err));
    uint32_t *key = (uint32_t *)(void *)out->x;
    if (key_blocks) CP_TRY(cp_schema_encode_keys(s, (cp_table_rows){q->table, first, n}, key, &key_blocks, err));
    if (key_blocks)
        out->rows.key_block = key;
    else
        out->rows.x = out->rows.x_writable = out->x;
    return key_blocks ? COPSE_OK : cp_schema_encode(s, (cp_table_rows){q->table, first, n}, out->x, err);
}

/* The rows asked about, in memory of their own unless they are encoded already. */
static copse_status rows_asked(const copse_model *m, const cp_query *q, size_t from, size_t n, encoded *out,
                               copse_error *err) {
    if (!q->table) {
        *out = (encoded){.rows = cp_rows_slice(q->rows, q->first + from, n)};
        return COPSE_OK;
    }
    return encode_asked(m, q, q->first + from, n, out, err);
}

static copse_status predict_block(void *arg, size_t b, size_t worker, copse_error *err) {
    (void)worker;
    prediction_job *job = arg;
    const copse_model *m = job->m;
    const cp_query *q = job->q;
    cp_answer *part = &job->part[b];
    size_t from = b * job->block, n = q->n - from < job->block ? q->n - from : job->block;
    encoded data;
    copse_status status = rows_asked(m, q, from, n, &data, err);
    if (!status) status = cp_answer_init(part, m->schema->task, n, m->schema->classes.n, err);
    part->of_mean = q->of_mean;
    part->tree = q->one_tree ? q->tree : CP_NONE;
    if (!status) status = m->method->predict(m->state, &data.rows, m->params, part, err);
    clear_rows(&data);
    return status;
}

/* Of rows that forests of draws are asked about: so many that bringing a tree into the cache pays, but few enough for
 * them, encoded, to stay there beside it. */
enum { BLOCK = 8192, LEAST = 1024, VALUES = 1 << 19 };

static size_t rows_beside_tree(const copse_model *m) {
    size_t rows = VALUES / m->schema->dims / CP_ANSWER_ROWS * CP_ANSWER_ROWS;
    return rows < LEAST ? LEAST : rows > BLOCK ? BLOCK : rows;
}

size_t cp_model_block(const copse_model *m) {
    size_t row = sizeof(double) * m->schema->classes.n, most = 16384;
    if (m->schema->task == COPSE_CLASS && m->method->draws_probs) row = row / 2 * (cp_model_draws(m) + 2);
    if (m->schema->task == COPSE_REGRESS) {
        row = sizeof(cp_component) * cp_model_draws(m);
        most = m->method->has_draws ? rows_beside_tree(m) : 2048;
    }
    size_t room = ((size_t)16 << 20) / row;
    room -= room % CP_ANSWER_ROWS;
    return room < 256 ? 256 : room > most ? most : room;
}

/* Rows are independent, so how they are cut does not matter to the answer.  Large blocks keep a tree in the cache while
 * many rows pass through it; but there should be some for every worker. */
static size_t block_size(const copse_model *m, const copse_run *run, size_t n) {
    size_t most = m->schema->task == COPSE_CLASS || m->method->has_draws ? cp_model_block(m) : 256;
    size_t share = n / cp_parallel_workers(run, n ? n : 1) + 1;
    share += CP_ANSWER_ROWS - 1 - (share - 1) % CP_ANSWER_ROWS;
    return share < most ? share : most;
}

size_t cp_model_draws(const copse_model *m) {
    return (m->method->draws ? m->method->draws : m->method->trees)(m->state);
}

int cp_model_has_draws(const copse_model *m) {
    return m->method->has_draws && cp_model_draws(m) > 1;
}

/* Can it be answered? */
static copse_status check_question(const copse_model *m, const cp_query *q, copse_error *err) {
    size_t have = q->table ? q->table->rows : q->rows->n;
    if (q->first > have || q->n > have - q->first)
        return cp_fail(err, COPSE_E_USAGE, "rows %zu to %zu are asked for, the table has %zu", q->first + 1,
                       q->first + q->n, have);
    if (q->of_mean && m->schema->task == COPSE_CLASS && !m->method->draws_probs)
        return cp_fail(err, COPSE_E_USAGE,
                       "method %s has no draws of the probabilities of classes of '%s', only their mean",
                       m->method->info.name, m->schema->target);
    if ((q->of_mean || q->one_tree) && !cp_model_has_draws(m))
        return cp_fail(err, COPSE_E_USAGE, "%s%s has no distribution of the mean, only of y",
                       m->method->has_draws ? "one tree of method " : "method ", m->method->info.name);
    CP_BUG(q->one_tree && (q->tree < 0 || (size_t)q->tree >= cp_model_draws(m)));
    return COPSE_OK;
}

copse_status cp_model_predict(const copse_model *m, const copse_table *t, size_t first, size_t n, const copse_run *run,
                              cp_answer *out, copse_error *err) {
    return cp_model_ask(m, &(cp_query){.table = t, .first = first, .n = n}, run, out, err);
}

copse_status cp_model_ask(const copse_model *m, const cp_query *q, const copse_run *run, cp_answer *out,
                          copse_error *err) {
    *out = (cp_answer){0};
    CP_TRY(check_question(m, q, err));
    CP_TRY(cp_model_refresh(m, run, err));
    prediction_job job = {.m = m, .q = q, .block = block_size(m, run, q->n)};
    size_t blocks = (q->n + job.block - 1) / job.block;
    copse_status status = CP_NEW(job.part, blocks, err);
    if (status) goto out;
    CP_TRY_OUT(cp_parallel_for(run, cp_parallel_workers(run, blocks), blocks, NULL, predict_block, &job, err));
    if (blocks == 1) { /* nothing to put together */
        *out = job.part[0];
        job.part[0] = (cp_answer){0};
        goto out;
    }
    CP_TRY_OUT(cp_answer_init(out, m->schema->task, q->n, m->schema->classes.n, err));
    for (size_t b = 0; b < blocks; b++) {
        CP_TRY_OUT(cp_answer_place(out, b * job.block, &job.part[b], err));
        cp_answer_clear(&job.part[b]);
    }
out:
    for (size_t b = 0; job.part && b < blocks; b++) cp_answer_clear(&job.part[b]);
    cp_mem_free(job.part);
    return status;
}

/* ----------------------------------------------------------------------------------------------------------- saving */

copse_status cp_model_write(const copse_model *m, unsigned flags, cp_writer *w, copse_error *err) {
    CP_TRY(cp_model_refresh(m, NULL, err));
    CP_TRY(cp_writer_text(w, "method", m->method->info.name, err));
    CP_TRY(cp_writer_text(w, "written_by", COPSE_VERSION, err));
    CP_TRY(cp_param_write(m->params, w, err));
    CP_TRY(cp_schema_file_write(m->schema, w, err));
    CP_TRY(cp_writer_push(w, "model", err));
    copse_status status = m->method->write(m->state, m->params, flags, w, err);
    cp_writer_pop(w);
    return status;
}

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

/* Sets of levels are as wide as the method's own count of them: the schema must not have more. */
static int levels_fit(const copse_model *m) {
    const uint32_t *mine = m->schema->levels, *theirs = m->method->takes_raw ? m->method->levels(m->state) : NULL;
    for (size_t d = 0; d < m->schema->dims; d++)
        if ((mine ? mine[d] : 0) != (theirs ? theirs[d] : 0)) return 0;
    return 1;
}

static copse_status read_sections(copse_model *m, cp_reader *r, copse_error *err) {
    if (cp_checkpoint_is(r))
        return cp_fail(err, COPSE_E_USAGE,
                       "this is the checkpoint of a fit, not a model: copse fit --resume goes on from it");
    CP_TRY(read_method(r, &m->method, err));
    CP_TRY(cp_param_read(r, m->method, &m->params, err));
    CP_TRY(cp_schema_file_read(r, &m->schema, err));
    if (!(m->method->info.tasks & (unsigned)m->schema->task))
        return cp_reader_bad(r, err, "its task does not fit its method");
    if (m->schema->raw != !!m->method->takes_raw) return cp_reader_bad(r, err, "its encoding does not fit its method");
    CP_TRY(cp_reader_push(r, "model", err));
    copse_status status =
        m->method->read(r, m->params, m->schema->task, m->schema->dims, m->schema->classes.n, &m->state, err);
    cp_reader_pop(r);
    m->lazy->stale = 1;
    if (!status && !levels_fit(m)) status = cp_reader_bad(r, err, "its categories do not fit its trees");
    return status;
}

copse_status cp_model_read(const unsigned char *bytes, size_t n, copse_model **out, copse_error *err) {
    cp_reader *r = NULL;
    copse_model *m;
    *out = NULL;
    CP_TRY(new_model(&m, err));
    copse_status status = cp_reader_new(bytes, n, &r, err);
    if (!status) status = read_sections(m, r, err);
    cp_reader_free(r);
    if (status)
        cp_model_free(m);
    else
        *out = m;
    return status;
}

copse_status cp_model_check(const copse_model *m, copse_error *err) {
    CP_TRY(cp_model_refresh(m, NULL, err));
    const char *broken = m->method->check(m->state);
    return broken ? cp_fail(err, COPSE_E_MODEL, "an invariant of %s does not hold: %s", m->method->info.name, broken)
                  : COPSE_OK;
}
