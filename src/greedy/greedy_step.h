/* greedy_step - the life of one node, whatever the order in which a tree grows.
 *
 *   find        the best split of the node, from its records; none: the node is to be a leaf
 *   write       the split goes into the tree: the children get their numbers and their query rows
 *   divide      the node's records move: the children get theirs
 *   hand_down   the node's histograms, where it keeps some, go to the children
 *   close       instead of the last three: the node becomes a leaf
 *
 *   greedy_grow_serial      one thread, depth first: all steps of a node one after another
 *   greedy_grow_best_first  find for every open node; write, divide or close for the one with the largest
 *                           gain; its children build their histograms anew
 *   greedy_grow_parallel    find, divide and hand_down for all nodes of a level at once; write and close afterwards, on
 *                           one thread, in the order of greedy_grow_serial
 *
 * find looks for the split by the search that suits the tree: greedy_hist, greedy_sorted or greedy_random.  Small nodes
 * do not take these steps: greedy_cached grows them. */
#ifndef CP_GREEDY_STEP_H
#define CP_GREEDY_STEP_H

#include "greedy/greedy_grower.h"

typedef struct cp_greedy_step {
    cp_greedy_node node;
    /* From find: */
    int is_split;
    cp_split split; /* its set is the worker's scratch until the worker's next find; keep makes it last */
    double gain;    /* the impurity the split takes away */
    /* From divide, and id and query_rows from write: */
    cp_greedy_node child[2];
} cp_greedy_step;

/* A worker for nodes of at most `rows` rows; `tree`: where it writes, NULL if it only finds and divides. */
copse_status cp_greedy_step_init(cp_greedy_grower *w, const cp_greedy_context *context, size_t rows, cp_tree *tree,
                                 copse_error *err);

copse_status cp_greedy_step_find(cp_greedy_grower *w, cp_greedy_step *s, copse_error *err);
/* Copies the set of the split found, so that it lasts as long as the worker. */
copse_status cp_greedy_step_keep(cp_greedy_grower *w, cp_greedy_step *s, copse_error *err);

copse_status cp_greedy_step_write(cp_greedy_grower *w, cp_greedy_step *s, copse_error *err);
void cp_greedy_step_divide(cp_greedy_grower *w, cp_greedy_step *s);
/* The same on all threads, of a node of more than CP_GREEDY_GROW_SERIAL_ROWS rows. */
copse_status cp_greedy_step_divide_parallel(cp_greedy_grower *w, const copse_run *run, cp_greedy_step *s,
                                            copse_error *err);
/* Children of at most `limit` rows get no histograms.  The smaller child may have its own already. */
copse_status cp_greedy_step_hand_down(cp_greedy_grower *w, cp_greedy_step *s, size_t limit, copse_error *err);

copse_status cp_greedy_step_close(cp_greedy_grower *w, cp_greedy_step *s, copse_error *err);

/* Of two children, the one with fewer rows; the left one if they have equally many. */
static inline int cp_greedy_step_smaller(const cp_greedy_step *s) {
    return cp_greedy_node_rows(&s->child[0]) > cp_greedy_node_rows(&s->child[1]);
}

#endif
