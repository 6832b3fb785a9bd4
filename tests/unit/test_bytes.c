#include "reading.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "base/codec.h"
#include "same_table.h"

/* Models, tables, streams and checkpoints without files. */

static copse_error err;

typedef struct buffer {
    char *bytes;
    size_t n, calls, fail_at; /* the fail_at-th call fails */
} buffer;

static copse_status append(void *arg, const char *bytes, size_t n) {
    buffer *b = arg;
    if (++b->calls == b->fail_at) return COPSE_E_SYSTEM;
    b->bytes = realloc(b->bytes, b->n + n);
    memcpy(b->bytes + b->n, bytes, n);
    b->n += n;
    return COPSE_OK;
}

static copse_model *fitted(const char *method, size_t rows) {
    copse_table *t;
    copse_params *p;
    copse_model *m;
    must(copse_synth("friedman1", &(copse_synth_options){.rows = rows, .seed = 3}, &t, &err), err);
    must(copse_params_new(method, &p, &err), err);
    must(copse_params_set(p, "trees", "20", &err), err);
    must(copse_fit(t, &(copse_roles){.target = "target"}, p, NULL, &m, &err), err);
    copse_params_free(p);
    copse_table_free(t);
    return m;
}

static void digest_of(const copse_model *m, char out[COPSE_DIGEST_SIZE]) {
    must(copse_model_digest(m, NULL, out, &err), err);
}

/* The bytes are those of the file; frozen models too; and they are read back. */
static void models_are_written_and_read_as_bytes(void **state) {
    (void)state;
    static const char *const methods[] = {"mondrian", "rf"};
    for (size_t k = 0; k < 4; k++) {
        char path[] = "/tmp/copse-bytes-XXXXXX", before[COPSE_DIGEST_SIZE], after[COPSE_DIGEST_SIZE];
        close(mkstemp(path));
        buffer b = {0};
        copse_model *m = fitted(methods[k % 2], 4000), *back;
        unsigned flags = k < 2 ? 0 : COPSE_SAVE_FROZEN;
        must(copse_write(m, flags, NULL, append, &b, &err), err);
        must(copse_save(m, path, flags, NULL, &err), err);
        int fd = open(path, O_RDONLY); /* the save has replaced the file */
        char *file = malloc(b.n + 1);
        assert_int_equal(read(fd, file, b.n + 1), b.n);
        assert_memory_equal(file, b.bytes, b.n);
        must(copse_read(b.bytes, b.n, NULL, &back, &err), err);
        digest_of(m, before);
        digest_of(back, after);
        if (!flags) assert_string_equal(before, after);
        assert_true(copse_is_model(b.bytes, b.n) && copse_is_model(b.bytes, 3) && !copse_is_model("x,y\n", 4));
        copse_model_free(back);
        assert_int_equal(copse_read(b.bytes, b.n - 1, NULL, &back, &err), COPSE_E_MODEL);
        assert_null(back);
        copse_model_free(m);
        close(fd);
        unlink(path);
        free(file);
        free(b.bytes);
    }
}

static void a_receiver_that_fails_ends_the_writing(void **state) {
    (void)state;
    copse_model *m = fitted("mondrian", 20000);
    buffer all = {0};
    must(copse_write(m, 0, NULL, append, &all, &err), err);
    assert_true(all.calls > 1);
    for (size_t k = 1; k <= all.calls; k++) {
        buffer b = {.fail_at = k};
        assert_int_equal(copse_write(m, 0, NULL, append, &b, &err), COPSE_E_SYSTEM);
        assert_string_equal(err.msg, "the model was not written: its receiver failed (the system refused)");
        assert_int_equal(b.calls, k);
        free(b.bytes);
    }
    free(all.bytes);
    copse_model_free(m);
}

static void models_that_need_more_memory_than_permitted_are_refused(void **state) {
    (void)state;
    static const char *const methods[] = {"mondrian", "rf"};
    for (size_t k = 0; k < 2; k++) {
        copse_model *m = fitted(methods[k], 2000), *back;
        buffer b = {0};
        size_t refused = 0;
        must(copse_write(m, 0, NULL, append, &b, &err), err);
        for (size_t limit = b.n / 2; limit < 1000 * b.n; limit *= 2) {
            copse_status status = copse_read(b.bytes, b.n, &(copse_run){.memory_limit = limit}, &back, &err);
            if (!status) break;
            assert_int_equal(status, COPSE_E_MEMORY);
            assert_null(back);
            assert_non_null(strstr(err.msg, "`memory-limit`"));
            refused++;
        }
        assert_in_range(refused, 2, 8);
        copse_model_free(back);
        copse_model_free(m);
        free(b.bytes);
    }
}

