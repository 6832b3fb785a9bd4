#include "reading.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "io/stream.h"
#include "num/rng.h"

/* A named pipe: the test writes at one end, piece by piece, and looks at what comes out of the stream at the other. */
typedef struct pipe_end {
    char dir[32], path[64];
    int fd;
    cp_stream *s;
} pipe_end;

static copse_error err;

static void send(pipe_end *p, const char *text) {
    size_t n = strlen(text);
    assert_int_equal(write(p->fd, text, n), n);
}

static void finish(pipe_end *p) {
    close(p->fd);
    p->fd = -1;
}

/* The reading end needs a byte before it opens, so the first piece is written here. */
static void start(pipe_end *p, const char *name, const char *first, const cp_read_options *opt) {
    strcpy(p->dir, "/tmp/copse-stream-XXXXXX");
    assert_non_null(mkdtemp(p->dir));
    sprintf(p->path, "%s/%s", p->dir, name);
    assert_int_equal(mkfifo(p->path, 0600), 0);
    p->fd = open(p->path, O_RDWR); /* Linux: does not wait for a reader */
    assert_true(p->fd >= 0);
    send(p, first);
    must(cp_stream_open(p->path, opt, &p->s, &err), err);
}

static void stop(pipe_end *p) {
    cp_stream_close(p->s);
    if (p->fd >= 0) close(p->fd);
    unlink(p->path);
    rmdir(p->dir);
}

static void must_get(pipe_end *p, size_t max_rows, const char *want) {
    copse_table *t;
    must(cp_stream_next(p->s, max_rows, &t, &err), err);
    if (!t) {
        assert_string_equal("the end", want);
        return;
    }
    assert_true(cp_table_check(t));
    assert_string_equal(shown(t), want);
    cp_table_free(t);
}

static void rows_come_out_as_soon_as_they_are_whole(void **state) {
    (void)state;
    pipe_end p;
    start(&p, "t.csv", "a,b\n1,x\n2,", NULL);
    must_get(&p, 100, "a=1;b:x");
    send(&p, "y\n3,z\n4,w\n5");
    must_get(&p, 2, "a=2,3;b:y,z");
    must_get(&p, 2, "a=4;b:w");
    send(&p, ",\"v\n");
    send(&p, "v\"\n\n  \n");
    must_get(&p, 2, "a=5;b:v\nv");
    send(&p, "6,u");
    finish(&p);
    must_get(&p, 2, "a=6;b:u");
    must_get(&p, 2, "the end");
    must_get(&p, 2, "the end");
    stop(&p);
}

static void types_are_the_blocks_own_until_a_model_is_given(void **state) {
    (void)state;
    char a[] = "a", b[] = "b", target[] = "y";
    cp_feature feature[] = {{.name = a, .kind = COPSE_NUMBER}, {.name = b, .kind = COPSE_TEXT}};
    cp_schema schema = {.task = COPSE_REGRESS, .target = target, .features = 2, .feature = feature};
    pipe_end p;
    copse_table *t;
    int32_t id;
    must(cp_dict_add(&schema.missing, "?", 1, &id, &err), err);
    start(&p, "t", "a;b;y\nx;1;1\n", NULL);
    must_get(&p, 9, "a:x;b=1;y=1");
    must(cp_stream_like(p.s, &schema, &err), err);
    send(&p, "1;2;?\n");
    must_get(&p, 9, "a=1;b:2;y=-");
    send(&p, "\n4;x;5\nq;2;3\n");
    assert_int_equal(cp_stream_next(p.s, 9, &t, &err), COPSE_E_DATA);
    assert_non_null(strstr(err.msg, "/t:6:1: column 'a' should be a number, found 'q'."));
    stop(&p);
    cp_dict_clear(&schema.missing);
}

