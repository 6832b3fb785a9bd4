/* bench_mixture - measures the time of one query of a mixture, by the number of its components.
 *
 * A Mondrian forest of 100 trees predicts some hundreds to thousands of components per row.  Quantiles and CRPS
 * evaluate the CDF many times, so they dominate the time of `predict --interval` and `eval`. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "num/draw.h"
#include "num/mixture.h"
#include "num/mixture_crps.h"

typedef double (*question)(cp_mixture m, double y);

static double ask_mean_var(cp_mixture m, double y) {
    return y + cp_mixture_mean(m) + cp_mixture_var(m);
}

static double ask_quantile(cp_mixture m, double y) {
    return cp_mixture_quantile(m, 0.5 + 0.4 * sin(y));
}

static const struct {
    const char *name;
    question ask;
} questions[] = {
    {"mean+var", ask_mean_var}, {"cdf", cp_mixture_cdf},   {"log_density", cp_mixture_log_density},
    {"quantile", ask_quantile}, {"crps", cp_mixture_crps},
};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Gaussian components of unequal weights in a few clusters, as a forest predicts them. */
static void fill(cp_component *c, size_t n, cp_rng *rng) {
    double total = 0;
    for (size_t i = 0; i < n; i++) {
        c[i] = (cp_component){cp_rng_unit(rng), 3 * cp_rng_unit(rng), 0.2 + cp_rng_unit(rng), INFINITY};
        total += c[i].weight;
    }
    for (size_t i = 0; i < n; i++) c[i].weight /= total;
}

/* Seconds per call: repeats until 50 ms have passed, takes the least of three. */
static double cost(question ask, cp_mixture m, double *sink) {
    double best = INFINITY;
    for (int round = 0; round < 3; round++) {
        size_t calls = 0;
        double start = now(), spent;
        do {
            for (int k = 0; k < 8; k++, calls++) *sink += ask(m, 0.37 * (double)(calls % 11));
            spent = now() - start;
        } while (spent < 0.05);
        best = fmin(best, spent / (double)calls);
    }
    return best;
}

int main(void) {
    static const size_t sizes[] = {10, 100, 1000};
    double sink = 0;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t n = sizes[s];
        cp_component *c = calloc(n, sizeof *c);
        cp_rng rng;
        if (!c) return 1;
        cp_rng_init(&rng, 1, CP_FOR_TEST, 0, n);
        fill(c, n, &rng);
        for (size_t q = 0; q < sizeof questions / sizeof *questions; q++) {
            double t = cost(questions[q].ask, (cp_mixture){.c = c, .n = n}, &sink);
            printf(
                "{\"case\": \"mixture\", \"question\": \"%s\", \"components\": %zu, \"us_per_call\": %.4g, "
                "\"ns_per_component\": %.4g}\n",
                questions[q].name, n, 1e6 * t, 1e9 * t / (double)n);
        }
        free(c);
    }
    return isnan(sink); /* keeps the calls from being optimised away */
}
