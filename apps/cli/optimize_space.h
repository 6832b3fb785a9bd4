/* optimize_space - parses dimensions and points of a study: "rate=1e-5:1:log", "rate=0.01". */
#ifndef OPTIMIZE_SPACE_H
#define OPTIMIZE_SPACE_H

#include "cli.h"

/* Dimensions, and the strings that they point to. */
typedef struct optimize_dims {
    size_t n;
    copse_dim *dim;
    char **text;         /* owned: a copy of each word, split into its parts */
    const char ***level; /* owned: levels of each dimension, NULL if it is a number */
} optimize_dims;

/* Parses NAME=LOW:HIGH, optionally followed by :int and :log, or NAME=LEVEL,LEVEL... */
copse_status optimize_dims_read(optimize_dims *d, const char *const *word, size_t n, copse_error *err);
void optimize_dims_clear(optimize_dims *d);

/* Parses a point from words NAME=VALUE; out has a number per dimension. */
copse_status optimize_point_read(const copse_study *s, const char *const *word, size_t n, double *out,
                                 copse_error *err);
/* A coordinate of a point as text: the number, or the level. */
const char *optimize_value(const copse_study *s, size_t dim, double value, char buf[CLI_NUMBER_SIZE]);
/* Is the whole text a number? */
int optimize_number(const char *text, double *out);

#endif
