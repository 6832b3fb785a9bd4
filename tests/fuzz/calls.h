/* calls - calls every function of copse.h with arguments that are valid, NULL, or out of range.
 *
 * make-calls writes a function for each public one.  It picks its arguments from a world, which owns objects of every
 * type, and puts what is made back into it. */
#ifndef CALLS_H
#define CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "copse.h"
#include "data/arrow.h"

enum { CALLS_POOLS = 32, CALLS_KEPT = 4, CALLS_ARGS = 8, CALLS_BUFFER = 4096 };

typedef enum calls_result { CALLS_VOID, CALLS_STATUS, CALLS_POINTER, CALLS_NUMBER, CALLS_COUNT } calls_result;

typedef struct calls_world {
    uint64_t state; /* of the random numbers */
    char dir[64];   /* files are made here */
    void *kept[CALLS_POOLS][CALLS_KEPT];
    /* How the next call goes wrong: argument `null_at` is NULL, or `huge_at` is out of range; -1: none.  If `wild`,
     * arguments go wrong at random. */
    int null_at, huge_at, wild;
    uint64_t huge;
    unsigned nulls; /* bits of the arguments that were NULL */
    /* What came out. */
    calls_result result;
    copse_status status;
    const void *pointer;
    double value;
    size_t count;
    copse_error err;
    int with_err;
    /* Memory for arguments. */
    double number[CALLS_BUFFER];
    const char *text[CALLS_BUFFER];
    size_t rows[CALLS_BUFFER], size;
    int flag;
    const copse_prediction *borrowed;
    copse_position position;
    const copse_table *tables[CALLS_KEPT];
    char bytes[CALLS_BUFFER], path[128];
    _Alignas(16) unsigned char filled[1 << 18]; /* structs that the library fills, arrays of them */
    double loss;
    copse_source source;
    size_t fed; /* bytes that the source has given */
    copse_values values;
    struct ArrowArrayStream arrow;
    copse_run run;
    copse_roles roles;
    copse_read_options read;
    copse_synth_options synth;
    copse_predict_options predict;
    copse_eval_options eval;
    copse_cv_options cv;
    copse_permute_options permute;
    copse_effect_options effect;
    copse_study_options study;
    copse_dim dim[3];
} calls_world;

typedef struct calls_pool_info {
    const char *type;
    void (*free)(void *object);
} calls_pool_info;

typedef struct calls_function {
    const char *name;
    void (*call)(calls_world *w);
    int args;
    int needed[CALLS_ARGS]; /* the argument may not be NULL */
    int sizes[CALLS_ARGS];  /* the argument is a size_t */
} calls_function;

/* Written by make-calls. */
extern const calls_pool_info calls_pool[];
extern const size_t calls_pools;
extern const calls_function calls_list[];
extern const size_t calls_functions;
extern const char *const calls_unknown[]; /* kinds of arguments that make-calls does not know, NULL at the end */

/* A world with files and one object of each type; `dir` is an empty folder. */
void calls_init(calls_world *w, const char *dir, uint64_t seed);
/* Frees the objects; the files stay. */
void calls_clear(calls_world *w);
/* Fills the pools that are empty. */
void calls_fill(calls_world *w);

/* Prints what is wrong and ends the program with an error. */
_Noreturn void calls_fail(const char *function, const char *what);

/* ------------------------------------------------------------------------------------------------ for make-calls */

#define CALLS_NULL(w, i) calls_is_null((w), (i))
int calls_is_null(calls_world *w, int i);
uint64_t calls_random(calls_world *w);
size_t calls_size(calls_world *w, int i, const char *name);
double calls_double(calls_world *w);
/* Whether to wait for a lock: not while the world holds one, which nobody would release meanwhile. */
int calls_wait(calls_world *w, size_t locks);
const char *calls_text(calls_world *w, int i, const char *name);
const char *const *calls_texts(calls_world *w);
const double *calls_doubles(calls_world *w);
const size_t *calls_rows(calls_world *w);
const void *calls_bytes(calls_world *w);
size_t calls_length(calls_world *w, int i); /* of these bytes */
const copse_source *calls_source(calls_world *w, int i);
const copse_position *calls_position(calls_world *w, int i);
const copse_values *calls_values(calls_world *w, int i);
struct ArrowArrayStream *calls_arrow(calls_world *w, int i);
const copse_table *const *calls_tables(calls_world *w);
copse_error *calls_error(calls_world *w);
copse_status calls_write(void *arg, const char *bytes, size_t n);
const copse_run *calls_run(calls_world *w);
const copse_roles *calls_roles(calls_world *w, int i);
const copse_read_options *calls_read_options(calls_world *w);
const copse_synth_options *calls_synth_options(calls_world *w);
const copse_predict_options *calls_predict_options(calls_world *w);
const copse_eval_options *calls_eval_options(calls_world *w);
const copse_cv_options *calls_cv_options(calls_world *w);
const copse_permute_options *calls_permute_options(calls_world *w);
const copse_effect_options *calls_effect_options(calls_world *w);
const copse_study_options *calls_study_options(calls_world *w, int i);

/* An object of a pool, NULL if that is how the call goes wrong; one that leaves the pool. */
void *calls_pick(calls_world *w, int i, size_t pool);
void *calls_take(calls_world *w, size_t pool);
/* What an out argument holds before the call: a failure must replace it by NULL. */
void *calls_poison(void);
/* An out argument after the call. */
void calls_made(calls_world *w, int i, size_t pool, void *object, copse_status status);
/* An object that the call was to take over. */
void calls_taken(calls_world *w, int i, size_t pool, void *object);
void calls_status(calls_world *w, copse_status status);
void calls_pointer(calls_world *w, const void *pointer);
void calls_number(calls_world *w, double value);
void calls_count(calls_world *w, size_t count);

#endif
