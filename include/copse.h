/* copse.h - trees and forests that know what they don't know.
 *
 * The only header of libcopse.  A model is fitted to a table, and every prediction is a distribution.
 *
 *     copse_table *train = NULL, *test = NULL;  copse_model *model = NULL;  copse_prediction *p = NULL;
 *     copse_error err;
 *     if (copse_table_read("train.csv", NULL, NULL, &train, &err) ||
 *         copse_fit(train, &(copse_roles){.target = "y"}, NULL, NULL, &model, &err) ||
 *         copse_table_read("test.csv", &(copse_read_options){.like = model}, NULL, &test, &err) ||
 *         copse_predict(model, test, NULL, NULL, &p, &err))
 *         fprintf(stderr, "%s\n", err.msg);
 *     else
 *         printf("%g +- %g\n", copse_prediction_mean(p, 0), copse_prediction_sd(p, 0));
 *
 * Contracts that hold everywhere
 *   - A function that can fail returns a copse_status and takes a copse_error last; the error may be NULL.
 *   - An object is made by a function with an `out` argument, belongs to the caller and is freed by its _free, which
 *     accepts NULL.  On failure *out is NULL.  Strings and arrays of an object live as long as the object.
 *   - Arguments are borrowed for the call; the library keeps no pointer to them.
 *   - An object may be read by many threads at once, or changed by one.  There is no global state.
 *   - Parameters and the seed decide a result; run options (threads, callbacks) never change one bit of it.
 *   - A zero in an options struct is the default: {0}, or NULL for the whole struct, is all defaults.
 *   - Misuse never crashes.  NULL where an object is needed, and rows, columns or classes that do not exist, give
 *     COPSE_E_USAGE; a function without a status answers NaN, NULL, 0 or (size_t)-1.
 *   - Within 1.x, a program compiled with an older copse.h runs with a newer library.  Options structs may grow at
 *     their end and begin with their size: 0 is the size in 1.0; a program that uses a later member sets
 *     `.size = sizeof(...)`.  A library older than the program accepts the struct if it knows all that is set.  Structs
 *     that the library owns and hands out by pointer may grow at their end: do not copy them.  All other structs keep
 *     their layout.  Enums may get new values. */
#ifndef COPSE_H
#define COPSE_H

#include <stddef.h>
#include <stdint.h>

