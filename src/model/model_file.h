/* model_file - a model as the sections of docs/format.md, in memory and in a file. */
#ifndef CP_MODEL_FILE_H
#define CP_MODEL_FILE_H

#include "model/model.h"

/* flags: COPSE_SAVE_FROZEN. */
copse_status cp_model_file_write(const copse_model *m, unsigned flags, cp_writer *w, copse_error *err);
/* Trusts nothing in the bytes: whatever they are, the result is a sound model or COPSE_E_MODEL. */
copse_status cp_model_file_read(const unsigned char *bytes, size_t n, copse_model **out, copse_error *err);
/* The same, and COPSE_E_MEMORY if the model needs more than `limit` bytes of memory; 0: no limit. */
copse_status cp_model_file_read_limited(const unsigned char *bytes, size_t n, size_t limit, copse_model **out,
                                        copse_error *err);
/* Hands the bytes of the file to a function, in one piece or more. */
copse_status cp_model_file_send(const copse_model *m, unsigned flags, copse_write_fn write, void *arg,
                                copse_error *err);

/* A model of its own that is the same in all that a file holds; `limit` as above. */
copse_status cp_model_file_copy(const copse_model *m, size_t limit, copse_model **out, copse_error *err);

/* Atomic, as cp_file_save. */
copse_status cp_model_file_save(const copse_model *m, const char *path, unsigned flags, copse_error *err);
copse_status cp_model_file_load(const char *path, size_t limit, copse_model **out, copse_error *err);

#endif
