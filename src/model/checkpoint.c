#include "model/checkpoint.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <xxhash.h>

#include "base/file.h"
#include "base/mem.h"

static const double save_seconds = 30;   /* between two saves */
static const double step_seconds = 0.25; /* a step grows until it takes this long */
enum { FIRST_AMOUNT = 4 };               /* units of work in the first step */

int cp_checkpoint_is(const cp_reader *r) {
    return cp_reader_has(r, "checkpoint");
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Of everything that the sampler learns from. */
static int64_t checksum(const cp_rows *rows) {
    const uint64_t shape[] = {(uint64_t)rows->task, rows->n, rows->dims, rows->classes};
    uint64_t h = XXH64(shape, sizeof shape, 0);
    h = XXH64(rows->x, rows->n * rows->dims * sizeof *rows->x, h);
    h = rows->label ? XXH64(rows->label, rows->n * sizeof *rows->label, h)
                    : XXH64(rows->y, rows->n * sizeof *rows->y, h);
    if (rows->weight) h = XXH64(rows->weight, rows->n * sizeof *rows->weight, h);
    return (int64_t)h;
}

/* ----------------------------------------------------------------------------------------------------------- saving */

typedef struct fitting {
    const cp_sampler *sampler;
    const copse_params *p;
    const cp_rows *rows;
    const copse_run *run;
    const char *resume; /* what it resumes from, for messages */
    void *job;
} fitting;

static copse_status write_job(const fitting *f, cp_writer *w, copse_error *err) {
    CP_TRY(cp_writer_i64(w, "checkpoint", checksum(f->rows), err));
    CP_TRY(cp_writer_text(w, "method", f->p->method->info.name, err));
    CP_TRY(cp_writer_text(w, "written_by", COPSE_VERSION, err));
    CP_TRY(cp_param_write(f->p, w, err));
    CP_TRY(cp_writer_push(w, "job", err));
    copse_status status = f->sampler->write(f->job, w, err);
    cp_writer_pop(w);
    return status;
}

static int saves(const copse_run *run) {
    return run->checkpoint || run->checkpoint_write;
}

static copse_status hand_over(const fitting *f, const unsigned char *bytes, size_t n, copse_error *err) {
    copse_status status = f->run->checkpoint_write(f->run->arg, (const char *)bytes, n);
    if (!status) return COPSE_OK;
    return cp_fail(err, status, "the checkpoint was not saved: its receiver failed (%s)", copse_status_text(status));
}

static copse_status save(const fitting *f, copse_error *err) {
    cp_writer *w;
    const unsigned char *bytes;
    size_t n;
    CP_TRY(cp_writer_new(&w, err));
    copse_status status = write_job(f, w, err);
    if (!status) status = cp_writer_finish(w, &bytes, &n, err);
    if (!status && f->run->checkpoint) status = cp_file_save(f->run->checkpoint, bytes, n, err);
    if (!status && f->run->checkpoint_write) status = hand_over(f, bytes, n, err);
    cp_writer_free(w);
    return status;
}

/* Refuses to overwrite a file that is not a checkpoint: the user may need it. */
static copse_status check_overwrite(const char *path, copse_error *err) {
    struct stat s;
    unsigned char *bytes = NULL;
    size_t n;
    cp_reader *r = NULL;
    if (stat(path, &s) != 0 || !S_ISREG(s.st_mode) || s.st_size == 0) return COPSE_OK;
    copse_status status = cp_file_load(path, 0, &bytes, &n, err);
    if (!status) status = cp_reader_new(bytes, n, &r, err);
    if (status == COPSE_E_MODEL || (!status && !cp_checkpoint_is(r)))
        status = cp_fail(err, COPSE_E_USAGE,
                         "`checkpoint=%.300s` exists and is not a checkpoint: choose another name, or remove it", path);
    cp_reader_free(r);
    cp_mem_free(bytes);
    return status;
}

/* --------------------------------------------------------------------------------------------------------- resuming */

/* Options decide the result, so each must be as it was.  Only the option that lengthens a fit may be larger. */
static copse_status compare_options(const fitting *f, const copse_params *old, copse_error *err) {
    const cp_method *m = f->p->method;
    for (size_t i = 0; i < m->n_params; i++) {
        const char *was = old->text[i], *is = f->p->text[i];
        int grows = f->sampler->extendable_option && !strcmp(m->params[i].name, f->sampler->extendable_option);
        if (!strcmp(was, is) || (grows && f->p->value[i] > old->value[i])) continue;
        return cp_fail(err, COPSE_E_USAGE, "%.300s was begun with `%s=%s`, not %s: give the option as it was%s",
                       f->resume, m->params[i].name, was, is, grows ? ", or more" : "");
    }
    return COPSE_OK;
}

static copse_status check_method(const fitting *f, cp_reader *r, copse_error *err) {
    char *name;
    const char *mine = f->p->method->info.name;
    if (!cp_checkpoint_is(r)) return cp_fail(err, COPSE_E_USAGE, "%.300s is a model, not a checkpoint", f->resume);
    CP_TRY(cp_reader_text(r, "method", &name, err));
    copse_status status = COPSE_OK;
    if (strcmp(name, mine) != 0)
        status = cp_fail(err, COPSE_E_USAGE, "%.300s was begun with method %.40s, not %s", f->resume, name, mine);
    cp_mem_free(name);
    return status;
}

static copse_status read_job(fitting *f, cp_reader *r, copse_error *err) {
    copse_params *old;
    int64_t sum;
    CP_TRY(check_method(f, r, err));
    CP_TRY(cp_param_read(r, f->p->method, &old, err));
    copse_status status = compare_options(f, old, err);
    cp_param_free(old);
    CP_TRY(status);
    CP_TRY(cp_reader_i64(r, "checkpoint", INT64_MIN, INT64_MAX, &sum, err));
    if (sum != checksum(f->rows))
        return cp_fail(err, COPSE_E_DATA, "%.300s was begun with other rows, or other columns: give the same data",
                       f->resume);
    CP_TRY(cp_reader_push(r, "job", err));
    status = f->sampler->read(r, f->rows, f->p, f->run, &f->job, err);
    cp_reader_pop(r);
    return status;
}

static copse_status resume_from(fitting *f, const unsigned char *bytes, size_t n, copse_error *err) {
    cp_reader *r = NULL;
    copse_error inside = {0};
    copse_status status = cp_reader_new(bytes, n, &r, &inside);
    if (!status) status = cp_reader_limit(r, f->run->memory_limit, &inside);
    if (!status) status = read_job(f, r, &inside);
    cp_reader_free(r);
    if (status == COPSE_E_MODEL)
        return cp_fail(err, status, "%.300s is not whole (%.500s): fit again without `resume`", f->resume, inside.msg);
    if (status && err) *err = inside;
    return status;
}

static copse_status resume(fitting *f, copse_error *err) {
    unsigned char *bytes;
    size_t n;
    if (f->run->resume_bytes) return resume_from(f, f->run->resume_bytes, f->run->resume_size, err);
    copse_status status = cp_file_load(f->run->resume, f->run->memory_limit, &bytes, &n, err);
    if (status == COPSE_E_MODEL) return cp_fail(err, status, "%.300s is not a checkpoint of a fit", f->run->resume);
    CP_TRY(status);
    status = resume_from(f, bytes, n, err);
    cp_mem_free(bytes);
    return status;
}

/* ---------------------------------------------------------------------------------------------------------- fitting */

/* Samples to the end: in one step; or, if there is a checkpoint to save in between, in steps that grow until a step
 * takes long enough to outweigh its fixed cost.  The result does not depend on the steps. */
static copse_status advance(const fitting *f, copse_error *err) {
    size_t amount = saves(f->run) ? FIRST_AMOUNT : 0;
    double saved = now();
    int done = 0;
    while (!done) {
        double begin = now();
        CP_TRY(f->sampler->advance(f->job, amount, f->run, &done, err));
        double end = now();
        if (end - begin < step_seconds && amount < SIZE_MAX / 2) amount *= 2;
        if (done || !saves(f->run) || end - saved < save_seconds) continue;
        CP_TRY(save(f, err));
        saved = end;
    }
    return COPSE_OK;
}

/* Saves the state of a fit that was stopped.  If saving fails, that is the error reported, not the stop. */
static copse_status save_stopped(const fitting *f, copse_error *err) {
    CP_TRY(save(f, err));
    if (!f->run->checkpoint) return cp_fail(err, COPSE_E_STOPPED, "interrupted; the checkpoint can go on");
    return cp_fail(err, COPSE_E_STOPPED, "interrupted; to go on: the same command with `resume=%.300s`",
                   f->run->checkpoint);
}

copse_status cp_checkpoint_fit(const copse_params *p, const cp_rows *rows, const copse_run *run, void **out_state,
                               copse_error *err) {
    static const copse_run none = {0};
    fitting f = {.sampler = p->method->sampler, .p = p, .rows = rows, .run = run ? run : &none};
    const char *path = f.run->checkpoint;
    int resumes = f.run->resume || f.run->resume_bytes;
    f.resume = f.run->resume_bytes ? "the checkpoint" : f.run->resume;
    if (path && !(f.run->resume && !strcmp(path, f.run->resume))) CP_TRY(check_overwrite(path, err));
    CP_TRY(resumes ? resume(&f, err) : f.sampler->begin(rows, p, f.run, &f.job, err));
    copse_status status = advance(&f, err);
    if (saves(f.run) && status == COPSE_E_STOPPED) status = save_stopped(&f, err);
    if (saves(f.run) && !status) status = save(&f, err);
    if (!status) status = f.sampler->finish(f.job, f.run, out_state, err);
    f.sampler->clear(f.job);
    return status;
}
