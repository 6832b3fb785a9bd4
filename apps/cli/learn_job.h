/* learn_job - the state of a `learn`. */
#ifndef LEARN_JOB_H
#define LEARN_JOB_H

#include "cli_out.h"
#include "cli_unseen.h"
#include "learn_source.h"

typedef struct learn_job {
    const char *model_path, *out_path, *stream_path;
    const char *token; /* of the position, NULL if there is none */
    copse_lock *lock;  /* of out_path, from load to the last save; NULL if that is standard output */
    int writer;        /* nobody else writes to out_path */
    cli_stamp before;  /* of out_path when it was read, or last saved by this process */
    learn_source source;
    uint64_t init_rows, every, save_every; /* in rows; save_every 0: by time */
    double save_seconds;                   /* between two saves, if save_every is 0 */
    double next_save;                      /* wall-clock time */
    int prequential, created, resume;
    int broken; /* an update ended half way: what it left is not saved */
    copse_params *params;
    copse_model *model;
    copse_scorer *all, *window;
    size_t classes;      /* known at the start */
    size_t learnt;       /* rows of this run, including those of the first fit and those without a target */
    size_t without;      /* of learnt: rows without a target */
    size_t window_start; /* rows before the current window */
    size_t lines;        /* lines of the report so far */
    int any_saved;
    uint64_t saved_rows; /* position of the last save */
    cli_unseen unseen;
    double seconds, learn_cpu_seconds; /* total; of the updates alone, without reading and saving */
} learn_job;

#endif
