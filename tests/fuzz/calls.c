#include "calls.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

void calls_fail(const char *function, const char *what) {
    printf("FAILED: %s: %s\n0 passed, 1 failed\n", function, what);
    exit(1);
}

uint64_t calls_random(calls_world *w) { /* splitmix64 */
    uint64_t z = w->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static int one_in(calls_world *w, unsigned n) {
    return w->wild && calls_random(w) % n == 0;
}

int calls_is_null(calls_world *w, int i) {
    int is = i == w->null_at || one_in(w, 25);
    if (is) w->nulls |= 1u << i;
    return is;
}

/* ------------------------------------------------------------------------------------------------ plain arguments */

size_t calls_size(calls_world *w, int i, const char *name) {
    static const size_t wild[] = {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX - 1, (size_t)1 << 63};
    if (!strcmp(name, "n")) return i == w->huge_at ? 0 : !w->wild + calls_random(w) % (CALLS_KEPT - 1);
    if (i == w->huge_at) return w->huge;
    if (one_in(w, 12)) return wild[calls_random(w) % COUNT(wild)];
    if (!strcmp(name, "rows") || !strcmp(name, "max_rows")) return 1 + calls_random(w) % 12;
    return calls_random(w) % (w->wild ? 12 : 2);
}

double calls_double(calls_world *w) {
    static const double some[] = {0, .5, .9, 1, -1, 2, 1e300, -1e-300};
    if (one_in(w, 10)) return calls_random(w) % 2 ? NAN : INFINITY;
    return some[calls_random(w) % (w->wild ? COUNT(some) : 3)];
}

static const char *one_of(calls_world *w, const char *const *list, size_t n) {
    return list[calls_random(w) % n];
}

static const char *a_path(calls_world *w) {
    static const char *const names[] = {"a.csv", "b.ndjson", "c.copse",       "d.study",
                                        "e.csv", "f.copse",  "nothing/there", ""};
    if (one_in(w, 20)) return calls_random(w) % 2 ? "" : w->dir;
    snprintf(w->path, sizeof w->path, "%s/%s", w->dir, one_of(w, names, COUNT(names)));
    return w->path;
}

int calls_wait(calls_world *w, size_t locks) {
    for (size_t k = 0; k < CALLS_KEPT; k++)
        if (w->kept[locks][k]) return 0;
    return (int)(calls_random(w) % 5) - 1;
}

const char *calls_text(calls_world *w, int i, const char *name) {
    static const char *const names[] = {"x", "y",    "c", "target", "z",
                                        "",  "x..y", "*", "x,c",    "a name that is not there"};
    static const char *const methods[] = {"mondrian", "cart",    "rf",   "ert", "bf",    "ebf",  "ssf",  "smc",
                                          "bcart",    "dyntree", "bart", "orf", "boost", "auto", "none", ""};
    static const char *const options[] = {"trees",  "seed",    "min-leaf", "alpha",
                                          "splits", "samples", "lifetime", "what"};
    static const char *const values[] = {"3", "1", "0", "-1", "auto", "nan", "exact", "yes", ".5", "", "inf", "2"};
    static const char *const sets[] = {"friedman1", "moons", "hole", "branin", "motorcycle", "nothing"};
    static const char *const formats[] = {"json", "dot", "text", "", "xml"};
    static const char *const words[] = {"NA", "?,none", "", ",", "x"};
    if (CALLS_NULL(w, i)) return NULL;
    if (!strcmp(name, "path") || !strcmp(name, "opt_path")) return a_path(w);
    if (!strcmp(name, "method")) return one_of(w, methods, COUNT(methods));
    if (!strcmp(name, "value")) return one_of(w, values, COUNT(values));
    if (!strcmp(name, "format")) return one_of(w, formats, COUNT(formats));
    if (!strcmp(name, "words")) return one_of(w, words, COUNT(words));
    if (calls_random(w) % 3 == 0) return one_of(w, options, COUNT(options));
    if (calls_random(w) % 3 == 0) return one_of(w, sets, COUNT(sets));
    return one_of(w, names, COUNT(names));
}

const char *const *calls_texts(calls_world *w) {
    static const char *const some[] = {"a", "b", "c", "", NULL, "1", "2", "a rather long word, with a comma"};
    size_t kinds = w->wild ? COUNT(some) : 3;
    for (size_t i = 0; i < COUNT(w->text); i++) w->text[i] = some[(i * 7 + calls_random(w) % 2) % kinds];
    return w->text;
}

const double *calls_doubles(calls_world *w) {
    for (size_t i = 0; i < COUNT(w->number); i++) w->number[i] = (double)(calls_random(w) % 16) / 4;
    if (one_in(w, 4)) w->number[calls_random(w) % 8] = calls_double(w);
    return w->number;
}

const size_t *calls_rows(calls_world *w) {
    for (size_t i = 0; i < COUNT(w->rows); i++) w->rows[i] = calls_random(w) % 4;
    if (one_in(w, 4)) w->rows[0] = SIZE_MAX;
    return w->rows;
}

static const char csv[] = "x,c,y\n1,a,2\n2,b,3\n3,a,4.5\n4,,5\n";

/* Text, a model that was saved, or noise. */
const void *calls_bytes(calls_world *w) {
    char path[128];
    memset(w->bytes, 0, sizeof w->bytes);
    memcpy(w->bytes, csv, sizeof csv);
    snprintf(path, sizeof path, "%s/c.copse", w->dir);
    FILE *file = one_in(w, 3) ? fopen(path, "rb") : NULL;
    if (file) w->size = fread(w->bytes, 1, sizeof w->bytes, file);
    if (file) fclose(file);
    if (one_in(w, 3)) w->bytes[calls_random(w) % sizeof csv] = (char)calls_random(w);
    return w->bytes;
}

size_t calls_length(calls_world *w, int i) {
    if (i == w->huge_at) return 0;
    return one_in(w, 3) ? calls_random(w) % sizeof w->bytes : sizeof csv - 1;
}

static copse_status feed(void *arg, char *buf, size_t n, size_t *out_got, copse_error *err) {
    calls_world *w = arg;
    size_t left = sizeof csv - 1 - w->fed;
    (void)err;
    *out_got = left < n ? left : n;
    memcpy(buf, csv + w->fed, *out_got);
    w->fed += *out_got;
    return one_in(w, 20) ? COPSE_E_DATA : COPSE_OK;
}

const copse_position *calls_position(calls_world *w, int i) {
    static const char *const tokens[] = {"a token", "", NULL, "two words"};
    if (CALLS_NULL(w, i)) return NULL;
    w->position = (copse_position){.rows = calls_random(w) % 4, .bytes = calls_random(w) % 30, .line = 2};
    memset(w->position.hash, one_in(w, 4) ? 'x' : '0', sizeof w->position.hash - !one_in(w, 8));
    w->position.token = tokens[calls_random(w) % COUNT(tokens)];
    if (one_in(w, 6)) w->position.bytes = w->position.rows = UINT64_MAX;
    return &w->position;
}

const copse_source *calls_source(calls_world *w, int i) {
    static const size_t wrong[] = {1, SIZE_MAX};
    if (CALLS_NULL(w, i)) return NULL;
    w->fed = 0;
    w->source = (copse_source){.read = feed, .arg = w, .name = "fed.csv"};
    if (one_in(w, 20)) w->source.size = wrong[calls_random(w) % COUNT(wrong)];
    if (one_in(w, 10)) w->source = (copse_source){.fd = -1};
    return &w->source;
}

const copse_values *calls_values(calls_world *w, int i) {
    if (CALLS_NULL(w, i)) return NULL;
    memset(w->number, 0, sizeof w->number);
    w->values = (copse_values){.type = (copse_type)(calls_random(w) % 11), .data = w->number + CALLS_BUFFER / 2};
    if (!w->wild) w->values.type = COPSE_I32;
    if (one_in(w, 3)) w->values.stride = (ptrdiff_t)(calls_random(w) % 3) * 8 - 8;
    if (one_in(w, 20)) w->values.type = (copse_type)99;
    if (one_in(w, 20)) w->values.data = NULL;
    if (one_in(w, 3)) w->values.valid = (const unsigned char *)w->rows;
    if (one_in(w, 3)) w->values.valid_offset = calls_random(w) % 9;
    return &w->values;
}

static int no_schema(struct ArrowArrayStream *s, struct ArrowSchema *out) {
    (void)s;
    memset(out, 0, sizeof *out);
    return 5;
}

static int no_batch(struct ArrowArrayStream *s, struct ArrowArray *out) {
    (void)s;
    memset(out, 0, sizeof *out);
    return 5;
}

static const char *no_reason(struct ArrowArrayStream *s) {
    (void)s;
    return NULL;
}

static void release(struct ArrowArrayStream *s) {
    s->release = NULL;
}

/* A stream that fails; tests/unit/test_arrow.c has those that do not. */
struct ArrowArrayStream *calls_arrow(calls_world *w, int i) {
    if (CALLS_NULL(w, i)) return NULL;
    w->arrow = (struct ArrowArrayStream){
        .get_schema = no_schema, .get_next = no_batch, .get_last_error = no_reason, .release = release};
    if (one_in(w, 4)) w->arrow.release = NULL;
    return &w->arrow;
}

copse_error *calls_error(calls_world *w) {
    w->with_err = !one_in(w, 10);
    memset(&w->err, 'x', sizeof w->err);
    return w->with_err ? &w->err : NULL;
}

copse_status calls_write(void *arg, const char *bytes, size_t n) {
    calls_world *w = arg;
    for (size_t i = 0; i < n; i++)
        w->bytes[i % sizeof w->bytes] ^= bytes[i]; /* a sanitizer sees bytes that are not there */
    return one_in(w, 50) ? COPSE_E_SYSTEM : COPSE_OK;
}

/* -------------------------------------------------------------------------------------------------------- options */

/* The size in an options struct: mostly 0 or right. */
static size_t size_of(calls_world *w, size_t right) {
    static const size_t wrong[] = {1, 7, 4097, SIZE_MAX};
    if (one_in(w, 30)) return wrong[calls_random(w) % COUNT(wrong)];
    return calls_random(w) % 2 ? right : 0;
}

static int on_poll(void *arg) {
    return one_in(arg, 200);
}

static void on_log(void *arg, copse_log_level level, const char *text) {
    (void)level;
    calls_write(arg, text, strlen(text));
}

static void on_progress(void *arg, const char *what, double done, double total) {
    if (!(done >= 0 && total >= 0)) calls_fail("progress", what);
    (void)arg;
}

const copse_run *calls_run(calls_world *w) {
    static const copse_flag stopped = 1;
    w->run =
        (copse_run){.size = size_of(w, sizeof w->run), .threads = 1, .log = on_log, .progress = on_progress, .arg = w};
    if (one_in(w, 8)) w->run.threads = (int)(calls_random(w) % 5) - 1;
    if (one_in(w, 40)) w->run.poll = on_poll;
    if (one_in(w, 40)) w->run.stop = &stopped;
    if (one_in(w, 100)) w->run.checkpoint = "";
    if (one_in(w, 100)) w->run.resume = w->dir;
    return one_in(w, 20) ? NULL : &w->run;
}

const copse_roles *calls_roles(calls_world *w, int i) {
    static const char *const targets[] = {"y", "y", "c", "target", "x", "nothing"};
    static const char *const lists[] = {"x", "x,c", "*", "z", "", "x..c"};
    static const char *const classes[] = {"a", "b", "q", "7", NULL};
    if (CALLS_NULL(w, i)) return NULL;
    w->roles = (copse_roles){.size = size_of(w, sizeof w->roles),
                             .target = w->wild ? one_of(w, targets, COUNT(targets)) : "y"};
    if (one_in(w, 30)) w->roles.target = NULL;
    if (one_in(w, 6)) w->roles.task = (copse_task)(calls_random(w) % 4);
    if (one_in(w, 8)) w->roles.features = one_of(w, lists, COUNT(lists));
    if (one_in(w, 8)) w->roles.drop = one_of(w, lists, COUNT(lists));
    if (one_in(w, 8)) w->roles.weights = one_of(w, lists, COUNT(lists));
    if (one_in(w, 12)) w->roles.scale = calls_random(w) % 2 ? "none" : a_path(w);
    if (one_in(w, 6)) {
        w->roles.classes = one_in(w, 20) ? NULL : classes;
        w->roles.n_classes = calls_random(w) % 6;
    }
    return &w->roles;
}

/* An object for an options struct, which may be NULL. */
static void *some(calls_world *w, const char *type) {
    for (size_t pool = 0; pool < calls_pools; pool++)
        if (!strcmp(calls_pool[pool].type, type)) return w->kept[pool][w->wild ? calls_random(w) % CALLS_KEPT : 0];
    return NULL;
}

const copse_table *const *calls_tables(calls_world *w) {
    for (size_t i = 0; i < COUNT(w->tables); i++) w->tables[i] = some(w, "copse_table");
    return w->tables;
}

const copse_read_options *calls_read_options(calls_world *w) {
    static const char *const formats[] = {"csv", "tsv", "npy", "libsvm", "ndjson", "nothing", ""};
    w->read = (copse_read_options){.size = size_of(w, sizeof w->read)};
    if (one_in(w, 6)) w->read.format = one_of(w, formats, COUNT(formats));
    if (one_in(w, 6)) w->read.delimiter = (char)calls_random(w);
    if (one_in(w, 6)) w->read.no_header = 1;
    if (one_in(w, 6)) w->read.na = "?,none";
    if (one_in(w, 6)) w->read.categorical = "x*";
    if (one_in(w, 6)) w->read.numeric = "x..y";
    if (one_in(w, 4)) w->read.like = some(w, "copse_model");
    return one_in(w, 4) ? NULL : &w->read;
}

const copse_synth_options *calls_synth_options(calls_world *w) {
    w->synth = (copse_synth_options){.size = size_of(w, sizeof w->synth), .rows = 8 + calls_random(w) % 8, .seed = 1};
    if (one_in(w, 6)) w->synth.dims = calls_random(w) % 8;
    if (one_in(w, 20)) w->synth.dims = SIZE_MAX;
    if (one_in(w, 20)) w->synth.rows = SIZE_MAX;
    if (one_in(w, 6)) w->synth.noise = calls_double(w);
    if (one_in(w, 6)) w->synth.with_truth = 1;
    return one_in(w, 10) ? NULL : &w->synth;
}

const copse_predict_options *calls_predict_options(calls_world *w) {
    w->predict = (copse_predict_options){.size = size_of(w, sizeof w->predict)};
    if (one_in(w, 3)) w->predict.first = calls_size(w, -2, "first");
    if (one_in(w, 3)) w->predict.n = calls_size(w, -2, "number");
    if (one_in(w, 3)) w->predict.of_mean = 1;
    return one_in(w, 3) ? NULL : &w->predict;
}

const copse_eval_options *calls_eval_options(calls_world *w) {
    w->eval = (copse_eval_options){.size = size_of(w, sizeof w->eval)};
    if (one_in(w, 2)) w->eval.interval = calls_double(w);
    if (one_in(w, 4)) w->eval.weights = calls_random(w) % 2 ? "x" : "nothing";
    return one_in(w, 4) ? NULL : &w->eval;
}

/* The results have room for 4 x 3. */
const copse_cv_options *calls_cv_options(calls_world *w) {
    w->cv = (copse_cv_options){.size = size_of(w, sizeof w->cv), .folds = 2 + calls_random(w) % 3, .seed = 1};
    w->cv.params = some(w, "copse_params");
    if (one_in(w, 4)) w->cv.repeats = calls_random(w) % 4;
    if (one_in(w, 10)) w->cv.repeats = SIZE_MAX;
    if (one_in(w, 10)) w->cv.folds = SIZE_MAX;
    return one_in(w, 20) ? NULL : &w->cv;
}

const copse_permute_options *calls_permute_options(calls_world *w) {
    w->permute = (copse_permute_options){.size = size_of(w, sizeof w->permute), .repeats = calls_random(w) % 3};
    if (one_in(w, 10)) w->permute.repeats = SIZE_MAX;
    if (one_in(w, 2)) w->permute.out_loss = &w->loss;
    return one_in(w, 4) ? NULL : &w->permute;
}

const copse_effect_options *calls_effect_options(calls_world *w) {
    w->effect = (copse_effect_options){.size = size_of(w, sizeof w->effect), .feature = one_in(w, 4) ? "nothing" : "x"};
    if (one_in(w, 10)) w->effect.feature = NULL;
    if (one_in(w, 2)) w->effect.points = calls_size(w, -2, "points");
    if (one_in(w, 2)) w->effect.rows = calls_size(w, -2, "number");
    if (one_in(w, 4)) w->effect.level = calls_double(w);
    return one_in(w, 20) ? NULL : &w->effect;
}

const copse_study_options *calls_study_options(calls_world *w, int i) {
    static const char *const levels[] = {"red", "blue", NULL};
    if (CALLS_NULL(w, i)) return NULL;
    w->dim[0] = (copse_dim){.name = "x", .low = 0, .high = 1};
    w->dim[1] = (copse_dim){.name = "k", .kind = COPSE_DIM_INTEGER, .low = 1, .high = 9, .log = 1};
    w->dim[2] = (copse_dim){.name = "c", .kind = COPSE_DIM_CATEGORY, .high = 1, .levels = levels, .n_levels = 2};
    if (one_in(w, 10)) w->dim[0].name = NULL;
    if (one_in(w, 10)) w->dim[0].low = calls_double(w);
    if (one_in(w, 10)) w->dim[1].name = "x";
    if (one_in(w, 10)) w->dim[2].n_levels = 3;
    if (one_in(w, 10)) w->dim[2].levels = NULL;
    if (one_in(w, 10)) w->dim[1].kind = (copse_dim_kind)7;
    w->study =
        (copse_study_options){.size = size_of(w, sizeof w->study), .dims = w->dim, .n_dims = 1 + calls_random(w) % 3};
    if (one_in(w, 10)) w->study.dims = NULL;
    if (one_in(w, 4)) w->study.grid = some(w, "copse_table");
    if (one_in(w, 8)) w->study.grid_drop = "y";
    if (one_in(w, 8)) w->study.grid_log = "x";
    if (one_in(w, 8)) w->study.acquisition = calls_random(w) % 2 ? "thompson" : "nothing";
    if (one_in(w, 8)) w->study.kappa = calls_double(w);
    if (one_in(w, 20)) w->study.trees = SIZE_MAX;
    if (one_in(w, 20)) w->study.initial = SIZE_MAX;
    return &w->study;
}

/* --------------------------------------------------------------------------------------------------------- objects */

static int is_type(size_t pool, const char *type) {
    return !strcmp(calls_pool[pool].type, type);
}

void *calls_pick(calls_world *w, int i, size_t pool) {
    return CALLS_NULL(w, i) ? NULL : w->kept[pool][w->wild ? calls_random(w) % CALLS_KEPT : 0];
}

static void *remove_at(calls_world *w, size_t pool, size_t i) {
    void *object = w->kept[pool][i];
    w->kept[pool][i] = NULL;
    return object;
}

/* Objects that keep a pointer to a model go before it. */
static void free_dependants(calls_world *w) {
    for (size_t pool = 0; pool < calls_pools; pool++) {
        if (is_type(pool, "copse_model") || is_type(pool, "copse_table") || is_type(pool, "copse_params")) continue;
        for (size_t i = 0; i < CALLS_KEPT; i++) calls_pool[pool].free(remove_at(w, pool, i));
    }
}

void *calls_take(calls_world *w, size_t pool) {
    if (is_type(pool, "copse_model")) free_dependants(w);
    return remove_at(w, pool, w->wild ? calls_random(w) % CALLS_KEPT : 0);
}

void *calls_poison(void) {
    static char poison;
    return &poison;
}

/* Keeps fits short. */
static void shorten(copse_params *p) {
    static const char *const names[] = {"trees", "samples", "burn-in", "particles", "chains", "islands", "thin"};
    for (size_t i = 0; i < COUNT(names); i++)
        if (copse_params_get(p, names[i]) && copse_params_set(p, names[i], "2", NULL))
            calls_fail("copse_params_set", names[i]);
}

static void keep(calls_world *w, size_t pool, void *object) {
    size_t i = calls_random(w) % CALLS_KEPT;
    for (size_t k = 0; k < CALLS_KEPT; k++)
        if (!w->kept[pool][k]) i = k;
    if (is_type(pool, "copse_params")) shorten(object);
    int large = is_type(pool, "copse_table") && copse_table_rows(object) > 200 && copse_table_cols(object);
    /* A model that others point to is not replaced. */
    if (!w->wild || large || (w->kept[pool][i] && is_type(pool, "copse_model"))) {
        calls_pool[pool].free(object);
        return;
    }
    calls_pool[pool].free(w->kept[pool][i]);
    w->kept[pool][i] = object;
}

void calls_made(calls_world *w, int i, size_t pool, void *object, copse_status status) {
    if (w->nulls >> i & 1) return;
    if (status) {
        /* If another argument was NULL, the call may have ended before this one was looked at. */
        if (object && !(object == calls_poison() && w->nulls))
            calls_fail(calls_pool[pool].type, "a failure leaves something in *out");
    } else if (object == calls_poison()) {
        calls_fail(calls_pool[pool].type, "a success leaves *out alone");
    } else if (object) {
        keep(w, pool, object);
    }
}

void calls_taken(calls_world *w, int i, size_t pool, void *object) {
    if (w->nulls >> i & 1)
        calls_pool[pool].free(object);
    else if (object)
        calls_fail(calls_pool[pool].type, "was not taken over");
}

void calls_status(calls_world *w, copse_status status) {
    w->result = CALLS_STATUS;
    w->status = status;
    if ((unsigned)status > COPSE_E_STOPPED) calls_fail("status", "unknown");
    if (status == COPSE_E_INTERNAL) calls_fail("an internal error", w->with_err ? w->err.msg : "(without a message)");
    if (!status || !w->with_err) return;
    if (w->err.code != status) calls_fail("err.code", "is not the status");
    if (!memchr(w->err.msg, 0, sizeof w->err.msg) || !*w->err.msg) calls_fail("err.msg", "is not a sentence");
    if (!memchr(w->err.name, 0, sizeof w->err.name)) calls_fail("err.name", "does not end");
    if ((w->err.what == COPSE_ABOUT_NOTHING) != !*w->err.name) calls_fail("err.what", w->err.msg);
}

void calls_pointer(calls_world *w, const void *pointer) {
    w->result = CALLS_POINTER;
    w->pointer = pointer;
}

void calls_number(calls_world *w, double value) {
    w->result = CALLS_NUMBER;
    w->value = value;
}

void calls_count(calls_world *w, size_t count) {
    w->result = CALLS_COUNT;
    w->count = count;
}

/* ------------------------------------------------------------------------------------------------------- the world */

static void put(const calls_world *w, const char *name, const char *text) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", w->dir, name);
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file)) calls_fail(path, "cannot be written");
}

