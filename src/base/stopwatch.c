#include "base/stopwatch.h"

#include <time.h>

static double clock_now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

cp_stopwatch cp_stopwatch_start(void) {
    return (cp_stopwatch){clock_now(CLOCK_MONOTONIC), clock_now(CLOCK_PROCESS_CPUTIME_ID)};
}

void cp_stopwatch_add(const cp_stopwatch *s, double *wall, double *cpu) {
    cp_stopwatch now = cp_stopwatch_start();
    *wall += now.wall - s->wall;
    *cpu += now.cpu - s->cpu;
}