/* An int that one thread or signal handler sets while another thread reads it. */
#ifdef __cplusplus
#include <atomic>
typedef std::atomic<int> copse_flag;
extern "C" {
#else
#include <stdatomic.h>
typedef atomic_int copse_flag;
#endif

#if defined(__GNUC__)
#define COPSE_API        __attribute__((visibility("default")))
#define COPSE_MUST_CHECK __attribute__((warn_unused_result))
#else
#define COPSE_API
#define COPSE_MUST_CHECK
#endif

#define COPSE_VERSION_MAJOR 1
#define COPSE_VERSION_MINOR 0
#define COPSE_VERSION_PATCH 0
/* For comparisons: 10203 is version 1.2.3. */
#define COPSE_VERSION_NUMBER (COPSE_VERSION_MAJOR * 10000 + COPSE_VERSION_MINOR * 100 + COPSE_VERSION_PATCH)
#define COPSE_VERSION        "1.0.0-rc"

/* ------------------------------------------------------------------------------------------------------ 1. status */

/* Values 0 to 6 are also the exit codes of the command line. */
typedef enum copse_status {
    COPSE_OK = 0,
    COPSE_E_INTERNAL = 1, /* a bug in copse: please report it */
    COPSE_E_USAGE = 2,    /* an argument or option that is not possible */
    COPSE_E_DATA = 3,     /* the data are not what they should be */
    COPSE_E_MODEL = 4,    /* not a model file, or a damaged one */
    COPSE_E_SYSTEM = 5,   /* the operating system refused: path, permission, disk */
    COPSE_E_CONVERGE = 6, /* a sampler has not converged */
    COPSE_E_MEMORY = 7,   /* out of memory */
    COPSE_E_STOPPED = 8   /* copse_run.stop was set, or copse_run.poll asked for it */
} copse_status;

/* What an error is about. */
typedef enum copse_about {
    COPSE_ABOUT_NOTHING = 0,
    COPSE_ABOUT_ARGUMENT = 1, /* of a function: "model" */
    COPSE_ABOUT_OPTION = 2,   /* of a method or a struct: "min-leaf" */
    COPSE_ABOUT_COLUMN = 3    /* of a table */
} copse_about;

/* msg says in a sentence or two what went wrong and what to do; it names options in backquotes, `min-leaf`.  The same
 * as data: `name` is the option, column or argument that `what` says, cut off after 127 bytes; empty if there is none.
 * row and col are 1-based, 0 if unknown. */
typedef struct copse_error {
    copse_status code;
    copse_about what;
    long row, col;
    char name[128];
    char msg[1024];
} copse_error;

/* A few words for a status, never NULL. */
COPSE_API const char *copse_status_text(copse_status status);

/* The version of the library that is linked, e.g. "1.0.0-rc"; and its COPSE_VERSION_NUMBER. */
COPSE_API const char *copse_version(void);
COPSE_API int copse_version_number(void);

/* --------------------------------------------------------------------------------------------------------- 2. run */

typedef enum copse_log_level { COPSE_LOG_INFO, COPSE_LOG_WARNING } copse_log_level;

/* Receives text or bytes piece by piece; a status other than COPSE_OK ends the writing. */
typedef copse_status (*copse_write_fn)(void *arg, const char *bytes, size_t n);

/* How to compute, never what.  Every call that may take long takes one. */
typedef struct copse_run {
    size_t size; /* see the top of this file */
    int threads; /* 0: one per core that the process may use */
    /* All callbacks are called from the calling thread only.  They must not call the library with the objects of the
     * call that is under way. */
    /* `text` is one line without a newline. */
    void (*log)(void *arg, copse_log_level level, const char *text);
    /* Called from time to time: `done` of `total` units of work; total is 0 if unknown. */
    void (*progress)(void *arg, const char *what, double done, double total);
    /* Called at least ten times a second, whatever the work, as long as the system gives the thread time.  Non-zero
     * stops the call as `stop` does.  The work is then done by other threads while the calling thread waits. */
    int (*poll)(void *arg);
    void *arg; /* passed to the callbacks */
    /* Read often; non-zero ends the call with COPSE_E_STOPPED.  A signal handler may set it.  A save that is stopped
     * has written nothing, a study that is stopped goes on with the next call.  Calls that check a model or look into
     * its trees read it before they begin, and then finish. */
    const copse_flag *stop;
    /* Fits of methods that sample (smc, bcart, bart).  checkpoint: a file to which the state is saved from time to
     * time, at the end, and when stopped.  resume: such a file, from which the fit goes on to the result of an
     * uninterrupted fit, bit for bit.  Data and options must be those that the fit was begun with; only `samples` may
     * be larger, which lengthens even a finished fit. */
    const char *checkpoint, *resume;
    /* The same without files.  checkpoint_write gets the whole state in one call; a status other than COPSE_OK ends the
     * fit.  resume_bytes: such a state. */
    copse_write_fn checkpoint_write;
    const void *resume_bytes;
    size_t resume_size;
    /* Bytes.  Reading a table, or a model, that would need more memory is COPSE_E_MEMORY; 0: no limit.  Other work is
     * not limited. */
    size_t memory_limit;
} copse_run;

/* ------------------------------------------------------------------------------------------------------- 3. tables */

/* Columns of numbers (missing: NaN) and of text (missing: NULL), with names. */
typedef struct copse_table copse_table;
typedef struct copse_model copse_model;

typedef enum copse_kind { COPSE_NUMBER, COPSE_TEXT } copse_kind;

typedef struct copse_read_options {
    size_t size;
    const char *format; /* csv tsv npy libsvm ndjson; NULL: by name, then by content */
    char delimiter;     /* 0: detected among , ; tab | */
    int no_header;      /* the columns are then x1 ... xD */
    /* Further words that mean "missing", comma separated; empty fields, NA, NaN and null always do. */
    const char *na;
    const char *categorical; /* columns read as text even if they look like numbers: names, A..B ranges, * wildcards */
    const char *numeric;     /* columns that must be numbers: another value in them is an error with its place */
    /* Columns get the types of this model's; where it has numbers, other values are errors.  Words that meant "missing"
     * in its training rows do so again. */
    const copse_model *like;
    size_t max_columns; /* more columns are COPSE_E_DATA; 0: 200,000, or twice the features of `like` */
} copse_read_options;

/* Reads a whole file.  gzip and zstd are decompressed.  Errors name file:line:column.  The library has no name for
 * standard input and output, and does not touch them unless a caller hands it their descriptor or path. */
COPSE_API COPSE_MUST_CHECK copse_status copse_table_read(const char *path, const copse_read_options *opt,
                                                         const copse_run *run, copse_table **out, copse_error *err);

/* The same from memory, such as the body of a request; errors name "<bytes>". */
COPSE_API COPSE_MUST_CHECK copse_status copse_table_read_bytes(const void *bytes, size_t n,
                                                               const copse_read_options *opt, const copse_run *run,
                                                               copse_table **out, copse_error *err);

/* Bytes from somewhere else than a path or memory.  A function that is asked for at most n bytes puts them into buf,
 * waiting until there is at least one, and sets *out_got, to 0 at the end.  If it fails it may fill err; otherwise the
 * library says what the status says.  It is called by the calling thread only. */
typedef copse_status (*copse_read_fn)(void *arg, char *buf, size_t n, size_t *out_got, copse_error *err);
typedef struct copse_source {
    size_t size;
    const char *name;   /* for messages, as a path is; its suffix may tell the format.  NULL: "<source>" */
    copse_read_fn read; /* NULL: the bytes come from fd */
    void *arg;          /* passed to read */
    int fd;             /* an open descriptor, which stays open */
} copse_source;
COPSE_API COPSE_MUST_CHECK copse_status copse_table_read_from(const copse_source *source, const copse_read_options *opt,
                                                              const copse_run *run, copse_table **out,
                                                              copse_error *err);

/* A table of `rows` rows without columns, to which the next two functions add columns; values are copied. */
COPSE_API COPSE_MUST_CHECK copse_status copse_table_new(size_t rows, copse_table **out, copse_error *err);
COPSE_API COPSE_MUST_CHECK copse_status copse_table_add_numbers(copse_table *t, const char *name, const double *values,
                                                                copse_error *err);
COPSE_API COPSE_MUST_CHECK copse_status copse_table_add_text(copse_table *t, const char *name,
                                                             const char *const *values, copse_error *err);

/* Values in the caller's memory, one per row: of a NumPy array, a data frame, a C array.  data is the address of row
 * 0's.  NaN is missing.  Whole numbers beyond 2^53 are rounded to the nearest double. */
typedef enum copse_type {
    COPSE_F64,
    COPSE_F32,
    COPSE_I8,
    COPSE_I16,
    COPSE_I32,
    COPSE_I64,
    COPSE_U8,
    COPSE_U16,
    COPSE_U32,
    COPSE_U64,
    COPSE_BOOL /* a byte each: 0 or another value, which means 1 */
} copse_type;
typedef struct copse_values {
    copse_type type;
    const void *data;           /* need not be aligned */
    ptrdiff_t stride;           /* bytes from a row's value to the next row's, may be negative; 0: they are adjacent */
    const unsigned char *valid; /* a bit per row, the lowest of a byte first; 0: missing.  NULL: all are there */
    size_t valid_offset;        /* the bit of row 0 */
} copse_values;

/* Adds a column of numbers.  The values are copied; a failure leaves the table as it was. */
COPSE_API COPSE_MUST_CHECK copse_status copse_table_add_values(copse_table *t, const char *name,
                                                               const copse_values *values, copse_error *err);
/* Adds a column of text: code k stands for levels[k].  A negative code is missing, and so is a level that is NULL; a
 * code of n_levels or more is COPSE_E_DATA.  Codes have a type of whole numbers.  Levels are UTF-8; two that are equal
 * are one. */
COPSE_API COPSE_MUST_CHECK copse_status copse_table_add_codes(copse_table *t, const char *name,
                                                              const copse_values *codes, const char *const *levels,
                                                              size_t n_levels, copse_error *err);

/* A new table from an Arrow C stream of record batches (pyarrow, polars, DuckDB, R's arrow and nanoarrow have them).
 * The stream is read to its end and released, also on failure; so is everything that it hands out.  Numbers and
 * booleans (0 and 1) become numbers; dates, timestamps, times and durations become seconds, since 1970 in UTC or since
 * midnight; utf8, large_utf8 and utf8_view become text; dictionaries become what their values are.  A column of another
 * type is COPSE_E_DATA, which names the column and the type. */
struct ArrowArrayStream;
COPSE_API COPSE_MUST_CHECK copse_status copse_table_from_arrow(struct ArrowArrayStream *stream, copse_table **out,
                                                               copse_error *err);

/* Adds words, comma separated, that mean "missing" when more rows of this kind are read: a model fitted to the table
 * hands them on.  A table that was read with such words has them already. */
COPSE_API COPSE_MUST_CHECK copse_status copse_table_add_missing(copse_table *t, const char *words, copse_error *err);

/* A new table with the given rows, in the given order; a row may occur more than once. */
COPSE_API COPSE_MUST_CHECK copse_status copse_table_select(const copse_table *t, const size_t *rows, size_t n,
                                                           copse_table **out, copse_error *err);
/* A new table with the rows of n tables of one source, such as the pieces of a stream, one after another.  If a piece
 * lacks a column, its values are missing in the rows of that piece. */
COPSE_API COPSE_MUST_CHECK copse_status copse_table_join(const copse_table *const *pieces, size_t n, copse_table **out,
                                                         copse_error *err);

COPSE_API size_t copse_table_rows(const copse_table *t);
COPSE_API size_t copse_table_cols(const copse_table *t);
COPSE_API const char *copse_table_name(const copse_table *t, size_t col);
COPSE_API copse_kind copse_table_kind(const copse_table *t, size_t col);
/* The column of that name, or (size_t)-1. */
COPSE_API size_t copse_table_find(const copse_table *t, const char *name);
/* NaN if missing, or if the column is text. */
COPSE_API double copse_table_number(const copse_table *t, size_t row, size_t col);
/* NULL if missing, or if the column is numbers. */
COPSE_API const char *copse_table_text(const copse_table *t, size_t row, size_t col);
/* Logs a line for each finding: types and levels, missing values, constant and duplicate columns, columns that are text
 * because of a few values that are no numbers. */
COPSE_API void copse_table_report(const copse_table *t, const copse_run *run);
COPSE_API void copse_table_free(copse_table *t);

/* Rows that arrive over time: from files, pipes, terminals. */
typedef struct copse_stream copse_stream;
COPSE_API COPSE_MUST_CHECK copse_status copse_stream_open(const char *path, const copse_read_options *opt,
                                                          const copse_run *run, copse_stream **out, copse_error *err);
/* The same from a descriptor or a function; `arg` must outlive the stream.  Rows are handed out as soon as they are
 * there. */
COPSE_API COPSE_MUST_CHECK copse_status copse_stream_open_from(const copse_source *source,
                                                               const copse_read_options *opt, const copse_run *run,
                                                               copse_stream **out, copse_error *err);
/* The next rows, at most max_rows.  Waits only until there is one.  *out is NULL at the end. */
COPSE_API COPSE_MUST_CHECK copse_status copse_stream_next(copse_stream *s, size_t max_rows, const copse_run *run,
                                                          copse_table **out, copse_error *err);
/* From now on columns have the types of this model, which must outlive the stream. */
COPSE_API COPSE_MUST_CHECK copse_status copse_stream_like(copse_stream *s, const copse_model *model, copse_error *err);
COPSE_API void copse_stream_close(copse_stream *s);

typedef struct copse_synth_options {
    size_t size;
    size_t rows;
    size_t dims;    /* 0: the default of the set */
    double noise;   /* 0: the default of the set */
    int noise_free; /* no noise */
    uint64_t seed;
    int with_truth; /* adds the noise-free column "truth" */
} copse_synth_options;

/* Simulated data: friedman1, hypercube, branin ...; copse_synth_name(i) lists the sets, NULL after the last. */
COPSE_API COPSE_MUST_CHECK copse_status copse_synth(const char *name, const copse_synth_options *opt, copse_table **out,
                                                    copse_error *err);
COPSE_API const char *copse_synth_name(size_t i);
COPSE_API const char *copse_synth_summary(size_t i);

/* --------------------------------------------------------------------------------------- 4. methods and parameters */

typedef enum copse_task { COPSE_TASK_NONE = 0, COPSE_CLASS = 1, COPSE_REGRESS = 2 } copse_task;

typedef struct copse_method_info {
    const char *name, *summary;
    unsigned tasks;       /* COPSE_CLASS | COPSE_REGRESS */
    int online;           /* copse_update works */
    int keeps_rows;       /* its models hold their training rows, unless saved frozen */
    int samples;          /* it draws samples: copse_model_diagnose works, and checkpoint and resume of copse_run */
    int takes_weights;    /* copse_roles.weights works */
    int takes_missing;    /* missing values are used as they are, else the median or the most frequent level instead */
    int takes_categories; /* text is split by sets of levels, else it becomes a column per level, or ranks if many */
} copse_method_info;

typedef enum copse_option_kind {
    COPSE_OPTION_INT,    /* a whole number */
    COPSE_OPTION_REAL,   /* a number */
    COPSE_OPTION_CHOICE, /* one of its words */
    COPSE_OPTION_LIST,   /* "none", or some of its words with commas between them */
    COPSE_OPTION_FLAG    /* "yes" or "no" */
} copse_option_kind;

enum { COPSE_MAX_CHOICES = 16, COPSE_CHOICE_SIZE = 32 };

typedef struct copse_option_info {
    const char *name; /* as on the command line, without the dashes */
    copse_option_kind kind;
    unsigned tasks;  /* the tasks for which it means something: COPSE_CLASS | COPSE_REGRESS */
    double min, max; /* of numbers, both allowed; infinite if there is no bound; NaN if it takes no numbers */
    /* Words, in order.  Numbers: what is allowed in place of a number ("auto").  A choice with a count takes a whole
     * number from min to max after a colon, "grid:50"; the word alone means that count.  The others have NaN. */
    size_t n_choices;
    char choice[COPSE_MAX_CHOICES][COPSE_CHOICE_SIZE];
    double count[COPSE_MAX_CHOICES];
    const char *initial; /* the default, as text */
    /* The default as a number.  Numbers: NaN if it is a word.  A choice: the index of its word.  A list: the sum of 2^i
     * over its words i.  A flag: 0 or 1. */
    double initial_number;
    const char *help; /* one line */
    /* The range in which to search for a better value than the default, on a logarithmic scale if tune_log.  A choice:
     * any of its words, from 0 to n_choices - 1.  NaN: the option is not worth a search. */
    double tune_low, tune_high;
    int tune_log;
    double reserved[5]; /* 0 */
} copse_option_info;

/* The i-th method, NULL after the last; the i-th option of a method, 0 after the last or if there is no such method. */
COPSE_API const copse_method_info *copse_method(size_t i);
/* The i-th method that a comparison on so many rows should include, NULL after the last: not the baselines, and not
 * those that would take too long. */
COPSE_API const copse_method_info *copse_method_compared(size_t rows, size_t i);
COPSE_API int copse_method_option(const char *method, size_t i, copse_option_info *out);

/* A method and its options, which decide the result.  Each option is checked when it is set. */
typedef struct copse_params copse_params;
COPSE_API COPSE_MUST_CHECK copse_status copse_params_new(const char *method, copse_params **out, copse_error *err);
COPSE_API COPSE_MUST_CHECK copse_status copse_params_set(copse_params *p, const char *name, const char *value,
                                                         copse_error *err);
/* The value as text, or NULL if there is no such option. */
COPSE_API const char *copse_params_get(const copse_params *p, const char *name);
COPSE_API const char *copse_params_method(const copse_params *p);
COPSE_API void copse_params_free(copse_params *p);

/* What becomes of columns of dates and times. */
typedef enum copse_dates {
    COPSE_DATES_EXPAND, /* time, hour, weekday, month and day of the year */
    COPSE_DATES_NUMBER, /* time alone */
    COPSE_DATES_DROP,   /* they are not used */
    COPSE_DATES_TEXT    /* they are categories */
} copse_dates;

/* The role of each column.  Lists take names, A..B ranges (in the table's order) and * wildcards. */
typedef struct copse_roles {
    size_t size;
    const char *target;   /* required */
    copse_task task;      /* COPSE_TASK_NONE: decided by the values of the target, see copse help fit */
    const char *features; /* NULL: every column without another role */
    const char *drop;     /* columns not used */
    const char *weights;  /* a column of row weights, 0 or more.  cart, ert: whole weights are counts, a row of weight
                           * 2 is two rows; docs/methods says what weights mean to the other methods */
    const char *scale;    /* NULL: ranges of the training rows; "none"; or a CSV file with columns name,min,max */
    /* Classes that may come, besides those of the training rows: n_classes labels.  The model has them from the start,
     * in the usual order of classes, and each of its classes has a probability of 1e-15 or more.  A class that was not
     * announced and is met online is appended.  A target with announced classes is classified. */
    const char *const *classes;
    size_t n_classes;
    /* Columns of text whose values are all amounts ("$1,207.95", "12 %") become numbers; columns whose values are all
     * dates or times become the features NAME.time (days since 1970) and, where they vary, NAME.hour, .weekday, .month
     * and .yearday.  Columns of text that are different in almost every row are identifiers, and left out. */
    copse_dates dates;
    int keep_ids; /* learn from identifiers as well */
} copse_roles;

/* ------------------------------------------------------------------------------------------------------- 5. models */

/* Fits a model.  params NULL: a Mondrian forest with its defaults.  Here and in the functions below, rows whose target
 * is missing are left out, with a warning that counts them and names the first.  COPSE_E_DATA if no training row has a
 * target. */
COPSE_API COPSE_MUST_CHECK copse_status copse_fit(const copse_table *train, const copse_roles *roles,
                                                  const copse_params *params, const copse_run *run, copse_model **out,
                                                  copse_error *err);
/* The same, but takes the table over: it is freed as soon as its rows are encoded, also on failure, and *train becomes
 * NULL.  For large data this saves about half the memory of a fit. */
COPSE_API COPSE_MUST_CHECK copse_status copse_fit_take(copse_table **train, const copse_roles *roles,
                                                       const copse_params *params, const copse_run *run,
                                                       copse_model **out, copse_error *err);

/* Learns more rows, in order.  However a stream is cut into tables, the model is the same, bit for bit.  COPSE_E_USAGE
 * if the method does not learn online, or the model was saved frozen.  COPSE_E_DATA, which leaves the model as it was,
 * if the rows cannot be learnt.  If memory runs out or the call is stopped half way, the model stays valid;
 * copse_model_rows tells whether it has taken the rows in, and if so the next update, even with an empty table,
 * finishes learning them. */
COPSE_API COPSE_MUST_CHECK copse_status copse_update(copse_model *model, const copse_table *rows, const copse_run *run,
                                                     copse_error *err);

typedef struct copse_prediction copse_prediction;

/* Prequential evaluation (test, then train): *out holds the prediction of each row made just before it was learnt. */
COPSE_API COPSE_MUST_CHECK copse_status copse_update_predict(copse_model *model, const copse_table *rows,
                                                             const copse_run *run, copse_prediction **out,
                                                             copse_error *err);

typedef struct copse_predict_options {
    size_t size;
    size_t first; /* the first row to predict, from 0 */
    size_t n;     /* the number of rows; 0: all from `first` on */
    /* Regression: the distribution of the mean of y, on which the trees disagree (epistemic uncertainty), without the
     * noise of y about it.  COPSE_E_USAGE unless copse_model_has_draws.  Classification: the usual probabilities and
     * those of every draw, for copse_prediction_prob_sd, _prob_quantile and _prob_draws.  COPSE_E_USAGE unless
     * copse_model_has_prob_draws. */
    int of_mean;
} copse_predict_options;

/* Predictive distributions of rows of a table.  Columns are matched by name; extra columns are ignored. */
COPSE_API COPSE_MUST_CHECK copse_status copse_predict(const copse_model *model, const copse_table *x,
                                                      const copse_predict_options *opt, const copse_run *run,
                                                      copse_prediction **out, copse_error *err);

/* Leaves out the training rows: the model is smaller and predicts the same, but can no longer learn.  This does not
 * hide the data: a Mondrian forest keeps the corners of its leaves' boxes, which are positions of rows, and the class
 * counts or moments of each leaf, which tell all of a leaf with one row. */
enum { COPSE_SAVE_FROZEN = 1 };

/* Atomic: writes a temporary file beside `path` and renames it when it is whole.  COPSE_E_SYSTEM, with nothing written,
 * while another process, or another copse_lock, is the writer of `path`: see copse_lock_acquire. */
COPSE_API COPSE_MUST_CHECK copse_status copse_save(const copse_model *model, const char *path, unsigned flags,
                                                   const copse_run *run, copse_error *err);
/* Checks everything in the file.  COPSE_E_MODEL if it is damaged. */
COPSE_API COPSE_MUST_CHECK copse_status copse_load(const char *path, const copse_run *run, copse_model **out,
                                                   copse_error *err);
/* The same without a file: the bytes are those of a model file.  copse_write hands them to a function, in one piece or
 * more. */
COPSE_API COPSE_MUST_CHECK copse_status copse_write(const copse_model *model, unsigned flags, const copse_run *run,
                                                    copse_write_fn write, void *arg, copse_error *err);
COPSE_API COPSE_MUST_CHECK copse_status copse_read(const void *bytes, size_t n, const copse_run *run, copse_model **out,
                                                   copse_error *err);
/* Could these be the first bytes of a model file?  A few will do, so that other data need not be read to their end. */
COPSE_API int copse_is_model(const void *bytes, size_t n);
/* Checks all invariants of the model, which is slow.  COPSE_E_MODEL with the one that does not hold. */
COPSE_API COPSE_MUST_CHECK copse_status copse_model_check(const copse_model *model, const copse_run *run,
                                                          copse_error *err);
/* SHA-256 of what was learnt, as 64 hexadecimal digits and a terminator.  The options and the version that wrote the
 * model do not count.  Models of equal options and equal digests predict the same, to the last bit. */
enum { COPSE_DIGEST_SIZE = 65 };
COPSE_API COPSE_MUST_CHECK copse_status copse_model_digest(const copse_model *model, const copse_run *run,
                                                           char out[COPSE_DIGEST_SIZE], copse_error *err);
COPSE_API void copse_model_free(copse_model *model);

COPSE_API copse_task copse_model_task(const copse_model *model);
COPSE_API const copse_params *copse_model_params(const copse_model *model);
COPSE_API const char *copse_model_target(const copse_model *model);
COPSE_API size_t copse_model_rows(const copse_model *model);   /* learnt so far */
COPSE_API int copse_model_can_learn(const copse_model *model); /* copse_update would work */
/* The model averages several draws (trees, or sums of trees), each a predictor of its own: so the spread over draws is
 * an uncertainty, and copse_predict can predict the mean. */
COPSE_API int copse_model_has_draws(const copse_model *model);
/* Classification: copse_predict with of_mean gives the probabilities of every draw. */
COPSE_API int copse_model_has_prob_draws(const copse_model *model);
COPSE_API size_t copse_model_features(const copse_model *model); /* columns as the user knows them */
COPSE_API const char *copse_model_feature(const copse_model *model, size_t i);
COPSE_API copse_kind copse_model_feature_kind(const copse_model *model, size_t i);
/* The number of rows of a table in which feature i has an unseen level: text that no row had when the model was fitted
 * (updates add no levels).  The model treats it as none of the levels it knows.  *opt_row is the first of these rows.
 * 0 for numbers, and if the table has no such column. */
COPSE_API size_t copse_model_unseen(const copse_model *model, const copse_table *t, size_t i, size_t *opt_row);
/* What the training rows hold in a column: those of the fit and of all updates, each counted once whatever its weight.
 * The numbers do not depend on how rows were cut into tables, and those of two models can be added: bins are 2^k wide
 * and begin at multiples of their width, with the smallest k that needs at most 32 bins, so that two neighbours of one
 * model are one bin of another, wider one.  They are saved with the model and are no part of its digest. */
enum { COPSE_HISTOGRAM_BINS = 32, COPSE_HISTOGRAM_EDGES = 33 };
typedef struct copse_column {
    const char *name; /* lives as long as the model */
    copse_kind kind;  /* of a target with classes: COPSE_TEXT */
    uint64_t rows, missing;
    /* Numbers.  Bin i counts what is in [edge[i], edge[i + 1]); the first holds min and the last max.  min and max are
     * NaN and bins is 0 if there are no numbers. */
    double min, max;
    size_t bins;
    double edge[COPSE_HISTOGRAM_EDGES];
    uint64_t count[COPSE_HISTOGRAM_BINS];
    /* Text: how many levels (or classes) the model knows, and in how many rows of updates there was another one. */
    size_t levels;
    uint64_t unseen;
    double reserved[8]; /* 0 */
} copse_column;
/* Column i is feature i; copse_model_features is the target.  Returns 0 if there is no such column, and for models of
 * versions before 1.0, which did not count. */
COPSE_API int copse_model_column(const copse_model *model, size_t i, copse_column *out);
/* Level k of a column of text, the most frequent ones at the fit first; classes have their usual order.  Returns 0 if
 * there is none. */
typedef struct copse_level {
    const char *text; /* lives until the model learns */
    uint64_t rows;
} copse_level;
COPSE_API int copse_model_column_level(const copse_model *model, size_t i, size_t k, copse_level *out);
COPSE_API size_t copse_model_classes(const copse_model *model); /* 0 for regression */
COPSE_API const char *copse_model_class(const copse_model *model, size_t k);
COPSE_API size_t copse_model_trees(const copse_model *model);
/* The number of predictors that are averaged: the trees; or, if each is a sum of trees (bart), the sums.  Trees are
 * then numbered draw after draw. */
COPSE_API size_t copse_model_draws(const copse_model *model);
/* The number of rows worth predicting in one call, per thread: many, but few enough for the answer to fit in memory. */
COPSE_API size_t copse_model_block(const copse_model *model);

/* Figures that describe the model (leaves, depth, log_marginal ...); returns how many. */
typedef struct copse_figure {
    const char *name;
    double value;
} copse_figure;
enum { COPSE_MAX_FIGURES = 24 };
COPSE_API size_t copse_model_figures(const copse_model *model, copse_figure out[COPSE_MAX_FIGURES]);
/* How many of the figures, from the first, are for people; the others are details for programs. */
COPSE_API size_t copse_model_main_figures(const copse_model *model);

/* Convergence diagnostics of samplers.  One check: */
typedef struct copse_check {
    const char *name;
    double value;     /* NaN: too few draws to tell */
    double bound;     /* NaN: for information only */
    int at_least, ok; /* at_least: ok if value >= bound, else if value <= bound; never ok if the value is NaN */
    const char *help; /* one line */
} copse_check;

enum { COPSE_MAX_CHECKS = 24 };
typedef struct copse_diagnosis {
    int ok; /* all checks are ok */
    size_t checks;
    copse_check check[COPSE_MAX_CHECKS];
    char problem[128]; /* what is wrong, in half a line; empty if ok */
    char verdict[512]; /* what is wrong and what to do, in a sentence or two */
} copse_diagnosis;

/* COPSE_OK whatever the verdict; COPSE_E_USAGE if the method is not a sampler. */
COPSE_API COPSE_MUST_CHECK copse_status copse_model_diagnose(const copse_model *model, copse_diagnosis *out,
                                                             copse_error *err);

/* The posterior distribution of trees, from the weighted trees of a sampler.  COPSE_E_USAGE if the method has none. */
typedef struct copse_posterior copse_posterior;
typedef struct copse_bar {
    size_t value;
    double probability;
} copse_bar;
COPSE_API COPSE_MUST_CHECK copse_status copse_posterior_new(const copse_model *model, const copse_run *run,
                                                            copse_posterior **out, copse_error *err);
/* The probability of tree 0, which is the most probable one. */
COPSE_API double copse_posterior_top(const copse_posterior *p);
/* Distributions of the number of leaves and of the depth, by rising value; probabilities sum to 1. */
COPSE_API const copse_bar *copse_posterior_leaves(const copse_posterior *p, size_t *out_n);
COPSE_API const copse_bar *copse_posterior_depth(const copse_posterior *p, size_t *out_n);
/* The probability that a tree splits on the feature; the mean number of splits on the feature in a tree. */
COPSE_API double copse_posterior_inclusion(const copse_posterior *p, size_t feature);
COPSE_API double copse_posterior_splits(const copse_posterior *p, size_t feature);
/* If a draw is a sum of trees (bart), the two functions above are about draws, and copse_posterior_share gives the
 * share of a draw's splits that are on the feature: its mean, and the interval that holds nine draws of ten.  Returns 0
 * if draws are trees. */
typedef struct copse_share {
    double mean, low, high;
} copse_share;
COPSE_API int copse_posterior_share(const copse_posterior *p, size_t feature, copse_share *out);
COPSE_API void copse_posterior_free(copse_posterior *p);

/* The model as one JSON object (schema, options, figures); one tree, as JSON complete enough to recompute
 * predictions. */
COPSE_API COPSE_MUST_CHECK copse_status copse_model_write_json(const copse_model *model, copse_write_fn write,
                                                               void *arg, copse_error *err);
COPSE_API COPSE_MUST_CHECK copse_status copse_model_write_tree(const copse_model *model, size_t tree,
                                                               const char *format, /* json dot text */
                                                               copse_write_fn write, void *arg, copse_error *err);

/* -------------------------------------------------------------------------------------------------- 6. predictions */

COPSE_API size_t copse_prediction_rows(const copse_prediction *p);
COPSE_API size_t copse_prediction_classes(const copse_prediction *p); /* 0 for regression */

/* Classification: the probabilities of a row (they sum to 1) and the most probable class (the first, if tied). */
COPSE_API const double *copse_prediction_probs(const copse_prediction *p, size_t row);
COPSE_API size_t copse_prediction_label(const copse_prediction *p, size_t row);
/* For predictions with of_mean: the probability of class k over the draws of the model.  Its q-quantile is the
 * smallest draw that a share q of the draws does not exceed.  _prob_draws gives n draws, as copse_prediction_draws
 * does: draw i is the same draw of the model in every row and class. */
COPSE_API double copse_prediction_prob_sd(const copse_prediction *p, size_t row, size_t k);
COPSE_API double copse_prediction_prob_quantile(const copse_prediction *p, size_t row, size_t k, double q);
COPSE_API void copse_prediction_prob_draws(const copse_prediction *p, size_t row, size_t k, size_t n, double *out);

/* Regression: a prediction is a mixture of Gaussian and Student-t components.  Quantiles and intervals come from its
 * CDF, not from mean and sd.  The interval of level .9 reaches from the .05 to the .95 quantile. */
COPSE_API double copse_prediction_mean(const copse_prediction *p, size_t row);
COPSE_API double copse_prediction_sd(const copse_prediction *p, size_t row);
COPSE_API double copse_prediction_quantile(const copse_prediction *p, size_t row, double q);
COPSE_API double copse_prediction_cdf(const copse_prediction *p, size_t row, double y);
COPSE_API double copse_prediction_log_density(const copse_prediction *p, size_t row, double y);
COPSE_API double copse_prediction_crps(const copse_prediction *p, size_t row, double y);
/* n draws for one row; the same seed and row index give the same draws.  If a draw of the model is a sum of trees
 * (bart), draw i comes from the same draw of the model in every row.  If n is the number of the model's draws, they
 * come in the order of sampling, chain after chain; if n is smaller, at equal distances; if n is larger, again from the
 * first. */
COPSE_API void copse_prediction_draws(const copse_prediction *p, size_t row, uint64_t seed, size_t n, double *out);
COPSE_API void copse_prediction_free(copse_prediction *p);

/* ------------------------------------------------------------------------------------- 6a. whole columns of numbers */

/* For all rows of a prediction at once what copse_prediction_* gives for one, to the last bit, on run->threads threads;
 * run->stop ends them with COPSE_E_STOPPED, and `out` is then half filled.  `out` has room for a number per row.
 * COPSE_E_USAGE if the prediction has classes. */
COPSE_API COPSE_MUST_CHECK copse_status copse_predictions_mean(const copse_prediction *p, const copse_run *run,
                                                               double *out, copse_error *err);
COPSE_API COPSE_MUST_CHECK copse_status copse_predictions_sd(const copse_prediction *p, const copse_run *run,
                                                             double *out, copse_error *err);
/* n quantiles of each row, in the order of q, row after row: out has rows x n.  They are found together, which is
 * several times faster than one by one; each is within a relative 1e-12 of copse_prediction_quantile, or has the same
 * cdf where that is flat.  Only Students of fewer than two degrees of freedom (smc, bcart, dyntree) are found one by
 * one. */
COPSE_API COPSE_MUST_CHECK copse_status copse_predictions_quantile(const copse_prediction *p, const double *q, size_t n,
                                                                   const copse_run *run, double *out, copse_error *err);
/* At y[row], a value for each row. */
COPSE_API COPSE_MUST_CHECK copse_status copse_predictions_cdf(const copse_prediction *p, const double *y,
                                                              const copse_run *run, double *out, copse_error *err);
COPSE_API COPSE_MUST_CHECK copse_status copse_predictions_log_density(const copse_prediction *p, const double *y,
                                                                      const copse_run *run, double *out,
                                                                      copse_error *err);
COPSE_API COPSE_MUST_CHECK copse_status copse_predictions_crps(const copse_prediction *p, const double *y,
                                                               const copse_run *run, double *out, copse_error *err);
/* n draws of each row, row after row: out has rows x n. */
COPSE_API COPSE_MUST_CHECK copse_status copse_predictions_draws(const copse_prediction *p, uint64_t seed, size_t n,
                                                                const copse_run *run, double *out, copse_error *err);
/* Classification: the probabilities of all rows, rows x classes, row after row: the prediction's own array, not a copy.
 * NULL for regression. */
COPSE_API const double *copse_predictions_probs(const copse_prediction *p);

/* ------------------------------------------------------------------------------------------------- 6b. single rows */

/* A row of a model's features, set value by value, predicted and learnt without a table: no names are matched, and
 * predicting allocates nothing once the first prediction is made.  It gives what a table of that row gives, to the last
 * bit.  A row is used again and again: values stay until they are set anew, and all are missing at first.
 *
 * The row is made for one model, which must outlive it.  It belongs to one thread at a time; each thread makes its own,
 * and they may predict while another thread learns (see copse_model_copy).
 *
 * A prediction after copse_row_learn costs what any prediction costs, but for mondrian's exact posterior of numbers,
 * which is then computed anew from all rows: 5 us a row for 100 trees.  `posterior=fast` keeps its own up to date. */
typedef struct copse_row copse_row;
COPSE_API COPSE_MUST_CHECK copse_status copse_row_new(const copse_model *model, copse_row **out, copse_error *err);
/* Features are numbered as in copse_model_feature.  NaN and NULL are missing.  Text that training did not see is
 * treated as none of the levels.  COPSE_E_USAGE if there is no such feature or it is of the other kind, COPSE_E_DATA if
 * the number is infinite: the feature then keeps its value. */
COPSE_API COPSE_MUST_CHECK copse_status copse_row_set_number(copse_row *row, size_t feature, double value,
                                                             copse_error *err);
COPSE_API COPSE_MUST_CHECK copse_status copse_row_set_text(copse_row *row, size_t feature, const char *opt_text,
                                                           copse_error *err);
COPSE_API COPSE_MUST_CHECK copse_status copse_row_set_missing(copse_row *row, size_t feature, copse_error *err);
/* All features at once, if all are numbers; n is their number. */
COPSE_API COPSE_MUST_CHECK copse_status copse_row_set_numbers(copse_row *row, const double *values, size_t n,
                                                              copse_error *err);
/* *out, a prediction of one row, belongs to the row and lives until its next prediction.  _mean: as copse_predict with
 * of_mean. */
COPSE_API COPSE_MUST_CHECK copse_status copse_row_predict(copse_row *row, const copse_prediction **out,
                                                          copse_error *err);
COPSE_API COPSE_MUST_CHECK copse_status copse_row_predict_mean(copse_row *row, const copse_prediction **out,
                                                               copse_error *err);
/* Learns the row with this target, as copse_update does; model is the one that the row was made for.  The class of a
 * row is text, or a number if classes are.  COPSE_E_DATA if the target is NaN or infinite. */
COPSE_API COPSE_MUST_CHECK copse_status copse_row_learn(copse_row *row, copse_model *model, double target,
                                                        copse_error *err);
COPSE_API COPSE_MUST_CHECK copse_status copse_row_learn_class(copse_row *row, copse_model *model, const char *target,
                                                              copse_error *err);
COPSE_API void copse_row_free(copse_row *row);

/* ------------------------------------------------------------------------------------- 6c. copies, and many threads */

/* A model of its own: the same in all that copse_save keeps, so with the same digest and the same predictions.  The two
 * share no memory.  The copy is made as a save and a load in memory, without compression: what a file does not hold,
 * such as boxes, is computed again, and everything is checked.  So it is no cheap snapshot: with 100 trees of 8,000
 * rows it takes some 80 ms (mondrian), 30 ms (orf) or 25 ms (rf), and for a moment the memory of its sections.  For
 * programs that go back to an earlier state, or that learn a
 * batch beside a model that goes on answering.
 *
 * Learning and reading take turns by themselves: copse_predict, copse_row_predict, copse_eval (in each of its blocks),
 * copse_write, copse_save, copse_model_digest, copse_model_check and copse_model_copy may be called from any
 * number of threads while one calls copse_update, copse_update_predict or copse_row_learn.  Each of them sees the model
 * as it was before or after the update, never in between, and waits for a running update to end; an update goes before
 * readers that come later.  A callback of copse_run must not call them on the model whose call it is part of.  Other
 * functions (names of classes, figures, trees) must not run during an update. */
COPSE_API COPSE_MUST_CHECK copse_status copse_model_copy(const copse_model *model, const copse_run *run,
                                                         copse_model **out, copse_error *err);

/* ----------------------------------------------------------------------------------- 6d. mixtures, traces and draws */

/* Regression: the components of a row's mixture; their weights sum to 1, df is INFINITY for a Gaussian.  _component
 * returns 0 if there is none of that number. */
typedef struct copse_component {
    double weight, location, scale, df;
} copse_component;
COPSE_API size_t copse_prediction_components(const copse_prediction *p, size_t row);
COPSE_API int copse_prediction_component(const copse_prediction *p, size_t row, size_t i, copse_component *out);

/* What a sampler keeps of each draw of its chains: bart has sigma (regression), log_likelihood, leaves, and fitted_1
 * ... (f at some training rows), bcart has log_posterior and leaves.  _trace returns 0 after the last; _trace_values
 * writes chains x draws numbers, chain after chain. */
typedef struct copse_trace {
    char name[32];
    size_t chains, draws; /* draws: of a chain */
} copse_trace;
COPSE_API int copse_model_trace(const copse_model *model, size_t i, copse_trace *out);
COPSE_API COPSE_MUST_CHECK copse_status copse_model_trace_values(const copse_model *model, size_t i, double *out,
                                                                 copse_error *err);

/* The log likelihood of y[row] (classes: the number of the class) in each draw of the model, row after row: out has
 * rows x copse_predictions_model_draws.  Draws are in the order of sampling, chain after chain: what leave-one-out
 * estimates (loo, WAIC) need.  COPSE_E_USAGE if the prediction holds no draws, which is so for all methods but bart;
 * its predictions hold them, those of classes if predicted with of_mean. */
COPSE_API size_t copse_predictions_model_draws(const copse_prediction *p);
COPSE_API COPSE_MUST_CHECK copse_status copse_predictions_log_likelihood(const copse_prediction *p, const double *y,
                                                                         const copse_run *run, double *out,
                                                                         copse_error *err);

/* -------------------------------------------------------------------------------------------------- 7. evaluation */

typedef struct copse_coverage {
    double level;    /* .1 ... .9 */
    double observed; /* share of rows inside the central interval of the mixture */
    double gaussian; /* share of rows inside mean +- z sd, the measure of the papers */
} copse_coverage;

enum { COPSE_LEVELS = 9, COPSE_BINS = 10 };

typedef struct copse_scores {
    copse_task task;
    size_t rows, classes;
    /* classification; auc is NaN unless there are two classes */
    double accuracy, log_loss, brier, ece, auc;
    struct {
        double confidence, accuracy; /* means over the bin's rows, NaN when empty */
        size_t rows;
    } reliability[COPSE_BINS];
    /* regression */
    double rmse, mae, nlpd, crps, sharpness; /* sharpness: mean predictive sd */
    copse_coverage coverage[COPSE_LEVELS];
    size_t pit[COPSE_BINS];                      /* histogram of F(y) */
    double interval, interval_observed;          /* the level asked for, or 0, and the share of rows covered */
    double predict_seconds, predict_cpu_seconds; /* prediction alone, without scoring */
    double fit_seconds, fit_cpu_seconds;         /* copse_cv: the fit of the fold; else 0 */
    double reserved[14];                         /* 0 */
} copse_scores;

/* Accumulates scores over any number of predictions.  The model must outlive the scorer.  It may learn in between:
 * classes are those of the model at the time of copse_scorer_add. */
typedef struct copse_scorer copse_scorer;
COPSE_API COPSE_MUST_CHECK copse_status copse_scorer_new(const copse_model *model, double interval, copse_scorer **out,
                                                         copse_error *err);
/* The rows of p are rows `first` ... of `truth`, whose target column has the name of the model's target.  Rows whose
 * target is missing are skipped.  A class that the model has never seen counts as wrong; its probability, 0, is raised
 * to 1e-15. */
COPSE_API COPSE_MUST_CHECK copse_status copse_scorer_add(copse_scorer *s, const copse_prediction *p,
                                                         const copse_table *truth, size_t first, copse_error *err);
COPSE_API void copse_scorer_read(const copse_scorer *s, copse_scores *out);
COPSE_API void copse_scorer_free(copse_scorer *s);

typedef struct copse_eval_options {
    size_t size;
    double interval; /* a level in (0,1) whose coverage is measured too, or 0 */
    /* A column of row weights, 0 or more, or NULL.  Means and shares are then weighted, and rows of weight 0 are not
     * scored; `rows` in scores and reliability, and pit, stay plain counts. */
    const char *weights;
} copse_eval_options;

/* Predicts and scores a whole table, in blocks.  Logs how many rows are of a class that the model has never seen. */
COPSE_API COPSE_MUST_CHECK copse_status copse_eval(const copse_model *model, const copse_table *test,
                                                   const copse_eval_options *opt, const copse_run *run,
                                                   copse_scores *out, copse_error *err);

typedef struct copse_cv_options {
    size_t size;
    const copse_params *params; /* as for copse_fit */
    size_t folds;               /* 0: 10 */
    size_t repeats;             /* 0: 1 */
    uint64_t seed;              /* of the folds */
} copse_cv_options;

/* Cross-validation.  Within a repeat each row is tested in one fold; folds are stratified by class.  out has
 * folds x repeats entries, repeat-major.  The folds depend on seed, rows, folds and repeats only, so that methods are
 * compared on the same folds. */
COPSE_API COPSE_MUST_CHECK copse_status copse_cv(const copse_table *data, const copse_roles *roles,
                                                 const copse_cv_options *opt, const copse_run *run, copse_scores *out,
                                                 copse_error *err);

/* Feature importance; out has copse_model_features entries, in the order of the features. */
typedef struct copse_importance {
    double mean, sd;
} copse_importance;

/* By impurity: the decrease of impurity on the training rows by the splits on the feature, as a share of that by all
 * splits of the tree; mean and sd over the trees.  COPSE_E_USAGE if the method does not measure it. */
COPSE_API COPSE_MUST_CHECK copse_status copse_importance_impurity(const copse_model *model, const copse_run *run,
                                                                  copse_importance *out, copse_error *err);
typedef struct copse_permute_options {
    size_t size;
    size_t repeats;   /* shuffles of each column, 0: 5 */
    uint64_t seed;    /* of the shuffles */
    double *out_loss; /* if not NULL: gets the loss without shuffling */
} copse_permute_options;

/* By permutation: the increase of the loss (RMSE, or log loss of classes) when the feature's column is shuffled; the
 * mean over the shuffles.  sd is over the trees, each taken as a model of its own, if copse_model_has_draws; else over
 * the shuffles, NaN if there is one.  Rows whose target is missing are skipped. */
COPSE_API COPSE_MUST_CHECK copse_status copse_importance_permute(const copse_model *model, const copse_table *data,
                                                                 const copse_permute_options *opt, const copse_run *run,
                                                                 copse_importance *out, copse_error *err);

/* Partial dependence: the mean prediction over rows when a feature is set to each value of a grid. */
typedef struct copse_effect_options {
    size_t size;
    const char *feature;
    size_t points; /* size of the grid, 0: 20.  Numbers: quantiles of the data; text: the most frequent levels */
    size_t rows;   /* rows to average over, 0: 1000; a random sample if the data have more */
    uint64_t seed; /* of the sample of rows */
    double level;  /* of the interval over the trees, 0: .9 */
} copse_effect_options;

typedef struct copse_effect copse_effect;
COPSE_API COPSE_MUST_CHECK copse_status copse_effect_new(const copse_model *model, const copse_table *data,
                                                         const copse_effect_options *opt, const copse_run *run,
                                                         copse_effect **out, copse_error *err);
/* The number of points: at most as many as asked for, and one more, the last, for missing values if the method takes
 * them as they are and the training rows had some. */
COPSE_API size_t copse_effect_points(const copse_effect *e);
COPSE_API size_t copse_effect_rows(const copse_effect *e);
COPSE_API size_t copse_effect_left_out(const copse_effect *e); /* levels beyond the number of points */
/* The value of a point: its number, NaN for text; its level, NULL for numbers.  Neither if it stands for missing
 * values. */
COPSE_API double copse_effect_number(const copse_effect *e, size_t point);
COPSE_API const char *copse_effect_text(const copse_effect *e, size_t point);
COPSE_API int copse_effect_is_missing(const copse_effect *e, size_t point);
/* The mean prediction of y (k is 0), or of the probability of class k.  lo and hi are the bounds of its interval over
 * the trees; NaN unless copse_model_has_draws. */
COPSE_API double copse_effect_mean(const copse_effect *e, size_t point, size_t k);
COPSE_API double copse_effect_lo(const copse_effect *e, size_t point, size_t k);
COPSE_API double copse_effect_hi(const copse_effect *e, size_t point, size_t k);
COPSE_API void copse_effect_free(copse_effect *e);

/* A random split: out_test gets round(share x rows) rows, out_train the others.  The choice depends on seed, rows and
 * share alone. */
COPSE_API COPSE_MUST_CHECK copse_status copse_holdout(const copse_table *data, double share, uint64_t seed,
                                                      copse_table **out_train, copse_table **out_test,
                                                      copse_error *err);

/* ------------------------------------------------------------------------------------------------- 8. optimisation */

/* A study is a Bayesian optimisation: it looks for the point at which an objective, costly to evaluate, is largest or
 * smallest.  Ask it where to evaluate next, and tell it the value there.  Its surrogate is a Mondrian forest that
 * learns online.  Any number of points may be asked for before the first value is told. */
typedef struct copse_study copse_study;

typedef enum copse_dim_kind { COPSE_DIM_REAL, COPSE_DIM_INTEGER, COPSE_DIM_CATEGORY } copse_dim_kind;
typedef struct copse_dim {
    const char *name;
    copse_dim_kind kind;
    double low, high; /* numbers: the range, both ends included.  Categories: 0 and n_levels - 1 */
    int log;          /* numbers: search on the logarithmic scale */
    const char *const *levels;
    size_t n_levels;
} copse_dim;

typedef struct copse_study_options {
    size_t size;
    const copse_dim *dims; /* the search space is a box of n_dims dimensions */
    size_t n_dims;
    const copse_table *grid; /* or a list of points: the rows of a table with a column per dimension */
    const char *grid_drop;   /* columns of the grid that are not dimensions, a list as in copse_roles */
    const char *grid_log;    /* columns of the grid on the logarithmic scale */
    int minimise;
    const char *acquisition; /* ucb (mean + kappa sd), ei, thompson, random; NULL: ucb */
    double kappa;            /* 0: 1 */
    size_t trees;            /* 0: 10 */
    size_t initial;          /* size of the space-filling initial design; 0: a few more than dimensions */
    uint64_t seed;
} copse_study_options;

typedef enum copse_trial_state { COPSE_TRIAL_ASKED, COPSE_TRIAL_TOLD, COPSE_TRIAL_FAILED } copse_trial_state;
typedef struct copse_trial {
    size_t id;       /* 1, 2 ... */
    const double *x; /* a number per dimension; for a category, the index of its level; lives until the study changes */
    copse_trial_state state;
    double value; /* NaN unless told */
    size_t row;   /* row of the grid, from 0; (size_t)-1 in a box */
} copse_trial;

/* A new study in a new file, or in memory alone if opt_path is NULL. */
COPSE_API COPSE_MUST_CHECK copse_status copse_study_new(const char *opt_path, const copse_study_options *opt,
                                                        const copse_run *run, copse_study **out, copse_error *err);
/* Opens an existing study.  Several processes may have it open: each call that asks, tells or looks first reads what
 * the others have told, and no two processes are given the same point. */
COPSE_API COPSE_MUST_CHECK copse_status copse_study_open(const char *path, const copse_run *run, copse_study **out,
                                                         copse_error *err);
COPSE_API COPSE_MUST_CHECK copse_status copse_study_ask(copse_study *s, const copse_run *run, copse_trial *out,
                                                        copse_error *err);
/* Tells the objective at the point of a trial; NaN: the evaluation failed.  When the call returns, the value is on
 * disk.  COPSE_E_USAGE if there is no such trial, or it was told before. */
COPSE_API COPSE_MUST_CHECK copse_status copse_study_tell(copse_study *s, size_t id, double value, const copse_run *run,
                                                         copse_error *err);
/* Tells the objective at a point that was not asked for. */
COPSE_API COPSE_MUST_CHECK copse_status copse_study_add(copse_study *s, const double *x, double value,
                                                        const copse_run *run, copse_trial *opt_out, copse_error *err);
/* Reads what other processes have written. */
COPSE_API COPSE_MUST_CHECK copse_status copse_study_look(copse_study *s, const copse_run *run, copse_error *err);

COPSE_API size_t copse_study_dims(const copse_study *s);
COPSE_API const copse_dim *copse_study_dim(const copse_study *s, size_t i);
COPSE_API size_t copse_study_points(const copse_study *s); /* rows of the grid, 0 for a box */
COPSE_API int copse_study_minimises(const copse_study *s);
COPSE_API const char *copse_study_acquisition(const copse_study *s);
/* The options that the study was made with, except those of the space (dims and grid). */
COPSE_API void copse_study_settings(const copse_study *s, copse_study_options *out);
COPSE_API size_t copse_study_trials(const copse_study *s);
/* The trial of that id; returns 0 if there is none. */
COPSE_API int copse_study_trial(const copse_study *s, size_t id, copse_trial *out);
/* The id of the trial that was told i-th, from 0; 0 after the last.  Failed trials do not count. */
COPSE_API size_t copse_study_told(const copse_study *s, size_t i);
/* The id of the best trial told, the first one of equals; 0 if there is none. */
COPSE_API size_t copse_study_best(const copse_study *s);
COPSE_API void copse_study_free(copse_study *s);

/* ---------------------------------------------------------------------------------- 9. experimental: may yet change */

/* How stable the top of a tree is [Taddy et al. 2015, sec. 3.2].  The trunk of the sample is its `cart` tree under a
 * bound on leaves.  It is compared with the trunks of a Bayesian forest under the same bound, each a draw from the
 * posterior. */
typedef struct copse_trunks copse_trunks;

/* Nodes are in breadth-first order; the root is 0. */
typedef struct copse_trunk_node {
    int left, right;     /* -1 at a leaf */
    const char *feature; /* NULL at a leaf */
    double cut;          /* x <= cut goes left; NaN at leaves and at splits of categories */
    size_t rows;         /* leaf of the sample's trunk: rows in it */
    char note[96];       /* leaf of the sample's trunk: what it predicts */
} copse_trunk_node;

/* A kind of trunks: those with the same features at the same nodes. */
typedef struct copse_trunk {
    size_t draws; /* of this kind */
    size_t nodes;
    const copse_trunk_node *node; /* its cuts are those of the sample, or medians over the draws */
} copse_trunk;

/* How often the draws share a split of the sample's trunk. */
typedef struct copse_trunk_split {
    int node;           /* of the sample's trunk */
    size_t first;       /* draws with the sample's features here and at every split before it, breadth first */
    size_t here;        /* draws with the sample's features here and at every split above it */
    const double *cuts; /* the cuts of these `here` draws, rising; NULL if categories are split */
} copse_trunk_split;

/* params are those of the forest, whose trees are the draws (NULL: bf with 100 trees of at most 5 leaves); the tree of
 * the sample has the same options.  COPSE_E_USAGE if the method is one that takes_categories is 0 for, or if the tree
 * of the sample has more than 256 leaves: bound it by max-leaves, max-depth or min-leaf. */
COPSE_API COPSE_MUST_CHECK copse_status copse_stability(const copse_table *data, const copse_roles *roles,
                                                        const copse_params *params, const copse_run *run,
                                                        copse_trunks **out, copse_error *err);
COPSE_API size_t copse_trunks_draws(const copse_trunks *t);
/* Kind 0 is that of the sample, even if no draw has it; the others follow, the most frequent first.  NULL after the
 * last. */
COPSE_API const copse_trunk *copse_trunks_kind(const copse_trunks *t, size_t i);
/* The i-th split of the sample's trunk, breadth first.  NULL after the last. */
COPSE_API const copse_trunk_split *copse_trunks_split(const copse_trunks *t, size_t i);
COPSE_API void copse_trunks_free(copse_trunks *t);

/* ------------------------------------------------------------------------------------------ 10. files and positions */

/* A file that is written whole or not at all.  The bytes go to a temporary file in the same folder; commit puts it on
 * the disk and in the place of `path`, so that readers, and a power cut, find the old bytes or the new ones.  Symbolic
 * links are followed and stay; an existing file keeps its mode and, as far as the system permits, its owner; a file
 * without write permission is refused.  Devices and pipes are written directly.  Temporary files of writers that were
 * killed are removed by the next writer of the same path.  docs/durability.md has all of it. */
typedef struct copse_file copse_file;
COPSE_API COPSE_MUST_CHECK copse_status copse_file_open(const char *path, copse_file **out, copse_error *err);
COPSE_API COPSE_MUST_CHECK copse_status copse_file_write(copse_file *f, const void *bytes, size_t n, copse_error *err);
/* The open file, to be written in the caller's own way, e.g. by fdopen of a dup; it stays the library's.  -1 for
 * NULL. */
COPSE_API int copse_file_descriptor(const copse_file *f);
/* Makes the bytes those of the path.  Frees f, also on failure, which leaves the path as it was. */
COPSE_API COPSE_MUST_CHECK copse_status copse_file_commit(copse_file *f, copse_error *err);
/* Drops the bytes and frees f; NULL is accepted. */
COPSE_API void copse_file_abandon(copse_file *f);

/* The lock of the one writer of a model, to be held from load to save: whoever saves a model that another process has
 * loaded since, to learn more rows, undoes its work.  Readers need no lock.  The path need not exist yet.  If another
 * process, or another lock of this one, has it: COPSE_E_SYSTEM at once, or, with `wait`, the call lasts until it is
 * free or run->stop is set. */
typedef struct copse_lock copse_lock;
COPSE_API COPSE_MUST_CHECK copse_status copse_lock_acquire(const char *path, int wait, const copse_run *run,
                                                           copse_lock **out, copse_error *err);
/* copse_save to the path of the lock, which stays held. */
COPSE_API COPSE_MUST_CHECK copse_status copse_lock_save(copse_lock *lock, const copse_model *model, unsigned flags,
                                                        const copse_run *run, copse_error *err);
/* 0 if the file system has no locks, so that nobody is kept out; and for NULL. */
COPSE_API int copse_lock_excludes(const copse_lock *lock);
/* NULL is accepted.  The end of a process releases its locks. */
COPSE_API void copse_lock_release(copse_lock *lock);

/* How far a stream has been read. */
typedef struct copse_position {
    uint64_t rows;     /* handed out or skipped, with those that have no target */
    uint64_t bytes;    /* up to the end of these rows, decompressed; formats that are not read row by row: all */
    uint64_t line;     /* of the next row */
    char hash[65];     /* SHA-256 of these bytes, by which the source is known again */
    const char *token; /* any text of the user's, at most 1,000 bytes, or NULL */
} copse_position;

/* The position behind the rows that were handed out last; 0 for NULL. */
COPSE_API int copse_stream_position(const copse_stream *s, copse_position *out);
/* Goes on behind a position.  The stream must have just been opened, at the beginning of the same source: COPSE_E_DATA
 * if its bytes up to the position are not those that were read before. */
COPSE_API COPSE_MUST_CHECK copse_status copse_stream_resume(copse_stream *s, const copse_position *to,
                                                            const copse_run *run, copse_error *err);
/* Takes back the rows of the last copse_stream_next, or the row of the last copse_stream_skip: the next call hands them
 * out again. */
COPSE_API void copse_stream_undo(copse_stream *s);
/* After a copse_stream_next that failed with COPSE_E_DATA the stream is still before the rows: ask for fewer of them,
 * and pass over the bad one.  The row's text, with its end of line, lives until the next call. */
typedef struct copse_row_text {
    int got;          /* 0: the stream has ended */
    const char *text; /* not terminated; NULL in formats that are not read row by row */
    size_t n;
    long line;
} copse_row_text;
COPSE_API COPSE_MUST_CHECK copse_status copse_stream_skip(copse_stream *s, const copse_run *run, copse_row_text *out,
                                                          copse_error *err);
/* Waits until rows, or the end, may have arrived.  *out_ready is 0 if they have not within so many seconds. */
COPSE_API COPSE_MUST_CHECK copse_status copse_stream_wait(copse_stream *s, double seconds, const copse_run *run,
                                                          int *out_ready, copse_error *err);

/* The position of a model in the stream that it learnt from last is saved with it and is no part of its digest.  Set it
 * before a save; it is copied.  copse_model_position returns 0 if there is none; the token lives until the next set. */
COPSE_API COPSE_MUST_CHECK copse_status copse_model_set_position(copse_model *model, const copse_position *p,
                                                                 copse_error *err);
COPSE_API int copse_model_position(const copse_model *model, copse_position *out);

#ifdef __cplusplus
}
#endif

#endif
