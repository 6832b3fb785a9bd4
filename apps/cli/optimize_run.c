#include "optimize_run.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli_out.h"
#include "optimize_space.h"

enum {
    OUTPUT_TAIL = 4096, /* bytes kept from the end of a command's output */
    GRACE_PERIOD = 50,  /* hundredths of a second between the signal to a command and SIGKILL */
    POLL_INTERVAL = 200 /* milliseconds between checks for a signal */
};

static const double max_value = 1e60; /* the largest value that a study accepts */

/* A running command. */
typedef struct worker {
    pid_t pid; /* 0: idle */
    int ended; /* the shell has ended and was waited for; others of its process group may be left */
    int fd;    /* its output; -1: it has closed it */
    size_t id, n;
    char out[OUTPUT_TAIL];
} worker;

/* The state of a run. */
typedef struct run_state {
    cli *c;
    copse_study *study;
    const optimize_plan *plan;
    optimize_count count;
    size_t started;
    size_t retried, retry_end; /* earlier trials are retried if pending: the last one looked at, and the last */
    int grouped;               /* each command runs in a process group of its own */
    int pause;                 /* milliseconds until the next check of commands that have closed their output */
    worker *worker;
} run_state;

/* ------------------------------------------------------------------------------------------------- the command */

/* The dimension whose placeholder {name} begins here, or the number of dimensions; *out_n: its length. */
static size_t find_placeholder(const copse_study *s, const char *at, size_t *out_n) {
    size_t dims = copse_study_dims(s), k = 0;
    for (; k < dims; k++) {
        const char *name = copse_study_dim(s, k)->name;
        *out_n = strlen(name) + 2;
        if (at[0] == '{' && strncmp(at + 1, name, *out_n - 2) == 0 && at[*out_n - 1] == '}') break;
    }
    return k;
}

/* The command with values in place of {name}; without placeholders, with name=value appended for each dimension. */
static char *expand_command(const copse_study *s, const char *command, const copse_trial *t) {
    char *text = NULL, buf[CLI_NUMBER_SIZE];
    size_t size, dims = copse_study_dims(s), placeholders = 0, n = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f) return NULL;
    for (const char *at = command; *at;) {
        size_t k = find_placeholder(s, at, &n);
        if (k == dims) {
            fputc(*at++, f);
            continue;
        }
        cli_out_shell(f, optimize_value(s, k, t->x[k], buf));
        placeholders++;
        at += n;
    }
    for (size_t k = 0; !placeholders && k < dims; k++) {
        fputc(' ', f);
        cli_out_shell(f, copse_study_dim(s, k)->name);
        fputc('=', f);
        cli_out_shell(f, optimize_value(s, k, t->x[k], buf));
    }
    if (fclose(f) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* In the child: default signals, and without a terminal a process group of its own, which can be ended as a whole.
 * With a terminal the command stays in the foreground group, so that it can read the terminal and gets Ctrl-C. */
static void exec_command(const run_state *h, int out, const char *text) {
    if (h->grouped) setpgid(0, 0);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    dup2(out, STDOUT_FILENO);
    close(out);
    execl("/bin/sh", "sh", "-c", text, (char *)NULL);
    _exit(127);
}

static copse_status start(run_state *h, worker *w, const copse_trial *t, copse_error *err) {
    int ends[2];
    char *text = expand_command(h->study, h->plan->command, t);
    if (!text) return cli_fail_memory(err);
    if (pipe(ends) != 0) {
        free(text);
        return cli_fail_errno(err, "start", "a command");
    }
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        exec_command(h, ends[1], text);
    }
    free(text);
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return cli_fail_errno(err, "start", "a command");
    }
    if (h->grouped) setpgid(pid, pid); /* parent and child both call it: the order is not known */
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    w->pid = pid;
    w->ended = 0;
    w->fd = ends[0];
    w->id = t->id;
    w->n = 0;
    return COPSE_OK;
}

/* ---------------------------------------------------------------------------------------------------- its value */

