/* orf_file - writes a forest in sections and reads it back; docs/format.md lists the sections. */
#ifndef CP_ORF_FILE_H
#define CP_ORF_FILE_H

#include "orf/orf.h"

copse_status cp_orf_file_write(const void *state, const copse_params *p, unsigned flags, cp_writer *w,
                               copse_error *err);
copse_status cp_orf_file_read(cp_reader *r, const copse_params *p, cp_rows_shape shape, void **out_state,
                              copse_error *err);

#endif
