/* lsq - modified Gram-Schmidt. */
#include "num/lsq.h"

#include <math.h>

static double dot(const double *a, const double *b, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* v -= (q'v) q, for q of length 1. */
static void project_out(const double *q, double *v, size_t n) {
    double along = dot(q, v, n);
    for (size_t i = 0; i < n; i++) v[i] -= along * q[i];
}

size_t cp_lsq_reduce(double *column, size_t rows, size_t columns, double tol, double *y) {
    size_t rank = 0;
    for (size_t j = 0; j < columns; j++) {
        double *q = column + rank * rows, *v = column + j * rows, length = sqrt(dot(v, v, rows));
        for (size_t k = 0; k < rank; k++) project_out(column + k * rows, v, rows);
        double left = sqrt(dot(v, v, rows));
        if (!(left > tol * length)) continue;
        for (size_t i = 0; i < rows; i++)
            q[i] = v[i] / left; /* q is v, or the place of an earlier column that was left out */
        project_out(q, y, rows);
        rank++;
    }
    return rank;
}
