/* row_by_row - learn from arrays in memory, then predict and learn row by row, and keep the model as bytes.
 *
 *     row_by_row */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "copse.h"

enum { FIRST = 200, ROWS = 1000, SIZE = 1 << 22 };
static double x[ROWS], y[ROWS];

typedef struct buffer {
    char bytes[SIZE];
    size_t n;
} buffer;

static copse_status append(void *arg, const char *bytes, size_t n) {
    buffer *b = arg;
    if (n > SIZE - b->n) return COPSE_E_SYSTEM;
    memcpy(b->bytes + b->n, bytes, n);
    b->n += n;
    return COPSE_OK;
}

/* Each row is predicted before the model learns it: the mean absolute error is that of rows it has not seen. */
static int learn_rows(copse_model *m, copse_row *row, double *out_error, copse_error *err) {
    const copse_prediction *p;
    *out_error = 0;
    for (int i = FIRST; i < ROWS; i++) {
        if (copse_row_set_number(row, 0, x[i], err) || copse_row_predict(row, &p, err)) return 1;
        *out_error += fabs(copse_prediction_mean(p, 0) - y[i]) / (ROWS - FIRST);
        if (copse_row_learn(row, m, y[i], err)) return 1;
    }
    return 0;
}

int main(void) {
    static buffer kept;
    copse_table *t = NULL;
    copse_model *model = NULL, *again = NULL;
    copse_row *row = NULL;
    copse_error err;
    double error = 0;
    for (int i = 0; i < ROWS; i++) y[i] = sin(6 * (x[i] = i * 37 % 100 / 100.));
    int failed = copse_table_new(FIRST, &t, &err) || copse_table_add_numbers(t, "x", x, &err) ||
                 copse_table_add_numbers(t, "y", y, &err) ||
                 copse_fit(t, &(copse_roles){.target = "y"}, NULL, NULL, &model, &err) ||
                 copse_row_new(model, &row, &err) || learn_rows(model, row, &error, &err) ||
                 copse_write(model, 0, NULL, append, &kept, &err) || copse_read(kept.bytes, kept.n, NULL, &again, &err);
    if (!failed) printf("%zu rows learnt, mean error %.3f, %zu bytes\n", copse_model_rows(again), error, kept.n);
    if (failed) fprintf(stderr, "%s\n", err.msg);
    copse_row_free(row);
    copse_model_free(again);
    copse_model_free(model);
    copse_table_free(t);
    return failed;
}
