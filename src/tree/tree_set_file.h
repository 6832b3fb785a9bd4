/* tree_set_file - writes a tree set as sections of a model file, and reads it; docs/format.md lists the sections. */
#ifndef CP_TREE_SET_FILE_H
#define CP_TREE_SET_FILE_H

#include "base/codec.h"
#include "tree/tree_set.h"

/* The tree set is finished. */
copse_status cp_tree_set_file_write(const cp_tree_set *g, cp_writer *w, copse_error *err);
/* `out` need not be initialised; after a failure it is zeroed.  Files are refused whose trees would take much longer to
 * list or to walk than the size of the file justifies. */
copse_status cp_tree_set_file_read(cp_reader *r, size_t dims, size_t width, cp_tree_set *out, copse_error *err);

#endif
