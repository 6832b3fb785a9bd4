/* file_lock - one writer at a time for a file that is replaced by a rename.
 *
 * The lock of DIR/NAME is a flock on the hidden file DIR/.NAME.copse-lock.  The file itself cannot carry it: a rename
 * puts another file under its name, and a model that is not made yet is no file at all.  The holder removes the hidden
 * file when it lets go.  A holder that was killed leaves it behind, empty and not locked; the next holder takes it over
 * and removes it. */
#ifndef CP_FILE_LOCK_H
#define CP_FILE_LOCK_H

#include "base/fail.h"

typedef struct copse_lock cp_file_lock;

/* Symbolic links are followed, so that all names of one file have one lock.  Standard output, devices and pipes need
 * none.  If another writer holds the lock: COPSE_E_SYSTEM at once, or with `wait` as soon as it lets go, or
 * COPSE_E_STOPPED. */
copse_status cp_file_lock_acquire(const char *path, int wait, const copse_flag *opt_stop, cp_file_lock **out,
                                  copse_error *err);
/* The path as it was given. */
const char *cp_file_lock_path(const cp_file_lock *l);
/* 0 if the file system has no locks: nobody is kept out. */
int cp_file_lock_excludes(const cp_file_lock *l);
void cp_file_lock_release(cp_file_lock *l); /* NULL is accepted */

#endif
