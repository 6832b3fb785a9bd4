#include "optimize_run.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "optimize_space.h"

enum { KEPT = 4096 }; /* last bytes of a command's output */

/* A command under way. */
typedef struct worker {
    pid_t pid; /* 0: idle */
    int fd;
    size_t id, n;
    char out[KEPT];
} worker;

typedef struct shift {
    cli *c;
    copse_study *study;
    const optimize_plan *plan;
    optimize_count count;
    size_t begun;
    worker *worker;
} shift;

/* ------------------------------------------------------------------------------------------------- the command */

static void put_quoted(FILE *f, const char *text) {
    fputc('\'', f);
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", f);
        else
            fputc(*text, f);
    }
    fputc('\'', f);
}

/* The dimension whose {name} begins here, or the number of dimensions. */
static size_t find_place(const copse_study *s, const char *at, size_t *out_n) {
    size_t dims = copse_study_dims(s), k = 0;
    for (; k < dims; k++) {
        const char *name = copse_study_dim(s, k)->name;
        *out_n = strlen(name) + 2;
        if (at[0] == '{' && strncmp(at + 1, name, *out_n - 2) == 0 && at[*out_n - 1] == '}') break;
    }
    return k;
}

/* The command with values in place of {name}; if it has no such place, with name=value words behind it. */
static char *compose(const copse_study *s, const char *command, const copse_trial *t) {
    char *text = NULL, buf[CLI_NUMBER_SIZE];
    size_t size, dims = copse_study_dims(s), places = 0, n = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f) return NULL;
    for (const char *at = command; *at;) {
        size_t k = find_place(s, at, &n);
        if (k == dims) {
            fputc(*at++, f);
            continue;
        }
        put_quoted(f, optimize_value(s, k, t->x[k], buf));
        places++;
        at += n;
    }
    for (size_t k = 0; !places && k < dims; k++) {
        fputc(' ', f);
        put_quoted(f, copse_study_dim(s, k)->name);
        fputc('=', f);
        put_quoted(f, optimize_value(s, k, t->x[k], buf));
    }
    if (fclose(f) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

static copse_status start(shift *h, worker *w, const copse_trial *t, copse_error *err) {
    int ends[2];
    char *text = compose(h->study, h->plan->command, t);
    if (!text) return cli_fail_memory(err);
    if (pipe(ends) != 0) {
        free(text);
        return cli_fail_errno(err, "start", "a command");
    }
    pid_t pid = fork();
    if (pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execl("/bin/sh", "sh", "-c", text, (char *)NULL);
        _exit(127);
    }
    free(text);
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return cli_fail_errno(err, "start", "a command");
    }
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    w->pid = pid;
    w->fd = ends[0];
    w->id = t->id;
    w->n = 0;
    return COPSE_OK;
}

/* ---------------------------------------------------------------------------------------------------- its value */

/* The last word of the output, if it is a number. */
static double last_number(worker *w) {
    double value;
    w->out[w->n < KEPT ? w->n : KEPT - 1] = '\0';
    size_t end = strlen(w->out);
    while (end > 0 && strchr(" \t\r\n", w->out[end - 1])) w->out[--end] = '\0';
    size_t from = end;
    while (from > 0 && !strchr(" \t\r\n=:,", w->out[from - 1])) from--;
    return optimize_number(w->out + from, &value) && fabs(value) <= 1e60 ? value : NAN;
}

static copse_status tell(shift *h, size_t id, double value, copse_error *err) {
    if (isnan(value))
        h->count.failed++;
    else
        h->count.told++;
    return copse_study_tell(h->study, id, value, err);
}

static copse_status finish(shift *h, worker *w, copse_error *err) {
    int how = 0;
    double value = NAN;
    while (waitpid(w->pid, &how, 0) < 0 && errno == EINTR) continue;
    close(w->fd);
    w->pid = 0;
    if (cli_progress_signal()) return cli_fail(err, COPSE_E_STOPPED, "interrupted");
    if (WIFEXITED(how) && WEXITSTATUS(how) == 0) {
        value = last_number(w);
        if (isnan(value))
            cli_progress_note(&h->c->progress, "trial %zu failed: the output of the command does not end in a number",
                              w->id);
    } else {
        cli_progress_note(&h->c->progress, "trial %zu failed: the command ended with %s %d", w->id,
                          WIFEXITED(how) ? "code" : "signal", WIFEXITED(how) ? WEXITSTATUS(how) : WTERMSIG(how));
    }
    return tell(h, w->id, value, err);
}