/* The limit counts the image, its sections unpacked, and what is claimed beyond them. */
static void the_limit_of_a_reader_counts_all(void **state) {
    (void)state;
    enum { N = 5000 };
    static int32_t zeros[N];
    const unsigned char *bytes;
    size_t n;
    cp_writer *w;
    cp_reader *r;
    must(cp_writer_new(&w, &err), err);
    must(cp_writer_array(w, "zeros", CP_I32, zeros, N, &err), err);
    must(cp_writer_finish(w, &bytes, &n, &err), err);
    const size_t need = n + sizeof zeros;
    must(cp_reader_new(bytes, n, &r, &err), err);
    assert_int_equal(cp_reader_limit(r, need - 1, &err), COPSE_E_MEMORY);
    must(cp_reader_limit(r, 0, &err), err);
    must(cp_reader_claim(r, 1000, 1, &err), err);
    must(cp_reader_limit(r, need + 100, &err), err);
    must(cp_reader_claim(r, 10, 4, &err), err);
    must(cp_reader_claim(r, 60, 1, &err), err);
    assert_int_equal(cp_reader_claim(r, 1, 1, &err), COPSE_E_MEMORY);
    cp_reader_free(r);
    cp_writer_free(w);
}

static void tables_are_read_from_bytes(void **state) {
    (void)state;
    const char text[] = "a,b\n1,x\n2,y\n";
    copse_table *t, *want = read_text("t.csv", text, NULL);
    must(copse_table_read_bytes(text, strlen(text), NULL, NULL, &t, &err), err);
    must_equal(t, want);
    cp_table_free(t);
    cp_table_free(want);
    must(copse_table_read_bytes("a|b\n1|2\n", 8, &(copse_read_options){.delimiter = '|', .categorical = "b"}, NULL, &t,
                                &err),
         err);
    assert_string_equal(shown(t), "a=1;b:2");
    cp_table_free(t);
    assert_int_equal(copse_table_read_bytes("a,b\n1\n", 6, NULL, NULL, &t, &err), COPSE_E_DATA);
    assert_non_null(strstr(err.msg, "<bytes>:2: found 1 field"));
    copse_flag raised = 1;
    assert_int_equal(copse_table_read_bytes(text, strlen(text), NULL, &(copse_run){.stop = &raised}, &t, &err),
                     COPSE_E_STOPPED);
    assert_int_equal(copse_table_read_bytes(NULL, 0, NULL, NULL, &t, &err), COPSE_E_DATA);
    assert_string_equal(err.msg, "<bytes> is empty");
}

/* Hands out a text in pieces of k bytes. */
typedef struct pieces {
    const char *text;
    size_t k;
    copse_status fails;
    const char *message;
} pieces;

static copse_status next_piece(void *arg, char *buf, size_t n, size_t *out_got, copse_error *e) {
    pieces *p = arg;
    size_t left = strlen(p->text);
    *out_got = left < p->k ? left : p->k;
    if (*out_got > n) *out_got = n;
    memcpy(buf, p->text, *out_got);
    p->text += *out_got;
    if (left || !p->fails) return COPSE_OK;
    if (p->message) snprintf(e->msg, sizeof e->msg, "%s", p->message);
    return p->fails;
}

static copse_status too_much(void *arg, char *buf, size_t n, size_t *out_got, copse_error *e) {
    (void)arg, (void)buf, (void)e;
    *out_got = n + 1;
    return COPSE_OK;
}

static void tables_and_streams_come_from_functions(void **state) {
    (void)state;
    const char text[] = "a,b\n1,x\n2,y\n3,x\n";
    for (size_t k = 1; k < 20; k += 3) {
        pieces p = {.text = text, .k = k}, q = p;
        copse_table *t;
        copse_stream *s;
        must(copse_table_read_from(&(copse_source){.name = "t.csv", .read = next_piece, .arg = &p}, NULL, NULL, &t,
                                   &err),
             err);
        assert_string_equal(shown(t), "a=1,2,3;b:x,y,x");
        cp_table_free(t);
        must(copse_stream_open_from(&(copse_source){.read = next_piece, .arg = &q}, NULL, NULL, &s, &err), err);
        size_t rows = 0;
        for (;;) {
            must(copse_stream_next(s, 2, NULL, &t, &err), err);
            if (!t) break;
            assert_in_range(copse_table_rows(t), 1, 2);
            rows += copse_table_rows(t);
            cp_table_free(t);
        }
        assert_int_equal(rows, 3);
        copse_stream_close(s);
    }
}