static void objects_come_out_as_soon_as_they_are_whole(void **state) {
    (void)state;
    char a[] = "a", c[] = "c", target[] = "y";
    cp_feature feature[] = {{.name = a, .kind = COPSE_NUMBER}, {.name = c, .kind = COPSE_NUMBER}};
    cp_schema schema = {.task = COPSE_REGRESS, .target = target, .features = 2, .feature = feature};
    int32_t id;
    must(cp_dict_add(&schema.missing, "?", 1, &id, &err), err);
    pipe_end p;
    start(&p, "t", "{\"a\":1}\n{\"b\":", NULL);
    must_get(&p, 9, "a=1");
    send(&p, "2}\n");
    must_get(&p, 9, "a=-;b=2");
    must(cp_stream_like(p.s, &schema, &err), err);
    send(&p, "\n{\"a\":\"?\",\"b\":3}");
    finish(&p);
    must_get(&p, 9, "a=-;b=3;c=-;y=-");
    must_get(&p, 9, "the end");
    stop(&p);
    cp_dict_clear(&schema.missing);
}

/* A byte order mark alone makes no row. */
static void a_mark_at_the_beginning_is_no_row(void **state) {
    (void)state;
    pipe_end p;
    start(&p, "p.ndjson", "\xef\xbb\xbf\n{\"a\":1}\n{\"a\":2}\n", NULL);
    finish(&p);
    must_get(&p, 1, "a=1");
    must_get(&p, 1, "a=2");
    must_get(&p, 1, "the end");
    stop(&p);
    start(&p, "p.csv", "\xef\xbb\xbf\na\n1\n2\n", NULL);
    finish(&p);
    must_get(&p, 1, "a=1");
    must_get(&p, 2, "a=2");
    must_get(&p, 1, "the end");
    stop(&p);
}

static void other_formats_come_in_pieces(void **state) {
    (void)state;
    pipe_end p;
    start(&p, "t.svm", "1 1:1\n2 1:2\n3 1:3\n", NULL);
    finish(&p);
    must_get(&p, 2, "target=1,2;x1=1,2");
    must_get(&p, 2, "target=3;x1=3");
    must_get(&p, 2, "the end");
    stop(&p);
}

/* Rows first ... of the numbers 0, 1, 2 ... */
static size_t must_count_on(cp_stream *s, size_t max_rows, size_t first) {
    copse_table *t;
    must(cp_stream_next(s, max_rows, &t, &err), err);
    size_t n = t ? t->rows : 0;
    for (size_t i = 0; i < n; i++) {
        assert_true(t->col[0].number[i] == (double)(first + i));
        assert_int_equal(t->line[i], first + i + (strcmp(t->col[0].name, "a") ? 1 : 2));
    }
    cp_table_free(t);
    return n;
}

/* As large as they are asked for, whatever can be read at once; but not without limit. */
static void a_file_comes_in_large_pieces(void **state) {
    (void)state;
    enum { ROWS = 400000, LARGE = 40000 };
    static const struct {
        const char *name, *head, *row;
    } format[] = {{"t.csv", "a\n", "%06zu\n"}, {"t.ndjson", "", "{\"b\":%zu}\n"}};
    for (size_t k = 0; k < 2; k++) {
        pipe_end p = {.fd = -1};
        strcpy(p.dir, "/tmp/copse-stream-XXXXXX");
        assert_non_null(mkdtemp(p.dir));
        sprintf(p.path, "%s/%s", p.dir, format[k].name);
        FILE *f = fopen(p.path, "w");
        fputs(format[k].head, f);
        for (size_t i = 0; i < ROWS; i++) fprintf(f, format[k].row, i);
        fclose(f);
        must(cp_stream_open(p.path, NULL, &p.s, &err), err);
        assert_int_equal(must_count_on(p.s, 3, 0), 3);
        assert_int_equal(must_count_on(p.s, LARGE, 3), LARGE);
        size_t rows = 3 + LARGE, most = 0;
        for (size_t n; (n = must_count_on(p.s, ROWS, rows)) > 0; rows += n) most = n > most ? n : most;
        assert_int_equal(rows, ROWS);
        assert_in_range(most, LARGE, ROWS - 3 - LARGE - 1);
        stop(&p);
    }
}

