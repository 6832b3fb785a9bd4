/* many_methods - every method with options that keep its fit short, on a small table of numbers and text with gaps. */
#ifndef MANY_METHODS_H
#define MANY_METHODS_H

#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct short_options {
    const char *method;
    const char *option[8]; /* name, value, ... NULL */
} short_options;

static const short_options shortened[] = {
    {"mondrian", {"trees", "9"}},
    {"cart", {NULL}},
    {"rf", {"trees", "9"}},
    {"ert", {"trees", "9"}},
    {"bf", {"trees", "9"}},
    {"ebf", {"trees", "5", "trunk-leaves", "4"}},
    {"ssf", {"trees", "4", "subsets", "2"}},
    {"smc", {"particles", "30", "islands", "2"}},
    {"bcart", {"chains", "2", "samples", "20", "burn-in", "100"}},
    {"dyntree", {"particles", "30"}},
    {"bart", {"trees", "7", "chains", "2", "samples", "9"}},
    {"orf", {"trees", "7", "min-samples", "15"}},
    {"boost", {"trees", "9", "min-leaf", "5"}},
    {"auto", {"trees", "9"}},
};

/* Every method is in the list: NULL options would make a fit too long for a unit test. */
static inline copse_params *short_params(const char *method) {
    copse_error err;
    copse_params *p = NULL;
    must(copse_params_new(method, &p, &err), err);
    for (size_t i = 0; i < COUNT(shortened); i++)
        for (const char *const *o = shortened[i].option; strcmp(shortened[i].method, method) == 0 && *o; o += 2)
            must(copse_params_set(p, o[0], o[1], &err), err);
    if (strcmp(method, "bart") == 0) must(copse_params_set(p, "burn-in", "20", &err), err);
    return p;
}

/* Columns x1, x2 (numbers), colour (3 levels), town (50 levels), and the target: y or one of three classes, as text or,
 * if `numeric`, as the numbers 1, 2, 10.  Rows with gaps unless `whole`; levels that no row below 200 has. */
typedef struct mixed_row {
    double x1, x2, y;
    char colour[16], town[16], label[16];
    int lacks_x1, lacks_colour;
} mixed_row;

static inline mixed_row mixed_row_at(size_t i) {
    static const char *const colours[] = {"red", "green", "blue"}, *const labels[] = {"a", "b", "c"};
    mixed_row r = {.x1 = fmod((double)i * 0.6180339887, 1) * 10, .x2 = fmod((double)i * 0.4142135623, 1) * 1e6 - 5e5};
    snprintf(r.colour, sizeof r.colour, "%s", i >= 200 && i % 13 == 0 ? "mauve" : colours[i * i % 3]);
    snprintf(r.town, sizeof r.town, "town %zu", i * 7 % (i < 200 ? 50 : 60));
    r.y = sin(r.x1) + 1e-6 * r.x2 + (r.colour[0] == 'r') + 0.1 * fmod((double)i * 0.7320508, 1);
    snprintf(r.label, sizeof r.label, "%s", labels[r.y > 0.9 ? 2 : r.y > 0]);
    r.lacks_x1 = i % 11 == 3;
    r.lacks_colour = i % 17 == 5;
    return r;
}

static inline copse_table *mixed_table(size_t first, size_t n, copse_task task) {
    enum { MOST = 1024 };
    static mixed_row r[MOST];
    static double number[MOST];
    static const char *text[MOST];
    copse_error err;
    copse_table *t = NULL;
    assert_true(n <= MOST);
    must(copse_table_new(n, &t, &err), err);
    for (size_t i = 0; i < n; i++) r[i] = mixed_row_at(first + i);
    for (size_t i = 0; i < n; i++) number[i] = r[i].lacks_x1 ? NAN : r[i].x1;
    must(copse_table_add_numbers(t, "x1", number, &err), err);
    for (size_t i = 0; i < n; i++) text[i] = r[i].lacks_colour ? NULL : r[i].colour;
    must(copse_table_add_text(t, "colour", text, &err), err);
    for (size_t i = 0; i < n; i++) number[i] = r[i].x2;
    must(copse_table_add_numbers(t, "x2", number, &err), err);
    for (size_t i = 0; i < n; i++) text[i] = r[i].town;
    must(copse_table_add_text(t, "town", text, &err), err);
    for (size_t i = 0; i < n; i++) number[i] = r[i].y;
    for (size_t i = 0; i < n; i++) text[i] = r[i].label;
    if (task == COPSE_REGRESS)
        must(copse_table_add_numbers(t, "target", number, &err), err);
    else
        must(copse_table_add_text(t, "target", text, &err), err);
    return t;
}

/* NULL if the method is not for the task. */
static inline copse_model *mixed_model(const copse_method_info *info, copse_task task) {
    copse_error err;
    copse_model *m = NULL;
    if (!(info->tasks & (unsigned)task)) return NULL;
    copse_table *t = mixed_table(0, 200, task);
    copse_params *p = short_params(info->name);
    must(copse_fit(t, &(copse_roles){.target = "target", .task = task}, p, &(copse_run){.threads = 1}, &m, &err), err);
    copse_params_free(p);
    copse_table_free(t);
    return m;
}

/* The features of row i, in the order of the table. */
static inline void set_mixed_row(copse_row *row, size_t i) {
    copse_error err;
    mixed_row r = mixed_row_at(i);
    must(copse_row_set_number(row, 0, r.lacks_x1 ? NAN : r.x1, &err), err);
    must(copse_row_set_text(row, 1, r.lacks_colour ? NULL : r.colour, &err), err);
    must(copse_row_set_number(row, 2, r.x2, &err), err);
    must(copse_row_set_text(row, 3, r.town, &err), err);
}

#endif
