#include "method/workspace.h"

#include <string.h>

#include "base/mem.h"

copse_status cp_workspace_get(cp_workspace *w, size_t size, void (*clear)(void *data), void *out, copse_error *err) {
    if (!w->data) {
        w->data = cp_mem_new(1, size);
        w->clear = clear;
    }
    memcpy(out, &w->data, sizeof w->data); /* `out` is the address of a pointer of any type */
    return w->data ? COPSE_OK : cp_fail_memory(err);
}

void cp_workspace_clear(cp_workspace *w) {
    if (w->data) w->clear(w->data);
    cp_mem_free(w->data);
    *w = (cp_workspace){0};
}