/* Another process writes the text in random pieces; how they arrive is up to the system. */
static pid_t write_pieces(const char *path, const char *text, cp_rng *r) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child) return child;
    int fd = open(path, O_WRONLY);
    for (size_t at = 0, n = strlen(text); at < n;) {
        size_t piece = 1 + cp_rng_below(r, 12);
        if (piece > n - at) piece = n - at;
        if (write(fd, text + at, piece) != (ssize_t)piece) _exit(1);
        at += piece;
        if (cp_rng_below(r, 2)) nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    }
    _exit(0);
}

static void must_be_rows_of(const copse_table *part, const copse_table *whole, size_t first) {
    for (size_t i = 0; i < part->rows; i++) {
        const cp_column *a = &part->col[1], *b = &whole->col[1];
        assert_int_equal(part->line[i], whole->line[first + i]);
        assert_true(part->col[0].number[i] == whole->col[0].number[first + i]);
        assert_string_equal(a->name, b->name);
        assert_string_equal(cp_dict_text(&a->levels, (size_t)a->code[i]),
                            cp_dict_text(&b->levels, (size_t)b->code[first + i]));
    }
}

/* Any cutting of the bytes gives the rows and lines of the whole file. */
static void cuts_do_not_matter(void **state) {
    (void)state;
    const char text[] =
        "\xef\xbb\xbf"
        "a,\"b\r\nb\"\r\n1,\"x,\"\"y\"\"\"\r\n\r\n2,\"two\n\"\"\nlines\"\n3,\xc3\xa4\r4,z\n \n5,last";
    const cp_read_options opt = {.delimiter = ','};
    copse_table *whole = read_text("t.csv", text, &opt), *t;
    cp_rng r;
    pipe_end p;
    assert_int_equal(whole->rows, 5);
    assert_int_equal(whole->line[4], 11);
    start(&p, "t.csv", "-", NULL);
    finish(&p);
    for (uint64_t repeat = 0; repeat < 100; repeat++) {
        size_t row = 0;
        int exit_code;
        cp_rng_init(&r, seed_of("cuts"), CP_FOR_TEST, 0, repeat);
        /* closed first: else a quick writer could meet the old reader, and the new one would wait for ever */
        cp_stream_close(p.s);
        p.s = NULL;
        pid_t child = write_pieces(p.path, text, &r);
        must(cp_stream_open(p.path, &opt, &p.s, &err), err);
        do {
            must(cp_stream_next(p.s, 1 + cp_rng_below(&r, 3), &t, &err), err);
            if (t) must_be_rows_of(t, whole, row);
            row += t ? t->rows : 0;
            cp_table_free(t);
        } while (t);
        assert_int_equal(row, whole->rows);
        assert_int_equal(waitpid(child, &exit_code, 0), child);
        assert_int_equal(exit_code, 0);
    }
    cp_table_free(whole);
    stop(&p);
}

static void malformed_rows_name_their_line(void **state) {
    (void)state;
    pipe_end p;
    copse_table *t;
    start(&p, "t.csv", "a,b\n1,2\n", NULL);
    must_get(&p, 9, "a=1;b=2");
    send(&p, "\n\"3\",\"4\n\n5\"\n6\n");
    must_get(&p, 1, "a=3;b:4\n\n5");
    assert_int_equal(cp_stream_next(p.s, 9, &t, &err), COPSE_E_DATA);
    assert_non_null(strstr(err.msg, "t.csv:7: found 1 field, the header has 2."));
    assert_int_equal(err.row, 7);
    stop(&p);
}

static void an_empty_stream_is_refused_and_a_lone_header_is_not(void **state) {
    (void)state;
    pipe_end p;
    copse_table *t;
    start(&p, "t.csv", "\n", NULL);
    finish(&p);
    assert_int_equal(cp_stream_next(p.s, 9, &t, &err), COPSE_E_DATA);
    assert_non_null(strstr(err.msg, "is empty"));
    stop(&p);
    start(&p, "t.csv", "a,b\n", NULL);
    finish(&p);
    must_get(&p, 9, "the end");
    stop(&p);
}

