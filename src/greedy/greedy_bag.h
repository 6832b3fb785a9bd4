/* greedy_bag - which rows each tree of a random forest has seen.
 *
 * A row is in the bag of a tree if it or a row of its group (row_groups.h: mostly, rows of equal x) was drawn for it.
 * So where rows are repeated, fewer trees leave a row out than the usual 37 of 100: e^-k of them if it is there k
 * times. */
#ifndef CP_GREEDY_BAG_H
#define CP_GREEDY_BAG_H

#include "greedy/greedy_weight.h"
#include "method/row_groups.h"

typedef struct cp_greedy_bag {
    uint64_t *bit; /* for each tree `words` words: bit i is set if row i is in its bag; NULL: there are no bags */
    size_t words, trees;
    const cp_row_groups *groups;
    uint32_t *group; /* by row number: the row's group; NULL: each row is one of its own */
} cp_greedy_bag;

/* For `rows` rows; the groups are kept by the caller.  bag is zeroed. */
copse_status cp_greedy_bag_init(cp_greedy_bag *bag, size_t rows, size_t trees, const cp_row_groups *groups,
                                copse_error *err);
/* Fills in the bag of tree m from the weights that were drawn, by row number.  Threads may fill different bags. */
copse_status cp_greedy_bag_fill(const cp_greedy_bag *bag, size_t m, const double *weight, copse_error *err);
/* Do enough groups have enough trees that have not seen them, to learn how wrong the forest is?  Half of the groups, or
 * 2000 of them, need a tenth of the trees. */
int cp_greedy_bag_is_enough(const cp_greedy_bag *bag);
void cp_greedy_bag_clear(cp_greedy_bag *bag);

#endif
