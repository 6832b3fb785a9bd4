#include "hostile_study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "bo/study.h"
#include "hostile.h"

enum { FRONT = 24, AROUND = 16, MOST_TREES = 100, MOST_COLS = 100 };

static void put(unsigned char *p, uint64_t v, size_t n) {
    for (size_t i = 0; i < n; i++) p[i] = (unsigned char)(v >> 8 * i);
}

void hostile_study_sign(unsigned char *b, size_t n) {
    if (n < FRONT + 8) return;
    uint64_t head = hostile_get(b + 16, 8);
    if (head > n - FRONT - 8) return;
    hostile_sign(b + FRONT, (size_t)head);
    uint64_t sum = XXH64(b + FRONT, (size_t)head, XXH64(b, FRONT, 0));
    size_t at = FRONT + (size_t)head;
    put(b + at, sum, 8);
    for (at += 8; n - at >= AROUND;) {
        uint64_t length = hostile_get(b + at, 4);
        if (length > n - at - AROUND) return;
        sum = XXH64(b + at, 8 + (size_t)length, sum);
        put(b + at + 8 + length, sum, 8);
        at += AROUND + (size_t)length;
    }
}

static void use(copse_study *s) {
    copse_error err = {0};
    copse_trial t;
    size_t best = copse_study_best(s);
    hostile_demand(best <= copse_study_trials(s), "best", "there is no such trial");
    if (best) hostile_demand(copse_study_trial(s, best, &t) && isfinite(t.value), "best", "it has no value");
    if (s->trees > MOST_TREES || s->space->cols > MOST_COLS) return; /* sound, but slow */
    for (int i = 0; i < 3; i++) {
        copse_status status = copse_study_ask(s, NULL, &t, &err);
        hostile_demand(!status || status == COPSE_E_USAGE, "asking", err.msg); /* a list may have been used up */
        if (status) return;
        hostile_demand(!cp_space_outside(s->space, t.x), "asking", "the point is outside");
        hostile_demand(!copse_study_tell(s, t.id, 1 + i, NULL, &err), "telling", err.msg);
    }
}

int hostile_study_try(const unsigned char *bytes, size_t n) {
    char path[] = "/tmp/copse-fuzz-XXXXXX";
    copse_study *s;
    copse_error err = {0};
    int fd = mkstemp(path);
    hostile_demand(fd >= 0 && write(fd, bytes, n) == (ssize_t)n, "writing", path);
    close(fd);
    hostile_hurry();
    copse_status status = copse_study_open(path, NULL, &s, &err);
    hostile_demand(!status || status == COPSE_E_MODEL, "opening", err.msg);
    hostile_demand(status ? !s && err.msg[0] : s != NULL, "opening", "neither a study nor a message");
    if (!status) {
        use(s);
        size_t trials = copse_study_trials(s);
        copse_study_free(s);
        hostile_demand(!copse_study_open(path, NULL, &s, &err), "opening again", err.msg);
        hostile_demand(copse_study_trials(s) == trials, "opening again", "it has other trials");
        copse_study_free(s);
    }
    unlink(path);
    return !status;
}
