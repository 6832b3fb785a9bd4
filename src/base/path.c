/* path - which file a path names, and the folder beside it. */
#define _GNU_SOURCE /* O_CLOEXEC, O_DIRECTORY */

#include "base/path.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

enum { MAX_LINKS = 40 };

size_t cp_path_folder_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

int cp_path_folder(const char *path, char out[CP_PATH_MAX]) {
    return snprintf(out, CP_PATH_MAX, "%.*s.", (int)cp_path_folder_length(path), path) < CP_PATH_MAX;
}

char *cp_path_beside(const char *path, const char *name) {
    size_t folder = name[0] == '/' ? 0 : cp_path_folder_length(path), n = strlen(name);
    char *joined = cp_mem_raw(folder + n + 1, 1);
    if (!joined) return NULL;
    memcpy(joined, path, folder);
    memcpy(joined + folder, name, n + 1);
    return joined;
}

int cp_path_descriptor(const char *path) {
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    if (!strcmp(path, "/dev/stdout")) return STDOUT_FILENO;
    if (!strcmp(path, "/dev/stderr")) return STDERR_FILENO;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        size_t n = strlen(folders[i]);
        if (!strncmp(path, folders[i], n) && isdigit((unsigned char)path[n])) return (int)strtol(path + n, NULL, 10);
    }
    return -1;
}

copse_status cp_path_follow(const char *path, char **out, copse_error *err) {
    char *now = cp_mem_strdup(path), target[CP_PATH_MAX];
    if (!now) return cp_fail_memory(err);
    for (int links = 0; cp_path_descriptor(now) < 0; links++) {
        struct stat st;
        if (lstat(now, &st) != 0 || !S_ISLNK(st.st_mode)) break;
        ssize_t n = links < MAX_LINKS ? readlink(now, target, sizeof target - 1) : (errno = ELOOP, -1);
        if (n < 0) {
            cp_mem_free(now);
            return cp_fail_system(err, "write", path);
        }
        target[n] = '\0';
        char *next = cp_path_beside(now, target);
        cp_mem_free(now);
        if (!next) return cp_fail_memory(err);
        now = next;
    }
    *out = now;
    return COPSE_OK;
}

int cp_path_sync_folder(const char *path) {
    char folder[CP_PATH_MAX];
    int fd = cp_path_folder(path, folder) ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1, result = 0;
    if (fd < 0) return 0;                            /* a folder that may be written but not read */
    if (fsync(fd) != 0 && errno == EIO) result = -1; /* EINVAL: a file system that cannot sync folders */
    close(fd);
    return result;
}
