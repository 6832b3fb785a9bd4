/* bart_chain_file - a chain as sections of a checkpoint, and back. */
#ifndef CP_BART_CHAIN_FILE_H
#define CP_BART_CHAIN_FILE_H

#include "bart/draws/bart_chain.h"

copse_status cp_bart_chain_file_write(const cp_bart_chain *c, cp_writer *w, copse_error *err);
/* The chain continues as if it had never stopped, bit for bit; `samples` may have grown. */
copse_status cp_bart_chain_file_read(cp_reader *r, const cp_bart_problem *b, size_t chain, cp_bart_chain **out,
                                     copse_error *err);

#endif
