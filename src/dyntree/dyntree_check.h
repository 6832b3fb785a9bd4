/* dyntree_check - the invariants D1 to D5 of dyntree.h, and the part of them that files are checked by. */
#ifndef CP_DYNTREE_CHECK_H
#define CP_DYNTREE_CHECK_H

#include "dyntree/dyntree.h"

/* NULL if D1 to D5 hold, else which does not. */
const char *cp_dyntree_check(const void *state);
/* D3 without the lists: *out_sound is whether every row is on its side of every cut.  `order`: all nodes, parents
 * first. */
copse_status cp_dyntree_check_cells(const cp_dyntree *f, const int32_t *order, size_t n, int *out_sound,
                                    copse_error *err);

#endif
