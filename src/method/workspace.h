/* workspace - scratch memory of a method's `predict` that a caller keeps from call to call, so that predicting one row
 * after another allocates nothing.  All zeros is an empty workspace.  One for each thread, and for one model. */
#ifndef CP_WORKSPACE_H
#define CP_WORKSPACE_H

#include "base/fail.h"

typedef struct cp_workspace {
    void *data; /* the method's own struct */
    void (*clear)(void *data);
} cp_workspace;

/* *out is the method's struct of `size` bytes: all zeros at first, later as the method has left it.  `clear` frees what
 * is in the struct, not the struct.  The first call of a workspace decides size and `clear`. */
copse_status cp_workspace_get(cp_workspace *w, size_t size, void (*clear)(void *data), void *out, copse_error *err);
void cp_workspace_clear(cp_workspace *w);

#endif
