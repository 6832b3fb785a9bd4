/* sampler - a fit that can be stopped, saved and resumed without any change of its result.  This header declares a type
 * only. */
#ifndef CP_SAMPLER_H
#define CP_SAMPLER_H

#include "base/codec.h"
#include "method/param.h"
#include "method/rows.h"

typedef struct cp_sampler {
    /* Starts a job.  The rows are borrowed until clear. */
    copse_status (*begin)(const cp_rows *rows, const copse_params *p, const copse_run *run, void **out_job,
                          copse_error *err);
    /* Works for `amount` units, such as sweeps or rows, which the method chooses; 0: to the end.  After any failure,
     * also COPSE_E_STOPPED, the job can be saved or advanced again. */
    copse_status (*advance)(void *job, size_t amount, const copse_run *run, int *out_done, copse_error *err);
    /* Makes the method's state from a finished job, which stays as it is. */
    copse_status (*finish)(void *job, const copse_run *run, void **out_state, copse_error *err);
    void (*clear)(void *job);
    copse_status (*write)(void *job, cp_writer *w, copse_error *err);
    /* In place of begin: reads a job that was written, with the rows and options it was begun with.  Only the
     * extendable option may be larger than then. */
    copse_status (*read)(cp_reader *r, const cp_rows *rows, const copse_params *p, const copse_run *run, void **out_job,
                         copse_error *err);
    /* The option that may grow when a job is resumed, even a finished one; NULL: none. */
    const char *extendable_option;
} cp_sampler;

#endif
