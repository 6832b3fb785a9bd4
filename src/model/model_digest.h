/* model_digest - a checksum of what a model has learnt. */
#ifndef CP_MODEL_DIGEST_H
#define CP_MODEL_DIGEST_H

#include "model/model.h"

/* SHA-256 in hexadecimal digits of all sections but those that say who wrote the file, with which options, at which
 * position of a stream, and from which columns. */
copse_status cp_model_digest(const copse_model *m, char out[CP_SHA256_HEX], copse_error *err);

#endif