static copse_flag raised;

static void on_alarm(int signal) {
    raised = signal;
}

static void a_signal_interrupts_the_wait_and_nothing_is_lost(void **state) {
    (void)state;
    pipe_end p;
    copse_table *t;
    struct sigaction action = {.sa_handler = on_alarm}, before;
    start(&p, "t.csv", "a,b\n1,2\n3,", NULL);
    must_get(&p, 9, "a=1;b=2");
    sigaction(SIGALRM, &action, &before);
    setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {.tv_usec = 20000}}, NULL);
    assert_int_equal(cp_stream_next(p.s, 9, &t, &err), COPSE_E_STOPPED);
    assert_string_equal(err.msg, "interrupted");
    sigaction(SIGALRM, &before, NULL);
    send(&p, "4\n");
    must_get(&p, 9, "a=3;b=4");
    stop(&p);
}

static void a_raised_flag_ends_the_stream_and_nothing_is_lost(void **state) {
    (void)state;
    pipe_end p;
    copse_table *t;
    copse_flag flag = 0;
    start(&p, "t.csv", "a,b\n1,2\n", &(cp_read_options){.stop = &flag});
    must_get(&p, 9, "a=1;b=2");
    send(&p, "3,4\n");
    flag = 1;
    assert_int_equal(cp_stream_next(p.s, 9, &t, &err), COPSE_E_STOPPED);
    flag = 0;
    must_get(&p, 9, "a=3;b=4");
    stop(&p);
}

/* Long enough that the alarm comes while it is read. */
static void must_be_interrupted(const char *name, const char *header, const char *row) {
    enum { ROWS = 6000000 };
    size_t n = strlen(row), at = strlen(header);
    char *text = malloc(at + ROWS * n);
    copse_table *t;
    assert_non_null(text);
    memcpy(text, header, at);
    for (size_t i = 0; i < ROWS; i++, at += n) memcpy(text + at, row, n);
    raised = 0;
    setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {.tv_usec = 20000}}, NULL);
    assert_int_equal(cp_read_bytes(name, text, at, &(cp_read_options){.stop = &raised}, &t, &err), COPSE_E_STOPPED);
    assert_string_equal(err.msg, "interrupted");
    assert_null(t);
    free(text);
}

static void readers_look_at_the_flag_as_they_go(void **state) {
    (void)state;
    struct sigaction action = {.sa_handler = on_alarm}, before;
    sigaction(SIGALRM, &action, &before);
    must_be_interrupted("t.csv", "a\n", "1\n");
    must_be_interrupted("t.svm", "", "1 1:1\n");
    must_be_interrupted("t.ndjson", "", "{\"a\":1}\n");
    sigaction(SIGALRM, &before, NULL);
    static const char npy[] = "\x93NUMPY\1\0\x76\0{'descr': '<f8', 'fortran_order': False, 'shape': (1,)}";
    char bytes[128 + 8];
    copse_table *t;
    memset(bytes, ' ', sizeof bytes);
    memcpy(bytes, npy, sizeof npy - 1);
    bytes[127] = '\n';
    must(cp_read_bytes("t.npy", bytes, sizeof bytes, NULL, &t, &err), err);
    cp_table_free(t);
    assert_int_equal(cp_read_bytes("t.npy", bytes, sizeof bytes, &(cp_read_options){.stop = &raised}, &t, &err),
                     COPSE_E_STOPPED);
}

static copse_status drain(const char *path, const cp_read_options *opt) {
    cp_stream *s;
    copse_table *t;
    copse_status status = cp_stream_open(path, opt, &s, NULL);
    if (status) return status;
    do {
        status = cp_stream_next(s, 1, &t, NULL);
        cp_table_free(t);
    } while (t);
    cp_stream_close(s);
    return status;
}

