/* bart_tree_file - a tree of the sum as sections of a checkpoint, and back. */
#ifndef CP_BART_TREE_FILE_H
#define CP_BART_TREE_FILE_H

#include "bart/core/bart_tree.h"
#include "base/codec.h"

/* Writes links, rules, cuts, mu and the leaves' sums of weights.  Reading derives the rest from these, except sum_wr,
 * which is 0 until the next pass over the residual. */
copse_status cp_bart_tree_file_write(const cp_bart_tree *t, cp_writer *w, copse_error *err);
/* Checks everything it reads.  t is initialised; after a failure it is one leaf. */
copse_status cp_bart_tree_file_read(cp_bart_tree *t, const cp_bart_view *v, cp_reader *r, copse_error *err);

#endif
