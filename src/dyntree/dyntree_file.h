/* dyntree_file - writes a model in sections and reads it back; docs/format.md lists the sections. */
#ifndef CP_DYNTREE_FILE_H
#define CP_DYNTREE_FILE_H

#include "dyntree/dyntree.h"

copse_status cp_dyntree_file_write(const void *state, const copse_params *p, unsigned flags, cp_writer *w,
                                   copse_error *err);
copse_status cp_dyntree_file_read(cp_reader *r, const copse_params *p, cp_rows_shape shape, void **out_state,
                                  copse_error *err);

#endif
