#include "cli_out.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

copse_status cli_out_check_writable(const char *path, copse_error *err) {
    struct stat s;
    copse_file *f = NULL;
    if (stat(path, &s) == 0 && !S_ISREG(s.st_mode)) {
        if (S_ISDIR(s.st_mode)) errno = EISDIR;
        return !S_ISDIR(s.st_mode) && access(path, W_OK) == 0 ? COPSE_OK : cli_fail_errno(err, "write", path);
    }
    CLI_TRY(copse_file_open(path, &f, err));
    copse_file_abandon(f);
    return COPSE_OK;
}

copse_status cli_out_not_input(const char *option, const char *path, const char *input, copse_error *err) {
    struct stat a, b;
    if (!path || !input || cli_is_dash(path) || cli_is_dash(input)) return COPSE_OK;
    if (stat(path, &a) != 0 || stat(input, &b) != 0 || !S_ISREG(a.st_mode)) return COPSE_OK;
    if (a.st_dev != b.st_dev || a.st_ino != b.st_ino) return COPSE_OK;
    return cli_fail(err, COPSE_E_USAGE, "%s %s is also an input, which would be lost: choose another name", option,
                    path);
}

cli_stamp cli_out_stamp(const char *path) {
    struct stat s;
    if (stat(path, &s) != 0 || !S_ISREG(s.st_mode)) return (cli_stamp){0};
    return (cli_stamp){.exists = 1,
                       .inode = (long long)s.st_ino,
                       .size = (long long)s.st_size,
                       .seconds = (long long)s.st_mtim.tv_sec,
                       .nanoseconds = (long long)s.st_mtim.tv_nsec};
}

int cli_out_same(const cli_stamp *a, const cli_stamp *b) {
    return a->exists == b->exists && a->inode == b->inode && a->size == b->size && a->seconds == b->seconds &&
           a->nanoseconds == b->nanoseconds;
}

/* A stream of its own on the library's open file, which stays open until commit or abandon. */
static copse_status open_stream(cli_out *o, copse_error *err) {
    int fd = fcntl(copse_file_descriptor(o->target), F_DUPFD_CLOEXEC, 0);
    if (fd >= 0 && (o->file = fdopen(fd, "w")) != NULL) return COPSE_OK;
    copse_status status = cli_fail_errno(err, "write", o->path);
    if (fd >= 0) close(fd);
    cli_out_abandon(o);
    return status;
}

copse_status cli_out_open(cli_out *o, const char *path, copse_error *err) {
    *o = (cli_out){0};
    if (!path || cli_is_dash(path)) {
        o->file = stdout;
        return COPSE_OK;
    }
    o->path = path;
    struct stat s;
    if (stat(path, &s) == 0 && S_ISDIR(s.st_mode)) {
        errno = EISDIR;
        return cli_fail_errno(err, "write", path);
    }
    CLI_TRY(copse_file_open(path, &o->target, err));
    return open_stream(o, err);
}

/* Has the reader of the pipe closed it?  errno alone does not tell: an earlier write may have failed. */
static int reader_gone(FILE *file) {
    struct pollfd p = {.fd = fileno(file), .events = POLLOUT};
    return poll(&p, 1, 0) > 0 && (p.revents & (POLLERR | POLLHUP)) != 0;
}

static void note_error(cli_out *o, int number) {
    if (!o->error) o->error = reader_gone(o->file) ? EPIPE : number ? number : EIO;
}

int cli_out_flush(cli_out *o) {
    errno = 0;
    if (fflush(o->file) == 0 && !ferror(o->file)) return 1;
    note_error(o, errno);
    return 0;
}

static copse_status commit(cli_out *o, copse_error *err) {
    const char *name = o->path ? o->path : "standard output";
    if (!cli_out_flush(o)) {
        errno = o->error;
        return errno == EPIPE ? COPSE_OK : cli_fail_errno(err, "write", name);
    }
    if (o->file == stdout) return COPSE_OK;
    FILE *file = o->file;
    copse_file *target = o->target;
    o->file = NULL;
    if (fclose(file) != 0) return cli_fail_errno(err, "write", name);
    o->target = NULL;
    return copse_file_commit(target, err);
}

copse_status cli_out_commit(cli_out *o, copse_error *err) {
    copse_status status = commit(o, err);
    if (status) cli_out_abandon(o);
    return status;
}

copse_status cli_out_flush_stdout(const char *opt_saved, copse_error *err) {
    cli_out out;
    copse_status status = cli_out_open(&out, NULL, err);
    if (!status) status = cli_out_commit(&out, err);
    if (!status || !opt_saved) return status;
    size_t n = strlen(err->msg);
    snprintf(err->msg + n, sizeof err->msg - n, "\nThe model was saved: %s", opt_saved);
    return CLI_E_OUTPUT;
}

void cli_out_abandon(cli_out *o) {
    if (o->file && o->file != stdout) fclose(o->file);
    o->file = NULL;
    copse_file_abandon(o->target);
    o->target = NULL;
}

copse_status cli_out_write(void *out, const char *bytes, size_t n) {
    cli_out *o = out;
    errno = 0;
    if (fwrite(bytes, 1, n, o->file) == n) return COPSE_OK;
    note_error(o, errno);
    return COPSE_E_SYSTEM;
}

void cli_out_name(FILE *f, const char *prefix, const char *text) {
    int quoted = strpbrk(text, ",\"\n\r") != NULL || (!*prefix && !*text);
    if (quoted) fputc('"', f);
    fputs(prefix, f);
    for (; *text; text++) {
        if (*text == '"') fputc('"', f);
        fputc(*text, f);
    }
    if (quoted) fputc('"', f);
}

void cli_out_field(FILE *f, const char *text) {
    if (text) cli_out_name(f, "", text);
}

void cli_out_shell(FILE *f, const char *text) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./,:+=@%-";
    int quoted = !*text || text[strspn(text, plain)];
    if (quoted) fputc('\'', f);
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", f);
        else
            fputc(*text, f);
    }
    if (quoted) fputc('\'', f);
}
