/* sampler - a fit that can be stopped, saved and resumed. */
#ifndef CP_SAMPLER_H
#define CP_SAMPLER_H

#include "base/codec.h"
#include "method/param.h"
#include "method/rows.h"

/* A fit that takes its time, as a thing that can be stopped, saved and taken up again without a trace in the result. */
typedef struct cp_sampler {
    /* The rows are borrowed until clear. */
    copse_status (*begin)(const cp_rows *rows, const copse_params *p, const copse_run *run, void **out_job,
                          copse_error *err);
    /* Goes on for `amount` units of work, whatever these are; 0: to the end.  After any failure, COPSE_E_STOPPED among
     * them, the job can be saved or go on. */
    copse_status (*advance)(void *job, size_t amount, const copse_run *run, int *out_done, copse_error *err);
    /* What is left of a job that is done; it stays as it is. */
    copse_status (*finish)(void *job, const copse_run *run, void **out_state, copse_error *err);
    void (*clear)(void *job);
    copse_status (*write)(void *job, cp_writer *w, copse_error *err);
    /* In place of begin, with the rows and options the job was written with; but `grows`, if it has a name, is an
     * option that may have grown since, even if the job was done. */
    copse_status (*read)(cp_reader *r, const cp_rows *rows, const copse_params *p, const copse_run *run, void **out_job,
                         copse_error *err);
    const char *grows;
} cp_sampler;

#endif
