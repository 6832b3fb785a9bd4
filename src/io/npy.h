/* npy - numpy arrays of numbers, versions 1 to 3, one or two dimensions, C or Fortran order, either byte order.
 *
 * Columns are x1 ... x(D-1) and, last, `target`; an array of one dimension is the column x1.  If a model is given and
 * has a feature xD, the last of D columns is that feature and the array has no target. */
#ifndef CP_NPY_H
#define CP_NPY_H

#include "io/read.h"

copse_status cp_npy_read(const cp_content *in, const cp_read_options *opt, copse_table **out, copse_error *err);
int cp_npy_is(const cp_content *in);

#endif
