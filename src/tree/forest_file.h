/* forest_file - writes a forest as sections of a model file, and reads it; docs/format.md lists the sections.  One
 * header for the two halves of the format, forest_write.c and forest_read.c.
 *
 * All trees share a few long columns: that takes fewer sections, and similar values stand next to each other, which
 * compresses well.  The shape of a tree is one bit a node, because the order of nodes follows from it (N2).  A column
 * of whole numbers takes as many bytes a number as its largest one needs, byte by byte: all lowest bytes, then all
 * second bytes, and so on. */
#ifndef CP_FOREST_FILE_H
#define CP_FOREST_FILE_H

#include "base/codec.h"
#include "tree/tree.h"

/* All trees are finished. */
copse_status cp_forest_write(const cp_forest *f, cp_writer *w, copse_error *err);
/* `out` need not be initialised; after a failure it is zeroed. */
copse_status cp_forest_read(cp_reader *r, copse_task task, size_t dims, size_t classes, cp_forest *out,
                            copse_error *err);

#endif
