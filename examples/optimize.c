/* optimize - maximise a function that can only be evaluated: ask for a point, tell the value there.
 *
 *     optimize [STUDY]        with a file, the study goes on where it stopped, and several processes may share it */
#include <math.h>
#include <stdio.h>

#include "copse.h"

enum { EVALUATIONS = 60 };

static const char *const shapes[] = {"round", "square"};
static const copse_dim space[] = {
    {.name = "x", .kind = COPSE_DIM_REAL, .low = -2, .high = 2},
    {.name = "rate", .kind = COPSE_DIM_REAL, .low = 1e-4, .high = 1, .log = 1},
    {.name = "layers", .kind = COPSE_DIM_INTEGER, .low = 1, .high = 8},
    {.name = "shape", .kind = COPSE_DIM_CATEGORY, .levels = shapes, .n_levels = 2},
};

/* Stands for an evaluation that takes hours.  The maximum is 1, at x = 0.5, rate = 0.01, 3 layers, square. */
static double evaluate(const double *x) {
    double decades = log10(x[1]) + 2; /* from the best rate */
    return 1 - (x[0] - .5) * (x[0] - .5) - decades * decades - .1 * fabs(x[2] - 3) - (x[3] == 0 ? .3 : 0);
}

int main(int argc, char **argv) {
    const char *path = argc > 1 ? argv[1] : NULL;
    copse_study_options options = {.dims = space, .n_dims = sizeof space / sizeof *space, .seed = 1};
    copse_study *study = NULL;
    copse_trial t;
    copse_error err;

    copse_status status = path ? copse_study_open(path, NULL, &study, &err) : COPSE_E_SYSTEM;
    if (status == COPSE_E_SYSTEM) status = copse_study_new(path, &options, NULL, &study, &err);
    for (int i = 0; !status && i < EVALUATIONS; i++) {
        status = copse_study_ask(study, NULL, &t, &err);
        if (!status) status = copse_study_tell(study, t.id, evaluate(t.x), NULL, &err);
    }
    if (!status && copse_study_trial(study, copse_study_best(study), &t))
        printf("%.4f after %zu evaluations: x = %.3f, rate = %.4f, %g layers, %s\n", t.value, copse_study_trials(study),
               t.x[0], t.x[1], t.x[2], shapes[(int)t.x[3]]);
    if (status) fprintf(stderr, "%s\n", err.msg);
    copse_study_free(study);
    return (int)status;
}