/* Is the word name=..., an echo of a value that was passed to the command? */
static int is_echo(const copse_study *s, const char *word) {
    for (size_t k = 0; k < copse_study_dims(s); k++) {
        size_t n = strlen(copse_study_dim(s, k)->name);
        if (strncmp(word, copse_study_dim(s, k)->name, n) == 0 && word[n] == '=') return 1;
    }
    return 0;
}

/* Is the word like 0,31?  It is one number with a decimal comma, or two numbers. */
static int has_decimal_comma(const char *word) {
    const char *digits = "0123456789";
    word += *word == '-' || *word == '+';
    size_t whole = strspn(word, digits), part = word[whole] == ',' ? strspn(word + whole + 1, digits) : 0;
    return whole && part && word[whole + 1 + part] == '\0';
}

/* Reads the objective: the last word of the output, or the part after its last = : or comma.  A NUL ends a word like a
 * blank.  Returns NULL, or the reason of a failure. */
static const char *last_number(const copse_study *s, worker *w, double *out) {
    double value;
    size_t end = w->n;
    while (end > 0 && strchr(" \t\r\n", w->out[end - 1])) end--;
    w->out[end] = '\0';
    size_t from = end;
    while (from > 0 && !strchr(" \t\r\n=:,", w->out[from - 1])) from--;
    size_t word = from;
    while (word > 0 && !strchr(" \t\r\n=:", w->out[word - 1])) word--;
    if (has_decimal_comma(w->out + word))
        return "the output of the command ends in a comma between digits: two numbers, or a decimal comma";
    while (word > 0 && !strchr(" \t\r\n", w->out[word - 1])) word--;
    if (is_echo(s, w->out + word) || !optimize_number(w->out + from, &value) || !isfinite(value))
        return "the output of the command does not end in a number";
    if (fabs(value) > max_value) return "its value is beyond 1e60, as large as one may be";
    *out = value;
    return NULL;
}

static copse_status tell(run_state *h, size_t id, double value, copse_error *err) {
    copse_trial t;
    copse_status status = copse_study_tell(h->study, id, value, NULL, err);
    if (status == COPSE_E_USAGE && copse_study_trial(h->study, id, &t) && t.state != COPSE_TRIAL_ASKED) {
        cli_progress_note(&h->c->progress, "trial %zu was told by another process meanwhile: that stays", id);
        status = COPSE_OK;
    }
    if (isnan(value))
        h->count.failed++;
    else
        h->count.told++;
    return status;
}

/* Waits for the command; returns whether it has ended, and its status in *out_how. */
static int reap(worker *w, int options, int *out_how) {
    pid_t got;
    do got = waitpid(w->pid, out_how, options);
    while (got < 0 && errno == EINTR);
    if (got != 0) w->ended = 1;
    return w->ended;
}

static copse_status interrupted(copse_error *err) {
    return cli_fail(err, COPSE_E_STOPPED, "interrupted");
}

/* Handles a command that has closed its output: if it has ended, tells its value. */
static copse_status finish(run_state *h, worker *w, copse_error *err) {
    int how = 0;
    double value = NAN;
    if (!reap(w, WNOHANG, &how)) return COPSE_OK;
    if (cli_progress_signal()) return interrupted(err);
    w->pid = 0;
    h->pause = 0;
    if (WIFEXITED(how) && WEXITSTATUS(how) == 0) {
        const char *why = last_number(h->study, w, &value);
        snprintf(h->count.why, sizeof h->count.why, "%s", why ? why : "");
    } else {
        snprintf(h->count.why, sizeof h->count.why, "the command ended with %s %d", WIFEXITED(how) ? "code" : "signal",
                 WIFEXITED(how) ? WEXITSTATUS(how) : WTERMSIG(how));
    }
    if (isnan(value)) cli_progress_note(&h->c->progress, "trial %zu failed: %s", w->id, h->count.why);
    return tell(h, w->id, value, err);
}

/* Reads output and keeps its end. */
static void read_output(worker *w) {
    if (w->n == OUTPUT_TAIL - 1) {
        memmove(w->out, w->out + OUTPUT_TAIL / 2, OUTPUT_TAIL - 1 - OUTPUT_TAIL / 2);
        w->n -= OUTPUT_TAIL / 2;
    }
    ssize_t got = read(w->fd, w->out + w->n, OUTPUT_TAIL - 1 - w->n);
    if (got > 0) w->n += (size_t)got;
    if (got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN))) return;
    close(w->fd);
    w->fd = -1;
}

