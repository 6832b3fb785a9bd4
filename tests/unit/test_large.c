/* Rows x columns beyond 2^31: 2,200 rows of a million columns, 8.8 GB that are zero but for the last column of the last
 * rows.  The rows to learn from take no memory, because untouched pages are shared; what a method keeps of them does.
 * Skipped where there is too little memory. */
#define _DEFAULT_SOURCE
#include "check.h"

#include <stdio.h>
#include <sys/mman.h>

#include "method/method.h"
#include "model/registry.h"
#include "num/mixture.h"

enum { ROWS = 2200, DIMS = 1000000, MARKED = 40 };
static const size_t cells = (size_t)ROWS * DIMS;

static size_t available_memory(void) {
    unsigned long long kilobytes = 0;
    char line[200];
    FILE *f = fopen("/proc/meminfo", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "MemAvailable: %llu kB", &kilobytes) == 1) break;
    if (f) fclose(f);
    return (size_t)kilobytes * 1024;
}

/* Each of the last rows has a 1 in the last column, and the target 1; all else is 0. */
static float *mark(double *y) {
    float *x =
        mmap(NULL, cells * sizeof *x, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (x == MAP_FAILED) skip();
    for (size_t i = 0; i < ROWS; i++) {
        y[i] = i >= ROWS - MARKED;
        if (y[i] > 0) x[(i + 1) * DIMS - 1] = 1;
    }
    return x;
}

/* What the fitted state says of a row. */
static double mean_at(const cp_method *method, const void *state, const copse_params *p, const float *x) {
    cp_rows row = {.task = COPSE_REGRESS, .n = 1, .dims = DIMS, .x = x};
    cp_answer a = {0};
    copse_error err;
    must(cp_answer_init(&a, COPSE_REGRESS, 1, 0, &err), err);
    must(method->predict(state, &row, p, &a, &err), err);
    double mean = cp_mixture_mean(cp_answer_mixture(&a, 0));
    cp_answer_clear(&a);
    return mean;
}

static void learn_the_last_cells(const char *name, const char *option, const char *value) {
    static double y[ROWS];
    const cp_method *method;
    copse_params *p;
    copse_error err;
    void *fitted;
    copse_run run = {.threads = 1};
    if (available_memory() < (size_t)14 << 30) skip();
    must(cp_registry_find(name, &method, &err), err);
    must(copse_params_new(name, &p, &err), err);
    must(copse_params_set(p, "trees", "1", &err), err);
    must(copse_params_set(p, option, value, &err), err);
    float *x = mark(y);
    cp_rows rows = {.task = COPSE_REGRESS, .n = ROWS, .dims = DIMS, .x = x, .y = y};
    must(method->fit(&rows, p, &run, &fitted, &err), err);
    if (method->refresh) must(method->refresh(fitted, p, &run, &err), err);
    assert_true(mean_at(method, fitted, p, x) < .2);
    assert_true(mean_at(method, fitted, p, x + cells - DIMS) > .8);
    method->clear(fitted);
    copse_params_free(p);
    munmap(x, cells * sizeof *x);
}

static void mondrian(void **state) {
    (void)state;
    /* The prior of the exact posterior takes a million columns for a million reasons to differ. */
    learn_the_last_cells("mondrian", "posterior", "fast");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(mondrian)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
