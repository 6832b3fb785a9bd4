/* bench_predict - measures the time of predictions as other libraries are measured: all rows of a table in memory in
 * one call.
 *
 *     bench_predict MODEL TEST TIMES
 *
 * Prints one JSON object per call: CPU seconds of the call on one thread, and of reading each row's mean (regression;
 * class probabilities are in the prediction).  The first call follows the reading of model and rows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "copse.h"

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static copse_status answer(const copse_model *m, const copse_table *test, double *mean, double *out_seconds,
                           copse_error *err) {
    size_t n = copse_table_rows(test);
    copse_prediction *p = NULL;
    double began = seconds();
    copse_status status = copse_predict(m, test, &(copse_predict_options){.n = n}, &(copse_run){.threads = 1}, &p, err);
    for (size_t i = 0; !status && i < n && copse_model_task(m) == COPSE_REGRESS; i++)
        mean[i] = copse_prediction_mean(p, i);
    *out_seconds = seconds() - began;
    copse_prediction_free(p);
    return status;
}

int main(int argc, char **argv) {
    copse_error err = {.msg = "usage: bench_predict MODEL TEST TIMES"};
    copse_model *m = NULL;
    copse_table *test = NULL;
    double *mean = NULL;
    long times = argc == 4 ? strtol(argv[3], NULL, 10) : 0;
    int fails = times < 1 || copse_load(argv[1], NULL, &m, &err) ||
                copse_table_read(argv[2], &(copse_read_options){.like = m}, NULL, &test, &err) ||
                !(mean = calloc(copse_table_rows(test) + 1, sizeof *mean));
    for (long k = 0; !fails && k < times; k++) {
        double cpu = 0;
        fails = answer(m, test, mean, &cpu, &err) != COPSE_OK;
        if (!fails) printf("{\"predict_cpu_seconds\": %.6f, \"rows\": %zu}\n", cpu, copse_table_rows(test));
    }
    if (fails) fprintf(stderr, "bench_predict: %s\n", err.msg);
    free(mean);
    copse_table_free(test);
    copse_model_free(m);
    return fails;
}