/* ------------------------------------------------------------------------------------------------------ the loop */

/* The next pending trial among those that existed at the start. */
static int next_pending(run_state *h, copse_trial *t) {
    while (h->retried < h->retry_end)
        if (copse_study_trial(h->study, ++h->retried, t) && t->state == COPSE_TRIAL_ASKED) return 1;
    return 0;
}

/* The next point to evaluate; *out is 0 if there is none: all evaluations have started, or the grid is used up. */
static copse_status next_point(run_state *h, copse_trial *t, int *out, copse_error *err) {
    size_t points = copse_study_points(h->study);
    *out = 0;
    if (h->started == h->plan->evaluations) return COPSE_OK;
    copse_status status = next_pending(h, t) ? COPSE_OK : copse_study_ask(h->study, &h->c->run, t, err);
    if (status == COPSE_E_USAGE && points && copse_study_trials(h->study) >= points) return COPSE_OK;
    if (status) return status;
    h->started++;
    *out = 1;
    return COPSE_OK;
}

/* Milliseconds to wait for output.  Bounded, since a signal may arrive just before poll.  poll does not report the end
 * of a command that has closed its output: it usually ends at once, else it is checked at growing intervals. */
static int poll_timeout(run_state *h) {
    size_t i = 0;
    while (i < h->plan->parallel && !(h->worker[i].pid && h->worker[i].fd < 0)) i++;
    if (i == h->plan->parallel) return POLL_INTERVAL;
    h->pause = h->pause < POLL_INTERVAL / 2 ? 2 * h->pause + 1 : POLL_INTERVAL;
    return h->pause;
}

static copse_status wait_for_output(run_state *h, struct pollfd *poll_fds, copse_error *err) {
    size_t n = h->plan->parallel;
    for (size_t i = 0; i < n; i++)
        poll_fds[i] = (struct pollfd){.fd = h->worker[i].pid ? h->worker[i].fd : -1, .events = POLLIN};
    if (poll(poll_fds, (nfds_t)n, poll_timeout(h)) < 0 && errno != EINTR)
        return cli_fail_errno(err, "wait for", "a command");
    if (cli_progress_signal()) return interrupted(err);
    for (size_t i = 0; i < n; i++) {
        worker *w = &h->worker[i];
        if (poll_fds[i].fd >= 0 && poll_fds[i].revents) read_output(w);
        if (w->pid && w->fd < 0) CLI_TRY(finish(h, w, err));
    }
    return COPSE_OK;
}

static copse_status run_commands(run_state *h, struct pollfd *poll_fds, copse_error *err) {
    for (;;) {
        size_t busy = 0;
        for (size_t i = 0; i < h->plan->parallel; i++) {
            copse_trial t;
            int more = 1;
            if (!h->worker[i].pid) CLI_TRY(next_point(h, &t, &more, err));
            if (cli_progress_signal()) return interrupted(err);
            if (!h->worker[i].pid && more) CLI_TRY(start(h, &h->worker[i], &t, err));
            busy += h->worker[i].pid != 0;
        }
        if (!busy) return COPSE_OK;
        CLI_TRY(wait_for_output(h, poll_fds, err));
        if (h->c->run.progress)
            h->c->run.progress(h->c->run.arg, "evaluating", (double)(h->count.told + h->count.failed),
                               (double)h->plan->evaluations);
    }
}

/* Sends a signal (0: none) to the running commands; returns how many are left.  A shell may end before the processes it
 * has started, so a command is left while any process of its group is. */
static size_t signal_workers(run_state *h, int number) {
    size_t left = 0;
    for (size_t i = 0; i < h->plan->parallel; i++) {
        worker *w = &h->worker[i];
        if (!w->pid) continue;
        if (number && (h->grouped || !w->ended)) kill(h->grouped ? -w->pid : w->pid, number);
        int ended = w->ended || reap(w, number == SIGKILL ? 0 : WNOHANG, NULL);
        if (number != SIGKILL && (!ended || (h->grouped && kill(-w->pid, 0) == 0))) {
            left++;
            continue;
        }
        if (w->fd >= 0) close(w->fd);
        w->pid = 0;
    }
    return left;
}

