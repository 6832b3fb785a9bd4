/* Positions in streams: going back, passing over a bad row, going on where an earlier process ended. */
#include <string.h>

#include "api/api_check.h"
#include "io/stream.h"
#include "model/model_position.h"

typedef struct stream_args {
    cp_stream *stream;
    cp_stream_row row;
    double seconds;
    int ready;
    const copse_position *to;
} stream_args;

/* The flag of a run is watched during the call only. */
static copse_status watched(stream_args *a, const copse_run *run, copse_status (*work)(stream_args *, copse_error *),
                            copse_error *err) {
    cp_stream_watch(a->stream, run->stop);
    copse_status status = work(a, err);
    cp_stream_watch(a->stream, NULL);
    return status;
}

void copse_stream_undo(copse_stream *s) {
    if (s) cp_stream_undo(s);
}

static copse_status skip(stream_args *a, copse_error *err) {
    return cp_stream_skip(a->stream, &a->row, err);
}

static copse_status do_skip(void *arg, const copse_run *run, copse_error *err) {
    return watched(arg, run, skip, err);
}

copse_status copse_stream_skip(copse_stream *s, const copse_run *run, copse_row_text *out, copse_error *err) {
    CP_API_NEED(out);
    *out = (copse_row_text){0};
    CP_API_NEED(s);
    stream_args a = {.stream = s};
    CP_TRY(cp_api_check_call(run, do_skip, &a, err));
    *out = (copse_row_text){.got = a.row.got, .text = a.row.text, .n = a.row.n, .line = a.row.line};
    return COPSE_OK;
}

static copse_status await_rows(stream_args *a, copse_error *err) {
    return cp_stream_wait(a->stream, a->seconds, &a->ready, err);
}

static copse_status do_wait(void *arg, const copse_run *run, copse_error *err) {
    return watched(arg, run, await_rows, err);
}

copse_status copse_stream_wait(copse_stream *s, double seconds, const copse_run *run, int *out_ready,
                               copse_error *err) {
    CP_API_NEED(out_ready);
    *out_ready = 0;
    CP_API_NEED(s);
    if (!(seconds >= 0 && seconds <= 1e9)) return cp_fail(err, COPSE_E_USAGE, "`seconds` must be 0 to 1e9");
    stream_args a = {.stream = s, .seconds = seconds};
    CP_TRY(cp_api_check_call(run, do_wait, &a, err));
    *out_ready = a.ready;
    return COPSE_OK;
}

int copse_stream_position(const copse_stream *s, copse_position *out) {
    if (!out) return 0;
    *out = (copse_position){0};
    if (s) cp_stream_position(s, out);
    return s != NULL;
}

static copse_status resume(stream_args *a, copse_error *err) {
    return cp_stream_resume(a->stream, a->to, err);
}

static copse_status do_resume(void *arg, const copse_run *run, copse_error *err) {
    return watched(arg, run, resume, err);
}

copse_status copse_stream_resume(copse_stream *s, const copse_position *to, const copse_run *run, copse_error *err) {
    CP_API_NEED(s);
    CP_API_NEED(to);
    if (memchr(to->hash, 0, sizeof to->hash) != to->hash + sizeof to->hash - 1)
        return cp_fail(err, COPSE_E_USAGE, "`to` is not the position of a stream");
    stream_args a = {.stream = s, .to = to};
    return cp_api_check_call(run, do_resume, &a, err);
}

copse_status copse_model_set_position(copse_model *model, const copse_position *p, copse_error *err) {
    CP_GUARD(err);
    CP_API_NEED(model);
    CP_API_NEED(p);
    return cp_model_position_set(model, p, err);
}

int copse_model_position(const copse_model *model, copse_position *out) {
    if (!out) return 0;
    *out = (copse_position){0};
    if (!model || !model->position) return 0;
    *out = model->position->at;
    return 1;
}
