/* greedy_random - split search by random cuts, as extremely randomized trees do it.
 *
 * Some levels down, a node's rows lie anywhere in the table, and fetching them takes longer than all that is done with
 * them.  So the values of a node that is small enough are copied: they stand side by side, and move as the records of
 * the nodes below it do. */
#ifndef CP_GREEDY_RANDOM_H
#define CP_GREEDY_RANDOM_H

#include "greedy/greedy_grower.h"

/* For nodes of at most `rows` rows. */
copse_status cp_greedy_random_new(cp_greedy_grower *w, size_t rows, copse_error *err);
/* Draws a cut of each column that is tried; the best split is w->best. */
void cp_greedy_random_search(cp_greedy_grower *w, const cp_greedy_node *node);
/* Moves the node's records by the split; returns where the right child begins. */
size_t cp_greedy_random_divide(cp_greedy_grower *w, const cp_greedy_node *node, const cp_split *s);

#endif
