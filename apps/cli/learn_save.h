/* learn_save - when and how `learn` saves, and what is in the file afterwards. */
#ifndef LEARN_SAVE_H
#define LEARN_SAVE_H

#include "learn_job.h"

/* --save-every N|30s. */
copse_status learn_save_options(learn_job *l, const cli *c, copse_error *err);
/* Becomes the one writer of the output, with --wait after others have ended. */
copse_status learn_save_lock(learn_job *l, cli *c, copse_error *err);

/* Saves the model and its position in the stream. */
copse_status learn_save(learn_job *l, copse_error *err);
/* The same if it is time. */
copse_status learn_save_if_due(learn_job *l, copse_error *err);
/* Waits for rows, and saves if it is time before they come. */
copse_status learn_save_while_waiting(learn_job *l, copse_error *err);

/* Rows of the source that have been learnt, left out or skipped. */
uint64_t learn_save_rows(const learn_job *l);
/* Is all that was learnt in the file? */
int learn_save_is_complete(const learn_job *l);
/* After a failure, for the reason in err: saves what was learnt, and adds to the message what the file holds.  Returns
 * the status to end with. */
copse_status learn_save_after(learn_job *l, copse_status status, copse_error *err);

#endif
