/* arrays - learn from arrays in memory, predict, and keep the model as bytes.  No file is touched.
 *
 *     arrays */
#include <stdio.h>
#include <string.h>

#include "copse.h"

/* A row as a program may have it: the columns are read where they are, one struct apart. */
typedef struct house {
    float area;
    int8_t town; /* -1: not known */
    double price;
} house;

enum { ROWS = 500, STEP = sizeof(house), SIZE = 1 << 20 };
static const char *const towns[] = {"Kiel", "Jena"};

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

int main(void) {
    static house h[ROWS];
    static buffer kept;
    copse_table *t = NULL;
    copse_model *model = NULL, *again = NULL;
    copse_prediction *p = NULL;
    copse_error err;
    for (int i = 0; i < ROWS; i++) {
        h[i] = (house){.area = (float)(40 + i * 37 % 100), .town = (int8_t)(i % 50 ? i % 2 : -1)};
        h[i].price = h[i].area * (h[i].town == 0 ? 4 : 3);
    }
    int failed = copse_table_new(ROWS, &t, &err) ||
                 copse_table_add_values(t, "area", &(copse_values){COPSE_F32, &h->area, STEP, NULL, 0}, &err) ||
                 copse_table_add_codes(t, "town", &(copse_values){COPSE_I8, &h->town, STEP, NULL, 0}, towns, 2, &err) ||
                 copse_table_add_values(t, "price", &(copse_values){COPSE_F64, &h->price, STEP, NULL, 0}, &err) ||
                 copse_fit(t, &(copse_roles){.target = "price"}, NULL, NULL, &model, &err) ||
                 copse_write(model, 0, NULL, append, &kept, &err) ||
                 copse_read(kept.bytes, kept.n, NULL, &again, &err) || copse_predict(again, t, NULL, NULL, &p, &err);
    for (size_t i = 1; !failed && i < 6; i++)
        printf("price %.0f, predicted %.0f +- %.1f\n", h[i].price, copse_prediction_mean(p, i),
               copse_prediction_sd(p, i));
    if (failed) fprintf(stderr, "%s\n", err.msg);
    copse_prediction_free(p);
    copse_model_free(again);
    copse_model_free(model);
    copse_table_free(t);
    return failed;
}