static void every_failed_allocation_is_clean(void **state) {
    (void)state;
    const char *const texts[] = {"a,b\n1,x\n2,\"y\"\"\"\n", "{\"a\":1}\n{\"b\":\"x\"}\n", "1 1:2\n2 1:3\n"};
    const char *const formats[] = {"csv", "ndjson", "libsvm"};
    for (int i = 0; i < 3; i++) {
        char path[] = "/tmp/copse-stream-XXXXXX";
        int fd = mkstemp(path);
        assert_int_equal(write(fd, texts[i], strlen(texts[i])), strlen(texts[i]));
        close(fd);
        cp_read_options opt = {.format = formats[i], .na = "?", .categorical = i == 2 ? "x1" : "a"};
        for (long k = 0;; k++) {
            cp_mem_fail_after(k);
            copse_status status = drain(path, &opt);
            cp_mem_fail_after(-1);
            if (!status) break;
            assert_int_equal(status, COPSE_E_MEMORY);
        }
        unlink(path);
    }
}

/* ------------------------------------------------------------------------------------------------ back, over, ahead */

static void must_skip(pipe_end *p, const char *want, long line) {
    cp_stream_row row;
    must(cp_stream_skip(p->s, &row, &err), err);
    assert_int_equal(row.got, want != NULL);
    if (!want) return;
    assert_int_equal(row.n, strlen(want));
    assert_memory_equal(row.text, want, row.n);
    assert_int_equal(row.line, line);
}

static void rows_can_be_taken_back_and_bad_ones_passed_over(void **state) {
    (void)state;
    pipe_end p;
    copse_table *t;
    copse_position at;
    start(&p, "t.csv", "a,b\n1,2\n3,4\n5\n\n\"6\n\",7,8\n9,10\n", NULL);
    finish(&p);
    assert_int_equal(cp_stream_next(p.s, 9, &t, &err), COPSE_E_DATA);
    must_get(&p, 2, "a=1,3;b=2,4");
    cp_stream_undo(p.s);
    must_get(&p, 1, "a=1;b=2");
    must_get(&p, 1, "a=3;b=4");
    cp_stream_undo(p.s);
    cp_stream_undo(p.s); /* only the last */
    must_get(&p, 1, "a=3;b=4");
    assert_int_equal(cp_stream_next(p.s, 1, &t, &err), COPSE_E_DATA);
    assert_int_equal(err.row, 4);
    must_skip(&p, "5\n", 4);
    cp_stream_undo(p.s);
    must_skip(&p, "5\n", 4);
    assert_int_equal(cp_stream_next(p.s, 1, &t, &err), COPSE_E_DATA);
    assert_int_equal(err.row, 7);
    must_skip(&p, "\n\"6\n\",7,8\n", 5);
    must_get(&p, 9, "a=9;b=10");
    cp_stream_position(p.s, &at);
    assert_int_equal(at.rows, 5);
    assert_int_equal(at.bytes, 29);
    assert_int_equal(at.line, 9);
    must_skip(&p, NULL, 0);
    must_get(&p, 9, "the end");
    stop(&p);
}

/* A file that holds the text; the path is kept in `path`. */
static cp_stream *stream_of(char *path, const char *text, const char *format) {
    cp_stream *s;
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    must(cp_stream_open(path, &(cp_read_options){.format = format, .delimiter = ','}, &s, &err), err);
    return s;
}

static void must_rest(cp_stream *s, size_t max_rows, const char *want) {
    copse_table *t;
    must(cp_stream_next(s, max_rows, &t, &err), err);
    assert_string_equal(t ? shown(t) : "the end", want);
    cp_table_free(t);
}

/* From every position that a stream has after some rows, another stream of the same source goes on; from a position of
 * another source it does not. */