static void functions_that_fail_are_heard(void **state) {
    (void)state;
    copse_table *t;
    pieces p = {.text = "a,b\n", .k = 2, .fails = COPSE_E_SYSTEM, .message = "the cable is cut"};
    assert_int_equal(copse_table_read_from(&(copse_source){.read = next_piece, .arg = &p}, NULL, NULL, &t, &err),
                     COPSE_E_SYSTEM);
    assert_string_equal(err.msg, "the cable is cut");
    p = (pieces){.text = "a,b\n", .k = 2, .fails = COPSE_E_STOPPED};
    assert_int_equal(
        copse_table_read_from(&(copse_source){.name = "line", .read = next_piece, .arg = &p}, NULL, NULL, &t, &err),
        COPSE_E_STOPPED);
    assert_string_equal(err.msg, "cannot read line: interrupted");
    assert_int_equal(copse_table_read_from(&(copse_source){.read = too_much}, NULL, NULL, &t, &err), COPSE_E_USAGE);
    assert_non_null(strstr(err.msg, "<source>: its reader gave "));
    assert_null(t);
}

/* The caller's descriptor is read from where it is, and stays open. */
static void descriptors_are_read_and_stay_open(void **state) {
    (void)state;
    int fd[2];
    copse_table *t;
    assert_int_equal(pipe(fd), 0);
    assert_int_equal(write(fd[1], "skip\na,b\n1,2\n", 13), 13);
    close(fd[1]);
    char skipped[5];
    assert_int_equal(read(fd[0], skipped, 5), 5);
    must(copse_table_read_from(&(copse_source){.name = "<pipe>", .fd = fd[0]}, NULL, NULL, &t, &err), err);
    assert_string_equal(shown(t), "a=1;b=2");
    cp_table_free(t);
    assert_true(fcntl(fd[0], F_GETFD) >= 0);
    close(fd[0]);
}

static copse_status keep_last(void *arg, const char *bytes, size_t n) {
    buffer *b = arg;
    b->calls++;
    b->bytes = realloc(b->bytes, n);
    memcpy(b->bytes, bytes, n);
    b->n = n;
    return COPSE_OK;
}

static copse_status refuse_all(void *arg, const char *bytes, size_t n) {
    (void)arg, (void)bytes, (void)n;
    return COPSE_E_SYSTEM;
}

/* A fit with 20 samples, lengthened to 40 from a checkpoint in memory, is the fit with 40. */
static void checkpoints_pass_as_bytes(void **state) {
    (void)state;
    char whole[COPSE_DIGEST_SIZE], parts[COPSE_DIGEST_SIZE];
    copse_table *t;
    copse_params *p;
    copse_model *m;
    buffer kept = {0};
    const copse_roles roles = {.target = "target"};
    copse_run save = {.checkpoint_write = keep_last, .arg = &kept};
    must(copse_synth("friedman1", &(copse_synth_options){.rows = 100, .seed = 3}, &t, &err), err);
    must(copse_params_new("bart", &p, &err), err);
    must(copse_params_set(p, "trees", "10", &err), err);
    must(copse_params_set(p, "burn-in", "10", &err), err);
    must(copse_params_set(p, "samples", "20", &err), err);
    must(copse_fit(t, &roles, p, &save, &m, &err), err);
    copse_model_free(m);
    assert_true(kept.calls >= 1);
    assert_int_equal(copse_fit(t, &roles, p, &(copse_run){.checkpoint_write = refuse_all}, &m, &err), COPSE_E_SYSTEM);
    assert_non_null(strstr(err.msg, "the checkpoint was not saved"));
    must(copse_params_set(p, "samples", "40", &err), err);
    must(copse_fit(t, &roles, p, NULL, &m, &err), err);
    digest_of(m, whole);
    copse_model_free(m);
    copse_run resume = {.resume_bytes = kept.bytes, .resume_size = kept.n};
    must(copse_fit(t, &roles, p, &resume, &m, &err), err);
    digest_of(m, parts);
    copse_model_free(m);
    assert_string_equal(parts, whole);
    resume.resume_size--;
    assert_int_equal(copse_fit(t, &roles, p, &resume, &m, &err), COPSE_E_MODEL);
    assert_non_null(strstr(err.msg, "the checkpoint is not whole"));
    assert_int_equal(copse_read(kept.bytes, kept.n, NULL, &m, &err), COPSE_E_USAGE); /* it is no model */
    free(kept.bytes);
    copse_params_free(p);
    copse_table_free(t);
}

/* With poll another thread works, but all functions of the caller are called by the thread that called the library. */
typedef struct host {
    pthread_t thread;
    size_t reads, writes, polls;
    pieces pieces;
} host;

static void must_be_mine(const host *h) {
    if (!pthread_equal(h->thread, pthread_self())) abort();
}

static copse_status host_read(void *arg, char *buf, size_t n, size_t *out_got, copse_error *e) {
    host *h = arg;
    must_be_mine(h);
    h->reads++;
    return next_piece(&h->pieces, buf, n, out_got, e);
}

static copse_status host_write(void *arg, const char *bytes, size_t n) {
    host *h = arg;
    (void)bytes, (void)n;
    must_be_mine(h);
    h->writes++;
    return COPSE_OK;
}

