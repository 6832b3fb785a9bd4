/* libsvm - sparse text, one row per line:  label index:value index:value ...  # comment
 *
 * Columns are `target`, x1 ... xD, where D is the largest index in the file (or that of the model, if larger).  Absent
 * entries are 0.  Lines end with LF, CRLF or CR. */
#ifndef CP_LIBSVM_H
#define CP_LIBSVM_H

#include "io/read.h"

copse_status cp_libsvm_read(const cp_content *in, const cp_read_options *opt, copse_table **out, copse_error *err);
/* Does the first line of a text look like this format? */
int cp_libsvm_is(const char *text);

#endif
