/* checkpoint - the fit of a sampler, which may take long: in steps, with the state saved in a file from which an
 * interrupted fit resumes.
 *
 * A checkpoint has the file format of a model.  It holds the method, its options and a checksum of the rows, so that a
 * fit cannot resume with others; the rest belongs to the sampler. */
#ifndef CP_CHECKPOINT_H
#define CP_CHECKPOINT_H

#include "method/method.h"

/* Samples to the end, from the state in run->resume or run->resume_bytes if one is given.  If run->checkpoint or
 * run->checkpoint_write is given, the state is saved there from time to time, at the end, and when the fit is
 * stopped. */
copse_status cp_checkpoint_fit(const copse_params *p, const cp_rows *rows, const copse_run *run, void **out_state,
                               copse_error *err);
/* Does the file hold a checkpoint, not a model? */
int cp_checkpoint_is(const cp_reader *r);

#endif
