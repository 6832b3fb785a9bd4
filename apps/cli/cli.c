/* For sched_getaffinity, which counts the cores that this process may use, as the library does. */
#define _GNU_SOURCE

#include "cli.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

copse_status cli_fail(copse_error *err, copse_status code, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    err->code = code;
    err->row = err->col = 0;
    vsnprintf(err->msg, sizeof err->msg, fmt, args);
    va_end(args);
    return code;
}

copse_status cli_fail_errno(copse_error *err, const char *what, const char *path) {
    int number = errno;
    /* Only the first thread comes here.  NOLINTNEXTLINE(concurrency-mt-unsafe) */
    return cli_fail(err, COPSE_E_SYSTEM, "cannot %s %s: %s", what, path, strerror(number));
}

copse_status cli_fail_memory(copse_error *err) {
    return cli_fail(err, COPSE_E_MEMORY, "out of memory");
}

static double seconds(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double cli_wall_seconds(void) {
    return seconds(CLOCK_MONOTONIC);
}

double cli_cpu_seconds(void) {
    return seconds(CLOCK_PROCESS_CPUTIME_ID);
}

/* The high-water mark of this process.  That of getrusage survives exec: a large program that starts this one would be
 * counted too. */
static double high_water_kb(void) {
    char line[128];
    long kb = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && !kb && fgets(line, sizeof line, f))
        if (strncmp(line, "VmHWM:", 6) == 0) kb = strtol(line + 6, NULL, 10);
    if (f) fclose(f);
    return (double)kb;
}

double cli_peak_rss_mb(void) {
    struct rusage usage;
    double kb = high_water_kb();
    if (kb > 0) return kb / 1024;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

void cli_peak_rss_reset(void) {
    FILE *f = fopen("/proc/self/clear_refs", "w");
    if (!f) return;
    fputs("5", f);
    fclose(f);
}

/* Sanitizers reserve terabytes of memory. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

void cli_limit_memory(size_t bytes) {
#ifdef SANITIZED
    (void)bytes;
#else
    struct rlimit limit;
    if (!bytes || getrlimit(RLIMIT_DATA, &limit) != 0) return;
    if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < bytes) return; /* the system's limit is lower */
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_DATA, &limit);
#endif
}

int cli_threads(const cli *c) {
    cpu_set_t set;
    if (c->run.threads > 0) return c->run.threads;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

/* 2^53: integers up to here are written without an exponent, for programs that read them as integers. */
static const double max_integer = 9007199254740992.0;

const char *cli_number(double x, char buf[CLI_NUMBER_SIZE]) {
    if (fabs(x) <= max_integer && floor(x) == x) {
        snprintf(buf, CLI_NUMBER_SIZE, "%.0f", x + 0.0);
        return buf;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(buf, CLI_NUMBER_SIZE, "%.*g", digits, x);
        if (strtod(buf, NULL) == x) break;
    }
    return buf;
}

const char *cli_count(size_t n, char buf[CLI_NUMBER_SIZE]) {
    char digits[CLI_NUMBER_SIZE];
    size_t length = (size_t)snprintf(digits, sizeof digits, "%zu", n), used = 0;
    for (size_t i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) buf[used++] = ',';
        buf[used++] = digits[i];
    }
    buf[used] = '\0';
    return buf;
}

const char *cli_time(double seconds, char buf[CLI_NUMBER_SIZE]) {
    if (seconds < .1)
        snprintf(buf, CLI_NUMBER_SIZE, "%.1f ms", 1000 * seconds);
    else if (seconds < 100)
        snprintf(buf, CLI_NUMBER_SIZE, "%.2f s", seconds);
    else if (seconds < 6000)
        snprintf(buf, CLI_NUMBER_SIZE, "%.1f min", seconds / 60);
    else
        snprintf(buf, CLI_NUMBER_SIZE, "%.1f h", seconds / 3600);
    return buf;
}

const char *cli_bytes(double n, char buf[CLI_NUMBER_SIZE]) {
    static const char *const unit[] = {"bytes", "kB", "MB", "GB", "TB"};
    size_t i = 0;
    for (; n >= 1000 && i < 4; i++) n /= 1000;
    snprintf(buf, CLI_NUMBER_SIZE, i == 0 || n >= 99.95 ? "%.0f %s" : "%.1f %s", n, unit[i]);
    return buf;
}

char *cli_join(const char *opt_a, const char *opt_b) {
    if (!opt_a && !opt_b) return NULL;
    size_t n = (opt_a ? strlen(opt_a) : 0) + (opt_b ? strlen(opt_b) : 0) + 2;
    char *both = malloc(n);
    if (both) snprintf(both, n, "%s%s%s", opt_a ? opt_a : "", opt_a && opt_b ? "," : "", opt_b ? opt_b : "");
    return both;
}

int cli_is_dash(const char *path) {
    return strcmp(path, "-") == 0;
}

double cli_file_size(const char *path) {
    struct stat s;
    return stat(path, &s) == 0 ? (double)s.st_size : 0;
}

const char *cli_plural(size_t n) {
    return n == 1 ? "" : "s";
}

void cli_say(const char *label, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    printf("  %-12s%s", label, strlen(label) < 12 ? "" : " ");
    vprintf(fmt, args);
    putchar('\n');
    va_end(args);
}

const char *cli_draws_name(const copse_model *m) {
    return copse_model_draws(m) < copse_model_trees(m) ? "draws" : "trees";
}

const char *cli_task_name(copse_task task) {
    return task == COPSE_CLASS ? "classification" : task == COPSE_REGRESS ? "regression" : "";
}
