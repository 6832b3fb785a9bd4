/* btree_mcmc_file - a chain in a checkpoint, and back.  A restored chain continues as if it had never stopped, bit for
 * bit. */
#ifndef CP_BTREE_MCMC_FILE_H
#define CP_BTREE_MCMC_FILE_H

#include "btree/btree_mcmc.h"

copse_status cp_btree_mcmc_file_write(const cp_btree_chain *c, cp_writer *w, copse_error *err);
/* The problem and the options must be those of the chain that was written, except `samples`, which may be larger, even
 * if the chain was finished.  Everything else is checked. */
copse_status cp_btree_mcmc_file_read(cp_reader *r, const cp_btree_problem *b, const cp_btree_mcmc_options *opt,
                                     size_t chain, cp_btree_chain **out, copse_error *err);

#endif
