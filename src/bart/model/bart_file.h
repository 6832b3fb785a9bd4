/* bart_file - a model as sections of a model file, and back; docs/format.md lists the sections. */
#ifndef CP_BART_FILE_H
#define CP_BART_FILE_H

#include "method/method.h"

copse_status cp_bart_file_write(const void *state, const copse_params *p, unsigned flags, cp_writer *w,
                                copse_error *err);
copse_status cp_bart_file_read(cp_reader *r, const copse_params *p, cp_rows_shape shape, void **out_state,
                               copse_error *err);
/* NULL if the model is valid, else what is wrong. */
const char *cp_bart_file_check(const void *state);

#endif
