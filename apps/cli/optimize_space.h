/* optimize_space - dimensions and points of a study as words: "rate=1e-5:1:log", "rate=0.01". */
#ifndef OPTIMIZE_SPACE_H
#define OPTIMIZE_SPACE_H

#include "cli.h"

/* Dimensions with the text they point into. */
typedef struct optimize_dims {
    size_t n;
    copse_dim *dim;
    char **text;         /* a copy of each word, cut into pieces */
    const char ***level; /* of each dimension, NULL if it is a number */
} optimize_dims;

/* NAME=LOW:HIGH with :int and :log behind it, or NAME=LEVEL,LEVEL... */
copse_status optimize_dims_read(optimize_dims *d, const char *const *word, size_t n, copse_error *err);
void optimize_dims_clear(optimize_dims *d);

/* The point that words NAME=VALUE say; out holds a number per dimension. */
copse_status optimize_point_read(const copse_study *s, const char *const *word, size_t n, double *out,
                                 copse_error *err);
/* A value of a point: the number, or the level. */
const char *optimize_value(const copse_study *s, size_t dim, double value, char buf[CLI_NUMBER_SIZE]);
/* All of a text is a number? */
int optimize_number(const char *text, double *out);

#endif
