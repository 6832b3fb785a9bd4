#include "inspect_posterior.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { BARS = 12, WIDTH = 40, FEATURES = 12 };

/* The q-quantile over the trees. */
static size_t quantile(const copse_bar *bar, size_t n, double q) {
    double sum = 0;
    for (size_t i = 0; i + 1 < n; i++)
        if ((sum += bar[i].probability) >= q) return bar[i].value;
    return bar[n - 1].value;
}

/* Prints a histogram: one bar per value, or per range of values if there are many.  Rare values at both ends are left
 * out. */
static void print_bars(const char *what, const copse_bar *bar, size_t n) {
    size_t low = quantile(bar, n, .001), high = quantile(bar, n, .999), step = (high - low) / BARS + 1, i = 0;
    while (bar[i].value < low) i++;
    printf("\n%s: %zu (5%%), %zu (50%%), %zu (95%%)\n", what, quantile(bar, n, .05), quantile(bar, n, .5),
           quantile(bar, n, .95));
    for (size_t from = low; from <= high; from += step) {
        double p = 0;
        while (i < n && bar[i].value < from + step) p += bar[i++].probability;
        if (step > 1)
            printf("  %5zu to %-5zu  %6.4f  ", from, from + step - 1, p);
        else
            printf("  %5zu  %6.4f  ", from, p);
        for (int k = 0; k < (int)(WIDTH * p + .5); k++) putchar('#');
        putchar('\n');
    }
}

typedef struct use {
    size_t feature;
    double inclusion, splits, share; /* share: 0 if draws are trees */
} use;

static int most_used_first(const void *a, const void *b) {
    const use *s = a, *t = b;
    if (s->share != t->share) return s->share < t->share ? 1 : -1;
    if (s->inclusion != t->inclusion) return s->inclusion < t->inclusion ? 1 : -1;
    if (s->splits != t->splits) return s->splits < t->splits ? 1 : -1;
    return s->feature > t->feature ? 1 : -1;
}

/* The width of the column of names: that of the longest, within limits. */
static int name_width(const copse_model *m, const use *list, size_t n) {
    size_t width = 20;
    for (size_t i = 0; i < n; i++) {
        size_t length = strlen(copse_model_feature(m, list[i].feature));
        width = length > width && length <= 40 ? length : width;
    }
    return (int)width;
}

static void print_uses(const copse_model *m, const copse_posterior *p, const use *list, size_t n) {
    (void)p;
    int width = name_width(m, list, n);
    printf("\nfeatures: probability that a tree splits on it, and how often on average\n");
    for (size_t i = 0; i < n; i++)
        printf("  %-*s  %6.4f  %8.3g\n", width, copse_model_feature(m, list[i].feature), list[i].inclusion,
               list[i].splits);
}

static void print_shares(const copse_model *m, const copse_posterior *p, const use *list, size_t n) {
    int width = name_width(m, list, n);
    printf("\nfeatures: share of a draw's splits, its 90%% interval, and the probability that a draw splits on it\n");
    for (size_t i = 0; i < n; i++) {
        copse_share s;
        copse_posterior_share(p, list[i].feature, &s);
        printf("  %-*s  %6.4f  %6.4f to %6.4f  %6.4f\n", width, copse_model_feature(m, list[i].feature), s.mean, s.low,
               s.high, list[i].inclusion);
    }
}

static copse_status print_features(const copse_model *m, const copse_posterior *p, copse_error *err) {
    size_t n = copse_model_features(m);
    copse_share share;
    use *list = calloc(n + 1, sizeof *list);
    if (!list) return cli_fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        copse_posterior_share(p, i, &share);
        list[i] = (use){i, copse_posterior_inclusion(p, i), copse_posterior_splits(p, i), share.mean};
    }
    qsort(list, n, sizeof *list, most_used_first);
    (copse_posterior_share(p, 0, &share) ? print_shares : print_uses)(m, p, list, n < FEATURES ? n : FEATURES);
    if (n > FEATURES) printf("  ... and %zu more\n", n - FEATURES);
    free(list);
    return COPSE_OK;
}

copse_status inspect_posterior(const copse_model *m, const char *path, const copse_run *run, copse_error *err) {
    copse_posterior *p;
    size_t leaves, depths;
    copse_status status = copse_posterior_new(m, run, &p, err);
    if (status) return status == COPSE_E_USAGE ? COPSE_OK : status;
    const copse_bar *leaf = copse_posterior_leaves(p, &leaves), *depth = copse_posterior_depth(p, &depths);
    print_bars("leaves of a tree", leaf, leaves);
    print_bars("depth of a tree", depth, depths);
    status = print_features(m, p, err);
    if (copse_model_draws(m) < copse_model_trees(m))
        printf("\na tree of a draw: copse inspect %s --draw 0 --tree 0\n", path);
    else
        printf("\nthe best tree has %.3g of the weight: copse inspect %s --tree 0\n", copse_posterior_top(p), path);
    copse_posterior_free(p);
    return status;
}
