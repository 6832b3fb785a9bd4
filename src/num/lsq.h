/* lsq - how much least squares leaves unexplained. */
#ifndef CP_LSQ_H
#define CP_LSQ_H

#include <stddef.h>

/* Column after column, `rows` numbers each; those with a weight have been multiplied by its root, the column of ones
 * too.
 *
 * Orthogonalises the columns in place, one after the other, and takes each out of y, which becomes the residual
 * (modified Gram-Schmidt, which is as stable for this as reflections [Bjorck 1967]).  A column that the ones before it
 * explain to within `tol` of its length, constant and repeated ones among them, is left out.  Returns how many were
 * not: the rank. */
size_t cp_lsq_reduce(double *column, size_t rows, size_t columns, double tol, double *y);

#endif
