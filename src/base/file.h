/* file - writes a file atomically: readers, and a power cut, find the old bytes or the new ones, never a mixture.
 *
 * The bytes go to a temporary file in the folder of the target.  Commit syncs it, renames it over the target and syncs
 * the folder.  These rules hold:
 *
 *   - A symbolic link stays; the file it points to is replaced.
 *   - An existing file keeps its mode, and its owner and group as far as the system permits.  A new file gets the
 *     mode that the umask leaves.
 *   - A file without write permission is refused, although a rename would be possible.
 *   - /dev/stdout and other open descriptors, devices and pipes are written directly; nothing is renamed.
 *   - A temporary file is locked (flock) as long as its writer lives.  The next writer of the same target removes the
 *     temporary files whose lock is free: their writers are dead.
 *
 * Extended attributes, access control lists and hard links of the old file are not kept. */
#ifndef CP_FILE_H
#define CP_FILE_H

#include "base/fail.h"

/* A file that is being written. */
typedef struct copse_file cp_file;

/* Failures are COPSE_E_SYSTEM or COPSE_E_MEMORY.  They leave no temporary file behind, and the target as it was unless
 * it is written directly. */
copse_status cp_file_begin(const char *path, cp_file **out, copse_error *err);
/* The same for a target that must not exist: COPSE_E_USAGE, here or in commit, if it does. */
copse_status cp_file_begin_new(const char *path, cp_file **out, copse_error *err);
copse_status cp_file_write(cp_file *f, const void *bytes, size_t n, copse_error *err);
/* The open file, for a caller that writes to it in its own way.  It stays f's. */
int cp_file_descriptor(const cp_file *f);
/* Makes the bytes the target's, and frees f, even on failure. */
copse_status cp_file_commit(cp_file *f, copse_error *err);
/* Drops the bytes, and frees f; NULL is accepted. */
void cp_file_abandon(cp_file *f);

/* Removes temporary files that dead writers of the target left, as every cp_file_begin does.  `target` is a path whose
 * links have been followed.  Only a lack of memory is a failure: the target can be written beside a file that cannot be
 * removed. */
copse_status cp_file_sweep(const char *target, copse_error *err);

/* Begins, writes n bytes and commits. */
copse_status cp_file_save(const char *path, const unsigned char *bytes, size_t n, copse_error *err);

/* Reads a whole model file.  The caller frees the bytes with cp_mem_free.  Fails with COPSE_E_MODEL as soon as the
 * first bytes are not those of a model, so that a large file of another kind is not read to its end, and with
 * COPSE_E_MEMORY if there are more than `limit` bytes, unless the limit is 0. */
copse_status cp_file_load(const char *path, size_t limit, unsigned char **out, size_t *out_n, copse_error *err);

#endif