/* What came out, of which the end is kept.  *out_ended: there will be no more. */
static void take_output(worker *w, int *out_ended) {
    if (w->n == KEPT - 1) {
        memmove(w->out, w->out + KEPT / 2, KEPT - 1 - KEPT / 2);
        w->n -= KEPT / 2;
    }
    ssize_t got = read(w->fd, w->out + w->n, KEPT - 1 - w->n);
    if (got > 0) w->n += (size_t)got;
    *out_ended = got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN);
}

/* ------------------------------------------------------------------------------------------------------ the loop */

/* Another point, if one is left; *out is 0 where the grid has been asked for to the end. */
static copse_status next(shift *h, copse_trial *t, int *out, copse_error *err) {
    size_t points = copse_study_points(h->study);
    *out = 0;
    if (h->begun == h->plan->evaluations) return COPSE_OK;
    copse_status status = copse_study_ask(h->study, t, err);
    if (status == COPSE_E_USAGE && points && copse_study_trials(h->study) >= points) return COPSE_OK;
    if (status) return status;
    h->begun++;
    *out = 1;
    return COPSE_OK;
}

static copse_status wait_for_output(shift *h, struct pollfd *look, copse_error *err) {
    size_t n = h->plan->parallel;
    for (size_t i = 0; i < n; i++)
        look[i] = (struct pollfd){.fd = h->worker[i].pid ? h->worker[i].fd : -1, .events = POLLIN};
    if (poll(look, (nfds_t)n, -1) < 0 && errno != EINTR) return cli_fail_errno(err, "wait for", "a command");
    if (cli_progress_signal()) return cli_fail(err, COPSE_E_STOPPED, "interrupted");
    for (size_t i = 0; i < n; i++) {
        int ended = 0;
        if (look[i].fd < 0 || !look[i].revents) continue;
        take_output(&h->worker[i], &ended);
        if (ended) CLI_TRY(finish(h, &h->worker[i], err));
    }
    return COPSE_OK;
}

static copse_status run_commands(shift *h, struct pollfd *look, copse_error *err) {
    for (;;) {
        size_t busy = 0;
        for (size_t i = 0; i < h->plan->parallel; i++) {
            copse_trial t;
            int more = 1;
            if (!h->worker[i].pid) CLI_TRY(next(h, &t, &more, err));
            if (!h->worker[i].pid && more) CLI_TRY(start(h, &h->worker[i], &t, err));
            busy += h->worker[i].pid != 0;
        }
        if (!busy) return COPSE_OK;
        CLI_TRY(wait_for_output(h, look, err));
        if (h->c->run.progress)
            h->c->run.progress(h->c->run.arg, "evaluating", (double)(h->count.told + h->count.failed),
                               (double)h->plan->evaluations);
    }
}

static copse_status run_command(shift *h, copse_error *err) {
    size_t n = h->plan->parallel;
    struct pollfd *look = calloc(n, sizeof *look);
    h->worker = calloc(n, sizeof *h->worker);
    copse_status status = look && h->worker ? run_commands(h, look, err) : cli_fail_memory(err);
    for (size_t i = 0; h->worker && i < n; i++) {
        if (!h->worker[i].pid) continue;
        kill(h->worker[i].pid, SIGTERM);
        while (waitpid(h->worker[i].pid, NULL, 0) < 0 && errno == EINTR) continue;
        close(h->worker[i].fd);
    }
    free(look);
    free(h->worker);
    return status;
}

static copse_status look_up(shift *h, copse_error *err) {
    copse_trial t;
    int more = 1;
    for (;;) {
        if (cli_progress_signal()) return cli_fail(err, COPSE_E_STOPPED, "interrupted");
        CLI_TRY(next(h, &t, &more, err));
        if (!more) return COPSE_OK;
        CLI_TRY(tell(h, t.id, copse_table_number(h->plan->recorded, t.row, h->plan->column), err));
    }
}

copse_status optimize_run(cli *c, copse_study *s, const optimize_plan *plan, optimize_count *out, copse_error *err) {
    shift h = {.c = c, .study = s, .plan = plan};
    copse_status status = plan->recorded ? look_up(&h, err) : run_command(&h, err);
    cli_progress_clear(&c->progress);
    *out = h.count;
    return status;
}
