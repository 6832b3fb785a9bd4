/* cli_npy - writes a matrix in the format .npy of NumPy: a header with the shape, then the rows as doubles. */
#ifndef CLI_NPY_H
#define CLI_NPY_H

#include <stddef.h>
#include <stdio.h>

/* Call cli_npy_header before the first number, and cli_npy_finish after the last, when the number of rows is known: it
 * writes the header again.  Both return 0 on failure; cli_npy_finish fails on files that cannot seek.  A write that
 * failed also shows in ferror. */
int cli_npy_header(FILE *f, size_t rows, size_t columns);
int cli_npy_finish(FILE *f, size_t rows, size_t columns);
void cli_npy_number(FILE *f, double x);

#endif
