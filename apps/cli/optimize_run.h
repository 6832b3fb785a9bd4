/* optimize_run - evaluations one after the other, or several at a time: by a command, or looked up where they are
 * recorded. */
#ifndef OPTIMIZE_RUN_H
#define OPTIMIZE_RUN_H

#include "cli.h"

typedef struct optimize_plan {
    const char *command;         /* run by sh; or */
    const copse_table *recorded; /* a table with a row for each point of the study's grid */
    size_t column;               /* its values */
    size_t evaluations;
    size_t parallel; /* commands at a time */
    int pending;     /* first those that were asked for before and never told */
} optimize_plan;

/* How it went. */
typedef struct optimize_count {
    size_t told, failed;
    char why[96]; /* the last failed */
} optimize_count;

/* Stops early when every point of a grid has been asked for, or on Ctrl-C. */
copse_status optimize_run(cli *c, copse_study *s, const optimize_plan *plan, optimize_count *out, copse_error *err);

#endif
