/* bart_draws_file - draws as sections of a model file or checkpoint, and back. */
#ifndef CP_BART_DRAWS_FILE_H
#define CP_BART_DRAWS_FILE_H

#include "bart/draws/bart_draws.h"
#include "base/codec.h"

copse_status cp_bart_draws_file_write(const cp_bart_draws *d, cp_writer *w, copse_error *err);
/* Checks everything it reads; there may be no draws yet, and draws can be added afterwards.  After a failure `out` is
 * empty. */
copse_status cp_bart_draws_file_read(cp_reader *r, size_t dims, size_t trees, cp_bart_draws *out, copse_error *err);

#endif
