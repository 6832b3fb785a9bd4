/* file - bytes to disk and back: whole or not at all. */
#ifndef CP_FILE_H
#define CP_FILE_H

#include "base/fail.h"

/* Writes a temporary file beside `path`, syncs it and renames it, so that at any moment, a power cut included, `path`
 * holds the old bytes or the new ones.  An existing file keeps its permissions and a link its place: the file it points
 * to is replaced.  "-" is standard output; pipes and devices are written as they are.  On failure (COPSE_E_SYSTEM)
 * nothing is left behind and an existing file is untouched. */
copse_status cp_file_save(const char *path, const unsigned char *bytes, size_t n, copse_error *err);

/* The whole of a model file, freed with cp_mem_free; "-" is standard input.  COPSE_E_MODEL as soon as the first bytes
 * are not those of a model, so that a large file of another kind is not read in vain. */
copse_status cp_file_load(const char *path, unsigned char **out, size_t *out_n, copse_error *err);

#endif
