/* tree_set_file - a tree set in sections and back; docs/format.md lists them. */
#ifndef CP_TREE_SET_FILE_H
#define CP_TREE_SET_FILE_H

#include "base/codec.h"
#include "tree/tree_set.h"

/* The tree set is finished. */
copse_status cp_tree_set_file_write(const cp_tree_set *g, cp_writer *w, copse_error *err);
/* After a failure `out` holds nothing.  Whoever lists a tree node by node, or walks down it, takes no longer than the
 * size of the file justifies. */
copse_status cp_tree_set_file_read(cp_reader *r, size_t dims, size_t width, cp_tree_set *out, copse_error *err);

#endif
