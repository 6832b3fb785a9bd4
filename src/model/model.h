/* model - a fitted method together with its schema and options: the type that every public function works on.
 *
 * The stages have files of their own: model_encode (tables to rows), model_fit, model_update, model_predict,
 * model_file (model files), model_summary, model_position and model_digest. */
#ifndef CP_MODEL_H
#define CP_MODEL_H

#include "data/schema.h"
#include "method/method.h"

/* A model that learns may be read meanwhile: readers (predict, save, copy ...) and the one that changes it take turns.
 *
 * Some methods put off work after an update until the state is read (cp_method.refresh).  The first reader does that
 * work and holds the lock meanwhile, so that a constant model may be read by many threads. */
typedef struct cp_model_lazy {
    struct cp_share_lock *turn; /* cp_model_begin_read ... cp_model_end_write */
    struct cp_lock *lock;
    int stale; /* refresh is due */
} cp_model_lazy;

struct copse_model {
    const cp_method *method;
    copse_params *params;
    cp_schema *schema;
    void *state; /* the method's */
    cp_model_lazy *lazy;
    struct cp_summary *summary;         /* of the training rows; NULL: unknown, see model_summary.h */
    struct cp_model_position *position; /* in the stream that it learnt from last; NULL: none, see model_position.h */
};

/* A model without method, options, schema and state, for the caller to fill in. */
copse_status cp_model_new(copse_model **out, copse_error *err);
void cp_model_free(copse_model *m);

/* Every public call that reads state, schema and options together, or changes them, does so between a begin and its
 * end.  They do not nest. */
void cp_model_begin_read(const copse_model *m);
void cp_model_end_read(const copse_model *m);
void cp_model_begin_write(copse_model *m);
void cp_model_end_write(copse_model *m);

/* Calls the method's refresh if an update has made the state stale. */
copse_status cp_model_refresh(const copse_model *m, const copse_run *run, copse_error *err);
/* COPSE_E_MODEL with the invariant that does not hold. */
copse_status cp_model_check(const copse_model *m, copse_error *err);

/* n rows that are encoded already, x being n x dims, as the method takes them: without targets. */
cp_rows cp_model_rows(const copse_model *m, const float *x, size_t n);
/* The number of predictors that the model averages: trees, or sums of trees. */
size_t cp_model_draws(const copse_model *m);
/* Are there several of these predictors, and can each of them answer alone? */
int cp_model_has_draws(const copse_model *m);

/* Returns `status`.  If that is COPSE_E_MEMORY, the message becomes the method, the size of the data (`rows` rows) and
 * the options that lower the need for memory: "out of memory" alone does not tell a user what to do. */
copse_status cp_model_explain_memory(const copse_model *m, size_t rows, copse_status status, copse_error *err);

#endif
