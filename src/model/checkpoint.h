/* checkpoint - the fit of a sampler, which may be long: in pieces, with its state kept in a file from which it can go
 * on.
 *
 * A checkpoint is an image like a model's.  It names method and options and has a checksum of the rows, so that it
 * cannot be taken up with others; the rest is the sampler's own. */
#ifndef CP_CHECKPOINT_H
#define CP_CHECKPOINT_H

#include "method/method.h"

/* To the end, from run->resume if that is given.  If run->checkpoint is, the state is saved there from time to time, at
 * the end, and when the fit is stopped. */
copse_status cp_checkpoint_fit(const copse_params *p, const cp_rows *rows, const copse_run *run, void **out_state,
                               copse_error *err);
/* Is this the image of a checkpoint? */
int cp_checkpoint_is(const cp_reader *r);

#endif