static void must(copse_status status, const copse_error *err) {
    if (status) calls_fail("making the world", err->msg);
}

static copse_table *a_table(void) {
    static const double x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    static const char *const c[] = {"a", "b", "a", "b", NULL, "a", "b", "a", "b", "a", "b", "a"};
    static const double y[] = {1.5, 2, 3, 2.5, 5, 6, 7.5, 8, 9, 10.5, 11, 12};
    copse_table *t = NULL;
    copse_error err;
    must(copse_table_new(12, &t, &err), &err);
    must(copse_table_add_numbers(t, "x", x, &err), &err);
    must(copse_table_add_text(t, "c", c, &err), &err);
    must(copse_table_add_numbers(t, "y", y, &err), &err);
    return t;
}

/* The first object of a type, made in the plainest way.  NULL for a type that is not known here: its pool fills when a
 * call makes one. */
static void *an_object(calls_world *w, const char *type) {
    copse_error err;
    void *made = NULL;
    w->wild = 0; /* picks the first of each pool */
    const copse_table *t = some(w, "copse_table");
    const copse_model *m = some(w, "copse_model");
    copse_run one = {.threads = 1};
    char path[128];
    snprintf(path, sizeof path, "%s/a.csv", w->dir);
    if (!strcmp(type, "copse_table")) made = a_table();
    if (!strcmp(type, "copse_params")) must(copse_params_new("smc", (copse_params **)&made, &err), &err);
    if (!strcmp(type, "copse_stream")) must(copse_stream_open(path, NULL, NULL, (copse_stream **)&made, &err), &err);
    if (!strcmp(type, "copse_study")) {
        w->dim[0] = (copse_dim){.name = "x", .high = 1};
        copse_study_options opt = {.dims = w->dim, .n_dims = 1};
        must(copse_study_new(NULL, &opt, NULL, (copse_study **)&made, &err), &err);
    }
    snprintf(path, sizeof path, "%s/g.txt", w->dir);
    if (!strcmp(type, "copse_file")) must(copse_file_open(path, (copse_file **)&made, &err), &err);
    if (!strcmp(type, "copse_lock")) must(copse_lock_acquire(path, 0, NULL, (copse_lock **)&made, &err), &err);
    if (!t) return made;
    if (!strcmp(type, "copse_model"))
        must(copse_fit(t, &(copse_roles){.target = "y"}, some(w, "copse_params"), &one, (copse_model **)&made, &err),
             &err);
    if (!m) return made;
    if (!strcmp(type, "copse_prediction"))
        must(copse_predict(m, t, NULL, &one, (copse_prediction **)&made, &err), &err);
    if (!strcmp(type, "copse_row")) must(copse_row_new(m, (copse_row **)&made, &err), &err);
    if (!strcmp(type, "copse_scorer")) must(copse_scorer_new(m, 0, (copse_scorer **)&made, &err), &err);
    if (!strcmp(type, "copse_posterior")) must(copse_posterior_new(m, &one, (copse_posterior **)&made, &err), &err);
    if (!strcmp(type, "copse_effect"))
        must(copse_effect_new(m, t, &(copse_effect_options){.feature = "x"}, &one, (copse_effect **)&made, &err), &err);
    if (!strcmp(type, "copse_trunks"))
        must(copse_stability(t, &(copse_roles){.target = "y"}, NULL, &one, (copse_trunks **)&made, &err), &err);
    return made;
}