static void positions_are_found_again(void **state) {
    (void)state;
    static const struct {
        const char *format, *text, *other, *shorter;
    } source[] = {
        {"csv",
         "\xef\xbb\xbf"
         "a,b\r\n1,x\r\n\n2,\"y\n\"\n3,z\n4,v",
         "\xef\xbb\xbf"
         "a,b\r\n1,w\r\n\n2,\"y\n\"\n3,z\n4,v",
         "a,b\n1,x\n"},
        {"ndjson", "{\"a\":1}\n\n{\"a\":2}\n{\"a\":3}\n", "{\"a\":9}\n\n{\"a\":2}\n{\"a\":3}\n", "{\"a\":1}"},
        {"libsvm", "1 1:1\n2 1:2\n3 1:3\n", "1 1:1\n2 1:2\n4 1:3\n", "1 1:1\n"},
    };
    char path[] = "/tmp/copse-stream-XXXXXX", want[256];
    close(mkstemp(path));
    for (size_t k = 0; k < COUNT(source); k++)
        for (size_t rows = 1; rows <= 4 && !(k && rows > 3); rows++) {
            copse_position at, again;
            copse_table *t;
            cp_stream *s = stream_of(path, source[k].text, source[k].format);
            must(cp_stream_next(s, rows, &t, &err), err);
            assert_int_equal(t->rows, rows);
            cp_table_free(t);
            cp_stream_position(s, &at);
            assert_int_equal(at.rows, rows);
            must(cp_stream_next(s, 9, &t, &err), err);
            strcpy(want, t ? shown(t) : "the end");
            cp_table_free(t);
            cp_stream_close(s);
            s = stream_of(path, source[k].text, source[k].format);
            must(cp_stream_resume(s, &at, &err), err);
            cp_stream_position(s, &again);
            assert_memory_equal(&at, &again, sizeof at);
            must_rest(s, 9, want);
            cp_stream_close(s);
            const char *const others[] = {source[k].other, rows > 1 ? source[k].shorter : source[k].other};
            for (size_t i = 0; i < 2; i++) {
                s = stream_of(path, others[i], source[k].format);
                assert_int_equal(cp_stream_resume(s, &at, &err), COPSE_E_DATA);
                assert_non_null(strstr(err.msg, "is not the source that was learnt from before"));
                cp_stream_close(s);
            }
        }
    unlink(path);
}

/* The hash is SHA-256 of the bytes, as other programs compute it, whatever passed through the buffer. */
static void a_position_is_a_prefix_and_its_hash(void **state) {
    (void)state;
    enum { ROWS = 100000 };
    char path[] = "/tmp/copse-stream-XXXXXX", command[128], want[65] = "";
    close(mkstemp(path));
    FILE *f = fopen(path, "w");
    fputs("a\n", f);
    for (size_t i = 0; i < ROWS; i++) fprintf(f, "%05zu\n", i);
    fclose(f);
    cp_stream *s;
    must(cp_stream_open(path, NULL, &s, &err), err);
    size_t rows = 0;
    for (size_t n; (n = must_count_on(s, 30011, rows)) > 0;) {
        copse_position at;
        rows += n;
        cp_stream_position(s, &at);
        assert_int_equal(at.rows, rows);
        assert_int_equal(at.bytes, 2 + 6 * rows);
        sprintf(command, "head -c %zu %s | sha256sum", 2 + 6 * rows, path);
        FILE *pipe = popen(command, "r");
        assert_int_equal(fscanf(pipe, "%64s", want), 1);
        pclose(pipe);
        assert_string_equal(at.hash, want);
    }
    assert_int_equal(rows, ROWS);
    cp_stream_close(s);
    unlink(path);
}

