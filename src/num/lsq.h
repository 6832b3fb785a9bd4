/* lsq - the residual of a least squares regression. */
#ifndef CP_LSQ_H
#define CP_LSQ_H

#include <stddef.h>

/* Replaces y by its residual after regression on the columns, and returns the rank.
 *
 * `column` holds the columns one after the other, `rows` numbers each.  For a weighted regression the caller multiplies
 * y and all columns, also that of ones, by the root of the weights.  The columns are orthogonalised in place, one after
 * the other, and each is projected out of y (modified Gram-Schmidt, here as stable as Householder reflections [Bjorck
 * 1967]).  A column whose residual on the columns before it is within `tol` of its length, such as a constant or
 * repeated one, is left out. */
size_t cp_lsq_reduce(double *column, size_t rows, size_t columns, double tol, double *y);

#endif
