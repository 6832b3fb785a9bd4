/* greedy_random - random cuts of a node, and the records on either side of one.
 *
 * Some levels down, a node's rows lie anywhere in the table, and fetching them takes longer than all that is done with
 * them.  So a node that is small enough takes its rows' numbers along: they stand side by side, and move as its records
 * do. */
#ifndef CP_GREEDY_RANDOM_H
#define CP_GREEDY_RANDOM_H

#include "greedy/greedy_grower.h"

/* For nodes of at most `rows` rows. */
copse_status cp_greedy_random_new(cp_greedy_grower *w, size_t rows, copse_error *err);
/* A cut of each column that is tried; w->best is the best of them. */
void cp_greedy_random_try(cp_greedy_grower *w, const cp_greedy_frontier_node *o);
/* Moves the node's records by w->best; returns where the right child begins. */
size_t cp_greedy_random_divide(cp_greedy_grower *w, const cp_greedy_frontier_node *o);

#endif
