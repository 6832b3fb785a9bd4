/* Random sequences of calls of the whole library: no signal, no leak, no internal error.
 *
 * usage: calls_random SEQUENCES [FIRST]
 *
 * Sequence i is a function of i alone: a failure names it, and `calls_random 1 i` repeats it. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "calls.h"

enum { CALLS = 20 };

static char now[256]; /* the sequence and the call under way, for the message of a signal */

static void on_signal(int number) {
    static const char text[] = "a signal in sequence ";
    if (write(STDOUT_FILENO, text, sizeof text - 1) < 0 || write(STDOUT_FILENO, now, strlen(now)) < 0) _exit(3);
    signal(number, SIG_DFL);
    raise(number);
}

/* Functions with many arguments, which do the work, come more often than accessors. */
static const calls_function *choose(calls_world *w) {
    const calls_function *a = &calls_list[calls_random(w) % calls_functions];
    const calls_function *b = &calls_list[calls_random(w) % calls_functions];
    return a->args > b->args ? a : b;
}

static void sequence(calls_world *w, const char *dir, unsigned long i) {
    calls_init(w, dir, i);
    w->wild = 1;
    for (int k = 0; k < CALLS; k++) {
        const calls_function *f = choose(w);
        w->nulls = 0;
        snprintf(now, sizeof now, "%lu, call %d: %s\n", i, k, f->name);
        f->call(w);
    }
    calls_clear(w);
    if (cp_mem_live()) calls_fail(now, "memory is not freed at the end of the sequence");
}

int main(int argc, char **argv) {
    static calls_world w;
    static const int signals[] = {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL, SIGALRM};
    char dir[] = "/tmp/copse-calls-XXXXXX", command[128];
    unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 100, first = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    if (!mkdtemp(dir)) calls_fail(dir, "cannot be made");
    if (!getenv("COPSE_SANITIZED")) /* a sanitizer tells more */
        for (size_t k = 0; k < sizeof signals / sizeof *signals; k++) signal(signals[k], on_signal);
    for (unsigned long i = first; i < first + n; i++) {
        sequence(&w, dir, i);
        snprintf(command, sizeof command, "rm -rf %s/*", dir);
        if (i % 50 == 0 && system(command)) calls_fail(dir, "cannot be emptied");
    }
    snprintf(command, sizeof command, "rm -r %s", dir);
    if (system(command)) calls_fail(dir, "cannot be removed");
    printf("%lu passed, 0 failed\n", n);
    return 0;
}
