/* btree_smc_file - an island in a checkpoint, and back.  A restored island continues as if it had never stopped, bit
 * for bit. */
#ifndef CP_BTREE_SMC_FILE_H
#define CP_BTREE_SMC_FILE_H

#include "btree/btree_smc.h"

/* Compacts the island's states before it writes them. */
copse_status cp_btree_smc_file_write(cp_btree_smc *s, cp_writer *w, copse_error *err);
/* The problem and the options must be those of the island that was written; everything else is checked. */
copse_status cp_btree_smc_file_read(cp_reader *r, const cp_btree_problem *b, const cp_btree_smc_options *opt,
                                    size_t island, cp_btree_smc **out, copse_error *err);

#endif
