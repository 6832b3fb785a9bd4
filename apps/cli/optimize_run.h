/* optimize_run - evaluates the objective, several points at a time: by a command, or looked up in a table. */
#ifndef OPTIMIZE_RUN_H
#define OPTIMIZE_RUN_H

#include "cli.h"

typedef struct optimize_plan {
    const char *command;         /* run by sh; NULL: look up in recorded */
    const copse_table *recorded; /* a table with a row for each point of the study's grid */
    size_t column;               /* of recorded: the values */
    size_t evaluations;
    size_t parallel; /* commands at a time */
    int pending;     /* start with trials that were asked for and never told */
} optimize_plan;

/* The result of a run. */
typedef struct optimize_count {
    size_t told, failed;
    char why[96]; /* why the last evaluation failed */
} optimize_count;

/* Stops early when every point of a grid has been asked for, or on Ctrl-C. */
copse_status optimize_run(cli *c, copse_study *s, const optimize_plan *plan, optimize_count *out, copse_error *err);

#endif
