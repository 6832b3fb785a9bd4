/* cli_npy - a matrix of numbers as NumPy reads it: a head that says its shape, then the rows as doubles. */
#ifndef CLI_NPY_H
#define CLI_NPY_H

#include <stddef.h>
#include <stdio.h>

/* Before the first number, and after the last, when the rows are known: the file must be one that can be gone back in.
 * What cannot be written shows in ferror, and 0 is returned where one cannot go back. */
int cli_npy_head(FILE *f, size_t rows, size_t columns);
int cli_npy_end(FILE *f, size_t rows, size_t columns);
void cli_npy_number(FILE *f, double x);

#endif
