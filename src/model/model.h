/* model - a fitted method with its schema and options: fit, update and predict for any method. */
#ifndef CP_MODEL_H
#define CP_MODEL_H

#include "data/schema.h"
#include "method/method.h"

/* Some methods put work off after updates until somebody asks; whoever asks first does it, under the lock. */
typedef struct cp_model_lazy {
    struct cp_lock *lock;
    int stale;
} cp_model_lazy;

struct copse_model {
    const cp_method *method;
    copse_params *params;
    cp_schema *schema;
    void *state;
    cp_model_lazy *lazy;
};

/* How the method (the default one for NULL) wants its columns. */
cp_encoding cp_model_encoding(const copse_params *opt_params);

copse_status cp_model_fit(const copse_table *train, const copse_roles *roles, const copse_params *opt_params,
                          const copse_run *run, copse_model **out, copse_error *err);
/* The same; *train is freed as soon as its rows are encoded, in any case, and NULL. */
copse_status cp_model_fit_take(copse_table **train, const copse_roles *roles, const copse_params *opt_params,
                               const copse_run *run, copse_model **out, copse_error *err);
copse_status cp_model_update(copse_model *m, const copse_table *t, const copse_run *run, copse_error *err);
/* Test, then train; `before` is cleared by the caller. */
copse_status cp_model_update_predict(copse_model *m, const copse_table *t, const copse_run *run, cp_answer *before,
                                     copse_error *err);
copse_status cp_model_predict(const copse_model *m, const copse_table *t, size_t first, size_t n, const copse_run *run,
                              cp_answer *out, copse_error *err);

/* What is asked of a model about rows of a table, or about encoded ones. */
typedef struct cp_query {
    const copse_table *table;
    const cp_rows *rows; /* if table is NULL */
    size_t first, n;
    int of_mean, one_tree; /* as in cp_answer; COPSE_E_USAGE if there are no draws */
    int32_t tree;          /* if one_tree; of sums of trees, a draw */
} cp_query;
copse_status cp_model_ask(const copse_model *m, const cp_query *q, const copse_run *run, cp_answer *out,
                          copse_error *err);
/* What the method is told of n encoded rows. */
cp_rows cp_model_rows(const copse_model *m, const float *x, size_t n);
/* Predictors that the model averages: its trees, or sums of trees. */
size_t cp_model_draws(const copse_model *m);
/* Are there several, each a draw of what could be? */
int cp_model_has_draws(const copse_model *m);
/* Rows worth asking a thread for at a time: many, but answers that fit in memory. */
size_t cp_model_block(const copse_model *m);
/* Does the work put off. */
copse_status cp_model_refresh(const copse_model *m, const copse_run *run, copse_error *err);

/* The whole model as sections, and back; `read` trusts nothing. */
copse_status cp_model_write(const copse_model *m, unsigned flags, cp_writer *w, copse_error *err);
/* COPSE_E_MODEL with the invariant that does not hold. */
copse_status cp_model_check(const copse_model *m, copse_error *err);
/* SHA-256 of what was learnt, in hexadecimal digits: all sections but those that say who wrote the file and how. */
copse_status cp_model_digest(const copse_model *m, char out[CP_SHA256_HEX], copse_error *err);
copse_status cp_model_read(const unsigned char *bytes, size_t n, copse_model **out, copse_error *err);
void cp_model_free(copse_model *m);

#endif
