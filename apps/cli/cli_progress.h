/* cli_progress - what the user sees on standard error while work is going on, and how Ctrl-C reaches it. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "copse.h"

typedef struct cli_progress {
    int terminal; /* standard error is one: a line of progress is shown */
    int quiet;
    int shown;          /* the cursor stands at the end of a progress line */
    double began, last; /* wall seconds: of this piece of work, of the last line */
    char what[40];      /* the piece of work */
} cli_progress;

void cli_progress_init(cli_progress *p, int quiet);
/* Fits run to report here; p must outlive it. */
void cli_progress_attach(cli_progress *p, copse_run *run);
/* Takes the line away. */
void cli_progress_clear(cli_progress *p);
/* A line of log, unless quiet. */
__attribute__((format(printf, 2, 3))) void cli_progress_note(cli_progress *p, const char *fmt, ...);

/* Ctrl-C and SIGTERM raise the flag that copse_run.stop points to; a second one kills, unless it comes at once. */
void cli_progress_catch_signals(void);
/* They end the program at once: for calls that cannot be stopped, while there is nothing to lose. */
void cli_progress_leave_on_signals(void);
/* The signal that was caught, 0 if none was. */
int cli_progress_signal(void);

#endif
