/* mondrian_choice_file - the candidates of a tree's splits in a model file, one after the other in the order of nodes.
 *
 * How many rows a node has, and which of them chose, follows from the tree and is not written. */
#ifndef CP_MONDRIAN_CHOICE_FILE_H
#define CP_MONDRIAN_CHOICE_FILE_H

#include "base/reader.h"
#include "base/writer.h"
#include "mondrian/mondrian_tree.h"

copse_status cp_mondrian_choice_file_write(const cp_mondrian_tree *t, const cp_mondrian_space *s, cp_writer *w,
                                           copse_error *err);
/* Into a tree that is otherwise complete.  `order`: parents before children. */
copse_status cp_mondrian_choice_file_read(cp_mondrian_tree *t, const cp_mondrian_space *s, cp_reader *r,
                                          const int32_t *order, copse_error *err);

#endif