static void waiting_has_an_end(void **state) {
    (void)state;
    pipe_end p;
    int ready;
    start(&p, "t.csv", "a,b\n1,2\n3,", NULL);
    must_get(&p, 9, "a=1;b=2");
    must(cp_stream_wait(p.s, .02, &ready, &err), err);
    assert_false(ready);
    send(&p, "4");
    must(cp_stream_wait(p.s, .02, &ready, &err), err);
    assert_false(ready); /* a row that is not whole */
    send(&p, "\n5,6\n");
    must(cp_stream_wait(p.s, 60, &ready, &err), err);
    assert_true(ready);
    must_get(&p, 1, "a=3;b=4");
    must(cp_stream_wait(p.s, 60, &ready, &err), err);
    assert_true(ready);
    must_get(&p, 1, "a=5;b=6");
    finish(&p);
    must(cp_stream_wait(p.s, 60, &ready, &err), err);
    assert_true(ready);
    must_get(&p, 1, "the end");
    stop(&p);
}

static void a_raised_flag_ends_the_wait(void **state) {
    (void)state;
    pipe_end p;
    copse_flag flag = 0;
    int ready;
    start(&p, "t.csv", "a,b\n1,2\n", &(cp_read_options){.stop = &flag});
    must_get(&p, 9, "a=1;b=2");
    flag = 1;
    assert_int_equal(cp_stream_wait(p.s, 60, &ready, &err), COPSE_E_STOPPED);
    stop(&p);
}

static void misuse_of_streams_is_a_status(void **state) {
    (void)state;
    char path[] = "/tmp/copse-stream-XXXXXX";
    close(mkstemp(path));
    copse_position at = {0};
    copse_row_text row;
    int ready;
    cp_stream *s = stream_of(path, "a\n1\n", "csv");
    assert_int_equal(copse_stream_skip(NULL, NULL, &row, NULL), COPSE_E_USAGE);
    assert_int_equal(copse_stream_skip(s, NULL, NULL, NULL), COPSE_E_USAGE);
    assert_int_equal(copse_stream_wait(NULL, 1, NULL, &ready, NULL), COPSE_E_USAGE);
    assert_int_equal(copse_stream_wait(s, 1, NULL, NULL, NULL), COPSE_E_USAGE);
    assert_int_equal(copse_stream_wait(s, NAN, NULL, &ready, NULL), COPSE_E_USAGE);
    assert_int_equal(copse_stream_wait(s, -1, NULL, &ready, NULL), COPSE_E_USAGE);
    assert_int_equal(copse_stream_resume(NULL, &at, NULL, NULL), COPSE_E_USAGE);
    assert_int_equal(copse_stream_resume(s, NULL, NULL, NULL), COPSE_E_USAGE);
    assert_int_equal(copse_stream_resume(s, &at, NULL, NULL), COPSE_E_USAGE); /* without a hash */
    assert_false(copse_stream_position(NULL, &at));
    assert_false(copse_stream_position(s, NULL));
    copse_stream_undo(NULL);
    copse_stream_undo(s);
    cp_stream_close(s);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_can_be_taken_back_and_bad_ones_passed_over),
        cmocka_unit_test(positions_are_found_again),
        cmocka_unit_test(a_position_is_a_prefix_and_its_hash),
        cmocka_unit_test(waiting_has_an_end),
        cmocka_unit_test(a_raised_flag_ends_the_wait),
        cmocka_unit_test(misuse_of_streams_is_a_status),
        cmocka_unit_test(rows_come_out_as_soon_as_they_are_whole),
        cmocka_unit_test(types_are_the_blocks_own_until_a_model_is_given),
        cmocka_unit_test(objects_come_out_as_soon_as_they_are_whole),
        cmocka_unit_test(a_mark_at_the_beginning_is_no_row),
        cmocka_unit_test(other_formats_come_in_pieces),
        cmocka_unit_test(a_file_comes_in_large_pieces),
        cmocka_unit_test(cuts_do_not_matter),
        cmocka_unit_test(malformed_rows_name_their_line),
        cmocka_unit_test(an_empty_stream_is_refused_and_a_lone_header_is_not),
        cmocka_unit_test(a_signal_interrupts_the_wait_and_nothing_is_lost),
        cmocka_unit_test(a_raised_flag_ends_the_stream_and_nothing_is_lost),
        cmocka_unit_test(readers_look_at_the_flag_as_they_go),
        cmocka_unit_test(every_failed_allocation_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