void calls_fill(calls_world *w) {
    static const char *const first[] = {"copse_table", "copse_params", "copse_model"};
    for (size_t round = 0; round <= COUNT(first); round++)
        for (size_t pool = 0; pool < calls_pools; pool++) {
            if (round < COUNT(first) && !is_type(pool, first[round])) continue;
            if (w->kept[pool][0]) continue;
            void *made = an_object(w, calls_pool[pool].type);
            if (made && is_type(pool, "copse_params")) shorten(made);
            w->kept[pool][0] = made;
        }
}

void calls_init(calls_world *w, const char *dir, uint64_t seed) {
    memset(w, 0, sizeof *w);
    w->state = seed;
    w->null_at = w->huge_at = -1;
    snprintf(w->dir, sizeof w->dir, "%s", dir);
    put(w, "a.csv", "x,c,y\n1,a,2\n2,b,3\n3,a,4.5\n4,,5\n");
    put(w, "b.ndjson", "{\"x\": 1, \"y\": 2}\n{\"x\": 2, \"c\": \"a\"}\n");
    put(w, "e.csv", "name,min,max\nx,0,10\n");
    calls_fill(w);
}

void calls_clear(calls_world *w) {
    free_dependants(w);
    for (size_t pool = 0; pool < calls_pools; pool++)
        for (size_t i = 0; i < CALLS_KEPT; i++) calls_pool[pool].free(remove_at(w, pool, i));
}