/* Passes the signal on to the commands; those that do not end within the grace period are killed. */
static void stop_workers(run_state *h) {
    size_t left = signal_workers(h, cli_progress_signal() ? cli_progress_signal() : SIGTERM);
    for (int i = 0; left && i < GRACE_PERIOD; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        left = signal_workers(h, 0);
    }
    if (left) signal_workers(h, SIGKILL);
}

/* Warns of a {name} that is not a dimension: it is passed to the shell, and is usually a typing error. */
static void warn_placeholders(run_state *h) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    const char *command = h->plan->command;
    for (const char *at = command; (at = strchr(at, '{')) != NULL; at++) {
        size_t n = strspn(at + 1, letters), dims = copse_study_dims(h->study), length;
        if (n == 0 || at[n + 1] != '}' || (at > command && at[-1] == '$')) continue;
        if (find_placeholder(h->study, at, &length) == dims)
            cli_progress_note(&h->c->progress, "warning: %.*s in the command is no dimension: it stays as it is",
                              (int)n + 2, at);
    }
}

static copse_status run_command(run_state *h, copse_error *err) {
    size_t n = h->plan->parallel;
    struct pollfd *poll_fds = calloc(n, sizeof *poll_fds);
    h->worker = calloc(n, sizeof *h->worker);
    h->grouped = !isatty(STDIN_FILENO);
    warn_placeholders(h);
    copse_status status = poll_fds && h->worker ? run_commands(h, poll_fds, err) : cli_fail_memory(err);
    if (h->worker) stop_workers(h);
    free(poll_fds);
    free(h->worker);
    return status;
}

/* Does the trial's row of the table hold its point?  Another table may have the same number of rows. */
static int is_recorded(const copse_study *s, const copse_trial *t, const copse_table *table) {
    for (size_t k = 0; k < copse_study_dims(s); k++) {
        const copse_dim *d = copse_study_dim(s, k);
        size_t column = copse_table_find(table, d->name);
        if (column == (size_t)-1) return 0;
        if (copse_table_kind(table, column) == COPSE_NUMBER) {
            if (d->kind == COPSE_DIM_CATEGORY || copse_table_number(table, t->row, column) != t->x[k]) return 0;
            continue;
        }
        const char *text = copse_table_text(table, t->row, column);
        if (d->kind != COPSE_DIM_CATEGORY || !text || strcmp(text, d->levels[(size_t)t->x[k]]) != 0) return 0;
    }
    return 1;
}

/* The recorded value.  A missing value, or one beyond max_value, is a failed evaluation, as it is for a command. */
static double recorded_value(run_state *h, const copse_trial *t) {
    double value = copse_table_number(h->plan->recorded, t->row, h->plan->column);
    if (fabs(value) <= max_value) return value;
    snprintf(h->count.why, sizeof h->count.why, "row %zu of the grid has no value that is a number", t->row + 1);
    cli_progress_note(&h->c->progress, "trial %zu failed: %s", t->id, h->count.why);
    return NAN;
}

static copse_status look_up(run_state *h, copse_error *err) {
    copse_trial t;
    int more = 1;
    for (;;) {
        if (cli_progress_signal()) return interrupted(err);
        CLI_TRY(next_point(h, &t, &more, err));
        if (!more) return COPSE_OK;
        if (!is_recorded(h->study, &t, h->plan->recorded))
            return cli_fail(err, COPSE_E_USAGE,
                            "trial %zu is not row %zu of the grid: give the table that the study was made of", t.id,
                            t.row + 1);
        CLI_TRY(tell(h, t.id, recorded_value(h, &t), err));
    }
}

copse_status optimize_run(cli *c, copse_study *s, const optimize_plan *plan, optimize_count *out, copse_error *err) {
    run_state h = {.c = c, .study = s, .plan = plan, .retry_end = plan->pending ? copse_study_trials(s) : 0};
    copse_status status = plan->recorded ? look_up(&h, err) : run_command(&h, err);
    cli_progress_clear(&c->progress);
    *out = h.count;
    return status;
}
