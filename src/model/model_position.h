/* model_position - how far a model has come in the stream that it learnt from last.  Stored in sections `position.*`,
 * which are no part of the digest: what was learnt does not depend on how a stream was cut. */
#ifndef CP_MODEL_POSITION_H
#define CP_MODEL_POSITION_H

#include "model/model.h"

enum { CP_MODEL_POSITION_TOKEN = 1000 }; /* most bytes of a token */

typedef struct cp_model_position {
    copse_position at; /* its token is the string below, or NULL */
    char *token;
} cp_model_position;

/* Copies the position.  COPSE_E_USAGE if its token is too long or its hash is none. */
copse_status cp_model_position_set(copse_model *m, const copse_position *p, copse_error *err);
void cp_model_position_clear(copse_model *m);

/* Nothing if the model, or the file, has no position. */
copse_status cp_model_position_write(const copse_model *m, cp_writer *w, copse_error *err);
copse_status cp_model_position_read(copse_model *m, cp_reader *r, copse_error *err);

#endif
