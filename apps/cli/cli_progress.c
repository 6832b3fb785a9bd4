#include "cli_progress.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "cli_options_text.h"

/* ----------------------------------------------------------------------------------------------------- signals */

enum { SAME_SIGNAL = 300 }; /* milliseconds: a second signal within this time counts as the first */

/* Global, because a signal handler has no argument. */
static copse_flag caught;
static volatile long long caught_at;

static long long milliseconds(void) {
    struct timespec t = {0};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (long long)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* timeout(1) signals the program and then its process group, so the same signal may arrive twice. */
static void on_signal(int number) {
    long long now = milliseconds();
    if (caught && now - caught_at > SAME_SIGNAL) { /* a second signal: end at once */
        signal(number, SIG_DFL);
        raise(number);
    }
    if (caught) return;
    caught_at = now;
    caught = number;
}

/* A hangup that is ignored, as under nohup, stays ignored. */
static void handle(void (*handler)(int)) {
    struct sigaction action = {.sa_handler = handler}, hangup; /* no SA_RESTART: a blocked read must return */
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, NULL);
}

void cli_progress_catch_signals(void) {
    handle(on_signal);
    signal(SIGPIPE, SIG_IGN); /* cli_out sees a closed pipe; a model must still be saved */
    signal(SIGXFSZ, SIG_IGN); /* a file over the size limit becomes a failed write, with a message */
}

/* Calls async-signal-safe functions only. */
static void exit_now(int number) {
    static const char text[] = "copse: interrupted\n";
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) _exit(1);
    _exit(128 + number);
}

void cli_progress_exit_on_signals(void) {
    handle(exit_now);
}

int cli_progress_signal(void) {
    return caught;
}

/* ---------------------------------------------------------------------------------------------------- messages */

void cli_progress_init(cli_progress *p, int quiet) {
    *p = (cli_progress){.terminal = isatty(STDERR_FILENO), .quiet = quiet};
}

void cli_progress_clear(cli_progress *p) {
    if (p->shown) fputs("\r\033[K", stderr);
    p->shown = 0;
}

void cli_progress_note(cli_progress *p, const char *fmt, ...) {
    if (p->quiet) return;
    cli_progress_clear(p);
    va_list args;
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
    va_end(args);
}

static void on_log(void *arg, copse_log_level level, const char *text) {
    char buf[CLI_TEXT_SIZE];
    cli_progress_note(arg, "%s%s", level == COPSE_LOG_WARNING ? "warning: " : "", cli_options_text_copy(text, buf));
}

static void print_time(double seconds, char *buf, size_t n) {
    if (seconds < 90)
        snprintf(buf, n, "%.0f s", seconds);
    else if (seconds < 5400)
        snprintf(buf, n, "%.0f min", seconds / 60);
    else
        snprintf(buf, n, "%.1f h", seconds / 3600);
}

static void print_line(const char *what, double done, double total, double rate) {
    char left[32];
    fprintf(stderr, "\r\033[K%s  %.0f", what, done);
    if (total > 0) fprintf(stderr, " of %.0f", total);
    fprintf(stderr, "  %.*f/s", rate < 10, rate);
    if (total > 0) {
        print_time((total - done) / rate, left, sizeof left);
        fprintf(stderr, "  %s left", left);
    }
    fflush(stderr);
}

/* Shows at most ten lines a second, and none for a task of less than half a second. */
static void on_progress(void *arg, const char *what, double done, double total) {
    cli_progress *p = arg;
    if (p->quiet || !p->terminal || !what) return;
    double now = cli_wall_seconds();
    if (strncmp(p->what, what, sizeof p->what - 1) != 0) {
        snprintf(p->what, sizeof p->what, "%s", what);
        p->began = p->last = now;
    }
    double passed = now - p->began;
    if (total > 0 && done >= total) {
        cli_progress_clear(p);
        p->what[0] = '\0';
        return;
    }
    if (passed < .5 || now - p->last < .1 || done <= 0) return;
    print_line(what, done, total, done / passed);
    p->shown = 1;
    p->last = now;
}

void cli_progress_attach(cli_progress *p, copse_run *run) {
    run->log = on_log;
    run->progress = on_progress;
    run->arg = p;
    run->stop = &caught;
}
