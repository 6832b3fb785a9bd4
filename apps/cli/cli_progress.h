/* cli_progress - notes and the progress line on standard error, and the handling of signals. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "copse.h"

typedef struct cli_progress {
    int terminal; /* standard error is a terminal: show a progress line */
    int quiet;
    int shown;          /* a progress line is on the screen */
    double began, last; /* wall-clock seconds: when this task began, when the line was last shown */
    char what[40];      /* the name of the task */
} cli_progress;

void cli_progress_init(cli_progress *p, int quiet);
/* Sets the callbacks of run, so that the library reports here; p must outlive run. */
void cli_progress_attach(cli_progress *p, copse_run *run);
/* Removes the progress line. */
void cli_progress_clear(cli_progress *p);
/* Prints a line on standard error, unless quiet. */
__attribute__((format(printf, 2, 3))) void cli_progress_note(cli_progress *p, const char *fmt, ...);

/* SIGINT, SIGTERM and SIGHUP set the flag that copse_run.stop points to.  A second signal ends the program, unless it
 * follows within 0.3 s. */
void cli_progress_catch_signals(void);
/* These signals end the program at once: for calls that cannot be interrupted, while there is nothing to lose. */
void cli_progress_exit_on_signals(void);
/* The signal that was caught, 0 if none was. */
int cli_progress_signal(void);

#endif
