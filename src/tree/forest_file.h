/* forest_file - a forest in sections and back; docs/format.md lists them.
 *
 * All trees share a few long columns: fewer sections, and like stands next to like, which packs well.  The shape is one
 * bit a node, because node order follows from it (N2); columns of whole numbers take as many bytes as their largest
 * entry needs, byte by byte: all lowest bytes, then all second ones, and so on. */
#ifndef CP_FOREST_FILE_H
#define CP_FOREST_FILE_H

#include "base/codec.h"
#include "tree/tree.h"

/* All trees are finished. */
copse_status cp_forest_write(const cp_forest *f, cp_writer *w, copse_error *err);
/* `out` is zeroed.  After a failure it holds nothing. */
copse_status cp_forest_read(cp_reader *r, copse_task task, size_t dims, size_t classes, cp_forest *out,
                            copse_error *err);

#endif
