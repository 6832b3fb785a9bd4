/* auto_file - the pool in a model file: the members' states are nested sections ("member.0.state. ..."), written and
 * read by the members themselves. */
#ifndef CP_AUTO_FILE_H
#define CP_AUTO_FILE_H

#include "auto/auto.h"

copse_status cp_auto_file_write(const void *state, const copse_params *p, unsigned flags, cp_writer *w,
                                copse_error *err);
copse_status cp_auto_file_read(cp_reader *r, const copse_params *p, cp_rows_shape shape, void **out_state,
                               copse_error *err);

#endif
