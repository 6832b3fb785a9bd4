/* path - which file a path names, and the folder beside it: for files that are replaced by a rename. */
#ifndef CP_PATH_H
#define CP_PATH_H

#include "base/fail.h"

enum { CP_PATH_MAX = 4096 };

/* Length of the folder part with its slash, 0 if there is none. */
size_t cp_path_folder_length(const char *path);
/* The folder of a path, to be opened: "." if the path has none.  0 if it is too long. */
int cp_path_folder(const char *path, char out[CP_PATH_MAX]);
/* `name` in the folder of `path`: a new string, NULL if memory is short. */
char *cp_path_beside(const char *path, const char *name);
/* The open descriptor that a path stands for (/dev/stdout, /dev/fd/3), -1 if it stands for none.  Opening such a
 * path again would begin at another place of the file than the descriptor has reached. */
int cp_path_descriptor(const char *path);
/* Follows symbolic links, also one that points to nothing yet; stops at a path that stands for a descriptor.  *out is a
 * new string. */
copse_status cp_path_follow(const char *path, char **out, copse_error *err);
/* Syncs the folder of a path, so that a new name survives a power cut.  0, or -1 with errno. */
int cp_path_sync_folder(const char *path);

#endif
