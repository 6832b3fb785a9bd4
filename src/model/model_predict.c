#include "model/model_predict.h"

#include "base/guard.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "model/model_encode.h"

/* ----------------------------------------------------------------------------------------------- sizes of blocks */

/* Forests of draws: a block has so many rows that loading a tree into the cache pays off (at least LEAST), and so few
 * that the encoded rows (at most VALUES numbers) stay in the cache beside the tree. */
enum { BLOCK = 8192, LEAST = 1024, VALUES = 1 << 19 };

static size_t rows_beside_tree(const copse_model *m) {
    size_t rows = VALUES / m->schema->dims / CP_ANSWER_ROWS * CP_ANSWER_ROWS;
    return rows < LEAST ? LEAST : rows > BLOCK ? BLOCK : rows;
}

size_t cp_model_predict_block(const copse_model *m) {
    size_t row = sizeof(double) * m->schema->classes.n, most = 16384; /* bytes of a row's answer, rows at most */
    if (m->schema->task == COPSE_CLASS && m->method->draws_probs) row = row / 2 * (cp_model_draws(m) + 2);
    if (m->schema->task == COPSE_REGRESS) {
        row = sizeof(cp_component) * cp_model_draws(m);
        most = m->method->has_draws ? rows_beside_tree(m) : 2048;
    }
    size_t room = ((size_t)16 << 20) / row;
    room -= room % CP_ANSWER_ROWS;
    return room < 256 ? 256 : room > most ? most : room;
}

/* The flag that stops a prediction is read between blocks.  A block walks down at most WALKS trees, some tenths of a
 * second, unless it has the fewest rows, SOON. */
enum { WALKS = 1 << 25, SOON = 64 };

static size_t rows_till_stop(const copse_model *m) {
    size_t trees = m->method->trees(m->state), rows = WALKS / (trees ? trees : 1);
    rows -= rows % CP_ANSWER_ROWS;
    return rows < SOON ? SOON : rows;
}

/* Rows are independent, so the size of blocks does not change an answer.  Large blocks keep a tree in the cache while
 * many rows pass through it; but every worker should get a block. */
static size_t block_size(const copse_model *m, const copse_run *run, size_t n) {
    size_t most = m->schema->task == COPSE_CLASS || m->method->has_draws ? cp_model_predict_block(m) : 256;
    size_t soon = rows_till_stop(m);
    if (most > soon) most = soon;
    size_t per_worker = n / cp_parallel_workers(run, n ? n : 1) + 1;
    per_worker += CP_ANSWER_ROWS - 1 - (per_worker - 1) % CP_ANSWER_ROWS;
    return per_worker < most ? per_worker : most;
}

/* --------------------------------------------------------------------------------------------------------- blocks */

typedef struct prediction_job {
    const copse_model *m;
    const cp_model_query *q;
    size_t block;
    cp_answer *part; /* one per block */
    cp_answer *all;  /* one thread: every block is placed here as soon as it is predicted, and part[0] serves for all */
} prediction_job;

/* The query's rows from ... from + n - 1: encoded into memory of their own, or a slice of rows encoded already. */
static copse_status encode_part(const copse_model *m, const cp_model_query *q, size_t from, size_t n,
                                cp_model_encoded *out, copse_error *err) {
    size_t first = q->first + from;
    if (q->table) return cp_model_encode_features(m, (cp_table_rows){q->table, first, n}, out, err);
    *out = (cp_model_encoded){.rows = cp_rows_slice(q->rows, first, n)};
    return COPSE_OK;
}

static copse_status predict_block(void *arg, size_t b, size_t worker, copse_error *err) {
    (void)worker;
    prediction_job *job = arg;
    const copse_model *m = job->m;
    const cp_model_query *q = job->q;
    cp_answer *part = &job->part[job->all ? 0 : b];
    size_t from = b * job->block, n = q->n - from < job->block ? q->n - from : job->block;
    cp_model_encoded data;
    copse_status status = encode_part(m, q, from, n, &data, err);
    if (!status) status = cp_answer_reset(part, m->schema->task, n, m->schema->classes.n, err);
    part->of_mean = q->of_mean;
    part->tree = q->one_tree ? q->tree : CP_NONE;
    if (!status) status = m->method->predict(m->state, &data.rows, m->params, part, err);
    if (!status && m->schema->announced) cp_answer_raise(part, CP_MODEL_PREDICT_LEAST);
    cp_model_encode_clear(&data);
    if (!status && job->all) status = cp_answer_place(job->all, from, part, err);
    return status;
}

copse_status cp_model_predict_check(const copse_model *m, int of_mean, int one_tree, copse_error *err) {
    if (of_mean && m->schema->task == COPSE_CLASS && !m->method->draws_probs)
        return cp_fail(err, COPSE_E_USAGE,
                       "method %s has no draws of the probabilities of classes of '%s', only their mean",
                       m->method->info.name, m->schema->target);
    if ((of_mean || one_tree) && !cp_model_has_draws(m))
        return cp_fail(err, COPSE_E_USAGE, "%s%s has no distribution of the mean, only of y",
                       m->method->has_draws ? "one tree of method " : "method ", m->method->info.name);
    return COPSE_OK;
}

static copse_status check_query(const copse_model *m, const cp_model_query *q, copse_error *err) {
    size_t have = q->table ? q->table->rows : q->rows->n;
    if (q->first > have || q->n > have - q->first)
        return cp_fail(err, COPSE_E_USAGE, "rows %zu to %zu are asked for, the table has %zu", q->first + 1,
                       q->first + q->n, have);
    CP_TRY(cp_model_predict_check(m, q->of_mean, q->one_tree, err));
    CP_BUG(q->one_tree && (q->tree < 0 || (size_t)q->tree >= cp_model_draws(m)));
    return COPSE_OK;
}

static copse_status predict(const copse_model *m, const cp_model_query *q, const copse_run *run, cp_answer *out,
                            copse_error *err) {
    CP_GUARD(err); /* a fault must not leave the lock taken */
    CP_TRY(check_query(m, q, err));
    CP_TRY(cp_model_refresh(m, run, err));
    prediction_job job = {.m = m, .q = q, .block = block_size(m, run, q->n)};
    size_t blocks = (q->n + job.block - 1) / job.block, workers = cp_parallel_workers(run, blocks);
    copse_status status = CP_NEW(job.part, blocks, err);
    if (status) goto out;
    if (blocks != 1) CP_TRY_OUT(cp_answer_init(out, m->schema->task, q->n, m->schema->classes.n, err));
    if (blocks > 1 && workers == 1) job.all = out;
    CP_TRY_OUT(cp_parallel_for(run, workers, blocks, NULL, predict_block, &job, err));
    if (job.all) goto out;
    if (blocks == 1) { /* the only part is the answer */
        *out = job.part[0];
        job.part[0] = (cp_answer){0};
        goto out;
    }
    for (size_t b = 0; b < blocks; b++) {
        CP_TRY_OUT(cp_answer_place(out, b * job.block, &job.part[b], err));
        cp_answer_clear(&job.part[b]);
    }
out:
    for (size_t b = 0; job.part && b < blocks; b++) cp_answer_clear(&job.part[b]);
    cp_mem_free(job.part);
    return status;
}

copse_status cp_model_predict(const copse_model *m, const cp_model_query *q, const copse_run *run, cp_answer *out,
                              copse_error *err) {
    *out = (cp_answer){0};
    cp_model_begin_read(m);
    copse_status status = predict(m, q, run, out, err);
    cp_model_end_read(m);
    return status;
}
