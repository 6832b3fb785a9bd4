#include "hostile.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

#include "hostile_use.h"
#include "model/model_file.h"

enum { SECONDS = 20, HEADER = 48 };

long hostile_number = -1;
static char about[200];

void hostile_about(const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    vsnprintf(about, sizeof about, fmt, args);
    va_end(args);
}

void hostile_demand(int holds, const char *what, const char *more) {
    if (holds) return;
    fprintf(stderr, "mutant %ld: %s%s%s: %s\n", hostile_number, about, about[0] ? ": " : "", what, more);
    abort();
}

void hostile_hurry(void) {
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value = {.tv_sec = SECONDS}}, NULL);
}

int hostile_try(const unsigned char *bytes, size_t n) {
    copse_model *m;
    copse_error err = {0};
    unsigned char *own = malloc(n ? n : 1); /* sanitizers see a byte beyond the end */
    if (n) memcpy(own, bytes, n);
    hostile_hurry();
    copse_status status = cp_model_file_read(own, n, &m, &err);
    free(own);
    hostile_demand(status == COPSE_OK || status == COPSE_E_MODEL, "reading", err.msg);
    hostile_demand(status ? !m && err.msg[0] : m != NULL, "reading", "neither a model nor a message");
    if (status) return 0;
    hostile_use_model(m);
    copse_model_free(m);
    return 1;
}

static int survives(hostile_work work, void *arg, long mutant, int *out_taken) {
    int end;
    fflush(stdout);
    pid_t child = fork();
    hostile_demand(child >= 0, "survey", "no process");
    if (child == 0) _exit(work(arg, mutant));
    hostile_demand(waitpid(child, &end, 0) == child, "survey", "no child");
    *out_taken = WIFEXITED(end) ? WEXITSTATUS(end) : 0;
    return WIFEXITED(end) && *out_taken <= 1;
}

long hostile_run(hostile_work work, void *arg, long first, long n, int survey) {
    long taken = 0, broken = 0;
    for (hostile_number = first; hostile_number < first + n; hostile_number++) {
        int one = 0;
        if (!survey)
            one = work(arg, hostile_number);
        else if (!survives(work, arg, hostile_number, &one))
            broken++;
        taken += one;
    }
    return broken ? -broken : taken;
}

uint64_t hostile_get(const unsigned char *p, size_t n) {
    uint64_t v = 0;
    for (size_t i = 0; i < n; i++) v |= (uint64_t)p[i] << 8 * i;
    return v;
}

static void put(unsigned char *p, uint64_t v, size_t n) {
    for (size_t i = 0; i < n; i++) p[i] = (unsigned char)(v >> 8 * i);
}

void hostile_sign(unsigned char *b, size_t n) {
    if (n < HEADER) return;
    put(b + 16, n, 8);
    uint64_t directory = hostile_get(b + 24, 8), start = HEADER;
    if (directory >= HEADER && directory <= n) {
        for (size_t at = (size_t)directory; n - at >= 26 && n - at >= 26u + b[at + 1];) {
            size_t sum = at + 2 + b[at + 1] + 16;
            uint64_t stored = hostile_get(b + sum - 8, 8);
            if (stored > directory - start) break;
            put(b + sum, XXH64(b + start, (size_t)stored, 0), 8);
            start += stored;
            at = sum + 8;
        }
        put(b + 32, XXH64(b + directory, (size_t)(n - directory), 0), 8);
    }
    put(b + 40, XXH64(b, 40, 0), 8);
}