static int host_poll(void *arg) {
    host *h = arg;
    must_be_mine(h);
    h->polls++;
    return 0;
}

static void functions_are_called_by_the_calling_thread(void **state) {
    (void)state;
    host h = {.thread = pthread_self(), .pieces = {.text = "a,b\n1,x\n2,y\n3,x\n", .k = 3}};
    copse_run run = {.poll = host_poll, .arg = &h, .checkpoint_write = host_write};
    copse_source source = {.read = host_read, .arg = &h};
    copse_table *t;
    copse_stream *s;
    copse_model *m = fitted("mondrian", 100), *back;
    copse_params *p;
    must(copse_table_read_from(&source, NULL, &run, &t, &err), err);
    assert_string_equal(shown(t), "a=1,2,3;b:x,y,x");
    cp_table_free(t);
    h.pieces.text = "a,b\n1,x\n";
    must(copse_stream_open_from(&source, NULL, &run, &s, &err), err);
    must(copse_stream_next(s, 5, &run, &t, &err), err);
    assert_string_equal(shown(t), "a=1;b:x");
    cp_table_free(t);
    copse_stream_close(s);
    assert_true(h.reads > 5);
    run.checkpoint_write = NULL;
    must(copse_write(m, 0, &run, host_write, &h, &err), err);
    assert_true(h.writes > 0);
    copse_model_free(m);
    h.writes = 0;
    run.checkpoint_write = host_write;
    must(copse_params_new("smc", &p, &err), err);
    must(copse_params_set(p, "particles", "50", &err), err);
    must(copse_synth("friedman1", &(copse_synth_options){.rows = 50, .seed = 3}, &t, &err), err);
    must(copse_fit(t, &(copse_roles){.target = "target"}, p, &run, &back, &err), err);
    assert_true(h.writes > 0);
    copse_model_free(back);
    copse_params_free(p);
    cp_table_free(t);
}

static void misuse_is_refused(void **state) {
    (void)state;
    copse_table *t;
    copse_stream *s;
    copse_model *m;
    assert_int_equal(copse_table_read(NULL, NULL, NULL, &t, &err), COPSE_E_USAGE);
    assert_int_equal(copse_table_read("x", NULL, NULL, NULL, &err), COPSE_E_USAGE);
    assert_int_equal(copse_table_read_bytes(NULL, 1, NULL, NULL, &t, &err), COPSE_E_USAGE);
    assert_int_equal(copse_table_read_bytes("a", 1, NULL, NULL, NULL, NULL), COPSE_E_USAGE);
    assert_int_equal(copse_table_read_from(NULL, NULL, NULL, &t, &err), COPSE_E_USAGE);
    assert_int_equal(copse_table_read_from(&(copse_source){.fd = -1}, NULL, NULL, &t, &err), COPSE_E_SYSTEM);
    assert_int_equal(copse_stream_open(NULL, NULL, NULL, &s, &err), COPSE_E_USAGE);
    assert_int_equal(copse_stream_open_from(NULL, NULL, NULL, &s, &err), COPSE_E_USAGE);
    assert_int_equal(copse_stream_open_from(&(copse_source){.fd = 0}, NULL, NULL, NULL, &err), COPSE_E_USAGE);
    assert_int_equal(copse_read(NULL, 9, NULL, &m, &err), COPSE_E_USAGE);
    assert_int_equal(copse_read("", 0, NULL, &m, &err), COPSE_E_MODEL);
    assert_int_equal(copse_read("abc", 3, NULL, NULL, &err), COPSE_E_USAGE);
    assert_int_equal(copse_read("abc", 3, NULL, &m, NULL), COPSE_E_MODEL);
    assert_int_equal(copse_write(NULL, 0, NULL, append, NULL, &err), COPSE_E_USAGE);
    m = fitted("rf", 50);
    assert_int_equal(copse_write(m, 0, NULL, NULL, NULL, NULL), COPSE_E_USAGE);
    copse_model_free(m);
    assert_int_equal(copse_is_model(NULL, 8), 0);
    assert_int_equal(copse_is_model("", 0), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_are_written_and_read_as_bytes),
        cmocka_unit_test(a_receiver_that_fails_ends_the_writing),
        cmocka_unit_test(models_that_need_more_memory_than_permitted_are_refused),
        cmocka_unit_test(the_limit_of_a_reader_counts_all),
        cmocka_unit_test(tables_are_read_from_bytes),
        cmocka_unit_test(tables_and_streams_come_from_functions),
        cmocka_unit_test(functions_that_fail_are_heard),
        cmocka_unit_test(descriptors_are_read_and_stay_open),
        cmocka_unit_test(checkpoints_pass_as_bytes),
        cmocka_unit_test(functions_are_called_by_the_calling_thread),
        cmocka_unit_test(misuse_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
