/* bench_latency - microseconds a row through the C API on one core: rows one at a time, and in a block.
 *
 *     bench_latency [METHOD...]
 *
 * Simulated rows (friedman1, 10 columns), 8,000 of them learnt, 100 trees; bart: 200 trees, 1000 draws.  Prints one
 * JSON object for each measurement, the least of several repeats: the machine is shared. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "copse.h"

enum { DIMS = 10, TRAIN = 8000, TEST = 2000, REPEATS = 5, QUANTILES = 19 };

static copse_error err;
static const copse_run one_thread = {.threads = 1};

static void must(copse_status status) {
    if (!status) return;
    fprintf(stderr, "bench_latency: %s\n", err.msg);
    exit(1);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static double least(double a, double b) {
    return a < b ? a : b;
}

static void report(const char *method, const char *what, double us, double bound) {
    printf("{\"method\": \"%s\", \"what\": \"%s\", \"us\": %.2f, \"bound\": %g}\n", method, what, us, bound);
    fflush(stdout);
}

typedef struct bench {
    const char *name;                      /* as printed */
    const char *method, *option, *value;   /* option NULL: none */
    double row, after_learn, learn, block; /* bounds; 0: none */
} bench;

static void read_row(const copse_table *t, size_t i, double x[DIMS]) {
    for (size_t d = 0; d < DIMS; d++) x[d] = copse_table_number(t, i, d);
}

static double predict_rows(copse_row *row, const copse_table *test, size_t n) {
    double best = INFINITY, x[DIMS], sum = 0;
    for (size_t k = 0; k < REPEATS; k++) {
        double began = now();
        for (size_t i = 0; i < n; i++) {
            const copse_prediction *p;
            read_row(test, i, x);
            must(copse_row_set_numbers(row, x, DIMS, &err));
            must(copse_row_predict(row, &p, &err));
            sum += (double)copse_prediction_rows(p);
        }
        best = least(best, (now() - began) / (double)n);
    }
    return sum > 0 ? best : NAN;
}

static double learn_rows(copse_row *row, copse_model *m, const copse_table *test, int predict, size_t n) {
    double x[DIMS], spent = 0;
    const copse_prediction *p;
    for (size_t i = 0; i < n; i++) {
        read_row(test, i, x);
        must(copse_row_set_numbers(row, x, DIMS, &err));
        double began = now();
        must(copse_row_learn(row, m, copse_table_number(test, i, DIMS), &err));
        if (predict) { /* another row than the one that was learnt, whose nodes are in the cache */
            read_row(test, (i + 1) % TEST, x);
            must(copse_row_set_numbers(row, x, DIMS, &err));
            began = now();
            must(copse_row_predict(row, &p, &err));
        }
        spent += now() - began;
    }
    return spent / (double)n;
}

static void time_block(const copse_model *m, const char *name, const copse_table *test, double bound) {
    size_t n = copse_table_rows(test);
    double best = INFINITY, mean = INFINITY, many = INFINITY, single = INFINITY, q[QUANTILES];
    double *out = malloc(n * QUANTILES * sizeof *out);
    copse_prediction *p = NULL;
    for (size_t k = 0; k < QUANTILES; k++) q[k] = 0.05 * (double)(k + 1);
    for (size_t k = 0; k < REPEATS; k++) {
        double began = now();
        copse_prediction_free(p);
        must(copse_predict(m, test, NULL, &one_thread, &p, &err));
        best = least(best, (now() - began) / (double)n);
        began = now();
        must(copse_predictions_mean(p, &one_thread, out, &err));
        mean = least(mean, (now() - began) / (double)n);
    }
    report(name, "predict, block", best, bound);
    report(name, "means", mean, 0);
    size_t some = n < 200 ? n : 200;
    for (size_t k = 0; k < 2; k++) {
        double began = now();
        for (size_t i = 0; i < some; i++)
            for (size_t j = 0; j < QUANTILES; j++) out[j] = copse_prediction_quantile(p, i, q[j]);
        single = least(single, (now() - began) / (double)some);
        began = now();
        must(copse_predictions_quantile(p, q, QUANTILES, &one_thread, out, &err));
        many = least(many, (now() - began) / (double)n);
    }
    report(name, "19 quantiles, one by one", single, 0);
    report(name, "19 quantiles, together", many, single / 10);
    free(out);
    copse_prediction_free(p);
}

static void run(const bench *b, const copse_table *train, const copse_table *test) {
    copse_params *params;
    copse_model *m;
    copse_row *row;
    must(copse_params_new(b->method, &params, &err));
    if (strcmp(b->method, "bart") != 0 && strcmp(b->method, "dyntree") != 0)
        must(copse_params_set(params, "trees", "100", &err));
    if (strcmp(b->method, "bart") == 0) { /* 4 chains */
        must(copse_params_set(params, "samples", "250", &err));
        must(copse_params_set(params, "burn-in", "100", &err));
        must(copse_params_set(params, "thin", "1", &err));
    }
    if (b->option) must(copse_params_set(params, b->option, b->value, &err));
    must(copse_fit(train, &(copse_roles){.target = "target"}, params, &one_thread, &m, &err));
    must(copse_row_new(m, &row, &err));
    report(b->name, "predict, one row", predict_rows(row, test, strcmp(b->method, "bart") ? TEST : 50), b->row);
    time_block(m, b->name, test, b->block);
    if (copse_model_can_learn(m)) {
        report(b->name, "learn, one row", learn_rows(row, m, test, 0, TEST), b->learn);
        report(b->name, "predict after learn", learn_rows(row, m, test, 1, 100), b->after_learn);
    }
    copse_row_free(row);
    copse_model_free(m);
    copse_params_free(params);
}

int main(int argc, char **argv) {
    static const bench all[] = {
        {"rf", "rf", NULL, NULL, 5, 0, 0, 0},
        {"mondrian-fast", "mondrian", "posterior", "fast", 40, 40, 100, 0},
        {"mondrian-exact", "mondrian", "posterior", "exact", 80, 80, 100, 60},
        {"orf", "orf", NULL, NULL, 0, 0, 0, 0},
        {"dyntree", "dyntree", NULL, NULL, 0, 0, 0, 0},
        {"bart", "bart", NULL, NULL, 1500, 0, 0, 0},
    };
    copse_table *train, *test;
    must(copse_synth("friedman1", &(copse_synth_options){.rows = TRAIN, .seed = 1}, &train, &err));
    must(copse_synth("friedman1", &(copse_synth_options){.rows = TEST, .seed = 2}, &test, &err));
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        int wanted = argc == 1;
        for (int k = 1; k < argc; k++) wanted |= strcmp(argv[k], all[i].name) == 0;
        if (wanted) run(&all[i], train, test);
    }
    copse_table_free(train);
    copse_table_free(test);
    return 0;
}
