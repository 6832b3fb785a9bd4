/* moves_file - a tree as sections of a checkpoint, and back. */
#ifndef CP_MOVES_FILE_H
#define CP_MOVES_FILE_H

#include "base/codec.h"
#include "bayes/moves.h"

/* Writes links, rules and the two lists; reading derives the rest. */
copse_status cp_moves_file_write(const cp_moves_tree *t, cp_writer *w, copse_error *err);
/* Checks everything it reads.  t is then as it was when written, down to the bit. */
copse_status cp_moves_file_read(cp_moves *k, cp_moves_tree *t, cp_reader *r, copse_error *err);

#endif
