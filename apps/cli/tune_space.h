/* tune_space - the options of a method that are searched, as the dimensions of a study. */
#ifndef TUNE_SPACE_H
#define TUNE_SPACE_H

#include "cli.h"
#include "optimize_space.h"

enum { TUNE_MAX_DIMS = 64 };

typedef struct tune_space {
    size_t n;
    copse_dim dim[TUNE_MAX_DIMS]; /* named like the options */
    optimize_dims given;          /* owned: the dimensions that the user wrote */
    /* Storage of default dimensions: the options, whose names and words these point to. */
    copse_option_info option[TUNE_MAX_DIMS];
    const char *level[TUNE_MAX_DIMS][COPSE_MAX_CHOICES];
} tune_space;

/* The dimensions NAME=LOW:HIGH... in `word`; without any, the options of the method that are worth a search, for this
 * task, and that the user has not set.  Zero *out before; clear it also after a failure. */
copse_status tune_space_new(const cli *c, const char *method, copse_task task, tune_space *out, copse_error *err);
void tune_space_clear(tune_space *s);

/* COPSE_E_USAGE if the study has other dimensions. */
copse_status tune_space_check(const tune_space *s, const copse_study *study, copse_error *err);

/* Sets the options to a point of the study. */
copse_status tune_space_set(const copse_study *study, const double *x, copse_params *params, copse_error *err);

#endif
