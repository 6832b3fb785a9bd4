/* btree_file - the fitted state in a model file, and its invariants. */
#ifndef CP_BTREE_FILE_H
#define CP_BTREE_FILE_H

#include "method/method.h"

copse_status cp_btree_file_write(const void *state, const copse_params *p, unsigned flags, cp_writer *w,
                                 copse_error *err);
copse_status cp_btree_file_read(cp_reader *r, const copse_params *p, cp_rows_shape shape, void **out_state,
                                copse_error *err);
const char *cp_btree_file_check(const void *state);

#endif
