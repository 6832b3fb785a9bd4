/* bench_study - measures the time of ask and tell as a study grows: the forest learns each value in O(log n).
 *
 *     bench_study
 *
 * Milliseconds are CPU time, averaged over the last hundred pairs of ask and tell at each size.  Most other values are
 * added at random points, which the forest learns in the same way. */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "copse.h"
#include "num/rng.h"

enum { DIMS = 3, LAST = 100 };

static const size_t at[] = {1000, 10000};

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double hill(const double *x) {
    double sum = 0;
    for (int k = 0; k < DIMS; k++) sum -= (x[k] - .3) * (x[k] - .3);
    return sum;
}

static copse_status add(copse_study *s, cp_rng *rng, copse_error *err) {
    double x[DIMS];
    for (int k = 0; k < DIMS; k++) x[k] = cp_rng_unit(rng);
    return copse_study_add(s, x, hill(x), NULL, NULL, err);
}

static copse_status ask(copse_study *s, copse_error *err) {
    copse_trial t;
    copse_status status = copse_study_ask(s, NULL, &t, err);
    return status ? status : copse_study_tell(s, t.id, hill(t.x), NULL, err);
}

int main(void) {
    static const copse_dim dim[DIMS] = {{.name = "x", .high = 1}, {.name = "y", .high = 1}, {.name = "z", .high = 1}};
    copse_study *s = NULL;
    copse_error err;
    cp_rng rng;
    cp_rng_init(&rng, 1, CP_FOR_TEST, 0, 0);
    copse_status status =
        copse_study_new(NULL, &(copse_study_options){.dims = dim, .n_dims = DIMS, .seed = 1}, NULL, &s, &err);
    double first = 0;
    for (size_t k = 0; !status && k < sizeof at / sizeof *at; k++) {
        while (!status && copse_study_trials(s) < at[k] - LAST)
            status = copse_study_trials(s) % 100 ? add(s, &rng, &err) : ask(s, &err);
        double began = seconds();
        for (int i = 0; !status && i < LAST; i++) status = ask(s, &err);
        double each = 1000 * (seconds() - began) / LAST;
        if (k == 0) first = each;
        if (!status)
            printf("{\"case\": \"ask and tell\", \"tells\": %zu, \"ms\": %.3f, \"ratio\": %.2f}\n", at[k], each,
                   each / first);
    }
    if (status) fprintf(stderr, "%s\n", err.msg);
    copse_study_free(s);
    return (int)status;
}
